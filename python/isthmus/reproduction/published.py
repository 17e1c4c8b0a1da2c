"""Reading papers/*.toml; papers/README.md says what the fields mean."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from isthmus.base.errors import IsthmusError
from isthmus.base.files import data_folder, read_text
from isthmus.base.parsing import Location, checked, toml
from isthmus.base.toml_lines import line_of
from isthmus.records.base import TomlTable, Value


class Reading(TomlTable):
    """One way to read a place that contradicts itself or another."""

    reading: str
    value: Value
    experiment: str | None = None


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
    experiment: str | None = None
    same_as: str | None = None
    readings: list[Reading] = Field(default=[])
    note: str | None = None
    reason: str | None = None


class Axis(TomlTable):
    """One axis of a figure."""

    label: str
    unit: str = ""


class Places(Axis):
    """The axis from left to right, and the places on it: numbers, sizes such as "64B", or names."""

    values: list[int | float | str] = Field(min_length=1)


class Series(TomlTable):
    """One curve of a figure: an experiment of which `{x}` is the place, one for each place, or published rows."""

    name: str
    experiment: str | None = None
    experiments: list[str] | None = None
    rows: list[str] | None = None

    @model_validator(mode="after")
    def _is_one_of_them(self) -> "Series":
        if sum(given is not None for given in (self.experiment, self.experiments, self.rows)) != 1:
            raise ValueError(f"series '{self.name}': expected one of experiment, experiments and rows")
        return self

    def at(self, place: int, x: int | float | str) -> str:
        """The experiment of a place, or the row; nothing where the series has none there."""
        listed = self.experiments if self.experiments is not None else self.rows
        if self.experiment is not None:
            return self.experiment.replace("{x}", str(x))
        return listed[place] if listed is not None and place < len(listed) else ""


class PublishedFigure(TomlTable):
    """A figure of a paper, drawn again; `stacked` if the values of a series are the parts of a whole."""

    name: str
    title: str
    x: Places
    y: Axis
    stacked: bool = False
    series: list[Series] = Field(min_length=1)


class Paper(TomlTable):
    """A paper and its numbers."""

    title: str
    authors: str
    published: str
    row: list[PublishedRow]
    figure: list[PublishedFigure] = Field(default=[])


def paper_names() -> list[str]:
    """The short names of the papers that are installed."""
    return sorted(path.stem for path in data_folder("papers").glob("*.toml"))


def read_papers(own: Sequence[Path] = ()) -> dict[str, Paper]:
    """Every installed paper and those of some files, by short name; anything wrong in a file is an IsthmusError."""
    papers = {name: read_paper(data_folder("papers") / f"{name}.toml") for name in paper_names()}
    for path in own:
        paper = read_paper(path)
        if path.stem in papers:
            raise IsthmusError(f"{path}: a paper '{path.stem}' is there already", hint="rename the file.")
        known = {row.id: name for name, other in papers.items() for row in other.row}
        for number, row in enumerate(paper.row):
            if row.id in known or row.id in {before.id for before in paper.row[:number]}:
                there = known.get(row.id, path.stem)
                raise IsthmusError(f"{place_of_row(path, number)}: key 'id': '{row.id}' is there already, in {there}")
        papers[path.stem] = paper
    return papers


def new_paper(file: str) -> str:
    """The text of a paper file of one's own, to begin with, that can be used as it is."""
    return read_text(Path(__file__).with_name("new_paper.toml")).format(file=file)


def read_paper(path: Path) -> Paper:
    """The paper of one file."""

    def place(key: Location) -> tuple[str, Location]:
        if key[:1] == ("row",) and len(key) > 1:
            return place_of_row(path, int(key[1])), key[2:]
        return f"{path}:1", key

    return checked(Paper, toml(read_text(path), path), place)


def place_of_row(path: Path, number: int) -> str:
    """FILE:LINE of a row, counted from 0; line 1 if the rows are written in another way."""
    return f"{path}:{line_of(read_text(path), 'row', number)}"
