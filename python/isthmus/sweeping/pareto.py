"""The rows that no other is better than in everything that is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from isthmus.base.errors import IsthmusError
from isthmus.base.groups import grouped_by
from isthmus.base.names import unknown
from isthmus.sweeping.values import Axis, number_of

if TYPE_CHECKING:
    from isthmus.records.swept import SweepRow

# Numbers of a row itself, beside the keys of its point.
OF_ROWS = ("value", "gb_per_s", "p99_s")


@dataclass(frozen=True)
class Objective:
    """Something to have much or little of."""

    name: str
    most: bool

    def of(self, row: "SweepRow") -> float | None:
        """A number that is the better the larger it is; None if a row has no such number."""
        value = getattr(row, self.name) if self.name in OF_ROWS else number_of(row.point[self.name])
        return None if value is None else (value if self.most else -value)


def read_objectives(text: str, axes: Sequence[Axis]) -> list[Objective]:
    """`value:max,KEY:min` as objectives; the keys are those of the sweep, and their values numbers."""
    values = {axis.key: axis.values for axis in axes}
    found = []
    for item in text.split(","):
        name, _, way = (part.strip() for part in item.rpartition(":"))
        if way not in ("max", "min"):
            raise IsthmusError(f"--pareto '{item}': expected NAME:max or NAME:min, as in value:max,link.pcie.lanes:min")
        if name not in (*OF_ROWS, *values):
            raise unknown("objective", name, [*OF_ROWS, *values], "--pareto")
        text_of = next((value for value in values.get(name, ()) if number_of(value) is None), None)
        if text_of is not None:
            raise IsthmusError(f"--pareto {name}: expected a key with numbers, got '{text_of}'")
        found.append(Objective(name, way == "max"))
    return found


def front(rows: "Sequence[SweepRow]", objectives: Sequence[Objective]) -> "list[SweepRow]":
    """The rows of each application that no other of its rows beats: as good in all objectives and better in one."""
    of_each = grouped_by(lambda row: row.application, rows).values()
    return [row for rows_of_one in of_each for row in _front(rows_of_one, objectives)]


def _front(rows: "Sequence[SweepRow]", objectives: Sequence[Objective]) -> "list[SweepRow]":
    """Sorts by falling first objective, so that only rows that are on the front already can beat a row."""
    scored = [(row, [objective.of(row) for objective in objectives]) for row in rows]
    known = [(row, [one for one in score if one is not None]) for row, score in scored]
    whole = [(row, score) for row, score in known if len(score) == len(objectives)]
    best: list[tuple[SweepRow, list[float]]] = []
    for row, score in sorted(whole, key=lambda entry: entry[1], reverse=True):
        others = (other for _, other in best if other != score)
        if not any(all(a >= b for a, b in zip(other, score, strict=True)) for other in others):
            best.append((row, score))
    chosen = {id(row) for row, _ in best}
    return [row for row in rows if id(row) in chosen]
