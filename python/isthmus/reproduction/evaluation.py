"""Evaluating the rows on the boards as they are and with their numbers changed."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cached_property

from isthmus.base.errors import IsthmusError
from isthmus.base.numbers import is_number
from isthmus.records.base import Value
from isthmus.records.papers import Role
from isthmus.records.run import Input
from isthmus.reproduction.counterparts import (
    RATIO,
    Claim,
    Combined,
    Counterpart,
    Same,
    boards_of,
    leaves,
    operands,
)
from isthmus.reproduction.model_runs import CORES, ModelRuns, NotOfferedError, ToolAnswers, target_of
from isthmus.reproduction.published import PublishedRow
from isthmus.reproduction.roles import (
    TENTH,
    InputChange,
    Legal,
    differs,
    ends,
    follows,
    moved,
    needs_test,
    perturbations,
    rests_on,
    role_of,
    slower,
    together,
)
from isthmus.reproduction.scenarios import Purpose, Scenario, Span
from isthmus.reproduction.units import Between
from isthmus.running.tools import stop_running

PAPER_IMAGES = 200  # stacc VI-B1
OnProgress = Callable[[str, int, int], None]


@dataclass
class Evaluation:
    """The values of rows in every scenario; `published` holds the rows of every paper, `chosen` those asked for.

    paper_of: the paper of each row, by which a calibrated input's source names it.
    places: "FILE:LINE: " of the rows of one's own, for errors.
    spans: whether the assumed inputs are taken to the ends of their ranges, which takes most of the time.
    """

    published: Mapping[str, PublishedRow]
    chosen: Sequence[str]
    tools: ToolAnswers
    images: int
    sets: tuple[str, ...] = ()
    spans: bool = True
    paper_of: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    _values: dict[tuple[Purpose, str], dict[str, Value]] = field(default_factory=dict)
    _judged: dict[tuple[Purpose, str], dict[str, Between]] = field(default_factory=dict)
    _changes: dict[str, InputChange] = field(default_factory=dict)

    def run(self, on_progress: OnProgress) -> None:
        """Evaluates every scenario, with as many experiments at a time as cores; Ctrl-C ends the tools that run."""
        self._evaluate("calibrated inputs moved", self.first_scenarios(), on_progress)
        if not self.spans:
            return
        self._evaluate("assumed inputs at their ends", self.end_scenarios(self.spanned_rows()), on_progress)
        unmoved = [row_id for row_id in self.open_rows() if not self._moves(row_id)]
        self._evaluate(
            "other inputs moved", self._other_scenarios(unmoved), on_progress, lambda row_id: not self._moves(row_id)
        )
        self._evaluate("ends together", self._corner_scenarios(), on_progress)

    def first_scenarios(self) -> list[Scenario]:
        """The boards as they are, and with each calibrated input moved."""
        as_they_are = self._as_they_are
        scenarios = [
            Scenario("as they are", "", self._models(PAPER_IMAGES, as_they_are), tuple(self.chosen)),
            Scenario("few images", "", self._models(self.images, as_they_are), tuple(self._tested)),
        ]
        calibrated = self._of_boards(self._perturbations)
        return [*scenarios, *self._scenarios("calibrated", calibrated, self._tested)]

    def end_scenarios(self, rows: Sequence[str]) -> list[Scenario]:
        """Scenarios with each assumed input at an end of its range, for rows that no calibrated input determines."""
        found = self._of_boards(lambda board, inputs: ends(board, inputs, self._legal(board)))
        return self._scenarios("end", found, rows)

    def most_corner_scenarios(self) -> list[Scenario]:
        """The corner scenarios that there can be at most: two for each row that is not determined yet."""
        models = self._models(PAPER_IMAGES, self._as_they_are)
        return [
            Scenario("corner", side, models, (row_id,))
            for row_id in self.spanned_rows()
            for side in ("lowest", "highest")
        ]

    def as_they_are(self) -> ModelRuns:
        """The boards as they are, with the images of the paper."""
        return self._models(PAPER_IMAGES, self._as_they_are)

    def ours(self, row_id: str) -> Value | None:
        """Our value of a row on the boards as they are; None if nothing gives it yet."""
        return self._values.get(("as they are", ""), {}).get(row_id)

    def role(self, row_id: str) -> Role:
        """The role of a row, found by test where a test is needed."""
        made_of = {self.role(name) for name in operands(self.published[row_id].counterpart)}
        if self._says_again(row_id) and made_of:
            return made_of.pop()
        derived = bool(self.reasons(row_id))
        return role_of(self.published[row_id], self._leaves(row_id), derived, self._moves(row_id))

    def reasons(self, row_id: str) -> list[str]:
        """The reasons for which a row is derived: inputs that move it or were found from it, its stages, other rows."""
        moved_by = dict.fromkeys(_input_of(change) for change in self.moved_by(row_id))
        given = [f"{name}, which was found from it" for name in self._chosen_inputs(row_id) if name not in moved_by]
        stages = [f"its stage '{name}'" for name in self._derived_stages(row_id)]
        rows = {name: self.role(name) for name in operands(self.published[row_id].counterpart)}
        made_of = [f"{name} ({role})" for name, role in rows.items() if role in ("derived", "input")]
        return [*moved_by, *given, *([] if moved_by else [*stages, *made_of])]

    def moved_by(self, row_id: str) -> list[str]:
        """The changes of calibrated inputs that a row follows: it moves by over 0.8 of what they move."""
        changed = self._numbers("calibrated", row_id)
        return sorted(
            name
            for name, value in changed.items()
            for before in self._numbers("few images", row_id).values()
            if follows(before, value, self._changes[name].step)
        )

    def same_as(self, row_id: str) -> str | None:
        """The first row that looks at the same: the same number, the time of a rate, or what follows from one run."""
        stated = self.published[row_id].same_as
        if stated is not None:
            return stated
        look = self._look(row_id)
        first = self._first_to_look.get(look, row_id)
        return first if first != row_id and look[1] else None

    def span(self, row_id: str) -> Span | None:
        """The least and the most that a predicted row, or what a claim is about, is with the assumed inputs anywhere
        in their ranges.
        """
        base, few = (list(self._numbers(purpose, row_id).values()) for purpose in ("as they are", "few images"))
        at_ends = self._numbers("end", row_id)
        if not base or not few or not few[0] or not at_ends:
            return None
        # The ends are compared with few images: what they change in proportion, they change in the whole run.
        alone = [base[0] * value / few[0] for value in at_ends.values()]
        together = [value for name, value in self._numbers("corner", row_id).items() if name.startswith(f"{row_id} ")]
        every = [base[0], *alone, *together]
        widest = max(at_ends, key=lambda name: abs(at_ends[name] - few[0]))
        return Span(low=min(every), high=max(every), mostly=widest if differs(few[0], at_ends[widest]) else None)

    @cached_property
    def _tested(self) -> list[str]:
        """The rows whose role needs a test, and those that they are made of."""
        found: dict[str, None] = {}
        waiting = list(self.chosen)
        while waiting:
            row_id = waiting.pop(0)
            if row_id not in found and row_id in self.published:
                found[row_id] = None
                waiting += operands(self.published[row_id].counterpart)
        return [row_id for row_id in found if needs_test(self.published[row_id], self._leaves(row_id))]

    @cached_property
    def _boards(self) -> list[str]:
        """The boards that the experiments of the chosen rows name."""
        return list(dict.fromkeys(board for row_id in self.chosen for board in self._boards_of(row_id)))

    @property
    def _as_they_are(self) -> dict[str, tuple[str, ...]]:
        return dict.fromkeys(self._boards, self.sets)

    def _boards_of(self, row_id: str) -> list[str]:
        known = self.tools.boards()
        own = [board for leaf in self._leaves(row_id) for board in boards_of(leaf, known)]
        below = operands(self.published[row_id].counterpart)
        return [*own, *(board for name in below for board in self._boards_of(name))]

    def _leaves(self, row_id: str) -> list[Counterpart]:
        return leaves(self.published[row_id].counterpart, self.published)

    @cached_property
    def _first_to_look(self) -> dict[tuple[str, str], str]:
        """The first of the chosen rows that looks at something."""
        found: dict[tuple[str, str], str] = {}
        for row_id in sorted(self.chosen, key=self._says_again):
            found.setdefault(self._look(row_id), row_id)
        return found

    def _says_again(self, row_id: str) -> bool:
        """Tells whether a row is another one, or the ratio of what one run gives to itself."""
        counterpart = self.published[row_id].counterpart
        if isinstance(counterpart, Combined):
            return counterpart.is_ratio and not self._look(row_id)[1].startswith(RATIO)
        return isinstance(counterpart, Same)

    def _look(self, row_id: str) -> tuple[str, str]:
        """The observation of a row, if it has an experiment, and its sort: all results of a model are of one sort."""
        row = self.published[row_id]
        sort = "result" if needs_test(row, self._leaves(row_id)) else row.kind
        return sort, "" if row.counterpart is None else row.counterpart.seen(self.published)

    def _derived_stages(self, row_id: str) -> list[str]:
        """The stages that calibrated inputs determine, where a run is a sum or maximum of, mostly, such."""
        few = self._values.get(("few images", ""), {})
        stages = {name: float(value) for name, value in few.items() if name.startswith(f"{row_id} ")}
        derived = [name for name in stages if self.moved_by(name)]
        most = sum(stages[name] for name in derived) > sum(stages.values()) / 2
        return [name.removeprefix(f"{row_id} ") for name in derived] if most else []

    def _chosen_inputs(self, row_id: str) -> list[str]:
        """The calibrated inputs that were found from this very number, and move it as much as a tenth would."""
        row, paper = self.published[row_id], self.paper_of.get(row_id)
        given = [
            f"{board} {item.key}"
            for board in (self._boards_of(row_id) if paper is not None else ())
            for item in self.tools.platform(target_of(board), self.sets).inputs
            if item.role == "calibrated" and paper is not None and rests_on(item, paper, row)
        ]
        few = next(iter(self._numbers("few images", row_id).values()), None)
        changed = self._numbers("calibrated", row_id).items()
        followed = [name for name, value in changed if few is not None and follows(few, value, TENTH)]
        return [one for one in dict.fromkeys(given) if any(name.startswith(f"{one} ") for name in followed)]

    def _moves(self, row_id: str) -> bool:
        """Tells whether any input that was changed moves a row at all."""
        few = self._numbers("few images", row_id).values()
        purposes: tuple[Purpose, ...] = ("calibrated", "end", "other")
        changed = [value for purpose in purposes for value in self._numbers(purpose, row_id).values()]
        return any(differs(before, value) for before in few for value in changed)

    def open_rows(self) -> list[str]:
        """The rows that no calibrated input determines, each number once."""
        return [row_id for row_id in self._tested
                if self.role(row_id) in ("predicted", "claim") and self.same_as(row_id) is None]  # fmt: skip

    def spanned_rows(self) -> list[str]:
        """The predicted rows, and claims about a number that can be told with assumed inputs elsewhere."""
        judged = [row_id for row_id in self.chosen if self.judged(row_id) is not None]
        return [*self.open_rows(), *filter(self._is_spanned, judged)]

    def _is_spanned(self, row_id: str) -> bool:
        counterpart = self.published[row_id].counterpart
        return isinstance(counterpart, Claim) and counterpart.spanned

    def judged(self, row_id: str) -> Between | None:
        """The number that a claim is about on the boards as they are; None for any other row."""
        return self._judged.get(("as they are", ""), {}).get(row_id)

    def _numbers(self, purpose: Purpose, row_id: str) -> dict[str, float]:
        """The numbers that a row has, or a claim is about, in the scenarios of a purpose, by their names."""
        if self.judged(row_id) is not None:  # no images are in it
            purpose = "as they are" if purpose == "few images" else purpose
            judged = list(self._judged.items())
            return {name: values[row_id].value for (why, name), values in judged if why == purpose and row_id in values}
        found = {name: values.get(row_id) for (why, name), values in list(self._values.items()) if why == purpose}
        return {name: float(value) for name, value in found.items() if is_number(value)}

    def _models(self, images: int, sets: dict[str, tuple[str, ...]]) -> ModelRuns:
        return ModelRuns(self.tools, images, self.images, sets, self.published)

    def _legal(self, board: str) -> Legal:
        return lambda text: self.tools.accepts(target_of(board), (*self.sets, text))

    def _perturbations(self, board: str, inputs: Sequence[Input]) -> list[InputChange]:
        slow = slower(board, inputs)
        return [*perturbations(board, inputs, self._legal(board)), *together(board, slow, self._kept(slow))]

    def _of_boards(self, changes: Callable[[str, Sequence[Input]], list[InputChange]]) -> list[InputChange]:
        return [
            change
            for board in self._boards
            for change in changes(board, self.tools.platform(target_of(board), self.sets).inputs)
        ]

    def _scenarios(self, purpose: Purpose, changes: Sequence[InputChange], rows: Sequence[str]) -> list[Scenario]:
        self._changes |= {change.name: change for change in changes}
        return [
            Scenario(purpose, change.name, self._models(self.images, self._with(change)), concerned)
            for change in changes
            if (concerned := tuple(row_id for row_id in rows if change.board in self._boards_of(row_id)))
        ]

    def _with(self, *changes: InputChange) -> dict[str, tuple[str, ...]]:
        sets = dict(self._as_they_are)
        for change in changes:
            sets[change.board] = (*sets[change.board], *change.sets)
        return sets

    def _other_scenarios(self, rows: Sequence[str]) -> list[Scenario]:
        def others(board: str, inputs: Sequence[Input]) -> list[InputChange]:
            known = [item for item in inputs if item.role in ("datasheet", "configuration")]
            return [change for item in known for change in moved(board, item, self._legal(board))]

        return self._scenarios("other", self._of_boards(others) if rows else [], rows)

    def _corner_scenarios(self) -> list[Scenario]:
        """Scenarios for each predicted row: all ends that lower it together, and all that raise it."""
        found = []
        for row_id in (one for one in self.spanned_rows() if self.judged(one) or self.role(one) == "predicted"):
            few = next(iter(self._numbers("few images", row_id).values()))
            by = {name: value - few for name, value in self._numbers("end", row_id).items() if differs(few, value)}
            for side, sign in (("lowest", -1), ("highest", 1)):
                order = sorted((name for name in by if by[name] * sign > 0), key=lambda name: -abs(by[name]))
                models = self._models(PAPER_IMAGES, self._with(*self._kept([self._changes[name] for name in order])))
                found.append(Scenario("corner", f"{row_id} {side}", models, (row_id,)))
        return found

    def _kept(self, changes: Sequence[InputChange]) -> list[InputChange]:
        """The changes that a board accepts together, one for each input; earlier ones have preference."""
        once: dict[tuple[str, str], InputChange] = {}
        for change in changes:
            once.setdefault((change.board, change.key), change)
        if self._taken(list(once.values())):
            return list(once.values())
        kept: list[InputChange] = []
        for change in changes:
            known = any((one.board, one.key) == (change.board, change.key) for one in kept)
            if not known and self._taken([*kept, change]):
                kept.append(change)
        return kept

    def _taken(self, changes: Sequence[InputChange]) -> bool:
        """Tells whether the boards take some changes together."""
        sets = self._with(*changes)
        return all(self.tools.accepts(target_of(board), sets[board]) for board in {one.board for one in changes})

    def _evaluate(
        self,
        what: str,
        scenarios: Sequence[Scenario],
        on_progress: OnProgress,
        wanted: Callable[[str], bool] = lambda row_id: True,
    ) -> None:
        """The rows of the scenarios, each by itself, so that a long experiment keeps no other from its core."""
        for scenario in scenarios:
            self._values[scenario.purpose, scenario.name] = {}
            self._judged[scenario.purpose, scenario.name] = {}
        # More threads than cores: one that waits for an experiment that another runs takes none.
        pool = ThreadPoolExecutor(max_workers=4 * CORES)
        try:
            waiting = [
                pool.submit(self._evaluate_row, scenario, row_id, wanted)
                for scenario in scenarios
                for row_id in scenario.rows
            ]
            for done, future in enumerate(as_completed(waiting), start=1):
                future.result()
                on_progress(what, done, len(waiting))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            stop_running()
            raise
        pool.shutdown()

    def _evaluate_row(self, scenario: Scenario, row_id: str, wanted: Callable[[str], bool]) -> None:
        row, models = self.published[row_id], scenario.models
        if row.counterpart is None or not wanted(row_id):
            return
        values = self._values[scenario.purpose, scenario.name]
        try:
            found = models.found(row.counterpart, row.unit)
            if isinstance(found, Between):
                self._judged[scenario.purpose, scenario.name][row_id] = found
            values[row_id] = found.holds if isinstance(found, Between) else found
            if scenario.purpose in ("few images", "calibrated"):
                stages = row.counterpart.stages(models)
                values |= {f"{row_id} {name}": time for name, time in stages.items()}
        except NotOfferedError:
            return  # The row stays open, and is counted as such.
        except IsthmusError as error:
            with_ = f", with {scenario.name}" if scenario.name else ""
            raise IsthmusError(f"{self.places.get(row_id, '')}row '{row_id}'{with_}: {error}") from error


def _input_of(change: str) -> str:
    """The input that a change moves: its name goes on with what from and to."""
    words = change.split(" ")
    return change if "together" in words else " ".join(words[:2])
