"""Running applications through `isthmus-run` or their own programs: what was asked for, and the rows that come back."""

import json
import shlex
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from isthmus.base.caches import read_cached, write_cached
from isthmus.base.configuration import resolve
from isthmus.base.errors import AnswerIsNoError, IsthmusError
from isthmus.base.files import user_folder
from isthmus.base.grain import DEFAULT, Grain
from isthmus.base.parsing import checked
from isthmus.running.application import application_of, tool_of
from isthmus.running.targets import is_model
from isthmus.running.tools import (
    Event,
    Request,
    as_options,
    as_sets,
    assigned,
    collect,
    pairs_of,
    placed,
    record_of,
    request_of,
    run_tool,
    value_of,
)

if TYPE_CHECKING:
    from isthmus.descriptions.application import DescribedApplication
    from isthmus.records.run import Row

# The pace of a model, the slowest target: 0.1 s for an image of 8 MB.
ASSUMED_BYTES_PER_S = 80e6
REMEMBERED = 500  # runs whose time is kept, the latest

_REMEMBERING = threading.Lock()


@dataclass(frozen=True)
class Trace:
    """The trace that a modelled run writes: to which file, and what of it."""

    file: str | None
    window: str | None = None
    parts: tuple[str, ...] = ()
    limit: str | None = None

    def request(self) -> Request:
        """Its part of a request."""
        parts = list(self.parts)
        return {"trace": self.file, "trace-window": self.window, "trace-limit": self.limit, "trace-parts": parts}


@dataclass(frozen=True)
class Experiment:
    """One application on one target in one flow; the application is a name, or the path of a program or description."""

    application: str
    target: str
    flow: str
    count: int  # of `counted`
    counted: str = "images"
    bytes_each: int = 0  # of one of them, about
    parameters: tuple[str, ...] = ()  # NAME=VALUE, as the application declares them
    seed: int | None = None
    workers: object = None
    units: object = None  # copies of the kernel
    mapping: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    channel: str | None = None  # the link of a model with several
    trace: "Trace | None" = None
    repeat: int | None = None
    warmup: int | None = None
    grain: Grain = DEFAULT  # of a model: the coarsest that will do
    faults: str | None = None  # NAME=VALUE,...: what goes wrong on purpose
    described: "DescribedApplication | None" = None  # what a description says, of which its parameters are made
    method: str | None = None  # of buffers that ports move: one of all, or that of a tree
    methods: tuple[str, ...] = ()  # BUFFER=METHOD, as the tree has chosen
    rewrite: str | None = None  # of the program
    delay: str | None = None  # messages that the FPGA comes after
    places: Mapping[str, str] = field(default_factory=dict, compare=False)  # where options are that were not typed

    @property
    def tool(self) -> str:
        """The tool that runs it."""
        return tool_of(self.application)

    @property
    def tool_parameters(self) -> tuple[str, ...]:
        """NAME=VALUE that `tool` is told: the application's, or what a description comes to on the target."""
        described = self.described
        return described.parameters(self.target, self.flow, self.sets) if described else self.parameters

    def request(self) -> Request:
        """The request to `tool`; repetitions only where they mean something, on anything but a model."""
        on_model = is_model(self.target)
        return request_of(
            {
                **application_of(self.application),
                "on": self.target,
                "flow": self.flow,
                "count": self.count,
                **as_sets(self.tool_parameters),
                "grain": self.grain if on_model else None,
                "seed": self.seed,
                "workers": self.workers,
                "compute-units": self.units,
                "map": split("--map", self.mapping, "ACTOR=WORKER,..."),
                "set": as_sets(self.sets),
                "channel": self.channel,
                "faults": split("--faults", [self.faults] if self.faults else [], "NAME=VALUE,..."),
                "method": self._method(),
                "rewrite": self.rewrite,
                "delay": value_of(self.delay or ""),
                "repeat": None if on_model else self.repeat,
                "warmup": None if on_model else self.warmup,
                **(self.trace.request() if self.trace else {}),
            }
        )

    def check(self) -> None:
        """An IsthmusError, in the tool's words, where it could not run."""
        with placed(self.places):
            collect(self.tool, {**self.request(), "list": True}, "application")

    def _method(self) -> object:
        """The method of all buffers, or that of each; none if the tree is still to choose."""
        if self.methods or "=" in (self.method or ""):
            words = self.methods or str(self.method).split(",")
            return assigned(words, "--method", "one method, or BUFFER=METHOD of each")
        return self.method


def split(place: str, texts: Sequence[str], expected: str) -> Request:
    """The values of KEY=VALUE,... by their keys; an IsthmusError names `place`."""
    return assigned([word for text in texts for word in text.split(",")], place, expected)


def run_experiment(experiment: Experiment, on_event: Callable[[Event], None], remember: bool = True) -> "Row":
    """Runs it and returns its row; progress and notes go to `on_event`. An IsthmusError if it could not run.

    `remember`: whether its duration tells that of the next such run.
    """
    from isthmus.records.run import Row

    rows: list[Row] = []

    def sort(event: Event) -> None:
        if event["event"] == "row":
            told = {} if experiment.method is None else {"method": experiment.method}
            rows.append(checked(Row, record_of(event) | told, f"{experiment.tool} printed a wrong row"))
        else:
            on_event(event)

    started = time.monotonic()
    with placed(experiment.places):
        run_tool(experiment.tool, experiment.request(), sort)
    if len(rows) != 1:
        raise IsthmusError(f"{experiment.tool} printed {len(rows)} rows for one experiment")
    if remember:
        _remember(experiment, time.monotonic() - started)
    return rows[0]


def command(experiment: Experiment) -> str:
    """The command that a user types to run it; options at their default are left out."""
    described = experiment.described
    options = {
        "on": experiment.target,
        "flow": experiment.flow,
        "count": experiment.count,
        **pairs_of(experiment.parameters),
        "seed": experiment.seed if experiment.seed != resolve("seed").value else None,
        experiment.grain: is_model(experiment.target) and experiment.grain != DEFAULT,
        "set": (*(described.sets if described else ()), *experiment.sets),
        "channel": experiment.channel or None,
        "faults": experiment.faults or None,
        "method": experiment.method or None,
        "rewrite": experiment.rewrite or None,
        "delay": experiment.delay or None,
    }
    return shlex.join(["isthmus", "run", experiment.application, *as_options(options)])


def refuse_wrong(rows: Sequence["Row"]) -> None:
    """AnswerIsNoError if an output differed from the reference."""
    wrong = [f"{row.target} {row.flow}" for row in rows if not row.verified]
    if wrong:
        raise AnswerIsNoError(f"verification failed: the output differs from the reference on {', '.join(wrong)}")


def estimate_s(experiment: Experiment) -> tuple[float, bool]:
    """Seconds that it will take on this machine, and whether that comes from an earlier run here."""
    known = _memory().get(_key(experiment))
    each = known if isinstance(known, float) else assumed_s(experiment.bytes_each)
    return each * experiment.count, isinstance(known, float)


def assumed_s(size: int) -> float:
    """Seconds that so many bytes take through an application that was not run here yet."""
    return size / ASSUMED_BYTES_PER_S


def _key(experiment: Experiment) -> str:
    grain = f" {experiment.grain}" if is_model(experiment.target) else ""
    chosen = "".join(f" {one}" for one in sorted(experiment.parameters))
    return f"{experiment.application} {experiment.target} {experiment.flow}{grain}{chosen}"


def _memory_file() -> Path:
    return user_folder("cache") / "seconds-each.json"


def _memory() -> dict[str, object]:
    return dict(read_cached(_memory_file()) or {})


def _remember(experiment: Experiment, elapsed_s: float) -> None:
    with _REMEMBERING:
        others = [(key, known) for key, known in _memory().items() if key != _key(experiment)]
        memory = dict([*others, (_key(experiment), elapsed_s / experiment.count)][-REMEMBERED:])
        write_cached(_memory_file(), json.dumps(memory, indent=2) + "\n")
