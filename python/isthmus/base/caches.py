"""What commands keep in the user's cache folder: work goes on without it, and one warning says why."""

import sys
from functools import cache
from pathlib import Path
from typing import Any

from isthmus.base.errors import IsthmusError
from isthmus.base.files import write_atomically
from isthmus.base.parsing import from_json

_WARNED: list[str] = []


def read_cached(path: Path) -> Any:
    """The value of a JSON file that a former command kept; None where there is none, or none that can be used."""
    try:
        return _parsed(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        warn_of_cache(path, error)
        return None


def write_cached(path: Path, text: str) -> None:
    """Keeps a file for later commands, where that is possible."""
    try:
        write_atomically(path, text)
    except IsthmusError as error:
        _warn(f"nothing is kept for later commands: {error}")


def warn_of_cache(path: Path, error: Exception | str) -> None:
    """Says once that what is kept in a file cannot be used."""
    _warn(f"{path}: cannot be used, and is written anew: {getattr(error, 'strerror', None) or error}")


@cache
def _parsed(text: str) -> Any:
    value = from_json(text)
    if not isinstance(value, dict):
        raise ValueError("expected what isthmus wrote")
    return value


def _warn(text: str) -> None:
    """Once: a folder that cannot be written to holds all that commands keep."""
    if not _WARNED:
        _WARNED.append(text)
        print(f"warning: {text}", file=sys.stderr)
