"""What the calibrated inputs determine, found by moving them: a row that follows them is derived, not predicted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from isthmus.reproduction.formulas import OF_THE_MODEL

if TYPE_CHECKING:
    from isthmus.records import Input, Role
    from isthmus.reproduction.published import PublishedRow

STEP = 0.1
MOVED = 0.08
TIMES = frozenset({"s", "ms", "us", "ns", "cycles"})
RATES = frozenset({"GB/s", "MB/s", "Hz", "MHz", "GHz", "MT/s"})


@dataclass(frozen=True)
class Change:
    """Numbers of one board replaced, under a name for people that no other change has."""

    name: str
    board: str
    sets: tuple[str, ...]


def perturbations(board: str, inputs: Iterable["Input"]) -> list[Change]:
    """Each calibrated number of a board up and down by a tenth, and all together to the slow side."""
    calibrated = [item for item in inputs if item.role == "calibrated" and is_number(item)]
    found = [
        Change(f"{board} {item.key} {sign * STEP:+.0%}", board, (assignment(item, 1 + sign * STEP),))
        for item in calibrated
        for sign in (1, -1)
    ]
    slow = [assignment(item, 1 + STEP) for item in calibrated if item.unit in TIMES]
    slow += [assignment(item, 1 - STEP) for item in calibrated if item.unit in RATES]
    together = Change(f"{board} times +10 % and rates -10 % together", board, tuple(slow))
    return [*found, together] if slow else found


def assignment(item: "Input", factor: float) -> str:
    """KEY=VALUE for a number times a factor, in the key's unit."""
    assert isinstance(item.value, (int, float))
    return f"{item.key}={item.value * factor:.9g}"


def is_number(item: "Input") -> bool:
    """Whether the input is a number and not a switch."""
    return isinstance(item.value, (int, float)) and not isinstance(item.value, bool)


def needs_test(row: "PublishedRow") -> bool:
    """Whether only a test can tell if the row is derived or predicted."""
    return row.kind == "output" and kind_of(row) not in ("claim", "none") and not _is_arithmetic(row)


def role_of(row: "PublishedRow", moved_by: Sequence[str], made_of: Sequence["Role"]) -> "Role":
    """The role of a row, from the changes that move it and the roles of the rows that it is made of."""
    if row.kind == "input" or row.kind == "outside":
        return row.kind
    if row.kind == "claim" or kind_of(row) == "claim":
        return "claim"
    if row.kind == "check" or _is_arithmetic(row):
        return "checked"
    return "derived" if moved_by or {"derived", "input"} & set(made_of) else "predicted"


def moves(base: float, changed: float) -> bool:
    """Whether a change moves a value by more than 8 %, seen as a rate or as a time: the two must get one role."""
    return abs(changed - base) > MOVED * min(abs(base), abs(changed))


def kind_of(row: "PublishedRow") -> str:
    """What sort of experiment gives our value: the word before the first colon, `none` without one."""
    return (row.experiment or "none").partition(":")[0]


def _is_arithmetic(row: "PublishedRow") -> bool:
    return kind_of(row) == "formula" and (row.experiment or "").split(":")[1] not in OF_THE_MODEL
