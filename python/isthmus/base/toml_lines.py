"""Line numbers of keys in a TOML text, because the parser of the standard library keeps none."""

import re
import tomllib
from collections.abc import Sequence

_HEADER = re.compile(r"\s*\[+\s*([^\]]*?)\s*\]+\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'""")
_AT = re.compile(r"at line (\d+)")


def line_of(text: str, key: str | Sequence[str], entry: int = 0) -> int:
    """The line, from 1, on which `key` (a value or a table), dotted or in parts, is written; 1 if it cannot be found.

    If the first part of the key is an array of tables, the line is that in its entry number `entry`, from 0.
    """
    wanted = key.split(".") if isinstance(key, str) else list(key)
    table: list[str] = []
    begun = -1
    for number, line in enumerate(text.splitlines(), start=1):
        header = _HEADER.match(line)
        assignment = None if header else _KEY.match(line)
        if header:
            table = _parts(header[1])
            begun += table == wanted[:1]
        here = table if header else [*table, *_parts(assignment[1])] if assignment else []
        inline = bool(assignment) and here == wanted[: len(here)]  # a key of a table that stands on one line
        if (here[: len(wanted)] == wanted or inline) and max(begun, 0) == entry:
            return number
    return 1


def line_of_item(text: str, key: str | Sequence[str], item: str) -> int:
    """The line, from 1, on which the text `item` stands in the list `key`; else the line of the key."""
    start = line_of(text, key)
    for number, line in enumerate(text.splitlines()[start - 1 :], start=start):
        if f'"{item}"' in line or f"'{item}'" in line:
            return number
    return start


def line_of_error(error: tomllib.TOMLDecodeError, text: str) -> int:
    """The line, from 1, at which a text stopped being TOML."""
    match = _AT.search(str(error))
    return int(match[1]) if match else max(1, len(text.splitlines()))


def _parts(dotted: str) -> list[str]:
    return [part.strip("\"'") for part in _PART.findall(dotted)]
