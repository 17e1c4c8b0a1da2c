"""The limit of a modelled run: short reruns with each key behind its parts at the next value find it."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from isthmus.asking.answers import ask_all
from isthmus.asking.experiments import Experiment, run_experiment
from isthmus.base.errors import IsthmusError
from isthmus.judging.remedies import STEP, Remedy, Steps, remedies, slower, steps_of
from isthmus.records.run import Bottleneck, Effect, Row
from isthmus.running.parallel import OnCount
from isthmus.running.tools import Event

# Runs experiments; None for one that cannot be run.
RunAll = Callable[[Sequence[Experiment]], Sequence[Row | None]]

# A key that raises the rate by less holds nothing.
HOLDS = 0.05
# A change that a reader sees, with room for what a short run does not show.
SEEN = 0.02
# Among keys that give nearly as much, the one that stands first behind its part.
_NEARLY = 0.9
# Reruns before the next look at what is left to find; the same on every machine, so that records are too.
_ROUND = 4
# The part of what is expected that must be seen.
_AS_TOLD = 0.8
_SHORT_BYTES, _FEWEST, _MOST = 32 << 20, 4, 1000
# The parameter of applications that repeat their work on one message.
_ITERATIONS = "iterations"
# Iterations of which the ends tell a pace.
_PACE = 2
# How far the rate of a short run may lie from that of the whole.
_SAME = 0.03


def judge(experiment: Experiment, row: Row, run_all: RunAll, on_count: OnCount) -> Row:
    """The row with the bottleneck that reruns find; a row that is measured or without keys stays as it is.

    A wrong row gets no bottleneck. `on_count` is called with the reruns done and the most that there will be.
    """
    if not row.verified:
        return row.model_copy(update={"bottleneck": None})
    if row.kind != "modelled" or not any(part.keys for part in row.parts):
        return row
    return row.model_copy(update={"bottleneck": _Reruns(experiment, row, run_all, on_count).bottleneck()})


def judge_in_parallel(experiment: Experiment, row: Row, on_event: Callable[[Event], None]) -> Row:
    """`judge` with reruns on all cores."""

    def tell(done: int, most: int) -> None:
        on_event({"event": "progress", "what": "reruns", "done": done, "total": most})

    return judge(experiment, row, lambda wanted: ask_all(wanted, _rerun), tell)


def _rerun(experiment: Experiment, on_event: Callable[[Event], None]) -> Row | None:
    try:
        row = run_experiment(experiment, on_event, remember=False)
    except IsthmusError:
        return None  # such as a buffer that is too small for a message
    return row if row.verified else None


def changed(experiment: Experiment, assignment: str) -> Experiment:
    """The experiment with KEY=VALUE in place of what else is set for the key."""
    key = assignment.partition("=")[0]
    kept = [one for one in experiment.sets if one.partition("=")[0].strip() != key]
    return replace(experiment, sets=(*kept, assignment), trace=None)


def worth_trying(row: Row, sets: Sequence[str] = ()) -> str | None:
    """KEY=VALUE that changes the rate, as a rerun has shown; None if no rerun has.

    Without reruns it is a value of the first key of the part that the row names; `sets` are those of its run.
    """
    limit = row.bottleneck
    if limit is None:
        return None
    if not limit.effects:
        key = next((part.keys[0] for part in row.parts if part.name == limit.part and part.keys), None)
        faster = steps_of(row.target, sets).get(key, Steps()).faster if key else ()
        return _assignment(row, str(key), faster[0]) if faster else None
    seen = [effect.change for effect in limit.effects if abs(effect.raises) >= SEEN]
    return limit.relief or next(iter(seen), None)


def _assignment(row: Row, key: str, value: float) -> str:
    """KEY=VALUE in the key's unit."""
    unit = next((item.unit for item in row.platform.inputs if item.key == key), None) if row.platform else None
    return f"{key}={value:.9g}{unit or ''}"


def _as_told(raw: Bottleneck, raises: float) -> bool:
    """Tells whether a step of its part's key raises the rate by what the shares of the busy time or the path say.

    If not, what waits in between, such as a full window, comes before the part that `raw` names next.
    """
    if raw.would_need is None:
        return True
    left = 1 / min(STEP, raw.would_need)
    expected = 1 / (1 - (1 - left) * (raw.path_share or 1.0)) - 1
    return raises >= _AS_TOLD * expected


class _Reruns:
    def __init__(self, experiment: Experiment, row: Row, run_all: RunAll, on_count: OnCount) -> None:
        self._row = row
        self._run_all = run_all
        self._on_count = on_count
        self._done = 0
        self._iterates = _iterations_tell(row)
        if self._iterates:
            experiment = _of_two_iterations(experiment)
            self._counts: tuple[int, ...] = (1,)
            self._rate = _iterations_per_s(row) or 0.0
        else:
            self._counts, self._rate = self._shortened(replace(experiment, trace=None))
        self._experiment = experiment

    def bottleneck(self) -> Bottleneck:
        steps = steps_of(self._row.target, self._experiment.sets)
        effects = self._effects(remedies(self._row, steps))
        if max((effect.raises for effect in effects), default=0.0) < SEEN:
            effects += self._any_slower(slower(self._row, steps))
        order = sorted(effects, key=lambda effect: -effect.raises)
        if not order:
            return self._row.bottleneck or Bottleneck(part=None)
        if order[0].raises < HOLDS:
            return Bottleneck(part=None, effects=order)
        # `effects` are still in the order in which keys stand behind their parts.
        named = next(effect for effect in effects if effect.raises >= _NEARLY * order[0].raises)
        return self._named(named, order)

    def _named(self, named: Effect, order: list[Effect]) -> Bottleneck:
        raw = self._row.bottleneck
        part = next(part for part in self._row.parts if part.name == named.part)
        if raw is not None and raw.part == named.part and part.works and _as_told(raw, named.raises):
            return raw.model_copy(update={"effects": order, "relief": named.change})
        return Bottleneck(part=part.name, busy_share=part.busy_share, effects=order, relief=named.change)

    def _shortened(self, experiment: Experiment) -> tuple[tuple[int, ...], float]:
        """The message counts of the reruns, the fewest whose rate is that of the whole, and that rate."""
        each = self._row.in_message or 1
        count = each * max(_FEWEST, min(_MOST, _SHORT_BYTES // max(1, self._row.bytes_each * each)))
        known: dict[int, Row | None] = {}
        while count < experiment.count:
            counts = (count // 2, count)
            left = [one for one in counts if one not in known]
            known |= zip(left, self._run_all([replace(experiment, count=one) for one in left]), strict=True)
            rate = _rate([known[one] for one in counts], counts)
            if rate is not None and abs(rate / self._row.value - 1) <= _SAME:
                return counts, rate
            count *= 2
        return (experiment.count,), self._row.value

    def _rates(self, experiments: Sequence[Experiment], counts: tuple[int, ...]) -> list[float | None]:
        """The rate that a run of the last count has beyond one of the first, for each: without the way in and out."""
        rows = self._run_all([replace(one, count=count) for one in experiments for count in counts])
        if self._iterates:
            return [None if row is None else _iterations_per_s(row) for row in rows]
        return [_rate(rows[first : first + len(counts)], counts) for first in range(0, len(rows), len(counts))]

    def _effects(self, left: Sequence[Remedy]) -> list[Effect]:
        """Reruns until nothing that is left can raise the rate by twice of what was found.

        The key of the part that the row itself names comes first: where it holds the run, little is left to try.
        """
        key = self._key_of_named()
        first = [one for one in left if one.key == key]
        effects = self._rerun(first)
        left = [one for one in left if one not in first]
        while left and max([effect.raises for effect in effects], default=0.0) < left[0].most / 2:
            worth = [one for one in left[:_ROUND] if one.most >= left[0].most / 2]
            effects += self._rerun(worth)
            left = left[len(worth) :]
            self._on_count(self._done, self._done + len(left))
        return effects

    def _key_of_named(self) -> str | None:
        named = self._row.bottleneck.part if self._row.bottleneck else None
        return next((part.keys[0] for part in self._row.parts if part.name == named and part.keys), None)

    def _any_slower(self, left: Sequence[Remedy]) -> list[Effect]:
        """The changes that lower the rate, if none raises it."""
        while left:
            seen = [effect for effect in self._rerun(left[:_ROUND]) if effect.raises <= -SEEN]
            if seen:
                return seen[:1]
            left = left[_ROUND:]
        return []

    def _rerun(self, tried: Sequence[Remedy]) -> list[Effect]:
        changes = [_assignment(self._row, one.key, one.value) for one in tried]
        rates = self._rates([changed(self._experiment, change) for change in changes], self._counts)
        self._done += len(tried)
        return [
            Effect(part=one.part, change=change, raises=rate / self._rate - 1)
            for one, change, rate in zip(tried, changes, rates, strict=True)
            if rate is not None
        ]


def _iterations_per_s(row: Row) -> float | None:
    """Rate of a message's iterations after the first, without the way in and out; None if it has only one."""
    each = len(row.iteration_ends_s or ()) // row.count
    if each < _PACE:
        return None
    ends = (row.iteration_ends_s or [])[:each]
    took = ends[-1] - ends[0]
    return (each - 1) / took if took > 0 else None


def _iterations_tell(row: Row) -> bool:
    """Tells whether more than two iterations are so nearly all of a run that two of them tell its rate."""
    rate = _iterations_per_s(row)
    if rate is None or _ITERATIONS not in row.parameters:
        return False
    iterations = len(row.iteration_ends_s or ())
    return iterations > _PACE * row.count and abs(iterations / rate / row.elapsed_s - 1) <= _SAME


def _of_two_iterations(experiment: Experiment) -> Experiment:
    kept = [one for one in experiment.parameters if one.partition("=")[0].strip() != _ITERATIONS]
    return replace(experiment, count=1, parameters=(*kept, f"{_ITERATIONS}={_PACE}"), trace=None)


def _rate(rows: Sequence[Row | None], counts: tuple[int, ...]) -> float | None:
    """Messages per second, of runs of these counts; None where one of them could not be run or nothing tells them."""
    took = [row.elapsed_s for row in rows if row is not None]
    if len(took) < len(counts):
        return None
    messages, seconds = (counts[-1] - counts[0], took[-1] - took[0]) if len(counts) > 1 else (counts[0], took[0])
    return messages / seconds if seconds > 0 else None
