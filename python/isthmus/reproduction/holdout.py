"""One experiment held out: Isthmus calibrates its inputs from the other experiments and compares the model with it."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from isthmus.base import units
from isthmus.base.errors import IsthmusError
from isthmus.base.names import unknown
from isthmus.base.numbers import is_number
from isthmus.calibration.device_curves import Curves
from isthmus.calibration.fit import fit
from isthmus.records.papers import HeldOutNumber, Recalibration
from isthmus.records.run import Input
from isthmus.reproduction.counterparts import RATE, STAGE, Combined, Counterpart, Probed, Run, boards_of, leaves
from isthmus.reproduction.evaluation import PAPER_IMAGES
from isthmus.reproduction.model_runs import ModelRuns, NotOfferedError, ToolAnswers, target_of
from isthmus.reproduction.published import Paper, PublishedRow
from isthmus.reproduction.roles import RATES, TIMES, rests_on

PER_RUN = ("elapsed_s", STAGE)  # grow with the images of a run
# How far down a calibrated time is tried, zero first; up for a rate and a count: what a model accepts first is "off".
SMALLER = (0.0, 1e-3, 1e-2, 0.1, 0.2, 0.3, 0.5, 0.7)
LARGER = (1e3, 1e2, 10.0)
MORE = (8, 4, 2, 1)


@dataclass(frozen=True)
class HoldOut:
    """The rows of one experiment, and how to find again what was calibrated with them."""

    papers: Mapping[str, Paper]
    tools: ToolAnswers
    images: int

    def run(self, experiment: str) -> list[HeldOutNumber]:
        """The model's value for each row of an experiment: the id of one, or paper and place (`choi2019 fig. 5`)."""
        held = self._rows(experiment)
        found = [self._on_board(board, held) for board in self._boards(held)]
        if not found:
            raise IsthmusError(f"--hold-out {experiment}: no row of it is computed on a modelled board")
        return [row for rows in found for row in rows]

    def _rows(self, experiment: str) -> list[tuple[str, PublishedRow]]:
        every = [(name, row) for name, paper in self.papers.items() for row in paper.row]
        chosen = [
            (name, row) for name, row in every if experiment in (row.id, *(f"{name} {place}" for place in row.place))
        ]
        if not chosen:
            raise unknown("experiment", experiment, [row.id for _, row in every], "--hold-out")
        # The same number in another place would bring back what is held out.
        twins = {row.same_as or row.id for _, row in chosen}
        return [(name, row) for name, row in every if row.id in twins or row.same_as in twins or (name, row) in chosen]

    def _boards(self, rows: Sequence[tuple[str, PublishedRow]]) -> list[str]:
        known = self.tools.boards()
        named = [leaf for _, row in rows for leaf in leaves(row.own, self._published)]
        return list(dict.fromkeys(board for leaf in named for board in boards_of(leaf, known)))

    @property
    def _published(self) -> dict[str, PublishedRow]:
        return {row.id: row for paper in self.papers.values() for row in paper.row}

    def _on_board(self, board: str, held: Sequence[tuple[str, PublishedRow]]) -> list[HeldOutNumber]:
        inputs = [item for item in self.tools.platform(target_of(board), ()).inputs if is_number(item.value)]
        free = [item for item in inputs if item.role == "calibrated" and any(rests_on(item, *row) for row in held)]
        out = {row.id for _, row in held}
        others = [row for row in self._measures(board) if row.id not in out]
        sets, changed = self._recalibrated(board, free, others)
        rows = [row for _, row in held if _is_measured(row.own, board) or _is_ratio(row.own, board)]
        with_all, without = self._values(board, rows, ()), self._values(board, rows, sets)
        return [
            HeldOutNumber(
                id=row.id,
                board=board,
                quantity=row.quantity,
                unit=row.unit,
                published=float(row.value),
                calibrated=with_all[row.id],
                held_out=without[row.id],
                error=without[row.id] / float(row.value) - 1,
                recalibrated=changed,
            )
            for row in rows
            if row.id in with_all and _is_quantity(row)
        ]

    def _measures(self, board: str) -> list[PublishedRow]:
        """The published measurements of a board, each number once."""
        return [
            row
            for paper in self.papers.values()
            for row in paper.row
            if _is_measured(row.own, board) and _is_quantity(row)
        ]

    def _recalibrated(
        self, board: str, free: Sequence[Input], others: Sequence[PublishedRow]
    ) -> tuple[tuple[str, ...], list[Recalibration]]:
        """The assignments that stand for the calibrated numbers, and where each comes from now."""
        if not free:
            return (), []

        def model(points: Curves, values: Mapping[str, float]) -> Curves:
            sets = tuple(f"{key}={value:.9g}" for key, value in values.items())
            found = self._values(board, others, sets)
            return {"rows": {at: found[row.id] for at, row in enumerate(others) if at in points["rows"]}}

        computed = self._values(board, others, ())
        points = {"rows": {at: float(row.value) for at, row in enumerate(others) if row.id in computed}}
        # What is chosen among a few whole numbers has no slope that leads to it.
        smooth = {
            item.key: float(str(item.value)) for item in free if item.unit in (TIMES | RATES) - units.WHOLE.keys()
        }
        found = fit(points, smooth, model) if points["rows"] and smooth else None
        sets: list[str] = []
        changed: list[Recalibration] = []

        def accepts(text: str) -> bool:
            return self.tools.accepts(target_of(board), (*sets, text))

        for item in free:
            value = found.values.get(item.key) if found else None
            sets.append(f"{item.key}={value:.9g}" if value is not None else off(item, accepts))
            changed.append(
                Recalibration(key=item.key, unit=item.unit or "", old=float(str(item.value)), new=value, set=sets[-1])
            )
        return tuple(sets), changed

    def _values(self, board: str, rows: Sequence[PublishedRow], sets: tuple[str, ...]) -> dict[str, float]:
        models = ModelRuns(self.tools, self.images, self.images, {board: sets}, self._published)
        found: dict[str, float] = {}
        for row in rows:
            try:
                value = models.of(row.id)
            except NotOfferedError:
                continue
            if is_number(value) and value > 0:
                per_run = isinstance(row.own, Run) and row.own.field in PER_RUN
                found[row.id] = value * (PAPER_IMAGES / self.images if per_run else 1)
        return found


def _is_measured(own: Counterpart | None, board: str) -> bool:
    """Tells whether a number of the board can be found from it."""
    if isinstance(own, Run):
        return own.of_images and own.board == board
    return isinstance(own, Probed) and own.tell in (RATE, "time", "cycles") and own.board == board


def _is_ratio(own: Counterpart | None, board: str) -> bool:
    return isinstance(own, Combined) and own.is_ratio and board in own.boards


def off(item: Input, accepts: Callable[[str], bool]) -> str:
    """The assignment that comes nearest to a number that costs nothing: a time near zero, else much of it."""
    factors = SMALLER if item.unit in TIMES else LARGER if item.unit in RATES else MORE
    for factor in factors:
        value = float(str(item.value)) * factor
        assignment = f"{item.key}={math.ceil(value) if item.unit == 'cycles' else value:.15g}"
        if accepts(assignment):
            return assignment
    raise IsthmusError(f"key '{item.key}': a calibrated number that cannot be turned off")


def _is_quantity(row: PublishedRow) -> bool:
    return is_number(row.value) and row.value > 0
