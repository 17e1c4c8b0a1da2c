"""`isthmus probe TARGET [PROBE...]`: micro-benchmarks of how data crosses."""

from typing import TYPE_CHECKING, Annotated

import typer

from isthmus.cli.command import DryRun, List, Sets, setting
from isthmus.cli.session import Session
from isthmus.errors import IsthmusError
from isthmus.probes import MODELS_ALONE, PROBES, REPEAT

if TYPE_CHECKING:
    from isthmus.records import ProbeRecord

EXAMPLES = [
    "isthmus probe model:aws-f1",
    "isthmus probe opencl:0 h2d --sizes 4KiB..64MiB:x2 --repeat 20",
    "isthmus probe model:aws-f1 'h2d*' --set link.pcie.lanes=8 --json -",
]
NOISY = 0.05


def probe(
    session: Session,
    target: Annotated[str | None, typer.Argument(metavar="TARGET", help="What to probe.")] = None,
    probes: Annotated[list[str] | None, typer.Argument(metavar="PROBE", help="Names or globs; all by default.")] = None,
    sizes: Annotated[
        str | None, setting("sizes", "--sizes", metavar="SIZES", text="Sizes and ranges, as in 64B,4KiB..1MiB:x2.")
    ] = None,
    burst: Annotated[
        str | None,
        typer.Option(
            "--burst", metavar="SIZES", help="Stretches in which device memory is touched. [default: each size at once]"
        ),
    ] = None,
    repeat: Annotated[
        str | None,
        setting("repeat", "--repeat", metavar="N", text="Samples of each size. [default: 10, of a model 1]"),
    ] = None,
    sets: Sets = None,
    list_: List = False,
    dry_run: DryRun = False,
) -> None:
    """How fast data crosses between host and device, by size.

    The median of the samples is shown with their spread, (p75 - p25) / median; every sample is in the JSON file.
    Registers (mmio-*) are probed on models alone.
    """
    from isthmus.settings import resolve
    from isthmus.sizes import format_size, parse_sizes
    from isthmus.targets import check_target, is_model

    if list_:
        return session.lines([f"{name}  {text}" for name, text in PROBES.items()])
    if target is None:
        raise IsthmusError("TARGET: expected a target", hint="'isthmus run --list' names them.")
    names = _chosen(target, probes or [])
    bytes_ = parse_sizes(resolve("sizes", sizes).value)
    samples = resolve("repeat", repeat).value or (1 if is_model(target) else REPEAT)
    check_target(target)
    if sets and not is_model(target):
        raise IsthmusError(f"--set: '{target}' is a real device and has no numbers to replace")
    if dry_run:
        shown = ", ".join(map(format_size, bytes_))
        plan = f"{' '.join(names)} on {target}: {len(bytes_)} sizes ({shown}), --repeat {samples}"
        return session.lines([plan])
    arguments = [target, *names, "--sizes", ",".join(f"{size}B" for size in bytes_), "--repeat", str(samples)]
    arguments += ["--burst", ",".join(f"{size}B" for size in parse_sizes(burst))] if burst else []
    arguments += [word for assignment in sets or [] for word in ("--set", assignment)]
    return _measure(session, target, arguments)


def _chosen(target: str, wanted: list[str]) -> list[str]:
    from isthmus.names import select
    from isthmus.targets import is_model

    names = select("probe", wanted, list(PROBES))
    if is_model(target):
        return names
    for name in MODELS_ALONE.intersection(wanted):
        raise IsthmusError(f"probe '{name}': '{target}' is a real device, whose registers only a model reaches")
    return [name for name in names if name not in MODELS_ALONE]


def _measure(session: Session, target: str, arguments: list[str]) -> None:
    from isthmus.cli.events import Listener
    from isthmus.records import ProbeRecord
    from isthmus.tools import Event, run_tool

    records: list[ProbeRecord] = []
    with Listener(session) as listener:

        def sort(event: Event) -> None:
            if event["event"] == "record":
                plain = {key: value for key, value in event.items() if key != "event"}
                records.append(ProbeRecord.model_validate(plain))
                session.stream(records[-1])
            else:
                listener(event)

        try:
            run_tool("isthmus-probe", arguments, sort)
        except (KeyboardInterrupt, IsthmusError):
            # What was measured before a Ctrl-C, or before the device vanished or had no room left, stays.
            if records:
                _show(session, records, complete=False)
            raise
    if not records:
        raise IsthmusError("isthmus-probe printed no record")
    _show(session, records, complete=True)
    session.next(f"isthmus run image-filter --on {target} --flow offload")


def _show(session: Session, records: "list[ProbeRecord]", complete: bool) -> None:
    from isthmus.output import Result
    from isthmus.probe_tables import headline, probe_tables, size_of
    from isthmus.records import ProbeFile

    file = ProbeFile(context=session.context(complete=complete), records=records)
    session.emit(Result(file, records, verdict=[headline(records)], tables=probe_tables(records)))
    noisy = [record for record in records if record.spread > NOISY]
    if noisy:
        worst = max(noisy, key=lambda record: record.spread)
        session.warn(
            f"{len(noisy)} of {len(records)} records spread by more than {NOISY:.0%} "
            f"({worst.name} at {size_of(worst)}: {worst.spread:.0%}); close other programs or raise --repeat"
        )
