"""The published numbers of a paper, as its TOML file has them, and what computes ours."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field, PrivateAttr

from isthmus.base.errors import IsthmusError
from isthmus.base.files import read_text
from isthmus.base.parsing import Location, checked, toml
from isthmus.base.toml_lines import line_of
from isthmus.records.base import TomlTable, Value
from isthmus.reproduction.counterparts import Counterpart, Same

Place = int | float | str


class Reading(TomlTable):
    """One way to read a place that contradicts itself or another."""

    reading: str
    value: Value
    _own: Counterpart | None = PrivateAttr(default=None)

    @property
    def own(self) -> Counterpart | None:
        """What the paper's Python file says of it."""
        return self._own

    def computed_by(self, own: Counterpart) -> None:
        """Sets what computes our value of it."""
        self._own = own


class PublishedRow(TomlTable):
    """One published number."""

    id: str
    place: list[str] = Field(min_length=1)
    platform: str
    quantity: str
    unit: str = ""
    value: Value
    quote: str | None = None
    kind: Literal["input", "output", "claim", "check", "outside"]
    same_as: str | None = None
    readings: list[Reading] = Field(default=[])
    note: str | None = None
    reason: str | None = None
    _own: Counterpart | None = PrivateAttr(default=None)

    @property
    def own(self) -> Counterpart | None:
        """What the paper's Python file says of it."""
        return self._own

    @property
    def counterpart(self) -> Counterpart | None:
        """What computes our value of it: its own, or the row that states the same number."""
        return self._own or (Same(self.same_as) if self.same_as else None)

    def unit_of(self, reading: Counterpart) -> str:
        """The unit of a reading: that of the row, but a part of a ratio is told in its own."""
        return "" if self.unit == "x" and reading.sort is not None else self.unit

    def computed_by(self, own: Counterpart) -> "PublishedRow":
        """The row, with what computes our value of it."""
        self._own = own
        return self


@dataclass(frozen=True)
class PublishedFigure:
    """A figure of a paper, drawn again.

    x: label and unit of the axis from left to right; y: of the other.
    places: on the axis: numbers, sizes such as "64B", or names.
    series: by name what computes the value at a place, or the values in the order of places, None where there is none.
    stacked: the values of a series are the parts of a whole.
    """

    name: str
    title: str
    x: tuple[str, str]
    places: Sequence[Place]
    y: tuple[str, str]
    series: Mapping[str, Callable[[Place], Counterpart] | Sequence[Counterpart | None]]
    stacked: bool = False

    def curve(self, name: str) -> list[Counterpart | None]:
        """What computes a series, place by place."""
        given = self.series[name]
        curve = [given(place) for place in self.places] if callable(given) else given
        if len(curve) != len(self.places):
            places = len(self.places)
            raise IsthmusError(f"figure '{self.name}': series '{name}': expected {places} values, got {len(curve)}")
        return list(curve)


class Paper(TomlTable):
    """A paper and its numbers."""

    title: str
    authors: str
    published: str
    row: list[PublishedRow]
    _figures: list[PublishedFigure] = PrivateAttr(default_factory=list)

    @property
    def figures(self) -> list[PublishedFigure]:
        """The figures that are drawn again."""
        return self._figures

    def with_figures(self, figures: Sequence[PublishedFigure]) -> "Paper":
        """The paper with its figures."""
        self._figures = list(figures)
        return self


def read_numbers(path: Path) -> Paper:
    """The numbers of a paper in a TOML file."""

    def place(key: Location) -> tuple[str, Location]:
        if key[:1] == ("row",) and len(key) > 1:
            return line_of_row(path, int(key[1])), key[2:]
        return f"{path}:1", key

    return checked(Paper, toml(read_text(path), path), place)


def line_of_row(path: Path, number: int) -> str:
    """FILE:LINE of a row in a TOML file, counted from 0; line 1 if the rows are written in another way."""
    return f"{path}:{line_of(read_text(path), 'row', number)}"
