"""`isthmus probe TARGET [PROBE...]`: micro-benchmarks of how data crosses."""

from typing import TYPE_CHECKING, Annotated

import typer

from isthmus.cli.command import DryRun, List, Sets, setting
from isthmus.cli.session import Session
from isthmus.errors import IsthmusError
from isthmus.probes import PROBES

if TYPE_CHECKING:
    from isthmus.output import Table
    from isthmus.records import ProbeRecord

EXAMPLES = [
    "isthmus probe model:aws-f1",
    "isthmus probe opencl:0 h2d --sizes 4KiB..64MiB:x2 --repeat 20",
    "isthmus probe model:aws-f1 h2d d2h --set link.pcie.lanes=8 --json -",
]
NOISY = 0.05
SHOWN = 0.01


def probe(
    session: Session,
    target: Annotated[str | None, typer.Argument(metavar="TARGET", help="What to probe.")] = None,
    probes: Annotated[list[str] | None, typer.Argument(metavar="PROBE", help="Names or globs; all by default.")] = None,
    sizes: Annotated[
        str | None, setting("sizes", "--sizes", metavar="SIZES", text="Sizes and ranges, as in 64B,4KiB..1MiB:x2.")
    ] = None,
    repeat: Annotated[str | None, setting("repeat", "--repeat", metavar="N", text="Samples of each size.")] = None,
    sets: Sets = None,
    list_: List = False,
    dry_run: DryRun = False,
) -> None:
    """How fast data crosses between host and device, by size.

    The median of the samples is shown with their spread, (p75 - p25) / median; every sample is in the JSON file.
    """
    from isthmus.names import select
    from isthmus.settings import resolve
    from isthmus.sizes import format_size, parse_sizes
    from isthmus.targets import check_target, is_model

    if list_:
        return session.lines([f"{name}  {text}" for name, text in PROBES.items()])
    if target is None:
        raise IsthmusError("TARGET: expected a target", hint="'isthmus run --list' names them.")
    names = select("probe", probes or [], list(PROBES))
    bytes_ = parse_sizes(resolve("sizes", sizes).value)
    samples = resolve("repeat", repeat).value
    check_target(target)
    if sets and not is_model(target):
        raise IsthmusError(f"--set: '{target}' is a real device and has no numbers to replace")
    if dry_run:
        shown = ", ".join(map(format_size, bytes_))
        return session.lines([f"{' '.join(names)} on {target}: {len(bytes_)} sizes ({shown}), {samples} samples each"])
    arguments = [target, *names, "--sizes", ",".join(f"{size}B" for size in bytes_), "--repeat", str(samples)]
    arguments += [word for assignment in sets or [] for word in ("--set", assignment)]
    return _measure(session, target, arguments)


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
        except KeyboardInterrupt:
            if records:
                _show(session, records, complete=False)
            raise
    if not records:
        raise IsthmusError("isthmus-probe printed no record")
    _show(session, records, complete=True)
    session.next(f"isthmus run image-filter --on {target} --flow offload")


def _show(session: Session, records: "list[ProbeRecord]", complete: bool) -> None:
    from isthmus.output import Result
    from isthmus.records import ProbeFile
    from isthmus.verdict import KIND_WORDS

    best = max(records, key=lambda record: record.value)
    file = ProbeFile(context=session.context(complete=complete), records=records)
    verdict = f"best: {best.name}, {_cell(best)} {best.unit} at {_size(best)}, {KIND_WORDS[best.kind]}"
    session.emit(Result(file, records, verdict=[verdict], tables=[_table(records)]))
    noisy = [record for record in records if record.spread > NOISY]
    if noisy:
        worst = max(noisy, key=lambda record: record.spread)
        session.warn(
            f"{len(noisy)} of {len(records)} records spread by more than {NOISY:.0%} ({worst.name} at {_size(worst)}: "
            f"{worst.spread:.0%}); close other programs or raise --repeat"
        )


def _table(records: "list[ProbeRecord]") -> "Table":
    from isthmus.output import Table
    from isthmus.verdict import KIND_WORDS

    names = list(dict.fromkeys(record.name for record in records))
    sizes = list(dict.fromkeys(_size(record) for record in records))
    by_place = {(_size(record), record.name): record for record in records}
    first = {record.name: record for record in reversed(records)}
    heads = [f"{PROBES.get(n, n).split(',')[0]} ({n}), {first[n].unit}, {KIND_WORDS[first[n].kind]}" for n in names]
    cells = [
        (size, *(_cell(by_place[size, name]) if (size, name) in by_place else "-" for name in names)) for size in sizes
    ]
    return Table(("size", *heads), cells, numbers=frozenset({"size", *heads}))


def _cell(record: "ProbeRecord") -> str:
    from isthmus.numbers import figure

    spread = f" ±{record.spread / 2:.0%}" if record.spread >= SHOWN else ""
    return f"{figure(record.value)}{spread}"


def _size(record: "ProbeRecord") -> str:
    from isthmus.sizes import format_size

    return format_size(int(record.parameters["size"]))
