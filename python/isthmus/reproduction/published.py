"""Reading papers/*.toml; papers/README.md says what the fields mean."""

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


def read_papers() -> dict[str, Paper]:
    """Every paper by its short name; anything wrong in a file is an IsthmusError."""
    return {name: read_paper(data_folder("papers") / f"{name}.toml") for name in paper_names()}


def read_paper(path: Path) -> Paper:
    """The paper of one file."""
    text = read_text(path)
    try:
        return Paper.model_validate(toml(text, path))
    except ValidationError as error:
        raise IsthmusError(_complaint(path, text, error)) from error


def _complaint(path: Path, text: str, error: ValidationError) -> str:
    first = error.errors()[0]
    place = list(first["loc"])
    if place[:1] == ["row"] and len(place) > 1 and isinstance(place[1], int):
        starts = [number for number, line in enumerate(text.splitlines(), start=1) if line.strip() == "[[row]]"]
        line = starts[place[1]] if place[1] < len(starts) else 1  # rows may be written in other ways
        return f"{path}:{line}: key '{'.'.join(map(str, place[2:]))}': {first['msg']}"
    return f"{path}:1: key '{'.'.join(map(str, place))}': {first['msg']}"
