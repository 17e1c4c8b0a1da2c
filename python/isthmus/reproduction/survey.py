"""Evaluating the rows on the boards as they are and with their numbers changed."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from isthmus.records import Input, Role, Structure
from isthmus.reproduction.expressions import Evaluator, operands
from isthmus.reproduction.laboratory import Bench, Laboratory, NotOfferedError
from isthmus.reproduction.published import PublishedRow, Value
from isthmus.reproduction.roles import Change, kind_of, moves, needs_test, perturbations, role_of
from isthmus.reproduction.structure import ends, without_calibrated
from isthmus.tools import stop_running

PAPER_IMAGES = 200  # stacc VI-B1
STRUCTURAL = ("run", "rate", "probe", "probe-time", "accesses", "ratio")  # what gives a rate or a time
AS_THEY_ARE = "assumed values as they are"
Purpose = Literal["base", "few images", "role", "bare", "bare, few images", "end"]


@dataclass(frozen=True)
class View:
    """Boards in one state, and the rows that are looked at in it."""

    purpose: Purpose
    name: str
    lab: Laboratory
    rows: tuple[str, ...]


@dataclass
class Survey:
    """The values of rows in every view; `published` holds the rows of every paper, `chosen` those asked for."""

    published: Mapping[str, PublishedRow]
    chosen: Sequence[str]
    bench: Bench
    images: int
    sets: tuple[str, ...] = ()
    structure: bool = True
    values: list[tuple[View, dict[str, Value]]] = field(default_factory=list)

    def run(self, on_progress: Callable[[int, int], None]) -> None:
        """Evaluates every view, as many at a time as there are cores; Ctrl-C ends the tools that run."""
        views = self.views()
        pool = ThreadPoolExecutor(max_workers=os.cpu_count())
        try:
            waiting = {pool.submit(self._evaluate, view): view for view in views}
            for done, future in enumerate(as_completed(waiting), start=1):
                self.values.append((waiting[future], future.result()))
                on_progress(done, len(views))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            stop_running()
            raise
        pool.shutdown()

    def views(self) -> list[View]:
        """Every state of the boards that is looked at."""
        return list(self._views())

    def as_they_are(self) -> Evaluator:
        """Our values on the boards as they are, with the images of the paper."""
        return Evaluator(self._lab(PAPER_IMAGES, dict.fromkeys(self.bench.boards(), self.sets)), self.published)

    def ours(self, row_id: str) -> Value | None:
        """Our value of a row on the boards as they are; None if nothing gives it yet."""
        return next((values.get(row_id) for view, values in self.values if view.purpose == "base"), None)

    def moved_by(self, row_id: str) -> list[str]:
        """The changes of calibrated numbers that move a row by more than 8 %."""
        base = self._numbers("few images", row_id)
        changed = self._numbers("role", row_id)
        return sorted(name for name, value in changed.items() for before in base.values() if moves(before, value))

    def role(self, row_id: str) -> Role:
        """The role of a row, found by test where a test is needed."""
        row = self.published[row_id]
        if row.same_as is not None and row.experiment is None:
            return self.role(row.same_as)
        made_of = [self.role(name) for name in operands(row.experiment or "")]
        if self._is_made_of_calibrated_stages(row_id):
            made_of.append("derived")
        return role_of(row, self.moved_by(row_id), made_of)

    def _is_made_of_calibrated_stages(self, row_id: str) -> bool:
        """Whether a run is a sum or maximum of, mostly, stages that the calibrated inputs determine."""
        few = next((values for view, values in self.values if view.purpose == "few images"), {})
        stages = {name: float(value) for name, value in few.items() if name.startswith(f"{row_id} ")}
        return sum(time for name, time in stages.items() if self.moved_by(name)) > sum(stages.values()) / 2

    def structure_of(self, row_id: str) -> Structure | None:
        """What is left of a value without calibrated inputs, and with each assumed one at the ends of its range."""
        bare, few = (list(self._numbers(purpose, row_id).values()) for purpose in ("bare", "bare, few images"))
        if not bare or not few or not few[0]:
            return None
        # The ends are compared with few images: what they change in proportion, they change in the whole run.
        at_ends = {name: bare[0] * value / few[0] for name, value in self._numbers("end", row_id).items()}
        at_ends[AS_THEY_ARE] = bare[0]
        low, high = min(at_ends, key=at_ends.__getitem__), max(at_ends, key=at_ends.__getitem__)
        return Structure(
            without_calibrated=bare[0],
            low=at_ends[low],
            low_with=low,
            high=at_ends[high],
            high_with=high,
        )

    def _numbers(self, purpose: Purpose, row_id: str) -> dict[str, float]:
        found = ((view.name, values.get(row_id)) for view, values in self.values if view.purpose == purpose)
        return {
            name: float(value)
            for name, value in found
            if isinstance(value, (int, float)) and not isinstance(value, bool)
        }

    def _views(self) -> Iterator[View]:
        boards = self._boards(self.chosen)
        as_they_are = dict.fromkeys(boards, self.sets)
        yield View("base", "", self._lab(PAPER_IMAGES, as_they_are), tuple(self.chosen))
        tested = [row_id for row_id in self._with_operands(self.chosen) if needs_test(self.published[row_id])]
        yield View("few images", "", self._lab(self.images, as_they_are), tuple(tested))
        for purpose, change in self._changes(boards):
            concerned = [row_id for row_id in tested if change.board in self._boards([row_id])]
            if purpose != "role":
                concerned = [row_id for row_id in concerned if kind_of(self.published[row_id]) in STRUCTURAL]
            sets = {**as_they_are, change.board: (*self.sets, *change.sets)}
            images = PAPER_IMAGES if purpose == "bare" else self.images
            yield View(purpose, change.name, self._lab(images, sets), tuple(concerned))

    def _lab(self, images: int, sets: dict[str, tuple[str, ...]]) -> Laboratory:
        return Laboratory(self.bench, images, self.images, sets)

    def _changes(self, boards: Sequence[str]) -> Iterator[tuple[Purpose, Change]]:
        for board in boards:
            inputs = self.bench.platform(f"model:{board}", self.sets).inputs
            yield from (("role", change) for change in perturbations(board, inputs))
            if self.structure:
                yield from self._structural(board, inputs)

    def _structural(self, board: str, inputs: Sequence[Input]) -> Iterator[tuple[Purpose, Change]]:
        def accepts(*sets: str) -> bool:
            return self.bench.accepts(f"model:{board}", (*self.sets, *sets))

        bare = without_calibrated(board, inputs, accepts)
        yield "bare", bare
        yield "bare, few images", bare
        for end in ends(board, inputs):
            # A call may not cost less than its parts, which have ends as well.
            fits = accepts(*bare.sets, *end.sets)
            off = bare if fits else without_calibrated(board, inputs, partial(accepts, *end.sets))
            yield "end", Change(end.name, board, (*off.sets, *end.sets))

    def _evaluate(self, view: View) -> dict[str, Value]:
        evaluator = Evaluator(view.lab, self.published)
        values: dict[str, Value] = {}
        for row_id in view.rows:
            if self._source(row_id).experiment is None:
                continue
            try:
                values[row_id] = evaluator.of_row(row_id)
                if view.purpose in ("few images", "role"):
                    stages = evaluator.stages(self._source(row_id).experiment or "")
                    values |= {f"{row_id} {name}": time for name, time in stages.items()}
            except NotOfferedError:
                continue  # The row stays open, and is counted as such.
        return values

    def _source(self, row_id: str) -> PublishedRow:
        row = self.published[row_id]
        return self._source(row.same_as) if row.experiment is None and row.same_as is not None else row

    def _with_operands(self, row_ids: Sequence[str]) -> list[str]:
        found: dict[str, None] = {}
        waiting = list(row_ids)
        while waiting:
            row_id = waiting.pop(0)
            if row_id not in found and row_id in self.published:
                found[row_id] = None
                row = self.published[row_id]
                waiting += operands(row.experiment or "") + ([row.same_as] if row.same_as else [])
        return list(found)

    def _boards(self, row_ids: Sequence[str]) -> list[str]:
        """The boards that the experiments of rows, and of the rows that they are made of, name."""
        texts = [self.published[row_id].experiment or "" for row_id in self._with_operands(row_ids)]
        words = {word for text in texts for word in re.split(r"[:/@ ]+", text)}
        return [board for board in self.bench.boards() if board in words]
