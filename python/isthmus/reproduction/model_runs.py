"""Running the experiments of the papers on the modelled boards, each once."""

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar, cast

from isthmus.asking.applications import applications, describe, flows_of
from isthmus.asking.experiments import Experiment, run_experiment
from isthmus.base.errors import IsthmusError
from isthmus.base.names import unknown
from isthmus.base.numbers import is_number
from isthmus.base.sizes import format_size, parse_size
from isthmus.judging.coherence import kept_coherent
from isthmus.records.base import Value
from isthmus.records.run import BoardPart, Input, Platform, Row
from isthmus.reproduction.units import Between, Found, convert
from isthmus.running.application import is_parameter
from isthmus.running.integration import is_calibrated
from isthmus.running.methods import TREE
from isthmus.running.parallel import cores
from isthmus.running.probes import all_probes
from isthmus.running.probing import OPTIONS as PROBE_OPTIONS
from isthmus.running.probing import listed_values, served_by
from isthmus.running.targets import described_platforms, read_platform
from isthmus.running.tools import Event, also, as_sets, assignments, collect, ignore, pairs_of, request_of

if TYPE_CHECKING:
    from isthmus.reproduction.counterparts import Counterpart
    from isthmus.reproduction.published import PublishedRow

APPLICATION = "image-filter"
# What an experiment may name where others assign a value to a key: of a run, of a probe, among records of one probe.
OF_RUNS = ("count", "method", "delay")
OPTIONS = ("burst", *PROBE_OPTIONS)
DISTINGUISHING = ("access", "phase", "started_by", "from", "to")
OF_SHARED = "cache-miss"  # what a board with shared memory is tried with: it goes over any link
WHOLE = "all"  # the phase that is meant where none is named
CORES = cores()
Answer = TypeVar("Answer")


class NotOfferedError(IsthmusError):
    """The tools do not have this probe yet: the row stays without a value of ours."""


def _measured_boards() -> list[str]:
    return [
        target.removeprefix("model:")
        for target, event in described_platforms().items()
        if is_calibrated(item["role"] for item in event["inputs"])
    ]


def target_of(board: str) -> str:
    """A board as a target: a name of an installed one, or its file."""
    return board if board.endswith(".toml") else f"model:{board}"


class ToolAnswers:
    """Starts the tools, at most one for each core, and remembers every answer; several threads may ask.

    An experiment is known by the hash of its platform: two ways to say the same board are run once.
    """

    def __init__(self) -> None:
        self._answers: dict[tuple[str, ...], object] = {}
        self._locks: dict[tuple[str, ...], threading.Lock] = {}
        self._guard = threading.Lock()
        self._cores = threading.Semaphore(CORES)

    def run(self, experiment: Experiment) -> Row:
        """The row of one run of an application; an IsthmusError if its output is wrong."""

        def ask() -> Row:
            with self._cores:
                row = run_experiment(experiment, ignore)
            if not row.verified:
                raise IsthmusError(f"{experiment.target} {experiment.flow}: the output differs from the reference")
            return row

        board = self.platform(experiment.target, experiment.sets).sha256
        return self._once(("run", board, json.dumps(replace(experiment, sets=()).request())), ask)

    def probe(self, target: str, probe: str, sizes: Sequence[int], sets: Sequence[str]) -> list[Event]:
        """The records of a probe at some sizes in bytes.

        Among the sets `channel=NAME` is the link of a board with several, `start=NAME` what caches hold of shared
        memory before, `burst=SIZE` the bursts in which device memory is asked; `access=read`, `phase=access` and the
        like choose among the records.
        """
        if probe not in all_probes():
            raise NotOfferedError(str(unknown("probe", probe, list(all_probes()))))
        given = pairs_of(sets)
        sets = [text for text in sets if text.partition("=")[0] not in (*OPTIONS, *DISTINGUISHING)]
        asked = {"TARGET": target, "PROBE": probe, "sizes": list(sizes), "repeat": 1, "grain": "fine"}
        chosen = {name: listed_values(given.get(name)) for name in PROBE_OPTIONS}
        bursts = [parse_size(given["burst"])] if "burst" in given else []
        request = request_of({**asked, "burst": bursts, **chosen})

        def ask() -> list[Event]:
            with self._cores:
                records = collect("isthmus-probe", also(request, {"set": as_sets(sets)}), "record")
            links = dict.fromkeys(str(record["parameters"].get("channel")) for record in records)
            if len(links) > 1:
                raise IsthmusError(f"board '{target}': expected 'channel=NAME' of one of its links {', '.join(links)}")
            return records

        found = self._once(("probe", self.platform(target, sets).sha256, json.dumps(request)), ask)
        return [record for record in found if _is_meant(record["parameters"], given)]

    def platform(self, target: str, sets: Sequence[str]) -> Platform:
        """The description of a board."""
        return self._once(("platform", target, *sets), lambda: read_platform(target, sets))

    def accepts(self, target: str, sets: Sequence[str]) -> bool:
        """Tells whether a board with these numbers can be modelled: the first probe that it serves, such as a copy, or
        an access to shared memory where it has that, runs over each of its links. Its description may hold by itself
        what no machine can be made of, a call that costs less than its parts.
        """
        try:
            links = self.platform(target, sets).links
            chosen = [(f"channel={link}",) for link in links] if len(links) > 1 else [()]
            served = self.served(target)
            for probe in [OF_SHARED] if OF_SHARED in served else served[:1]:
                for link in chosen:
                    self.probe(target, probe, (64,), (*sets, *link))
        except IsthmusError:
            return False
        return True

    def served(self, target: str) -> list[str]:
        """The probes that a board has the parts for."""
        return self._once(("served", target), lambda: served_by(target))

    def flows(self, application: str, target: str) -> list[str]:
        """Flows of an application that a board has the parts for."""
        return self._once(("flows", application, target), lambda: flows_of(application, target))

    def applications(self) -> list[str]:
        """Applications that come with the tools."""
        return self._once(("applications",), applications)

    def boards(self) -> list[str]:
        """The boards that are modelled and that papers have measured."""
        return self._once(("boards",), _measured_boards)

    def _once(self, key: tuple[str, ...], ask: Callable[[], Answer]) -> Answer:
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._answers:
                self._answers[key] = ask()
            return cast(Answer, self._answers[key])


@dataclass(frozen=True)
class ModelRuns:
    """The boards with some numbers replaced, how many images a run takes, and how many one of a sweep of rates.

    published: the rows of all papers, by id.
    limits: the only boards and rows that may be asked for; None if all may.
    within: the rows that are being computed.
    """

    tools: ToolAnswers
    images: int
    sweep_images: int
    sets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    published: "Mapping[str, PublishedRow]" = field(default_factory=dict)
    limits: frozenset[str] | None = None
    within: tuple[str, ...] = ()

    def limited_to(self, names: Iterable[str]) -> "ModelRuns":
        """The same, to be asked for some boards and rows alone."""
        return replace(self, limits=frozenset(names))

    def of(self, what: "str | Counterpart", unit: str = "") -> Value:
        """The value of a counterpart, or of a row by its id, in a unit, else in its own; whether a claim holds."""
        found = self.found(what, unit)
        return found.holds if isinstance(found, Between) else found

    def number_of(self, what: "str | Counterpart", unit: str = "") -> float:
        """The same where it is a number; an IsthmusError where it is none."""
        value = self.of(what, unit)
        if not is_number(value):
            raise IsthmusError(f"expected a number, got {value!r}")
        return float(value)

    def found(self, what: "str | Counterpart", unit: str = "") -> Found:
        """The same, of a claim with the number that it is about."""
        try:
            return self._of_row(what, unit) if isinstance(what, str) else what.found(self, unit)
        except (ArithmeticError, KeyError, ValueError) as error:
            raise IsthmusError(f"{what}: {error}") from error

    def row(self, row_id: str) -> "PublishedRow":
        """A row by its id."""
        if row_id not in self.published:
            raise unknown("row", row_id, list(self.published))
        return self.published[row_id]

    def _of_row(self, row_id: str, unit: str) -> Found:
        row = self.row(row_id)
        self._refuse_unnamed("row", row_id)
        if row.counterpart is None:
            raise IsthmusError(f"row '{row_id}' has no counterpart")
        if row_id in self.within:
            raise IsthmusError(f"row '{row_id}' is made of itself")
        found = replace(self, limits=None, within=(*self.within, row_id)).found(row.counterpart, row.unit)
        return convert(found, row.unit, unit) if unit and is_number(found) else found

    def _refuse_unnamed(self, what: str, name: str) -> None:
        """Refuses what a function asks for that its row does not name: nobody would see that the row rests on it."""
        if self.limits is not None and name not in self.limits:
            known = ", ".join(sorted(self.limits)) or "none"
            raise IsthmusError(f"{what} '{name}': expected one that the row gives its function, which are: {known}")

    def run(self, board: str, flow: str) -> Row:
        """The row of the application on a board."""
        return self._run(board, flow, self.images, ())

    def rate(self, board: str, flow: str, assignment: str) -> float:
        """Images a second with one number replaced: a point of a sweep, in which only the proportions count."""
        return self._run(board, flow, self.sweep_images, (assignment,)).value

    def _run(self, board: str, flow: str, images: int, sets: Sequence[str]) -> Row:
        own = self._sets(board, sets)
        return self.tools.run(Experiment(APPLICATION, target_of(board), flow, images, sets=own, grain="fine"))

    def application(self, board: str, application: str, flow: str, changes: Sequence[str]) -> Row:
        """The row of any application; `changes` are NAME=VALUE of parameters, of numbers of the board, `count`, and
        where ports move its buffers `delay` and `method`: the decision tree's where none is named.
        """
        self.require(application)
        known = describe(application)
        given = pairs_of(changes)
        count, method, delay = (given.pop(name, None) for name in OF_RUNS)
        for name in filter(is_parameter, given):
            if name not in known.parameters:
                raise unknown("parameter", name, (*OF_RUNS, *known.parameters), application)
        experiment = Experiment(
            application,
            target_of(board),
            flow,
            known.count if count is None else int(count),
            parameters=tuple(filter(is_parameter, assignments(given))),
            sets=self._sets(board, [one for one in assignments(given) if not is_parameter(one)]),
            method=(method or TREE) if known.shares_buffers else None,
            delay=delay,
        )
        return self.tools.run(kept_coherent(experiment))

    def require(self, application: str) -> None:
        """Refuses an application that the tools do not have yet."""
        if application not in self.tools.applications():
            raise NotOfferedError(str(unknown("application", application, self.tools.applications())))

    def probe(self, board: str, probe: str, sizes: Sequence[int], sets: Sequence[str] = ()) -> dict[int, float]:
        """Bandwidth in GB/s by size in bytes."""
        return {size: float(record["value"]) for size, record in self._records(board, probe, sizes, sets).items()}

    def probe_time(self, board: str, probe: str, size: int, sets: Sequence[str] = ()) -> float:
        """Seconds of one copy, pass or access of `size` bytes."""
        return float(self._records(board, probe, [size], sets)[size]["time_s"])

    def requests(self, board: str, probe: str, size: int, channel: str, sets: Sequence[str] = ()) -> int:
        """The number of a circuit's requests that went over one of the channels of its board."""
        requests = self._records(board, probe, [size], sets)[size]["requests"]
        if channel not in requests:
            raise unknown("channel", channel, list(requests), board)
        return int(requests[channel])

    def accesses(self, board: str, probe: str, size: int, sets: Sequence[str]) -> float:
        """Accesses of `burst` bytes, which is among the sets, a second, scattered over `size` bytes of memory."""
        return self.probe(board, probe, [size], sets)[size] * 1e9 / parse_size(pairs_of(sets)["burst"])

    def _records(self, board: str, probe: str, sizes: Sequence[int], sets: Sequence[str]) -> dict[int, Event]:
        """The record of each size; an IsthmusError if a probe does not look at one, or gives no bandwidth at it."""
        records = self.tools.probe(target_of(board), probe, sizes, self._sets(board, sets))
        found = {int(record["parameters"].get("size", 0)): record for record in records}
        for size in sizes:
            if size not in found:
                known = ", ".join(map(format_size, filter(None, found))) or "no size"
                raise IsthmusError(f"size {format_size(size)}: the probe '{probe}' looks at {known}")
        return found

    def input(self, board: str, key: str) -> Input:
        """The input of a key in the description of a board."""
        platform = self.tools.platform(target_of(board), self._sets(board, ()))
        for item in platform.inputs:
            if item.key == key:
                return item
        raise unknown("key", key, [item.key for item in platform.inputs], board)

    def parts(self, board: str) -> Sequence[BoardPart]:
        """The parts of a board."""
        return self.tools.platform(target_of(board), self._sets(board, ())).parts

    def only(self, board: str, usual: str) -> str:
        """The key KIND.NAME on a board with one part of that kind, whatever its section is called."""
        platform = self.tools.platform(target_of(board), self._sets(board, ()))
        found = [item.key for item in platform.inputs if platform.usual(item.key) == usual]
        if len(found) != 1:
            has = ", ".join(part.name for part in platform.parts)
            got = f"several: {', '.join(found)}" if found else f"none on a board of {has}"
            raise IsthmusError(f"board '{board}': expected one key {usual}, got {got}")
        return found[0]

    def number(self, board: str, usual: str) -> float:
        """The number of a board's only part of a kind, KIND.NAME, in the key's unit."""
        key = self.only(board, usual)
        value = self.input(board, key).value
        if not is_number(value):
            raise IsthmusError(f"board '{board}': key '{key}': expected a number, got {value}")
        return float(value)

    def _sets(self, board: str, sets: Sequence[str]) -> tuple[str, ...]:
        self._refuse_unnamed("board", board)
        # What the experiment itself sets wins over what the models change.
        named = {assignment.partition("=")[0] for assignment in sets}
        kept = [one for one in self.sets.get(board, ()) if one.partition("=")[0] not in named]
        return (*kept, *sets)


def _is_meant(parameters: Mapping[str, object], given: Mapping[str, str]) -> bool:
    """Tells whether a record is one of those that are asked for: all of an access where no phase is named."""
    wanted = {"phase": WHOLE, **given}
    return all(parameters.get(name, wanted.get(name)) == wanted.get(name) for name in DISTINGUISHING if name in wanted)
