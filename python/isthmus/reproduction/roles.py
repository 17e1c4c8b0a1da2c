"""The roles of rows, found by moving inputs: a row that follows a calibrated input is derived, not predicted."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from isthmus.base import units
from isthmus.base.numbers import is_number
from isthmus.records.papers import Role
from isthmus.records.run import Input
from isthmus.reproduction.counterparts import Counterpart
from isthmus.reproduction.published import PublishedRow

STEP = 0.1
TENTH = math.log1p(STEP)
DETERMINED = 0.8  # of what the input moved, as a ratio of logarithms
HALVINGS = 7  # of the way to an end that a board refuses
ANY = 1e-9  # a change below this is the rounding of the model's own arithmetic
TIMES = frozenset({*units.TIMES, "cycles"})
RATES = frozenset({*units.RATES, *units.BIT_RATES, *units.CLOCKS, *units.TRANSFERS})

Legal = Callable[[str], bool]


@dataclass(frozen=True)
class InputChange:
    """Numbers of one board replaced, under a name for people that no other change has.

    step: by how much the input moved, as a logarithm; that of a tenth where that cannot be told.
    """

    name: str
    board: str
    sets: tuple[str, ...]
    step: float = TENTH

    @property
    def key(self) -> str:
        """The key of the first number."""
        return self.sets[0].partition("=")[0]


def perturbations(board: str, inputs: Iterable[Input], legal: Legal) -> list[InputChange]:
    """Changes that move each calibrated input of a board."""
    return [change for item in inputs if item.role == "calibrated" for change in moved(board, item, legal)]


def slower(board: str, inputs: Iterable[Input]) -> list[InputChange]:
    """Changes of each calibrated time and rate by a tenth to the slow side, whether the board accepts it or not."""
    numbers = [item for item in inputs if item.role == "calibrated" and is_number(item.value)]
    slow = [_change(board, item, _moved_value(item, True)) for item in numbers if item.unit in TIMES]
    return slow + [_change(board, item, _number(item) / (1 + STEP)) for item in numbers if item.unit in RATES]


def together(board: str, changes: Sequence[InputChange], kept: Sequence[InputChange]) -> list[InputChange]:
    """The `kept` changes as one, whose name lists the `changes` that are not kept; nothing without kept ones."""
    left = ", ".join(change.key for change in changes if change not in kept)
    name = f"{board} times and rates together a tenth slower{f' but for {left}' if left else ''}"
    return [InputChange(name, board, tuple(text for change in kept for text in change.sets))] if kept else []


def moved(board: str, item: Input, legal: Legal) -> list[InputChange]:
    """A number up and down by a tenth, rounded outward to a value that the board takes; a switch the other way."""
    if isinstance(item.value, bool):
        other = f"{item.key}={str(not item.value).lower()}"
        return [InputChange(f"{board} {other}", board, (other,))] if legal(other) else []
    if not is_number(item.value):
        return []
    found = (next((value for value in outward(item, up) if legal(_assignment(item, value))), None) for up in (1, 0))
    return [_change(board, item, value) for value in found if value is not None]


def outward(item: Input, up: bool | int) -> Iterator[float]:
    """A tenth more or less, rounded outward where the number is whole; then the next power of two."""
    old, new = _number(item), _moved_value(item, bool(up))
    if new != old:
        yield new
    if item.unit in ("", "bit", *units.BYTES, None) and old > 0:
        exponent = math.log2(old * units.WHOLE[item.unit or ""])
        power = math.floor(exponent) + 1 if up else math.ceil(exponent) - 1
        yield 2.0**power / units.WHOLE[item.unit or ""]


def ends(board: str, inputs: Sequence[Input], legal: Legal) -> list[InputChange]:
    """Each assumed input, one at a time, at either end of its range, or as near to that as the board takes; an assumed
    switch the other way.
    """
    found: list[InputChange | None] = []
    for item in (item for item in inputs if item.role == "assumed"):
        if item.range and is_number(item.value):
            found += [_farthest(board, item, end, legal) for end in _ends(item)]
        else:
            found += moved(board, item, legal)
    return [change for change in found if change is not None]


def _farthest(board: str, item: Input, end: float, legal: Legal) -> InputChange | None:
    """The change nearest to an end that a board accepts; None if it accepts only the value that it has."""
    old = _number(item)

    def at(part: float) -> float:
        both = old > 0 and end > 0
        value = old * (end / old) ** part if both else old + (end - old) * part
        return _whole(item, value)

    if legal(_assignment(item, end)):
        return _change(board, item, end)
    taken, refused = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (taken + refused) / 2
        taken, refused = (middle, refused) if legal(_assignment(item, at(middle))) else (taken, middle)
    # What has to be a power of two is refused between them.
    values = [*_powers(item, at(taken), end), at(taken)]
    value = next((value for value in values if value != old and legal(_assignment(item, value))), None)
    return None if value is None else _change(board, item, value)


def _powers(item: Input, reached: float, end: float) -> list[float]:
    """The powers of two between a number and an end, those nearest to the end first."""
    scale = units.WHOLE.get(item.unit or "", 0.0)
    low, high = sorted((reached * scale, end * scale))
    found = [2.0**power / scale for power in range(0, 64) if scale and low <= 2.0**power <= high]
    return found[::-1] if end > reached else found


def _whole(item: Input, value: float) -> float:
    scale = units.WHOLE.get(item.unit or "")
    return value if scale is None else round(value * scale) / scale


def follows(base: float, changed: float, step: float) -> bool:
    """Tells whether a value moved by over 0.8 of what the input moved, up or down: a rate and its time get one role."""
    if base <= 0 or changed <= 0:
        return base != changed
    return abs(math.log(changed / base)) > DETERMINED * step


def differs(base: float, changed: float) -> bool:
    """Tells whether a value moved at all."""
    return abs(changed - base) > ANY * max(abs(base), abs(changed))


def rests_on(item: Input, paper: str, row: PublishedRow) -> bool:
    """Tells whether a calibrated number was taken from a row: its source names the place and has the row's value."""
    cited, _, formula = (item.source or "").partition(": ")
    places = [place.removeprefix(f"{paper} ") for place in cited.split(" & ") if place.startswith(f"{paper} ")]
    there = any(place == known or known.startswith(f"{place} ") for place in places for known in row.place)
    numbers = [float(text) for text in re.findall(r"\d+(?:\.\d+)?", formula)] or [_number(item)]
    return there and isinstance(row.value, (int, float)) and float(row.value) in numbers


def needs_test(row: PublishedRow, leaves: Sequence[Counterpart]) -> bool:
    """Tells whether only a test can tell the role of a row: the model gives it, and it is published as a result."""
    return row.kind in ("output", "check") and any(leaf.sort == "model" for leaf in leaves)


def role_of(row: PublishedRow, leaves: Sequence[Counterpart], derived: bool, moves: bool) -> Role:
    """The role of a row, from what computes it, whether calibrated inputs determine it, and whether any moves it."""
    sorts = {leaf.sort for leaf in leaves}
    if row.kind in ("input", "outside"):
        return "input" if row.kind == "input" else "outside"
    if row.kind == "claim" or "claim" in sorts:
        return "claim"
    if "model" not in sorts:
        return "input" if sorts == {"input"} else "checked"
    if derived:
        return "derived"
    return "predicted" if moves else "claim"


def _ends(item: Input) -> list[float]:
    assert item.range
    low, high = item.range[0], item.range[-1]
    if not item.unit and isinstance(item.value, int):  # of a count, whole numbers within
        low, high = math.ceil(float(low)), math.floor(float(high))
    return [float(end) for end in dict.fromkeys((low, high)) if end != item.value]


def _change(board: str, item: Input, value: float) -> InputChange:
    old = _number(item)
    step = abs(math.log(value / old)) if value > 0 and old > 0 else TENTH
    name = f"{board} {item.key} {old:.6g} to {value:.6g}{f' {item.unit}' if item.unit else ''}"
    return InputChange(name, board, (_assignment(item, value),), step)


def _moved_value(item: Input, up: bool) -> float:
    new = _number(item) * (1 + STEP if up else 1 - STEP)
    if (item.unit or "") not in units.WHOLE:
        return new
    whole = round(new * units.WHOLE[item.unit or ""], 6)  # 40 * 1.1 is a little above 44
    return (math.ceil(whole) if up else math.floor(whole)) / units.WHOLE[item.unit or ""]


def _assignment(item: Input, value: float) -> str:
    """KEY=VALUE in the key's unit, to the byte."""
    return f"{item.key}={value:.15g}"


def _number(item: Input) -> float:
    assert isinstance(item.value, (int, float))
    return float(item.value)
