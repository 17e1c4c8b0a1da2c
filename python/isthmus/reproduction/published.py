"""Reading papers/*.toml; papers/README.md says what the fields mean."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from isthmus.base.errors import IsthmusError
from isthmus.base.files import data_folder, read_text
from isthmus.base.parsing import toml

Value = bool | int | float | str


class Reading(BaseModel):
    """One way to read a place that contradicts itself or another."""

    model_config = ConfigDict(extra="forbid")

    reading: str
    value: Value
    experiment: str | None = None


class PublishedRow(BaseModel):
    """One published number."""

    model_config = ConfigDict(extra="forbid")

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
    readings: list[Reading] = []
    note: str | None = None
    reason: str | None = None


class Axis(BaseModel):
    """What lies along one side of a figure."""

    model_config = ConfigDict(extra="forbid")

    label: str
    unit: str = ""


class Places(Axis):
    """The axis from left to right, and the places on it: numbers, sizes such as "64B", or names."""

    values: list[int | float | str] = Field(min_length=1)


class Series(BaseModel):
    """One curve of a figure: an experiment of which `{x}` is the place, one for each place, or published rows."""

    model_config = ConfigDict(extra="forbid")

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


class PublishedFigure(BaseModel):
    """A figure of a paper, drawn again; `stacked` if the values of a series are the parts of a whole."""

    model_config = ConfigDict(extra="forbid")

    name: str
    title: str
    x: Places
    y: Axis
    stacked: bool = False
    series: list[Series] = Field(min_length=1)


class Paper(BaseModel):
    """A paper and its numbers."""

    model_config = ConfigDict(extra="forbid")

    title: str
    authors: str
    published: str
    row: list[PublishedRow]
    figure: list[PublishedFigure] = []


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


def read_paper(path: Path) -> Paper:
    """The paper of one file."""
    text = read_text(path)
    try:
        return Paper.model_validate(toml(text, path))
    except ValidationError as error:
        raise IsthmusError(_complaint(path, error)) from error


def place_of_row(path: Path, number: int) -> str:
    """FILE:LINE of a row, counted from 0; line 1 if the rows are written in another way."""
    lines = read_text(path).splitlines()
    starts = [line for line, words in enumerate(lines, start=1) if words.partition("#")[0].strip() == "[[row]]"]
    return f"{path}:{starts[number] if number < len(starts) else 1}"


def _complaint(path: Path, error: ValidationError) -> str:
    first = error.errors()[0]
    place = list(first["loc"])
    if place[:1] == ["row"] and len(place) > 1 and isinstance(place[1], int):
        return f"{place_of_row(path, place[1])}: key '{'.'.join(map(str, place[2:]))}': {first['msg']}"
    return f"{path}:1: key '{'.'.join(map(str, place))}': {first['msg']}"
