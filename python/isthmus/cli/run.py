"""`isthmus run APP`: an application on one target, in one flow."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from isthmus.cli.command import DryRun, List, Sets, setting
from isthmus.cli.session import Session
from isthmus.errors import IsthmusError
from isthmus.experiments import Experiment, Trace

if TYPE_CHECKING:
    from isthmus.records import Row

EXAMPLES = [
    "isthmus run image-filter --on model:aws-f1 --flow stream",
    "isthmus run image-filter --on opencl:0 --flow overlap --images 50 --json -",
    "isthmus run image-filter --on model:aws-f1 --flow stream --set link.pcie.lanes=8",
    "isthmus run image-filter --on native --flow stream --map stencil=0,consumer=1",
    "isthmus run image-filter --on model:aws-f1 --images 2 --trace f1.perfetto-trace",
]

Workers = Annotated[
    int | None,
    typer.Option("--workers", metavar="N", help="Threads of the target native; one a core by default.", min=1),
]
Map = Annotated[
    list[str] | None,
    typer.Option(
        "--map", metavar="ACTOR=WORKER,...", help="Which thread of the target native runs which actor; may be repeated."
    ),
]
On = Annotated[
    str | None,
    setting("on", "--on", metavar="TARGET", text="model:NAME, FILE.toml, opencl:N, opencl:NAME or native."),
]
Flow = Annotated[
    str | None, setting("flow", "--flow", metavar="FLOW", text="offload, overlap or stream (not on OpenCL).")
]
Images = Annotated[str | None, setting("images", "--images", metavar="N", text="How many images.")]
Input = Annotated[
    str | None,
    setting("input", "--input", metavar="DIR", text="Folder of photographs, instead of the installed wallpapers."),
]
Seed = Annotated[str | None, setting("seed", "--seed", metavar="N", text="Seed of everything random in the run.")]
TraceTo = Annotated[
    str | None,
    typer.Option("--trace", metavar="FILE", help="Write the states of a model's parts for Perfetto (ui.perfetto.dev)."),
]
TraceWindow = Annotated[
    str | None,
    typer.Option("--trace-window", metavar="A..B", help="Only what lies between two times, such as 1ms..2.5ms."),
]
TraceParts = Annotated[
    list[str] | None,
    typer.Option("--trace-parts", metavar="GLOB", help="Only parts whose names match; may be repeated."),
]
TraceLimit = Annotated[
    str | None,
    typer.Option("--trace-limit", metavar="SIZE", help="How large the trace may become [default: 256MiB]."),
]


def run(
    session: Session,
    app: Annotated[str | None, typer.Argument(metavar="APP", help="The application; --list names them.")] = None,
    on: On = None,
    flow: Flow = None,
    images: Images = None,
    photographs: Input = None,
    workers: Workers = None,
    mapping: Map = None,
    sets: Sets = None,
    seed: Seed = None,
    trace: TraceTo = None,
    trace_window: TraceWindow = None,
    trace_parts: TraceParts = None,
    trace_limit: TraceLimit = None,
    list_: List = False,
    dry_run: DryRun = False,
) -> None:
    """An application on one target, in one flow.

    Every output image is compared with an independent reference. Rates count from the first acquire or enqueue to the
    last output; set-up is apart. A model needs no hardware; its numbers are marked as such.
    """
    if list_:
        from isthmus.cli.lists import list_choices

        return list_choices(session)
    experiment = replace(
        _experiment(app, on, flow, images, photographs, workers, mapping, sets, seed),
        trace=_trace(trace, trace_window, trace_parts, trace_limit),
    )
    if dry_run:
        from isthmus.cli.plan import show_plan

        return show_plan(session, [experiment])
    row = _measure(session, experiment)
    return _show(session, row)


def _experiment(
    app: str | None,
    on: str | None,
    flow: str | None,
    images: str | None,
    photographs: str | None,
    workers: int | None,
    mapping: list[str] | None,
    sets: list[str] | None,
    seed: str | None,
) -> Experiment:
    from isthmus.experiments import applications
    from isthmus.names import unknown
    from isthmus.settings import resolve
    from isthmus.targets import FLOWS, check_target, flows_of, is_model, is_native

    known = applications()
    if app is None:
        raise IsthmusError(f"APP: expected an application, one of {', '.join(known)}", hint="'isthmus run -h'.")
    if app not in known:
        raise unknown("application", app, known)
    target = resolve("on", on).value
    if target is None:
        raise IsthmusError("--on: expected a target", hint="'isthmus run --list' names them.")
    check_target(target)
    if sets and not is_model(target):
        raise IsthmusError(f"--set: '{target}' is a real device and has no numbers to replace")
    if workers and not is_native(target):
        raise IsthmusError(f"--workers: expected the target native, got '{target}'")
    if mapping and not is_native(target):
        raise IsthmusError(f"--map: expected the target native, got '{target}'")
    experiment = Experiment(
        application=app,
        target=target,
        flow=resolve("flow", flow).value,
        images=resolve("images", images).value,
        input=resolve("input", photographs).value,
        seed=resolve("seed", seed).value,
        workers=workers,
        mapping=tuple(mapping or ()),
        sets=tuple(sets or ()),
    )
    if not flows_of(target, [experiment.flow]):
        has = " or ".join(flows_of(target, FLOWS))
        raise IsthmusError(f"--flow: '{target}' has no flow '{experiment.flow}'; expected {has}")
    return experiment


def _trace(file: str | None, window: str | None, parts: list[str] | None, limit: str | None) -> Trace | None:
    if file is not None:
        return Trace(file, window, tuple(parts or ()), limit)
    for name, given in (("--trace-window", window), ("--trace-parts", parts), ("--trace-limit", limit)):
        if given:
            raise IsthmusError(f"{name}: expected --trace FILE beside it")
    return None


def _measure(session: Session, experiment: Experiment) -> "Row":
    from isthmus.cli.events import Listener
    from isthmus.experiments import run_experiment

    with Listener(session) as listener:
        row = run_experiment(experiment, listener)
    session.stream(row)
    return row


def _show(session: Session, row: "Row") -> None:
    from isthmus.experiments import refuse_wrong
    from isthmus.numbers import seconds
    from isthmus.output import Result
    from isthmus.records import RunFile
    from isthmus.relief import relief
    from isthmus.tables import parts_table, rows_table, workers_table
    from isthmus.verdict import kind_of, reason

    more = [table for table in (parts_table(row), workers_table(row)) if table is not None]
    file = RunFile(context=session.context(row.seed), rows=[row])
    session.emit(
        Result(
            file=file,
            records=[row],
            verdict=[f"bottleneck, {kind_of(row)}: {reason(row)}"],
            tables=[rows_table([row]), *more],
            detail=[
                f"{row.images} images of {row.width}x{row.height} on {row.device}: "
                f"{seconds(row.elapsed_s)}, set-up {seconds(row.setup_s)}, {kind_of(row)}"
            ],
        )
    )
    refuse_wrong([row])
    change = relief(row)
    again = f"isthmus run {row.application} --on {row.target} --flow {row.flow} --set {change}"
    session.next(again if change else "isthmus study examples/image-filter.toml")
