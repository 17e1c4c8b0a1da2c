"""A platform file to begin with: every key with its meaning, and a number that is to be replaced."""

import textwrap
from collections.abc import Mapping
from dataclasses import replace

from isthmus.calibration.edit import FileNumber, to_toml
from isthmus.calibration.limits import Limits, keys_of, limits_of_keys
from isthmus.records.run import BoardPart, Platform
from isthmus.running.targets import described_platforms, platform, read_platform
from isthmus.running.tools import Event

HEAD = """\
# {name}: a platform of one's own, begun as a copy of {like}. 'isthmus platform show {file}' checks it.
#
# Each number says its value, its unit, where it comes from and its role: datasheet (known before any measurement; name
# the document in `source`), configuration (how the measured system is set up), calibrated (taken from a measurement;
# 'isthmus calibrate {file} --from RECORDS' writes these), assumed (yours: a range and the reason why; the ranges below
# are all that Isthmus can model).
name = {quoted}
"""


def template(name: str, file: str, like: str, changes: Mapping[str, FileNumber]) -> str:
    """The text of a platform file with the numbers of the board `like`, all of them assumed, but for `changes`."""
    board = read_platform(like)
    limits = limits_of_keys(like)
    inputs = _inputs(board, like)
    inputs |= {key: {"meaning": number.why} for key, number in changes.items() if key not in inputs}
    tables = {part.name: [_said_of(part)] for part in board.parts}
    for key, item in inputs.items():
        table, _, last = key.rpartition(".")
        number = _with_range(changes[key] if key in changes else _copied(item, like), limits[key])
        comment = textwrap.fill(str(item["meaning"]), 118, initial_indent="# ", subsequent_indent="# ")
        tables[table].append(f"{comment}\n{last} = {number.toml()}\n")
    head = HEAD.format(name=" ".join(name.split()), like=like, file=file, quoted=to_toml(name))
    return head + "".join(f"\n[{table}]\n" + "".join(lines) for table, lines in tables.items())


def _inputs(board: Platform, like: str) -> dict[str, Event]:
    """The numbers of a board; what its parts may hold beside them is as on an installed board that has it."""
    own = {item["key"]: item for item in platform(like)["inputs"]}
    others: dict[str, Event] = {}
    for other in map(Platform.model_validate, described_platforms().values()):
        for item in other.inputs:
            others.setdefault(other.usual(item.key), item.model_dump())
    found: dict[str, Event] = {}
    for key in keys_of(like):
        known = own.get(key["key"]) or others.get(board.usual(key["key"]))
        if known is not None:
            found[key["key"]] = {**known, "meaning": key["meaning"]}
    return found


def _said_of(part: BoardPart) -> str:
    """The words that tell a part apart where the name of its section does not."""
    last = part.name.rpartition(".")[2]
    kind = f"kind = {to_toml(part.kind)}\n" if last != part.kind else ""
    return kind + (f"channel = {to_toml(part.channel)}\n" if part.channel not in (None, last) else "")


def _copied(item: Event, like: str) -> FileNumber:
    why = f"as {like}: put what you know of your board"
    return FileNumber(item["value"], "ours", "assumed", item.get("unit") or "", why=why)


def _with_range(number: FileNumber, limits: Limits) -> FileNumber:
    """Gives the number the whole range of the schema, because no source describes this board."""
    return number if isinstance(number.value, (bool, str)) else replace(number, range=limits.within(number.unit))
