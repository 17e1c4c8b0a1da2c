"""Configuration: a flag, then an ISTHMUS_* variable, then ./isthmus.toml, then the user's file, then the default."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isthmus.base.errors import IsthmusError
from isthmus.base.files import read_text, user_folder
from isthmus.base.flows import FLOWS
from isthmus.base.names import listed, meant, unknown
from isthmus.base.numbers import as_written
from isthmus.base.parsing import toml
from isthmus.base.toml_lines import line_of

Value = bool | int | str | None

FORMATS = ("table", "json", "csv", "md")
COLORS = ("auto", "always", "never")
REASONS = ("none", "fastest", "all")


@dataclass(frozen=True)
class ConfigurationKey:
    """A key: its default, how a text is read, what was expected if it cannot be, and the words of a choice."""

    default: Value
    parse: Callable[[str], Value]
    expected: str
    among: tuple[str, ...] = ()


def _switch(text: str) -> bool:
    return {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}[text.lower()]


MOST = 2**31 - 1  # of what is counted
COUNT = f"a whole number from 1 to {MOST}"
MOST_SEED = 2**64 - 1
SEED = f"a whole number from 0 to {MOST_SEED}"


def whole(least: int, most: int = MOST) -> Callable[[str], int]:
    """Reads a whole number; a ValueError where it is none, or not from `least` to `most`."""

    def parse(text: str) -> int:
        number = int(text)
        if not least <= number <= most:
            raise ValueError
        return number

    return parse


def count_of(text: object, place: str) -> int:
    """A whole number of what is counted; `place` is what an IsthmusError names."""
    try:
        return whole(1)(str(text))
    except ValueError:
        raise IsthmusError(f"{place}: expected {COUNT}, got '{text}'") from None


def _choice(default: str | None, among: tuple[str, ...], expected: str) -> ConfigurationKey:
    def parse(text: str) -> str:
        if text not in among:
            raise ValueError
        return text

    return ConfigurationKey(default, parse, expected, among)


def _text(text: str) -> str:
    if not text:
        raise ValueError
    return text


_SWITCH = "true or false"
KNOWN: dict[str, ConfigurationKey] = {
    "format": _choice("table", FORMATS, "one of " + ", ".join(FORMATS)),
    "color": _choice("auto", COLORS, "one of " + ", ".join(COLORS)),
    "quiet": ConfigurationKey(False, _switch, _SWITCH),
    "progress": ConfigurationKey(True, _switch, _SWITCH),
    "debug": ConfigurationKey(False, _switch, _SWITCH),
    "on": ConfigurationKey(None, _text, "a target, as in model:aws-f1"),
    "flow": _choice(None, FLOWS, listed(FLOWS, "or")),
    "count": ConfigurationKey(None, whole(1), COUNT),
    "images": ConfigurationKey(None, whole(1), COUNT),
    "messages": ConfigurationKey(None, whole(1), COUNT),
    "input": ConfigurationKey(None, _text, "a folder of photographs"),
    "seed": ConfigurationKey(None, whole(0, MOST_SEED), SEED),
    "sizes": ConfigurationKey("64B..64MiB:x4", _text, "sizes, as in 64B,4KiB..1MiB:x2"),
    "repeat": ConfigurationKey(None, whole(1), COUNT),
    "warmup": ConfigurationKey(None, whole(0), f"a whole number from 0 to {MOST}"),
    "reasons": _choice("fastest", REASONS, "one of " + ", ".join(REASONS)),
    "out": ConfigurationKey("out", _text, "a folder"),
    "store": ConfigurationKey(None, _text, "a file"),
}


@dataclass(frozen=True)
class ConfigurationValue:
    """The value of a key and where it came from."""

    value: Any
    origin: str


def resolve(name: str, flag: Any = None) -> ConfigurationValue:
    """The value of the key `name`; `flag` is what the command line gave, or None."""
    if flag is not None:
        return ConfigurationValue(_checked(name, str(flag), f"--{name}"), "flag")
    variable = f"ISTHMUS_{name.upper()}"
    if os.environ.get(variable):
        return ConfigurationValue(_checked(name, os.environ[variable], variable), variable)
    for path in (Path("isthmus.toml"), user_file()):
        values = _read(path)
        if name in values:
            return ConfigurationValue(values[name], str(path))
    return ConfigurationValue(KNOWN[name].default, "default")


def user_file() -> Path:
    """The user's own configuration, by the XDG base directory rules."""
    return user_folder("config") / "config.toml"


def _read(path: Path) -> dict[str, Value]:
    if not path.is_file():
        return {}
    text = read_text(path)
    document = toml(text, path)
    values: dict[str, Value] = {}
    for name, value in document.items():
        place = f"{path}:{line_of(text, name)}"
        if name not in KNOWN:
            raise unknown("key", name, list(KNOWN), place)
        values[name] = _checked(name, as_written(value), f"{place}: key '{name}'")
    return values


def _checked(name: str, text: str, place: str) -> Value:
    known = KNOWN[name]
    try:
        return known.parse(text)
    except (ValueError, KeyError):
        hint = meant(text, known.among)
        raise IsthmusError(f"{place}: expected {known.expected}, got '{text}'", hint=hint) from None
