"""Reading papers/*.toml; papers/README.md says what the fields mean."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from isthmus.errors import IsthmusError
from isthmus.files import data_folder, read_text
from isthmus.parsing import toml

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


class Paper(BaseModel):
    """A paper and its numbers."""

    model_config = ConfigDict(extra="forbid")

    title: str
    authors: str
    published: str
    row: list[PublishedRow]


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
