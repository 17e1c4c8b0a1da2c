"""A platform file to begin with: every key with its meaning, and a number that is to be replaced."""

import textwrap
from collections.abc import Mapping
from dataclasses import replace

from isthmus.calibration.edit import Number, to_toml
from isthmus.calibration.limits import Limits, limits_of_keys
from isthmus.errors import IsthmusError
from isthmus.tools import Event, collect

HEAD = """\
# {name}: a platform of one's own, begun as a copy of {like}. 'isthmus platform show {file}' checks it.
#
# Each number says its value, its unit, where it comes from and its role: datasheet (known before any measurement; name
# the document in `source`), configuration (how the measured system is set up), calibrated (taken from a measurement;
# 'isthmus calibrate {file} --from RECORDS' writes these), assumed (yours: a range and the reason why; the ranges below
# are all that Isthmus can model).
name = {quoted}
"""


def template(name: str, file: str, like: str, changes: Mapping[str, Number]) -> str:
    """The text of a platform file with the numbers of the board `like`, all of them assumed, but for `changes`."""
    inputs, limits = _inputs(like), limits_of_keys()
    inputs |= {key: {"meaning": number.why} for key, number in changes.items() if key not in inputs}
    tables: dict[str, list[str]] = {}
    for key, item in inputs.items():
        table, _, last = key.rpartition(".")
        number = _with_range(changes[key] if key in changes else _copied(item, like), limits[key])
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


def _copied(item: Event, like: str) -> Number:
    why = f"as {like}: put what you know of your board"
    return Number(item["value"], "ours", "assumed", item.get("unit") or "", why=why)


def _with_range(number: Number, limits: Limits) -> Number:
    """With all that the schema allows: of a board that nobody has described, no source says less."""
    return number if isinstance(number.value, bool) else replace(number, range=limits.within(number.unit))


def _comment(item: Event) -> str:
    return textwrap.fill(str(item["meaning"]), 118, initial_indent="# ", subsequent_indent="# ")
