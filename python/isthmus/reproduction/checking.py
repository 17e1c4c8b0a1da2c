"""The checks of a paper's experiments, made before the first of them runs."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from isthmus.asking.applications import ask, describe
from isthmus.asking.experiments import Experiment
from isthmus.base.errors import IsthmusError
from isthmus.base.flows import FLOWS, SHARED
from isthmus.base.names import unknown
from isthmus.base.numbers import as_number
from isthmus.base.sizes import format_size, parse_size
from isthmus.records.run import Row
from isthmus.reproduction.claims import CLAIMS
from isthmus.reproduction.comparison import unit_of_reading
from isthmus.reproduction.expressions import (
    CHANGED,
    FIELDS,
    KINDS,
    OF_TWO,
    ROW_FIELDS,
    STAGE,
    UNITS,
    experiment_of,
    kind_of_expression,
    parts_of,
)
from isthmus.reproduction.figures import check_figures
from isthmus.reproduction.formulas import BANDWIDTHS, FORMULAS
from isthmus.reproduction.model_runs import (
    APPLICATION,
    DISTINGUISHING,
    OF_RUNS,
    OPTIONS,
    ModelRuns,
    ToolAnswers,
    target_of,
)
from isthmus.reproduction.port_claims import KEPT
from isthmus.reproduction.published import Paper, PublishedRow, place_of_row
from isthmus.reproduction.units import convert
from isthmus.reproduction.works import works_of
from isthmus.running.application import is_parameter
from isthmus.running.methods import check_method
from isthmus.running.probes import all_probes
from isthmus.running.targets import platform
from isthmus.running.tools import placed

ANY_CHANNEL = "va"
PORTS, STATES = ("hp", "hpc", "acp"), ("written", "read", "flushed", "streamed")
ITERATED = ("matrix-multiply", "matrix-vector")

SHAPES = {  # the words after the kind; those in brackets may be left out
    "input": "BOARD:KEY",
    "run": "BOARD:FLOW:FIELD[:STAGE]",
    "rate": "BOARD:FLOW:STAGE",
    "saturation": "BOARD:FLOW:KEY",
    "probe": "BOARD:PROBE:SIZE",
    "probe-time": "BOARD:PROBE:SIZE",
    "accesses": "BOARD:PROBE:SIZE:BURST",
    "probe-cycles": "BOARD:PROBE:SIZE",
    "requests": "BOARD:PROBE:SIZE:CHANNEL",
    "crossing": "BOARD:PROBE:FIRST:SECOND:LOW:HIGH:NUMBER",
    "overtakes": "BOARD:OTHER:APPLICATION:ROWS",
    "lead": "BOARD:PROBE:FIRST:SECOND:NUMBER",
    "maintained": "BOARD:SIZES",
    "reduction": "BOARD:METHODS:WORKS",
    "application": "BOARD:ANY:FLOW:ROW_FIELD[:ROW_STAGE]",
}


def check_paper(path: Path, paper: Paper, published: Mapping[str, PublishedRow], tools: ToolAnswers) -> None:
    """Refuses an experiment that cannot be evaluated, with the line of its row."""
    for number, row in enumerate(paper.row):
        read = [(reading.experiment, unit_of_reading(row, reading.experiment))
                for reading in row.readings if reading.experiment]  # fmt: skip
        try:
            if row.same_as is not None and row.same_as not in published:
                raise unknown("row", row.same_as, list(published))
            for expression, unit in [(row.experiment, row.unit), *read] if row.experiment else read:
                _check(expression or "", unit, published, tools)
            _refuse_circles(row, published)
        except IsthmusError as error:
            raise IsthmusError(f"{place_of_row(path, number)}: row '{row.id}': {error}") from error
    check_figures(path, paper, lambda expression, unit: _check(expression, unit, published, tools), published)


def _check(expression: str, unit: str, published: Mapping[str, PublishedRow], tools: ToolAnswers) -> None:
    kind = kind_of_expression(expression)
    if kind not in KINDS:
        raise unknown("experiment", kind, KINDS, expression)
    if kind == "row" or kind in OF_TWO:
        _check_parts(expression, published, tools)
        return
    given = _read(expression, published, tools)
    for name, word in given.words.items():
        CHECKS[name](given, word)
    convert(1.0, given.unit, unit)


def _check_parts(expression: str, published: Mapping[str, PublishedRow], tools: ToolAnswers) -> None:
    parts = parts_of(expression)
    kind = kind_of_expression(expression)
    if kind in OF_TWO and len(parts) != 2:
        raise IsthmusError(f"experiment '{expression}': expected {kind}:A / B")
    for part in parts:
        if ":" in part:
            _check(part, "", published, tools)
        elif part not in published:
            raise unknown("row", part, list(published), expression)


@dataclass(frozen=True)
class _Leaf:
    """An experiment that is made of no other: its words by what they stand for, and what is changed for it."""

    kind: str
    words: Mapping[str, str]
    changes: tuple[str, ...]
    published: Mapping[str, PublishedRow]
    tools: ToolAnswers

    @property
    def sets(self) -> tuple[str, ...]:
        """The keys that it sets."""
        if self.kind == "application":
            return tuple(change for change in self.changes if not is_parameter(change))
        return tuple(change for change in self.changes if change.partition("=")[0] not in (*OPTIONS, *DISTINGUISHING))

    @property
    def channels(self) -> list[str]:
        """The links that it names."""
        return [change.removeprefix("channel=") for change in self.changes if change.startswith("channel=")]

    @property
    def target(self) -> str:
        return target_of(self.words["BOARD"])

    @property
    def inputs(self) -> Mapping[str, str]:
        """The units of the board's inputs."""
        return {item.key: item.unit or "" for item in self.tools.platform(self.target, self.sets).inputs}

    @property
    def unit(self) -> str:
        """The unit of the value; nothing where any will do."""
        if self.kind == "input":
            return self.inputs[self.words["KEY"]]
        if self.kind == "application":
            return ROW_FIELDS[self.words["ROW_FIELD"]]
        return FIELDS[self.words["FIELD"]] if self.kind == "run" else UNITS.get(self.kind, "")


def _read(expression: str, published: Mapping[str, PublishedRow], tools: ToolAnswers) -> _Leaf:
    kind, _, rest = expression.partition(":")
    prefix, shape = f"{kind}:", SHAPES.get(kind, "")
    if kind in ("formula", "claim"):
        name, _, rest = rest.partition(":")
        known = FORMULAS if kind == "formula" else CLAIMS
        if name not in known:
            raise unknown(kind, name, list(known), expression)
        prefix += name + ":"
        shape = FORMULAS[name].argument if kind == "formula" else CLAIMS[name].arguments
    place, _, sets = rest.partition("@") if kind in CHANGED else (rest, "", "")
    words = place.split(":") if place else []
    names = shape.replace("[", "").replace("]", "").split(":") if shape else []
    of_stage = any(name.endswith("FIELD") and word == STAGE for name, word in zip(names, words, strict=False))
    least = most = len(names) - shape.count("[") + of_stage
    if not least <= len(words) <= most:
        raise IsthmusError(f"experiment '{expression}': expected {(prefix + shape).removesuffix(':')}")
    named = dict(zip(names, words, strict=False))
    return _Leaf(kind, named, tuple(sets.split(",")) if sets else (), published, tools)


def _board(given: _Leaf, word: str) -> None:
    platform(target_of(word))
    links = given.tools.platform(target_of(word), given.sets).links
    for channel in given.channels:
        if channel not in (*links, ANY_CHANNEL):
            raise unknown("channel", channel, links, word)


def _stage(given: _Leaf, word: str) -> None:
    run = given.tools.run(Experiment(APPLICATION, given.target, given.words["FLOW"], 1, grain="fine"))
    _require_stage(run, word, f"{given.words['BOARD']} {run.flow}")


def _row_stage(given: _Leaf, word: str) -> None:
    models = ModelRuns(given.tools, 1, 1)
    row = models.application(given.words["BOARD"], given.words["ANY"], given.words["FLOW"], given.changes)
    _require_stage(row, word, f"{given.words['BOARD']} {given.words['ANY']}")


def _work_stage(given: _Leaf, word: str) -> None:
    works = works_of(given.words["WORKS"])
    if len(works) != 1:
        raise IsthmusError(f"{given.kind}: expected one application, got {given.words['WORKS']}")
    board, (application, parameters) = given.words["BOARD"], works[0]
    row = ModelRuns(given.tools, 1, 1).application(board, application, SHARED, [*parameters, "count=1"])
    _require_stage(row, word, f"{board} {application}")


def _require_stage(row: Row, word: str, place: str) -> None:
    stages = [stage.name for stage in row.stages]
    if word not in stages:
        raise unknown("stage", word, stages, place)


def _probe(given: _Leaf, word: str) -> None:
    probe = all_probes().get(word)
    if probe is None:
        raise unknown("probe", word, list(all_probes()))
    if word not in given.tools.served(given.target):
        parts = ", ".join(part.name for part in given.tools.platform(given.target, ()).parts)
        raise IsthmusError(f"probe '{word}': {given.words['BOARD']} lacks the parts for it; it has {parts}")
    several = not probe.curve and probe.sizes is None
    if several or (given.kind not in ("probe-time", "probe-cycles") and probe.quantity == "latency"):
        raise IsthmusError(f"probe '{word}': expected one that gives a bandwidth; probe-time tells the time of one")
    if "SIZE" not in given.words and probe.sizes is not None:
        raise IsthmusError(f"probe '{word}': expected one that looks at every size")


def _size(given: _Leaf, word: str) -> None:
    probe = all_probes().get(given.words.get("PROBE", ""))
    known = probe and probe.sizes
    if parse_size(word) in (known or [parse_size(word)]):
        return
    shown = ", ".join(map(format_size, filter(None, known or ())))
    if isinstance(known, range):
        shown = f"multiples of {format_size(known.step)} to {format_size(known[-1])}"
    raise IsthmusError(f"size '{word}': the probe '{given.words['PROBE']}' looks at {shown or 'no size'}")


def _key(given: _Leaf, word: str) -> None:
    if word in given.inputs:
        return
    board, part = given.words["BOARD"], word.rpartition(".")[0]
    parts = [one.name for one in given.tools.platform(given.target, ()).parts]
    if part not in parts:
        raise IsthmusError(f"key '{word}': {board} has no {part or 'such part'}; it has {', '.join(parts)}")
    raise unknown("key", word, [key for key in sorted(given.inputs) if key.startswith(f"{part}.")], board)


def _number(given: _Leaf, word: str) -> None:
    number = as_number(word)
    if number is None or not math.isfinite(number):
        raise IsthmusError(f"{given.kind}: expected a number, got '{word}'")


@cache
def _parameter(application: str, name: str, value: str) -> None:
    with placed({f"--{name}": f"{application}: {name}"}):
        ask(application, {name: value})


def _application(given: _Leaf, word: str) -> None:
    if word not in given.tools.applications():
        raise unknown("application", word, given.tools.applications())
    application = describe(word)
    of_runs = OF_RUNS if application.shares_buffers else OF_RUNS[:1]
    for change in (change for change in given.changes if is_parameter(change)):
        name, _, value = change.partition("=")
        if name in application.parameters:
            _parameter(word, name, value)
        elif name not in of_runs:
            raise unknown("parameter", name, (*of_runs, *application.parameters), word)
        elif name == "method":
            check_method(value, word)
        elif name == "delay" and not value.isdecimal():
            raise IsthmusError(f"{word}: expected a whole number of messages, got '{value}'")
    flows = given.tools.flows(word, given.target)
    if given.words["FLOW"] not in flows:
        raise unknown("flow", given.words["FLOW"], flows, f"{given.words['BOARD']} {word}")


def _works(given: _Leaf, word: str) -> None:
    for application, parameters in works_of(word):
        if application not in given.tools.applications():
            raise unknown("application", application, given.tools.applications())
        known = describe(application)
        if not known.shares_buffers:
            raise IsthmusError(f"reduction: application '{application}' has no buffers that ports move")
        for name in (change.partition("=")[0] for change in parameters):
            if name not in known.parameters:
                raise unknown("parameter", name, list(known.parameters), application)


def _way(given: _Leaf, word: str) -> None:
    port, _, state = word.removesuffix(KEPT).partition("/")
    _one_of("port", lambda _: PORTS)(given, port)
    _one_of("state", lambda _: STATES)(given, state)


Check = Callable[[_Leaf, str], None]


def _one_of(what: str, known: Callable[[_Leaf], Iterable[str]], of_board: bool = False) -> Check:
    def check(given: _Leaf, word: str) -> None:
        names = list(known(given))
        if word not in names:
            raise unknown(what, word, names, given.words["BOARD"] if of_board else None)

    return check


def _each(check: Check, separator: str = ",") -> Check:
    def check_all(given: _Leaf, word: str) -> None:
        for part in word.split(separator):
            check(given, part)

    return check_all


CHECKS: dict[str, Check] = {
    **dict.fromkeys(("BOARD", "OTHER"), _board),
    "KEY": _key,
    "FLOW": _one_of("flow", lambda _: FLOWS),
    "FIELD": _one_of("field", lambda _: FIELDS),
    "STAGE": _stage,
    "PROBE": _probe,
    **dict.fromkeys(("SIZE", "OTHER_SIZE", "LOW_SIZE", "HIGH_SIZE"), _size),
    "BURST": _size,
    **dict.fromkeys(
        ("CHANNEL", "FIRST", "SECOND"),
        _one_of("channel", lambda given: given.tools.platform(given.target, ()).links, of_board=True),
    ),
    "ID": _one_of("row", lambda given: given.published),
    **dict.fromkeys(("NUMBER", "ROWS", "LOW", "HIGH"), _number),
    "SIZES": _each(_size),
    "METHODS": _each(lambda given, word: check_method(word, given.kind)),
    "WORKS": _works,
    **dict.fromkeys(("WAY", "OTHER_WAY"), _way),
    "ANY": _application,
    "ROW_FIELD": _one_of("field", lambda _: ROW_FIELDS),
    "ROW_STAGE": _row_stage,
    "WORK_STAGE": _work_stage,
    "APPLICATION": _one_of("application", lambda _: ITERATED),
    "TIMES": _each(_number, "+"),
    "DIRECTION": _one_of("direction", lambda _: BANDWIDTHS),
}


def _refuse_circles(row: PublishedRow, published: Mapping[str, PublishedRow]) -> None:
    """A row that is made of itself, through others, has no value."""
    waiting, seen = [row.id], set()
    while waiting:
        name = waiting.pop()
        made_of = [part for part in parts_of(experiment_of(published[name]) or "") if ":" not in part]
        if row.id in made_of:
            raise IsthmusError(f"experiment '{row.experiment or f'row:{row.same_as}'}': made of itself")
        waiting += [part for part in made_of if part in published and part not in seen]
        seen |= set(made_of)
