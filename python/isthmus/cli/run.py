"""`isthmus run APP`: an application on one target, in one flow."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from isthmus.base.configuration import resolve
from isthmus.base.errors import IsthmusError
from isthmus.base.faults import FAULTS_HELP, check_faults
from isthmus.base.flows import FLOWS, SHARED
from isthmus.base.grain import DEFAULT, Grain, chosen
from isthmus.base.names import listed, meant
from isthmus.base.numbers import seconds
from isthmus.cli.command import Coarse, DryRun, Fine, List, argument, configured, counting, given, plain, written
from isthmus.cli.lists import list_choices
from isthmus.cli.plan import show_plan
from isthmus.running.application_options import (
    ApplicationOptions,
    TypedOptions,
    parameters_of,
    run_count,
    spread,
)
from isthmus.running.applications import applications, describe, is_description
from isthmus.running.coherence import MEANINGS, TREE, beside, check_delay, check_method, check_rewrite, kept_coherent
from isthmus.running.experiments import Experiment, Trace, command, refuse_wrong, run_experiment
from isthmus.running.parallel import in_order
from isthmus.running.targets import check_grain, check_target, flows_of, is_model, is_native
from isthmus.show.events import Listener
from isthmus.show.output import Result
from isthmus.show.session import Session

if TYPE_CHECKING:
    from isthmus.records import Row
    from isthmus.running.descriptions.application import DescribedApplication

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
    workers: int | None = given(counting("--workers N", "Threads of the target native. [default: one for each core]"))
    units: int | None = given(
        counting(
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
    faults: str | None = given(plain("--faults NAME=VALUE,...", FAULTS_HELP))
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
        if self.trace is not None:
            return Trace(self.trace, self.trace_window, tuple(self.trace_parts or ()), self.trace_limit)
        for name, value in vars(self).items():
            if value:
                raise IsthmusError(f"--{name.replace('_', '-')}: expected --trace FILE beside it")
        return None


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
    list_: List = False,
    dry_run: DryRun = False,
) -> None:
    """Run an application on one target, in one flow.

    Flows: offload copies a message to the device, launches the kernel and copies the result back; overlap works on
    several messages at once; stream sends words through the kernel, past the device's memory; shared leaves messages in
    the host's memory, where the circuit reads and writes them.
    Every output is compared with an independent reference. Rates count from the first acquire or enqueue to the last
    output; set-up is not counted. A model needs no hardware; its numbers are marked "model", and it runs once, because
    every run gives the same. A real device runs several times: the median counts, and the row shows which share of the
    cores other programs took meanwhile.
    """
    if list_:
        return list_choices(session)
    asked = chosen(fine, coarse)
    experiments = [
        replace(
            experiment,
            trace=tracing.chosen(),
            repeat=resolve("repeat", repeat).value,
            warmup=resolve("warmup", warmup).value,
        )
        for experiment in _experiments(app, wanted, typed)
    ]
    experiments = [replace(one, grain=_grain(asked, one)) for one in experiments]
    if dry_run:
        return show_plan(session, experiments)
    if len(experiments) > 1:
        return _show_rows(session, experiments, _measure_each(session, experiments))
    row = _measure(session, experiments[0])
    return _show(session, experiments[0], row)


def _experiments(app: str | None, wanted: RunRequest, typed: TypedOptions) -> list[Experiment]:
    """Makes one experiment for each row: for each value of a parameter that has several."""
    from isthmus.running.descriptions.application import as_application, read_described

    asked = ApplicationOptions(wanted.count, typed, tuple(wanted.sets or ()))
    if app is None:
        asked.check([])
        known = ", ".join(applications())
        raise IsthmusError(f"APP: expected an application, one of {known}, or a path", hint="'isthmus run -h'.")
    described = read_described(app, asked.app_sets()) if is_description(app) and Path(app).is_file() else None
    if described is None:
        asked.refuse_app_sets(f"'{app}' is none")
    application = as_application(described.description) if described else describe(app)
    asked.check([application])
    target = resolve("on", wanted.on).value
    if target is None:
        raise IsthmusError("--on: expected a target", hint="'isthmus run --list' names them.")
    check_target(target)
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
        workers=wanted.workers,
        units=wanted.units,
        mapping=tuple(wanted.mapping or ()),
        sets=asked.platform_sets(),
        channel=wanted.channel,
        faults=wanted.faults,
        described=described,
        method=wanted.method or (TREE if application.shares_buffers else None),
        rewrite=wanted.rewrite,
        delay=wanted.delay,
    )
    _check(experiment)
    if described is not None:
        return [kept_coherent(_of_description(experiment, described))]
    experiment = replace(experiment, flow=_flow_of(experiment))
    rows = [replace(experiment, parameters=one) for one in spread(application, experiment.parameters)]
    return [kept_coherent(one) for row in rows for one in beside(row)]


def _of_description(experiment: Experiment, described: "DescribedApplication") -> Experiment:
    from isthmus.running.descriptions.application import background_sets, is_chip, require_flow

    flow = require_flow(described, experiment.target, experiment.flow or None, experiment.sets)
    more = background_sets(described.description, experiment.target, experiment.sets)
    method = experiment.method or (TREE if is_chip(experiment.target, experiment.sets) else None)
    return replace(experiment, flow=flow, sets=(*more, *experiment.sets), method=method)


def _check(experiment: Experiment) -> None:
    target = experiment.target
    check_faults(experiment.faults, "--faults")
    for name, check in (("method", check_method), ("rewrite", check_rewrite), ("delay", check_delay)):
        if (value := getattr(experiment, name)) is not None:
            check(value, f"--{name}")
    if experiment.sets and not is_model(target):
        raise IsthmusError(f"--set: '{target}' is a real device and has no numbers to replace")
    if experiment.channel and not is_model(target):
        raise IsthmusError(f"--channel: '{target}' is a real device, and only models have links to choose")
    of_threads = {"workers": experiment.workers, "compute-units": experiment.units, "map": experiment.mapping}
    for name, given_value in of_threads.items():
        if given_value and not is_native(target):
            raise IsthmusError(f"--{name}: expected the target native, got '{target}'")


def _flow_of(experiment: Experiment) -> str:
    """The flow that was asked for, else the first that the target has.

    If a model has no flow, or not this one, its tool says which part the model lacks.
    """
    target, wanted = experiment.target, experiment.flow
    if wanted and is_model(target):
        return wanted
    offered = flows_of(experiment.application, target, experiment.sets)
    if not offered and not is_model(target):
        raise IsthmusError(f"--on: '{experiment.application}' has no flow that '{target}' offers")
    if wanted and offered and wanted not in offered:
        hint = meant(wanted, offered)
        raise IsthmusError(f"--flow: '{target}' has no flow '{wanted}'; expected {listed(offered, 'or')}", hint=hint)
    return wanted or next(iter(offered), FLOWS[0] if experiment.method is None else SHARED)


def _grain(asked: Grain | None, experiment: Experiment) -> Grain:
    """The grain that was asked for; a trace needs fine."""
    check_grain(asked, experiment.target)
    if experiment.trace is None:
        return asked or DEFAULT
    if asked == "coarse":
        raise IsthmusError("--trace: expected --fine or neither beside it, got --coarse, which has not every packet")
    return "fine"


def _measure(session: Session, experiment: Experiment) -> "Row":
    from isthmus.running.judge import judge_in_parallel

    with Listener(session) as listener:
        row = judge_in_parallel(experiment, run_experiment(experiment, listener), listener)
    session.stream(row)
    return row


def _measure_each(session: Session, experiments: Sequence[Experiment]) -> "list[Row]":
    """Models side by side on all cores, anything else one after the other."""
    from isthmus.running.judge import run_and_judge

    if any(one.trace for one in experiments):
        raise IsthmusError("--trace: expected one row, give each parameter one value")
    with Listener(session) as listener:
        if is_model(experiments[0].target):
            rows = in_order(experiments, listener, run_and_judge)
        else:
            rows = [run_experiment(one, listener) for one in experiments]
    for row in rows:
        session.stream(row)
    return rows


def _show_rows(session: Session, experiments: Sequence[Experiment], rows: "list[Row]") -> None:
    from isthmus.cli.noise import warn_of_rows
    from isthmus.records import RunFile
    from isthmus.results.verdict import decide, kind_of, pace, work
    from isthmus.results.wrong import wrong_lines
    from isthmus.show.tables import parameters_told, rows_table

    best = decide(rows)
    of_best = next((row for row in rows if best is not None and row.value == best.value and row.verified), rows[0])
    said = [f"fastest: {parameters_told(of_best, rows)}: {pace(of_best)}"] if best is not None else []
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
    from isthmus.cli.noise import warn_of_rows
    from isthmus.records import RunFile
    from isthmus.results.verdict import heading, kind_of, latency, reason, work
    from isthmus.results.wrong import wrong_lines
    from isthmus.running.judge import changed, worth_trying
    from isthmus.running.study_file import study_files
    from isthmus.show.tables import parts_table, rows_table, workers_table

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
