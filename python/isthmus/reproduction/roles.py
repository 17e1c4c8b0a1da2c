"""What the inputs determine, found by moving them: a row that follows a calibrated one is derived, not predicted."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from isthmus.reproduction.expressions import MODEL, kind_of_expression

if TYPE_CHECKING:
    from isthmus.records import Input, Role
    from isthmus.records.base import Value
    from isthmus.reproduction.published import PublishedRow

STEP = 0.1
TENTH = math.log1p(STEP)
DETERMINED = 0.8  # of what the input moved, as a ratio of logarithms
ANY = 1e-9  # a change below this is the rounding of the model's own arithmetic
TIMES = frozenset({"ps", "s", "ms", "us", "ns", "cycles"})
RATES = frozenset({"B/s", "GB/s", "MB/s", "Hz", "kHz", "MHz", "GHz", "MT/s", "GT/s"})
# How many of what has to be whole lie in one of a unit.
WHOLE = {"": 1.0, "cycles": 1.0, "bit": 0.125, "B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30}

Legal = Callable[[str], bool]


@dataclass(frozen=True)
class Change:
    """Numbers of one board replaced, under a name for people that no other change has.

    step: by how much the input moved, as a logarithm; that of a tenth where that cannot be told.
    """

    name: str
    board: str
    sets: tuple[str, ...]
    step: float = TENTH


def perturbations(board: str, inputs: Iterable["Input"], legal: Legal) -> list[Change]:
    """Each calibrated input of a board moved, and all calibrated times and rates together to the slow side."""
    calibrated = [item for item in inputs if item.role == "calibrated"]
    found = [change for item in calibrated for change in moved(board, item, legal)]
    numbers = [item for item in calibrated if is_number(item)]
    slow = [_assignment(item, _moved_value(item, True)) for item in numbers if item.unit in TIMES]
    slow += [_assignment(item, _number(item) / (1 + STEP)) for item in numbers if item.unit in RATES]
    together = Change(f"{board} times and rates together a tenth slower", board, tuple(slow))
    return [*found, together] if slow else found


def moved(board: str, item: "Input", legal: Legal) -> list[Change]:
    """A number up and down by a tenth, rounded outward to a value that the board takes; a switch the other way."""
    if isinstance(item.value, bool):
        other = f"{item.key}={str(not item.value).lower()}"
        return [Change(f"{board} {other}", board, (other,))] if legal(other) else []
    if not is_number(item):
        return []
    found = (next((value for value in outward(item, up) if legal(_assignment(item, value))), None) for up in (1, 0))
    return [_change(board, item, value) for value in found if value is not None]


def outward(item: "Input", up: bool | int) -> Iterator[float]:
    """A tenth more or less, rounded outward where the number is whole; then the next power of two."""
    old, new = _number(item), _moved_value(item, bool(up))
    if new != old:
        yield new
    if item.unit in ("", "bit", "B", "KiB", "MiB", "GiB", None) and old > 0:
        exponent = math.log2(old * WHOLE[item.unit or ""])
        power = math.floor(exponent) + 1 if up else math.ceil(exponent) - 1
        yield 2.0**power / WHOLE[item.unit or ""]


def ends(board: str, inputs: Sequence["Input"], legal: Legal) -> list[Change]:
    """Each assumed input at either end of its range, one at a time; an assumed switch the other way."""
    found = [
        change
        for item in inputs
        if item.role == "assumed"
        for change in (_ends(board, item) if item.range and is_number(item) else moved(board, item, legal))
    ]
    return [change for change in found if legal(change.sets[0])]


def follows(base: float, changed: float, step: float) -> bool:
    """Whether a value moved by over 0.8 of what the input moved, up or down: a rate and its time get one role."""
    if base <= 0 or changed <= 0:
        return base != changed
    return abs(math.log(changed / base)) > DETERMINED * step


def differs(base: float, changed: float) -> bool:
    """Whether a value moved at all."""
    return abs(changed - base) > ANY * max(abs(base), abs(changed))


def rests_on(item: "Input", paper: str, row: "PublishedRow") -> bool:
    """Whether a calibrated number was taken from a row: its source names the place, and the row's value is in it."""
    cited, _, formula = (item.source or "").partition(": ")
    places = [place.removeprefix(f"{paper} ") for place in cited.split(" & ") if place.startswith(f"{paper} ")]
    there = any(place == known or known.startswith(f"{place} ") for place in places for known in row.place)
    numbers = [float(text) for text in re.findall(r"\d+(?:\.\d+)?", formula)] or [_number(item)]
    return there and isinstance(row.value, (int, float)) and float(row.value) in numbers


def needs_test(row: "PublishedRow", leaves: Sequence[str]) -> bool:
    """Whether only a test can tell the role of a row: the model gives it, and it is published as a result."""
    return row.kind in ("output", "check") and any(kind_of_expression(leaf) in MODEL for leaf in leaves)


def role_of(row: "PublishedRow", leaves: Sequence[str], derived: bool, moves: bool) -> "Role":
    """The role of a row, from what computes it, whether calibrated inputs determine it, and whether any moves it."""
    kinds = {kind_of_expression(leaf) for leaf in leaves}
    if row.kind in ("input", "outside"):
        return "input" if row.kind == "input" else "outside"
    if row.kind == "claim" or "claim" in kinds:
        return "claim"
    if not kinds & MODEL:
        return "input" if kinds == {"input"} else "checked"
    if derived:
        return "derived"
    return "predicted" if moves else "claim"


def is_number(item: "Input") -> bool:
    """Whether the input is a number and not a switch."""
    return isinstance(item.value, (int, float)) and not isinstance(item.value, bool)


def _ends(board: str, item: "Input") -> list[Change]:
    assert item.range
    low, high = item.range[0], item.range[-1]
    if not item.unit and isinstance(item.value, int):  # of a count, whole numbers within
        low, high = math.ceil(float(low)), math.floor(float(high))
    return [_change(board, item, float(end)) for end in dict.fromkeys((low, high)) if end != item.value]


def _change(board: str, item: "Input", value: float) -> Change:
    old = _number(item)
    step = abs(math.log(value / old)) if value > 0 and old > 0 else TENTH
    name = f"{board} {item.key} {_text(item.value)} to {value:.6g}{f' {item.unit}' if item.unit else ''}"
    return Change(name, board, (_assignment(item, value),), step)


def _moved_value(item: "Input", up: bool) -> float:
    new = _number(item) * (1 + STEP if up else 1 - STEP)
    if (item.unit or "") not in WHOLE:
        return new
    whole = round(new * WHOLE[item.unit or ""], 6)  # 40 * 1.1 is a little above 44
    return (math.ceil(whole) if up else math.floor(whole)) / WHOLE[item.unit or ""]


def _assignment(item: "Input", value: float) -> str:
    """KEY=VALUE in the key's unit, to the byte."""
    return f"{item.key}={value:.15g}"


def _number(item: "Input") -> float:
    assert isinstance(item.value, (int, float))
    return float(item.value)


def _text(value: "Value | list[Value]") -> str:
    return f"{value:.6g}" if isinstance(value, (int, float)) else str(value)
