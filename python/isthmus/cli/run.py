"""`isthmus run APP`: an application on one target, in one flow."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from isthmus.asking.answers import ask_all
from isthmus.asking.application_options import (
    ApplicationOptions,
    TypedOptions,
    parameters_of,
    run_count,
    spread,
)
from isthmus.asking.applications import applications, describe, flows_of
from isthmus.asking.experiments import Experiment, Trace, command, refuse_wrong, run_experiment
from isthmus.base.configuration import resolve
from isthmus.base.errors import IsthmusError
from isthmus.base.flows import FLOWS, SHARED
from isthmus.base.grain import DEFAULT, Grain, chosen
from isthmus.base.names import listed
from isthmus.base.numbers import seconds
from isthmus.cli.command import Coarse, DryRun, Fine, List, argument, configured, given, plain, written
from isthmus.cli.lists import list_choices
from isthmus.cli.plan import show_plan
from isthmus.cli.reasons import Reasons, with_limits
from isthmus.judging.coherence import beside, kept_coherent
from isthmus.running.application import is_description
from isthmus.running.boards import is_chip
from isthmus.running.methods import MEANINGS, TREE
from isthmus.running.targets import check_grain, is_model
from isthmus.running.tools import placed, value_of
from isthmus.show.events import Listener
from isthmus.show.output import Result
from isthmus.show.session import Session

if TYPE_CHECKING:
    from isthmus.descriptions.application import DescribedApplication
    from isthmus.records.run import Row

EXAMPLES = [
    "isthmus run image-filter --on model:aws-f1 --flow stream",
    "isthmus run image-filter --on opencl:0 --flow overlap --count 50 --json -",
    "isthmus run image-filter --on model:aws-f1 --flow stream --set link.pcie.lanes=8",
    "isthmus run image-filter --on mine.toml --channel vh1",
    "isthmus run image-filter --on native --flow stream --map stencil=0,consumer=1",
    "isthmus run image-filter --on model:aws-f1 --count 2 --trace f1.perfetto-trace",
    "isthmus run suffix-sum --on native --count 1000",
    "isthmus run merkle-tree --on model:xeon-fpga-v2 --handover none,mmio,umsg",
    "isthmus run suffix-sum --on model:aws-f1 --flow stream --faults drop=0.001,stall=0.01",
    "isthmus run difference-of-gaussian --on model:zynq-ultrascale --method hpc --size 1920x1080",
    "isthmus run build/my-app --on native --count 1000",
    "isthmus run my-app.toml --on model:aws-f1 --flow offload --set 'app.kernel.time=2 ms'",
]

Count = Annotated[
    str | None,
    configured(
        "--count N",
        "Number of images, messages, ... to process; --images N where images are counted. "
        "[default: the application's own]",
    ),
]
Sets = Annotated[
    list[str] | None,
    plain(
        "--set KEY=VALUE",
        "Replace a number of the modelled board, such as link.pcie.lanes, in the key's unit by default. A KEY "
        "without a dot is a parameter of the application, as --KEY VALUE is ('isthmus run APP --help' lists them).",
    ),
]
Repeat = Annotated[
    str | None,
    configured(
        "--repeat N",
        "Runs on a real device or on threads; their median counts. [default: 3 if a run takes under 1 s, else 1]",
    ),
]
Warmup = Annotated[
    str | None,
    configured("--warmup N", "Runs before those, which do not count. [default: 1 if a run takes under 1 s, else 0]"),
]


@dataclass(frozen=True)
class RunRequest:
    """The request: what to run, and where."""

    on: str | None = given(
        configured(
            "--on TARGET",
            "Target: model:NAME or FILE.toml (a modelled board), opencl:N or opencl:NAME, or native (threads).",
        )
    )
    flow: str | None = given(
        configured("--flow FLOW", f"How data flows: {listed(FLOWS, 'or')}. [default: the target's first]")
    )
    count: Count = None
    workers: str | None = given(plain("--workers N", "Threads of the target native. [default: one for each core]"))
    units: str | None = given(
        plain(
            "--compute-units N",
            "Copies of the kernel on the target native. [default: one for each worker, if messages are independent]",
        )
    )
    mapping: list[str] | None = given(
        plain("--map ACTOR=WORKER,...", "Which thread of the target native runs which actor; may be repeated.")
    )
    sets: Sets = None
    channel: str | None = given(
        plain(
            "--channel NAME", "Link to use, if a board has several. [default: the first for streams, all for transfers]"
        )
    )
    seed: str | None = given(configured("--seed N", "Seed of the random numbers."))
    faults: str | None = given(
        plain(
            "--faults NAME=VALUE,...",
            "Inject faults: stall, drop, duplicate and corrupt are probabilities 0..1; with die=N the consumer dies "
            "after N messages. A link sends again what it loses.",
        )
    )
    method: str | None = given(
        plain("--method METHOD", f"How a SoC keeps shared buffers coherent: {listed(MEANINGS, 'or')}; "
              "or BUFFER=METHOD,... for each buffer. [default: tree]")
    )  # fmt: skip
    rewrite: str | None = given(
        plain(
            "--rewrite sequential", "The core writes shared buffers in sequence; a second row shows the run without it."
        )
    )
    delay: str | None = given(
        plain("--delay N", "The FPGA takes each message N messages late; a second row shows the run without the delay.")
    )


@dataclass(frozen=True)
class TraceOptions:
    """The trace of a model, and what of it."""

    trace: str | None = given(
        written("--trace FILE", "Write the states of a model's parts for Perfetto (ui.perfetto.dev).")
    )
    trace_window: str | None = given(
        plain("--trace-window A..B", "Trace only between these two virtual times, such as 1ms..2.5ms.")
    )
    trace_parts: list[str] | None = given(
        plain("--trace-parts GLOB", "Trace only parts whose names match; may be repeated.")
    )
    trace_limit: str | None = given(plain("--trace-limit SIZE", "Largest size of the trace. [default: 256MiB]"))

    def chosen(self) -> Trace | None:
        """The trace that the options ask for; None without these options."""
        asked = Trace(self.trace, self.trace_window, tuple(self.trace_parts or ()), self.trace_limit)
        return None if asked == Trace(None) else asked


def run(
    session: Session,
    wanted: RunRequest,
    tracing: TraceOptions,
    typed: TypedOptions,
    app: Annotated[
        str | None,
        argument(
            "APP", "A name that --list shows, the path of a program, or FILE.toml, which describes an application."
        ),
    ] = None,
    fine: Fine = False,
    coarse: Coarse = False,
    repeat: Repeat = None,
    warmup: Warmup = None,
    reasons: Reasons = None,
    list_: List = False,
    dry_run: DryRun = False,
) -> None:
    """Run an application on one target, in one flow.

    Flows: offload copies a message to the device, launches the kernel and copies the result back; overlap works on
    several messages at once; stream sends words through the kernel, past the device's memory; shared leaves messages in
    the host's memory, where the circuit reads and writes them.
    Every output is compared with an independent reference. Rates count from the first acquire or enqueue to the last
    output; set-up is not counted. A model needs no hardware; its numbers are marked "model", and it runs once, because
    every run gives the same; then short runs with one number changed find what limits it, unless --reasons is none. A
    real device runs several times: the median counts, and the row shows which share of the cores other programs took
    meanwhile.
    """
    if list_:
        return list_choices(session)
    grain, asked = chosen(fine, coarse), ApplicationOptions(wanted.count, typed, tuple(wanted.sets or ()))
    with placed(asked.places()):
        found = _experiments(app, wanted, asked)
    repeats = {"repeat": resolve("repeat", repeat).value, "warmup": resolve("warmup", warmup).value}
    experiments = [replace(one, trace=tracing.chosen(), **repeats) for one in found]
    experiments = [replace(one, grain=_grain(grain, one)) for one in experiments]
    if dry_run or len(experiments) > 1:
        for one in experiments:
            one.check()
    if dry_run:
        return show_plan(session, experiments)
    rows = _measure(session, experiments, resolve("reasons", reasons).value)
    if len(rows) > 1:
        return _show_rows(session, experiments, rows)
    return _show(session, experiments[0], rows[0])


def _experiments(app: str | None, wanted: RunRequest, asked: ApplicationOptions) -> list[Experiment]:
    """Makes one experiment for each row: for each value of a parameter that has several."""
    if app is None:
        asked.check([])
        known = ", ".join(applications())
        raise IsthmusError(f"APP: expected an application, one of {known}, or a path", hint="'isthmus run -h'.")
    described = _described(app, asked)
    application = described.application if described else describe(app)
    asked.check([application])
    target = resolve("on", wanted.on).value
    if target is None:
        raise IsthmusError("--on: expected a target", hint="'isthmus run --list' names them.")
    how_many, given = asked.of_application(application)
    parameters = parameters_of(application, given)
    experiment = Experiment(
        application=app,
        target=target,
        flow=resolve("flow", wanted.flow).value or "",
        count=run_count(application, app, parameters, how_many),
        counted=application.counted,
        bytes_each=application.bytes_each,
        parameters=parameters,
        seed=resolve("seed", wanted.seed).value,
        workers=value_of(wanted.workers or ""),
        units=value_of(wanted.units or ""),
        mapping=tuple(wanted.mapping or ()),
        sets=asked.platform_sets(),
        channel=wanted.channel,
        faults=wanted.faults,
        described=described,
        method=wanted.method or (TREE if application.shares_buffers else None),
        rewrite=wanted.rewrite,
        delay=wanted.delay,
        places=asked.places(),
    )
    if described is not None:
        return [kept_coherent(_of_description(experiment, described))]
    experiment = replace(experiment, flow=_flow_of(experiment))
    rows = [replace(experiment, parameters=one) for one in spread(application, experiment.parameters)]
    return [kept_coherent(one) for row in rows for one in beside(row)]


def _described(app: str, asked: ApplicationOptions) -> "DescribedApplication | None":
    if not is_description(app) or not Path(app).is_file():
        asked.refuse_app_sets(f"'{app}' is none")
        return None
    from isthmus.descriptions.application import read_described

    return read_described(app, asked.app_sets())


def _of_description(experiment: Experiment, described: "DescribedApplication") -> Experiment:
    from isthmus.descriptions.application import background_sets, require_flow

    flow = require_flow(described, experiment.target, experiment.flow or None, experiment.sets)
    more = background_sets(described.description, experiment.target, experiment.sets)
    method = experiment.method or (TREE if is_chip(experiment.target, experiment.sets) else None)
    return replace(experiment, flow=flow, sets=(*more, *experiment.sets), method=method)


def _flow_of(experiment: Experiment) -> str:
    """The flow that was asked for, else the first that the target has.

    If it has none, or not this one, its tool says what is missing.
    """
    wanted = experiment.flow
    if wanted:
        return wanted
    offered = flows_of(experiment.application, experiment.target, experiment.sets)
    return next(iter(offered), FLOWS[0] if experiment.method is None else SHARED)


def _grain(asked: Grain | None, experiment: Experiment) -> Grain:
    """The grain that was asked for; a trace needs fine."""
    check_grain(asked, experiment.target)
    if experiment.trace is None:
        return asked or DEFAULT
    if asked == "coarse":
        raise IsthmusError("--trace: expected --fine or no grain, got --coarse, which has not every packet")
    return "fine"


def _measure(session: Session, experiments: Sequence[Experiment], reasons: str) -> "list[Row]":
    """Models side by side on all cores, anything else one after the other."""
    if len(experiments) > 1 and any(one.trace for one in experiments):
        raise IsthmusError("--trace: expected one row, give each parameter one value")
    with Listener(session) as listener:
        if len(experiments) > 1 and is_model(experiments[0].target):
            rows = ask_all(experiments, run_experiment, on_event=listener)
        else:
            rows = [run_experiment(one, listener) for one in experiments]
        rows = with_limits(experiments, rows, reasons, listener)
    for row in rows:
        session.stream(row)
    return rows


def _show_rows(session: Session, experiments: Sequence[Experiment], rows: "list[Row]") -> None:
    from isthmus.cli.noise import warn_of_rows
    from isthmus.records.run import RunFile
    from isthmus.show.tables import differing_parameters, rows_table
    from isthmus.show.verdict import decide, kind_of, rate_text, work
    from isthmus.show.wrong import wrong_lines

    best = decide(rows)
    of_best = next((row for row in rows if best is not None and row.value == best.value and row.verified), rows[0])
    said = [f"fastest: {differing_parameters(of_best, rows)}: {rate_text(of_best)}"] if best is not None else []
    session.emit(
        Result(
            file=RunFile(context=session.context(rows[0].seed), rows=rows),
            records=rows,
            verdict=wrong_lines(rows) or said,
            tables=[rows_table(rows)],
            detail=[f"{work(rows[0])} on {rows[0].device}, {kind_of(rows[0])}"],
        )
    )
    warn_of_rows(session, rows)
    refuse_wrong(rows)
    session.next(command(experiments[rows.index(of_best)]))


def _show(session: Session, experiment: Experiment, row: "Row") -> None:
    from isthmus.asking.study_file import study_files
    from isthmus.cli.noise import warn_of_rows
    from isthmus.judging.judge import changed, worth_trying
    from isthmus.records.run import RunFile
    from isthmus.show.tables import parts_table, rows_table, workers_table
    from isthmus.show.verdict import heading, kind_of, latency, reason, work
    from isthmus.show.wrong import wrong_lines

    took = f"{seconds(row.elapsed_s)}, " if row.verified else ""
    detail = [f"{work(row)} on {row.device}: {took}set-up {seconds(row.setup_s)}, {kind_of(row)}"]
    detail += [f"latency: {latency(row)}, {kind_of(row)}"] if row.verified and row.latency else []
    more = [table for table in (parts_table(row), workers_table(row)) if table is not None]
    file = RunFile(context=session.context(row.seed), rows=[row])
    session.emit(
        Result(
            file=file,
            records=[row],
            verdict=wrong_lines([row]) or [f"{heading(row)}: {reason(row)}"],
            tables=[rows_table([row]), *more],
            detail=detail,
        )
    )
    warn_of_rows(session, [row])
    refuse_wrong([row])
    change = worth_trying(row, experiment.sets)
    name = experiment.application
    other = f"isthmus study {name}" if name in study_files() else "isthmus history"
    session.next(command(changed(experiment, change)) if change else other)
