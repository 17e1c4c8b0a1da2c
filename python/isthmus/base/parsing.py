"""TOML and JSON of texts that may hold anything: numbers of a million digits, brackets a thousand deep."""

import json
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from isthmus.base.errors import IsthmusError
from isthmus.base.files import read_text
from isthmus.base.numbers import as_written
from isthmus.base.toml_lines import line_of_error

if TYPE_CHECKING:
    from pydantic import BaseModel

Model = TypeVar("Model", bound="BaseModel")
Location = tuple[int | str, ...]  # of a key, in parts


def toml(text: str, path: Path) -> dict[str, Any]:
    """The content of a TOML file; an IsthmusError with file and line where it is none."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise IsthmusError(f"{path}:{line_of_error(error, text)}: not TOML: {error}") from error
    except RecursionError as error:
        raise IsthmusError(f"{path}: not TOML that can be read: nested too deeply") from error
    except ValueError as error:
        raise IsthmusError(f"{path}: not TOML that can be read: {error}") from error


def from_json(text: str) -> Any:
    """The value of a JSON text; a ValueError where it is none."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def our_json(text: str, place: object) -> Any:
    """The value of what isthmus wrote at `place`, a file or a line of one; an IsthmusError where it is no JSON."""
    try:
        return from_json(text)
    except ValueError as error:
        raise IsthmusError(f"{place}: expected JSON that isthmus wrote: {error}") from error


def read_json(path: Path) -> Any:
    """The value of a file that isthmus wrote; an IsthmusError where it cannot be read or is no JSON."""
    return our_json(read_text(path), path)


def checked(model: "type[Model]", plain: Any, place: object) -> "Model":
    """`plain` as a record; an IsthmusError with `place` and the first key that is wrong.

    A `place` that is a function gives the place and the name of a key, in parts.
    """
    from pydantic import ValidationError

    try:
        return model.model_validate(plain)
    except ValidationError as error:
        first = error.errors()[0]
        where, key = place(first["loc"]) if callable(place) else (place, first["loc"])
        prefix = f"key '{'.'.join(map(str, key))}': " if key else ""
        raise IsthmusError(f"{where}: {prefix}{said_of(first)}") from error


OURS = "ours"  # the type of errors of our own validators, which say it all
_ASIDE = re.compile(r"^\w+ should (?:be|have) |^Value error, | after validation, not \d+$")  # in pydantic's words
MOST_SHOWN = 60  # letters of what there was in place of what was expected


def said_of(error: Any) -> str:
    """What an error of pydantic says was expected, and what there was."""
    if error["type"] == "missing":
        return "expected, and missing"
    if error["type"] == "extra_forbidden":
        return "unknown key"
    text = _ASIDE.sub("", error["msg"])
    if error["type"] == OURS:
        return str(text)
    said = text if error["type"] == "value_error" else f"expected {text}"
    return f"{said}, got {shown(error['input'])}"


def shown(value: object) -> str:
    """A value as an error shows it, its beginning if it is long."""
    text = as_written(value) if isinstance(value, bool) else repr(value)
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 3]}..."
