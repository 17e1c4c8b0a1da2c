"""TOML and JSON of texts that may hold anything: numbers of a million digits, brackets a thousand deep."""

import json
import tomllib
from pathlib import Path
from typing import Any

from isthmus.errors import IsthmusError
from isthmus.toml_lines import line_of_error


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
