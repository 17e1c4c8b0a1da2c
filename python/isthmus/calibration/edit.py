"""Changing numbers in the text of a platform file; comments and everything else stay as they are."""

import json
from dataclasses import dataclass
from typing import Any

import tomlkit
from tomlkit.items import InlineTable

from isthmus.base.errors import IsthmusError
from isthmus.base.toml_lines import line_of

Value = bool | int | float | str


@dataclass(frozen=True)
class FileNumber:
    """The value of a key in a platform file, with its source."""

    value: Value
    source: str
    role: str
    unit: str = ""
    range: tuple[Value, Value] | None = None
    why: str = ""
    date: str = ""

    def toml(self) -> str:
        """The inline table that is the key's value."""
        fields: list[tuple[str, object]] = [("value", self.value), ("unit", self.unit), ("source", self.source)]
        fields += [("role", self.role), ("range", self.range), ("why", self.why), ("date", self.date)]
        written = [f"{name} = {to_toml(value)}" for name, value in fields if value not in ("", None)]
        return f"{{ {', '.join(written)} }}"


def replace_number(text: str, key: str, number: FileNumber, place: str) -> str:
    """The text with another number for a key of the file `place` that is written as `NAME = { value = ... }`."""
    document = tomlkit.parse(text)
    *sections, name = key.split(".")
    table: Any = document
    for section in sections:
        table = table[section]
    if not isinstance(table[name], InlineTable):
        raise IsthmusError(f"{place}:{line_of(text, key)}: key '{key}': expected {{ value = ... }}, to be changed")
    table[name] = tomlkit.value(number.toml())
    return tomlkit.dumps(document)


def to_toml(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(to_toml, value))}]"
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
