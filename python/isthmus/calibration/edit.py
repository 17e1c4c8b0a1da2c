"""Changing numbers in the text of a platform file; comments and everything else stay as they are."""

import json
import tomllib
from dataclasses import dataclass

from isthmus.base.errors import IsthmusError
from isthmus.base.toml_lines import line_of

Value = bool | int | float | str


@dataclass(frozen=True)
class Number:
    """What a platform file says for a key: its value with where it comes from."""

    value: Value
    source: str
    role: str
    unit: str = ""
    range: tuple[Value, Value] | None = None
    why: str = ""
    date: str = ""

    def toml(self) -> str:
        """The inline table that stands behind the key."""
        fields: list[tuple[str, object]] = [("value", self.value), ("unit", self.unit), ("source", self.source)]
        fields += [("role", self.role), ("range", self.range), ("why", self.why), ("date", self.date)]
        written = [f"{name} = {to_toml(value)}" for name, value in fields if value not in ("", None)]
        return f"{{ {', '.join(written)} }}"


def replace_number(text: str, key: str, number: Number, place: str) -> str:
    """The text with another number for a key that is written as `NAME = { ... }` on one line of the file `place`."""
    lines = text.splitlines(keepends=True)
    at = line_of(text, key) - 1
    line = lines[at]
    start = line.find("{")
    end = _closing(line, start)
    if start < 0 or end < 0 or line[:start].split("=")[0].strip().split(".")[-1] != key.split(".")[-1]:
        raise IsthmusError(f"{place}:{at + 1}: key '{key}': expected {{ value = ... }} on one line, to be changed")
    lines[at] = line[:start] + number.toml() + line[end + 1 :]
    changed = "".join(lines)
    tomllib.loads(changed)
    return changed


def _closing(line: str, start: int) -> int:
    """Where the brace that opens at `start` is closed, strings left aside; -1 if it is not."""
    quote = ""
    for at in range(max(start, 0), len(line)):
        character = line[at]
        if quote:
            escaped = quote == '"' and line[at - 1] == "\\"
            quote = "" if character == quote and not escaped else quote
        elif character in "\"'":
            quote = character
        elif character == "}":
            return at
    return -1


def to_toml(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(to_toml, value))}]"
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
