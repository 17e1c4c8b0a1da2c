"""A platform file to begin with: every key with its meaning, and a number that is to be replaced."""

import textwrap
from collections.abc import Mapping

from isthmus.calibration.edit import Number, to_toml
from isthmus.errors import IsthmusError
from isthmus.tools import Event, collect

HEAD = """\
# {name}: a platform of one's own, begun as a copy of {like}. 'isthmus platform show {file}' checks it.
#
# Each number says its value, its unit, where it comes from and its role: datasheet (known before any measurement; name
# the document in `source`), calibrated (taken from a measurement; 'isthmus calibrate {file} --from RECORDS' writes
# these), assumed (yours: a range and the reason why).
name = {quoted}
"""
RATES_AND_TIMES = frozenset({"ps", "ns", "us", "ms", "s", "MB/s", "GB/s", "Hz", "kHz", "MHz", "GHz", "MT/s", "GT/s"})


def template(name: str, file: str, like: str, changes: Mapping[str, Number]) -> str:
    """The text of a platform file with the numbers of the board `like`, all of them assumed, but for `changes`."""
    inputs = _inputs(like)
    inputs |= {key: {"meaning": number.why} for key, number in changes.items() if key not in inputs}
    tables: dict[str, list[str]] = {}
    for key, item in inputs.items():
        table, _, last = key.rpartition(".")
        number = changes[key] if key in changes else _assumed(item, like)
        tables.setdefault(table, []).append(f"{_comment(item)}\n{last} = {number.toml()}\n")
    head = HEAD.format(name=" ".join(name.split()), like=like, file=file, quoted=to_toml(name))
    return head + "".join(f"\n[{table}]\n" + "".join(lines) for table, lines in tables.items())


def _inputs(like: str) -> dict[str, Event]:
    """The numbers of a board, and of the others those that only some boards have."""
    boards = {f"model:{board['file'].removesuffix('.toml')}": board for board in _platforms()}
    if like not in boards:
        raise IsthmusError(f"--like: expected one of {', '.join(boards)}, got '{like}'")
    order = [boards[like], *(board for target, board in boards.items() if target != like)]
    found: dict[str, Event] = {}
    for board in order:
        for item in board["inputs"]:
            found.setdefault(item["key"], item)
    return found


def _platforms() -> list[Event]:
    return collect("isthmus-platform", ["--list"], "platform")


def _assumed(item: Event, like: str) -> Number:
    value, unit = item["value"], item.get("unit") or ""
    why = f"as {like}: put what you know of your board"
    if isinstance(value, bool):
        return Number(value, "ours", "assumed", why=why)
    spread = (value / 2, value * 2) if unit in RATES_AND_TIMES else (value, value)
    return Number(value, "ours", "assumed", unit, tuple(item.get("range") or spread), why)


def _comment(item: Event) -> str:
    return textwrap.fill(str(item["meaning"]), 118, initial_indent="# ", subsequent_indent="# ")
