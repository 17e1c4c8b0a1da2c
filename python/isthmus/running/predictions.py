"""The answers of probes of changed models, run once, side by side, and kept in the user's cache.

An answer is kept under the hash of the platform, of what is changed in it, of the probe and of the tool that gave it,
so that a new version answers anew.
"""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from isthmus.base.build_info import build_info
from isthmus.base.errors import IsthmusError
from isthmus.base.files import user_folder
from isthmus.base.groups import grouped_by
from isthmus.records import ProbeRecord
from isthmus.running.parallel import run_in_parallel
from isthmus.running.probes import COPIES, STREAMS, all_probes
from isthmus.running.probing import Probing, run_probing
from isthmus.running.targets import platform
from isthmus.running.tools import ignore, tool_path

MIB = 1 << 20
ANY = 64  # stands for the size of a probe that has none
# The time of a copy, and of a pass over shared memory that no cache holds, is affine in its size from the first of
# these on.
ENDS = (MIB, 4 * MIB)
_PASSES, _FLUSHED = ("shared-read", "shared-write"), "flushed"

Told = Callable[[int, int], None]
Pairs = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Ask:
    """A probe at a size, of a model with `sets` beside its own; `chosen` are options of the probe, by name.

    `variant` tells its record from others of the size, by their parameters.
    """

    probe: str
    size: int
    sets: tuple[str, ...] = ()
    chosen: Pairs = ()
    variant: Pairs = ()


@dataclass(frozen=True)
class Answer:
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
        self._cache = _Cache(cache or user_folder("cache") / "predictions.sqlite")
        self._known: dict[Ask, Answer | None] = {}

    def answers(self, asks: Iterable[Ask], told: Told = lambda done, total: None) -> dict[Ask, Answer | None]:
        """An answer for each; if a time is affine in its size, that of over 1 MiB follows from two smaller ones."""
        wanted = list(dict.fromkeys(asks))
        self._learn([part for ask in wanted for part in _parts(ask)], told)
        return {ask: self._answer(ask) for ask in wanted}

    def require(self, asks: Iterable[Ask]) -> list[Answer]:
        """Answers of the model as it is: what it cannot do is an IsthmusError, in the tool's words."""
        wanted = list(asks)
        parts = (part for ask in wanted for part in _parts(ask))
        for probing, group in _groups(self.target, self.sets, dict.fromkeys(parts)):
            self._known.update(self._recall(group))
            if not all(ask in self._known for ask in group):
                found = _run(probing, group)
                self._keep(found)
                self._known.update(found)
        answers = [self._answer(ask) for ask in wanted]
        if None in answers:
            unanswered = wanted[answers.index(None)]
            raise IsthmusError(f"probe '{unanswered.probe}': the model says nothing of {unanswered.size} B")
        return [answer for answer in answers if answer is not None]

    def _answer(self, ask: Ask) -> Answer | None:
        parts = [self._known.get(part) for part in _parts(ask)]
        if len(parts) == 1:
            return parts[0]
        first, second = parts
        if first is None or second is None:
            return None
        return _line(first, second, ask.size)

    def _learn(self, asks: Iterable[Ask], told: Told) -> None:
        new = [ask for ask in dict.fromkeys(asks) if ask not in self._known]
        self._known.update(self._recall(new))
        missing = [ask for ask in new if ask not in self._known]
        groups = dict(enumerate(_groups(self.target, self.sets, missing)))
        done = 0

        def keep(_: int, found: dict[Ask, Answer | None]) -> None:
            nonlocal done
            done += 1
            told(done, len(groups))
            self._known.update(found)
            self._keep(found)

        run_in_parallel(groups, lambda _, event: None, keep, lambda work, on_event: _try(*work))

    def _recall(self, asks: Sequence[Ask]) -> dict[Ask, Answer]:
        keys = {self._key(ask): ask for ask in asks}
        return {keys[key]: answer for key, answer in self._cache.read(keys).items()}

    def _keep(self, found: Mapping[Ask, Answer | None]) -> None:
        """Keeps answers, but not refusals: a later command asks these again, as the reason may be gone."""
        self._cache.write({self._key(ask): answer for ask, answer in found.items() if answer is not None})

    def _key(self, ask: Ask) -> str:
        words = [_tool_stamp(), self._platform, sorted(ask.sets), ask.probe, ask.size, ask.chosen, ask.variant]
        return hashlib.sha256(json.dumps(words).encode()).hexdigest()


def _parts(ask: Ask) -> list[Ask]:
    """The runs that an answer needs."""
    return [replace(ask, size=size) for size in ENDS] if ask.size > ENDS[0] and _is_affine(ask) else [ask]


def _is_affine(ask: Ask) -> bool:
    """Tells whether each further byte takes as long; a cache that holds some of the bytes bends the line."""
    if ask.probe in _PASSES:
        return bool(dict(ask.chosen).get("start", _FLUSHED) == _FLUSHED)
    return all_probes()[ask.probe].crosses in (*COPIES, STREAMS)


def _line(first: Answer, second: Answer, size: int) -> Answer:
    share = (size - ENDS[0]) / (ENDS[1] - ENDS[0])
    working = None
    if first.working_s is not None and second.working_s is not None:
        working = first.working_s + (second.working_s - first.working_s) * share
    return Answer(first.seconds + (second.seconds - first.seconds) * share, working)


_Group = tuple[Probing, list[Ask]]


def _groups(target: str, sets: Sequence[str], asks: Iterable[Ask]) -> list[_Group]:
    """The groups of answers that one run of the tool gives: probes of the same model at the same sizes."""
    of_probes = grouped_by(lambda ask: (ask.sets, ask.chosen, ask.probe), asks).values()
    alike = grouped_by(lambda of: (of[0].sets, of[0].chosen, frozenset(ask.size for ask in of)), of_probes)
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
        groups.append((probing, [ask for of_one in together for ask in of_one]))
    return groups


def _try(probing: Probing, asks: Sequence[Ask]) -> dict[Ask, Answer | None]:
    """Asks for answers; None for what the changed model refuses."""
    try:
        return _run(probing, asks)
    except IsthmusError:
        return dict.fromkeys(asks)


def _run(probing: Probing, asks: Sequence[Ask]) -> dict[Ask, Answer | None]:
    records: list[ProbeRecord] = []
    run_probing(probing, records.append, ignore)
    return {ask: next((_answer_of(one) for one in records if _is_of(one, ask)), None) for ask in asks}


def _is_of(record: ProbeRecord, ask: Ask) -> bool:
    wanted = {"size": ask.size, **dict(ask.variant)}
    return record.name == ask.probe and all(record.parameters.get(key) == wanted[key] for key in wanted)


def _answer_of(record: ProbeRecord) -> Answer | None:
    if record.time_s is None:
        return None
    busy = record.host_busy
    return Answer(record.time_s, None if busy is None else busy * record.time_s)


def _tool_stamp() -> list[Any]:
    status = tool_path("isthmus-probe").stat()
    return [build_info().version, build_info().commit, status.st_size, status.st_mtime_ns]


class _Cache:
    """Answers by key; one that cannot be read or written costs nothing but time."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def read(self, keys: Iterable[str]) -> dict[str, Answer]:
        found: dict[str, Answer] = {}
        with suppress(OSError, sqlite3.Error), closing(self._open()) as base:
            for key in keys:
                row = base.execute("SELECT seconds, working FROM answers WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    found[key] = Answer(*row)
        return found

    def write(self, answers: Mapping[str, Answer]) -> None:
        rows = [(key, one.seconds, one.working_s) for key, one in answers.items()]
        with suppress(OSError, sqlite3.Error), closing(self._open()) as base, base:
            base.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", rows)

    def _open(self) -> sqlite3.Connection:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        base = sqlite3.connect(self._file, timeout=10)
        base.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, seconds REAL, working REAL)")
        return base
