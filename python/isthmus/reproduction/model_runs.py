"""Running the experiments of the papers on the modelled boards, each once."""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from isthmus.asking.applications import applications, describe, flows_of
from isthmus.asking.experiments import Experiment, run_experiment
from isthmus.base.errors import IsthmusError
from isthmus.base.flows import FLOWS, SHARED
from isthmus.base.numbers import is_number
from isthmus.judging.coherence import kept_coherent
from isthmus.records.run import BoardPart, Input, Platform, Row
from isthmus.running.application import is_parameter
from isthmus.running.integration import is_calibrated
from isthmus.running.methods import TREE
from isthmus.running.parallel import cores
from isthmus.running.probes import all_probes
from isthmus.running.probing import OPTIONS as PROBE_OPTIONS
from isthmus.running.probing import listed_values, served_by
from isthmus.running.targets import described_platforms, read_platform
from isthmus.running.tools import Event, also, as_sets, assignments, collect, ignore, pairs_of, request_of

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

    def probe(
        self, target: str, probe: str, sizes: Sequence[int], sets: Sequence[str], bursts: Sequence[int] = ()
    ) -> list[Event]:
        """The records of a probe at some sizes in bytes, device memory in bursts of some bytes.

        Among the sets `channel=NAME` is the link of a board with several, `start=NAME` what caches hold of shared
        memory before; `access=read`, `phase=access` and the like choose among the records.
        """
        if probe not in all_probes():
            raise NotOfferedError(f"the probe '{probe}' is not offered yet")
        given = pairs_of(sets)
        sets = [text for text in sets if text.partition("=")[0] not in (*OPTIONS, *DISTINGUISHING)]
        asked = {"TARGET": target, "PROBE": probe, "sizes": list(sizes), "repeat": 1, "grain": "fine"}
        chosen = {name: listed_values(given.get(name)) for name in PROBE_OPTIONS}
        request = request_of({**asked, "burst": list(bursts), **chosen})

        def ask() -> list[Event]:
            with self._cores:
                records = collect("isthmus-probe", also(request, {"set": as_sets(sets)}), "record")
            links = dict.fromkeys(str(record["parameters"].get("channel")) for record in records)
            if len(links) > 1:
                raise IsthmusError(f"board '{target}': expected '@channel=NAME' of one of its links {', '.join(links)}")
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
    """The boards with some numbers replaced, how many images a run takes, and how many one of a sweep of rates."""

    tools: ToolAnswers
    images: int
    sweep_images: int
    sets: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def run(self, board: str, flow: str) -> Row:
        """The row of the application on a board."""
        return self._run(board, flow, self.images, ())

    def rate(self, board: str, flow: str, assignment: str) -> float:
        """Images a second with one number replaced: a point of a sweep, in which only the proportions count."""
        return self._run(board, flow, self.sweep_images, (assignment,)).value

    def _run(self, board: str, flow: str, images: int, sets: Sequence[str]) -> Row:
        own = self._sets(board, sets)
        return self.tools.run(Experiment(APPLICATION, target_of(board), flow, images, sets=own, grain="fine"))

    def iterations(self, board: str, application: str, size: int) -> tuple[float, float]:
        """The end of the first iteration on a message, and the time of each more, in seconds."""
        row = self._one(board, application, f"size={size}", "iterations=2")
        first, second = (float(end) for end in row.model_dump()["iteration_ends_s"])
        return first, second - first

    def application(self, board: str, application: str, flow: str, changes: Sequence[str]) -> Row:
        """The row of any application; `changes` are NAME=VALUE of parameters, of numbers of the board, `count`, and
        where ports move its buffers `delay` and `method`: the decision tree's where none is named.
        """
        self.require(application)
        known = describe(application)
        given = pairs_of(changes)
        count, method, delay = (given.pop(name, None) for name in OF_RUNS)
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

    def chosen_by_tree(self, board: str, application: str, changes: Sequence[str], method: str) -> float:
        """Seconds that one message of an application takes by a method, or as the tree chooses."""
        return self.application(board, application, SHARED, [*changes, f"method={method}", "count=1"]).elapsed_s

    def require(self, application: str) -> None:
        """Refuses an application that the tools do not have yet."""
        if application not in self.tools.applications():
            raise NotOfferedError(f"the tools have no application '{application}' yet")

    def _one(self, board: str, application: str, *parameters: str) -> Row:
        """The row of one message or block of an application, in the shared flow where the board has it."""
        target = target_of(board)
        flow = SHARED if SHARED in self.tools.flows(application, target) else FLOWS[0]
        return self.tools.run(
            Experiment(application, target, flow, 1, parameters=parameters, sets=self._sets(board, ()))
        )

    def probe(self, board: str, probe: str, sizes: Sequence[int], sets: Sequence[str] = ()) -> dict[int, float]:
        """Bandwidth in GB/s by size in bytes."""
        found = self.tools.probe(target_of(board), probe, sizes, self._sets(board, sets))
        return {int(record["parameters"]["size"]): float(record["value"]) for record in found}

    def probe_time(self, board: str, probe: str, size: int, sets: Sequence[str] = ()) -> float:
        """Seconds of one copy, pass or access of `size` bytes."""
        found = self.tools.probe(target_of(board), probe, [size], self._sets(board, sets))
        return next(float(record["time_s"]) for record in found if record["parameters"]["size"] == size)

    def requests(self, board: str, probe: str, size: int, channel: str, sets: Sequence[str] = ()) -> int:
        """The number of a circuit's requests that went over one of the channels of its board."""
        (found,) = self.tools.probe(target_of(board), probe, [size], self._sets(board, sets))
        return int(found["requests"][channel])

    def accesses(self, board: str, probe: str, size: int, burst: int, sets: Sequence[str] = ()) -> float:
        """Accesses of `burst` bytes a second, scattered over `size` bytes of the device's memory."""
        (found,) = self.tools.probe(target_of(board), probe, [size], self._sets(board, sets), [burst])
        return float(found["value"]) * 1e9 / burst

    def input(self, board: str, key: str) -> Input:
        """The input of a key in the description of a board."""
        platform = self.tools.platform(target_of(board), self._sets(board, ()))
        for item in platform.inputs:
            if item.key == key:
                return item
        parts = ", ".join(dict.fromkeys(item.key.rpartition(".")[0] for item in platform.inputs))
        raise IsthmusError(f"board '{board}': key '{key}': expected a key of its parts ({parts}), got an unknown one")

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
        # What the experiment itself sets wins over what the models change.
        named = {assignment.partition("=")[0] for assignment in sets}
        kept = [one for one in self.sets.get(board, ()) if one.partition("=")[0] not in named]
        return (*kept, *sets)


def _is_meant(parameters: Mapping[str, object], given: Mapping[str, str]) -> bool:
    """Tells whether a record is one of those that are asked for: all of an access where no phase is named."""
    wanted = {"phase": WHOLE, **given}
    return all(parameters.get(name, wanted.get(name)) == wanted.get(name) for name in DISTINGUISHING if name in wanted)
