"""What the structure of a board gives alone: no calibrated number, the assumed ones at both ends of their ranges."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from isthmus.errors import IsthmusError
from isthmus.reproduction.roles import RATES, TIMES, Change, assignment, is_number

if TYPE_CHECKING:
    from isthmus.records import Input
    from isthmus.records.base import Value

# How far down a calibrated time is tried, zero first; up for a rate: what a model accepts first is "off".
SMALLER = (0.0, 1e-3, 1e-2, 0.1, 0.2, 0.3, 0.5, 0.7)
LARGER = (1e3, 1e2, 10.0)


def without_calibrated(board: str, inputs: Sequence["Input"], accepts: Callable[[str], bool]) -> Change:
    """Every calibrated part off: by its switch where it has one, else its time to nothing or its rate out of the way.

    `accepts` tells whether the board can be modelled with an assignment.
    """
    keys = {item.key for item in inputs}
    sets: dict[str, None] = {}
    for item in inputs:
        switch = f"{item.key.rpartition('.')[0]}.enabled"
        if item.role != "calibrated" or not is_number(item):
            continue
        if switch in keys:
            sets[f"{switch}=false"] = None
        else:
            sets[off(item, accepts)] = None
    return Change(f"{board} without calibrated inputs", board, tuple(sets))


def ends(board: str, inputs: Sequence["Input"]) -> list[Change]:
    """Each assumed number at either end of its range, one at a time."""
    return [
        Change(f"{board} {item.key} at {end}", board, (f"{item.key}={end}",))
        for item in inputs
        if item.role == "assumed" and item.range and is_number(item)
        for end in dict.fromkeys(_within(item, item.range[0], item.range[-1]))
        if end != item.value
    ]


def _within(item: "Input", low: "Value", high: "Value") -> tuple["Value", "Value"]:
    """The least and the greatest value of a range: of a count, which has no unit, whole numbers within it."""
    if item.unit or not isinstance(item.value, int):
        return low, high
    return math.ceil(float(low)), math.floor(float(high))


def off(item: "Input", accepts: Callable[[str], bool]) -> str:
    """The assignment that comes nearest to a number that costs nothing: a time near zero, a rate out of the way."""
    factors = SMALLER if item.unit in TIMES else LARGER if item.unit in RATES else ()
    for factor in factors:
        if accepts(assignment(item, factor)):
            return assignment(item, factor)
    raise IsthmusError(f"key '{item.key}': a calibrated number that cannot be turned off")
