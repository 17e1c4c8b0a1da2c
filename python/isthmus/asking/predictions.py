"""Predictions: what probes of changed models say, run once, side by side, and kept in the user's cache."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from isthmus.asking.answers import Answers, ask_all, counting, key_of
from isthmus.base.errors import IsthmusError
from isthmus.base.groups import grouped_by
from isthmus.records.probe import ProbeRecord
from isthmus.running.parallel import OnCount
from isthmus.running.probes import COPIES, STREAMS, all_probes
from isthmus.running.probing import Probing, run_probing
from isthmus.running.targets import platform
from isthmus.running.tools import ignore

MIB = 1 << 20
ANY = 64  # stands for the size of a probe that has none
# The time of a copy, and of a pass over shared memory that no cache holds, is affine in its size from the first of
# these on.
ENDS = (MIB, 4 * MIB)
_PASSES, _FLUSHED = ("shared-read", "shared-write"), "flushed"

Pairs = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Query:
    """A probe at a size, of a model with `sets` beside its own; `chosen` are options of the probe, by name.

    `variant` tells its record from others of the size, by their parameters.
    """

    probe: str
    size: int
    sets: tuple[str, ...] = ()
    chosen: Pairs = ()
    variant: Pairs = ()


@dataclass(frozen=True)
class Prediction:
    """Seconds of one copy, pass or access, and in how many of them the host works, where the model tells."""

    seconds: float
    working_s: float | None = None

    @property
    def busy_share(self) -> float | None:
        """The share of the time in which the host works."""
        return None if self.working_s is None else min(1.0, self.working_s / self.seconds)


class Predictions:
    """Answers of one target with `sets`; what it cannot do with a change is None."""

    def __init__(self, target: str, sets: Sequence[str] = (), cache: "Path | None" = None) -> None:
        self.target = target
        self.sets = tuple(sets)
        self._platform = str(platform(target, sets)["sha256"])
        self._kept = Answers(cache)
        self._known: dict[Query, Prediction | None] = {}

    def answers(
        self, queries: Iterable[Query], on_count: OnCount = lambda done, total: None
    ) -> dict[Query, Prediction | None]:
        """An answer for each; if a time is affine in its size, that of over 1 MiB follows from two smaller ones."""
        wanted = list(dict.fromkeys(queries))
        self._learn([part for query in wanted for part in _parts(query)], on_count)
        return {query: self._answer(query) for query in wanted}

    def require(self, queries: Iterable[Query]) -> list[Prediction]:
        """Answers of the model as it is: what it cannot do is an IsthmusError, in the tool's words."""
        wanted = list(queries)
        parts = (part for query in wanted for part in _parts(query))
        for probing, group in _groups(self.target, self.sets, dict.fromkeys(parts)):
            self._known.update(self._recall(group))
            if not all(query in self._known for query in group):
                found = _run(probing, group)
                self._keep(found)
                self._known.update(found)
        answers = [self._answer(query) for query in wanted]
        if None in answers:
            unanswered = wanted[answers.index(None)]
            raise IsthmusError(f"probe '{unanswered.probe}': the model says nothing of {unanswered.size} B")
        return [answer for answer in answers if answer is not None]

    def _answer(self, query: Query) -> Prediction | None:
        parts = [self._known.get(part) for part in _parts(query)]
        if len(parts) == 1:
            return parts[0]
        first, second = parts
        if first is None or second is None:
            return None
        return _line(first, second, query.size)

    def _learn(self, queries: Iterable[Query], on_count: OnCount) -> None:
        new = [query for query in dict.fromkeys(queries) if query not in self._known]
        self._known.update(self._recall(new))
        groups = _groups(self.target, self.sets, [query for query in new if query not in self._known])
        count = counting(on_count, len(groups))

        def keep(number: int, found: dict[Query, Prediction | None]) -> None:
            count(number, found)
            self._known.update(found)
            self._keep(found)

        ask_all(groups, lambda group, _on_event: _try(*group), keep)

    def _recall(self, queries: Sequence[Query]) -> dict[Query, Prediction]:
        keys = {self._key(query): query for query in queries}
        return {keys[key]: Prediction(*answer) for key, answer in self._kept.read(keys).items()}

    def _keep(self, found: Mapping[Query, Prediction | None]) -> None:
        """Keeps answers, but not refusals: a later command asks these again, as the reason may be gone."""
        known = {self._key(query): one for query, one in found.items() if one is not None}
        self._kept.write({key: (one.seconds, one.working_s) for key, one in known.items()})

    def _key(self, query: Query) -> str:
        options = (sorted(query.sets), query.probe, query.size, query.chosen, query.variant)
        return key_of("isthmus-probe", self._platform, *options)


def _parts(query: Query) -> list[Query]:
    """The runs that an answer needs."""
    return [replace(query, size=size) for size in ENDS] if query.size > ENDS[0] and _is_affine(query) else [query]


def _is_affine(query: Query) -> bool:
    """Tells whether each further byte takes as long; a cache that holds some of the bytes bends the line."""
    if query.probe in _PASSES:
        return bool(dict(query.chosen).get("start", _FLUSHED) == _FLUSHED)
    return all_probes()[query.probe].crosses in (*COPIES, STREAMS)


def _line(first: Prediction, second: Prediction, size: int) -> Prediction:
    share = (size - ENDS[0]) / (ENDS[1] - ENDS[0])
    working = None
    if first.working_s is not None and second.working_s is not None:
        working = first.working_s + (second.working_s - first.working_s) * share
    return Prediction(first.seconds + (second.seconds - first.seconds) * share, working)


_Group = tuple[Probing, list[Query]]


def _groups(target: str, sets: Sequence[str], queries: Iterable[Query]) -> list[_Group]:
    """The groups of answers that one run of the tool gives: probes of the same model at the same sizes."""
    of_probes = grouped_by(lambda query: (query.sets, query.chosen, query.probe), queries).values()
    alike = grouped_by(lambda of: (of[0].sets, of[0].chosen, frozenset(query.size for query in of)), of_probes)
    groups = []
    for (changed, chosen, at), together in alike.items():
        probing = Probing(
            target,
            probes=[of_one[0].probe for of_one in together],
            sizes=sorted({size or ANY for size in at}),
            samples=1,
            sets=(*sets, *changed),
            grain="coarse",
            **dict(chosen),
        )
        groups.append((probing, [query for of_one in together for query in of_one]))
    return groups


def _try(probing: Probing, queries: Sequence[Query]) -> dict[Query, Prediction | None]:
    """Asks for answers; None for what the changed model refuses."""
    try:
        return _run(probing, queries)
    except IsthmusError:
        return dict.fromkeys(queries)


def _run(probing: Probing, queries: Sequence[Query]) -> dict[Query, Prediction | None]:
    records: list[ProbeRecord] = []
    run_probing(probing, records.append, ignore)
    return {query: next((_answer_of(one) for one in records if _is_of(one, query)), None) for query in queries}


def _is_of(record: ProbeRecord, query: Query) -> bool:
    wanted = {"size": query.size, **dict(query.variant)}
    return record.name == query.probe and all(record.parameters.get(key) == wanted[key] for key in wanted)


def _answer_of(record: ProbeRecord) -> Prediction | None:
    if record.time_s is None:
        return None
    busy = record.host_busy
    return Prediction(record.time_s, None if busy is None else busy * record.time_s)
