"""`isthmus hpcc BENCH`: HPC Challenge for accelerators, on one device or many."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isthmus.cli.command import List
from isthmus.cli.session import Session
from isthmus.errors import AnswerIsNoError, IsthmusError

if TYPE_CHECKING:
    from isthmus.records import HpccRecord

EXAMPLES = [
    "isthmus hpcc stream --size small",
    "isthmus hpcc b_eff -n 2 --on opencl:0",
    "isthmus hpcc ptrans -n 4 --grid 2x2 --set BLOCK_SIZE=256 --json -",
]

Ranks = Annotated[int, typer.Option("-n", "--ranks", metavar="R", help="Ranks, one for each device.", min=1)]
On = Annotated[
    str, typer.Option("--on", metavar="TARGET", help="opencl:N or opencl:NAME; several devices with commas.")
]
Size = Annotated[
    str,
    typer.Option("--size", metavar="small|standard", help="small: at most 64 MiB and under 10 s."),
]
Variant = Annotated[
    str | None,
    typer.Option(
        "--variant", metavar="single|ndrange", help="Kernels for HLS or for CPUs and GPUs. [default: by the device]"
    ),
]
Shape = Annotated[
    str | None, typer.Option("--shape", metavar="cpu|gpu", help="Of ND-range kernels. [default: by the device]")
]
Optimized = Annotated[bool, typer.Option("--optimized", help="The optimized run; else the base run of meyer2024.")]
Sets = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the benchmark (meyer2024).")
]
Repeat = Annotated[int | None, typer.Option("--repeat", metavar="N", help="Repetitions. [default: 10]", min=1)]
GridShape = Annotated[
    str | None, typer.Option("--grid", metavar="PxQ", help="Grid of ranks. [default: nearest to square]")
]
Scheme = Annotated[str | None, typer.Option("--scheme", metavar="NAME", help="Of communication between ranks.")]
Kernel = Annotated[
    str | None, typer.Option("--kernel", metavar="FILE", help="Kernels of your own, with the same arguments.")
]
Binary = Annotated[
    str | None, typer.Option("--binary", metavar="FILE", help="What a vendor's compiler made: .aocx, .xclbin.")
]
Share = Annotated[bool, typer.Option("--share", help="Several ranks may share a device that cannot be divided.")]
Summary = Annotated[
    str | None,
    typer.Option("--summary", metavar="FILE", help="Write key=value lines as HPC Challenge does; '-' is stdout."),
]


def hpcc(
    session: Session,
    benchmark: Annotated[str | None, typer.Argument(metavar="BENCH", help="The benchmark; --list names them.")] = None,
    ranks: Ranks = 1,
    on: On = "opencl:0",
    size: Size = "standard",
    variant: Variant = None,
    shape: Shape = None,
    optimized: Optimized = False,
    sets: Sets = None,
    repeat: Repeat = None,
    grid: GridShape = None,
    scheme: Scheme = None,
    kernel: Kernel = None,
    binary: Binary = None,
    share: Share = False,
    summary: Summary = None,
    list_: List = False,
) -> None:
    """HPC Challenge for accelerators, on one OpenCL device or many.

    One MPI rank runs on each device (meyer2024 chapters 3 and 4). The best repetition counts, and of each repetition
    the slowest rank. Beside it stands what a model expects from this device's own probes at the same size; a rate above
    that is refused. Exit code 1: the results are wrong.
    """
    if list_:
        return session.lines(_listed())
    if benchmark is None:
        raise IsthmusError("BENCH: expected a benchmark", hint="'isthmus hpcc --list' names them.")
    options = {"--variant": variant, "--shape": shape, "--repeat": repeat, "--grid": grid, "--scheme": scheme}
    options |= {"--kernel": kernel, "--binary": binary}
    arguments = [benchmark, "--on", on, "--size", size]
    arguments += [word for flag, value in options.items() if value is not None for word in (flag, str(value))]
    arguments += [word for assignment in sets or [] for word in ("--set", assignment)]
    arguments += ["--optimized"] if optimized else []
    arguments += ["--share"] if share else []
    records = _measure(session, arguments, ranks)
    return _show(session, records, summary)


def _listed() -> list[str]:
    from isthmus.tools import collect

    return [f"{one['name']}  {one['meaning']}" for one in collect("isthmus-hpcc", ["--list"], "benchmark")]


def _measure(session: Session, arguments: list[str], ranks: int) -> "list[HpccRecord]":
    from isthmus.cli.events import Listener
    from isthmus.hpcc.launch import launch_of
    from isthmus.hpcc.tables import map_lines
    from isthmus.records import HpccPlace, HpccRecord
    from isthmus.tools import Event, run_tool

    records: list[HpccRecord] = []
    with Listener(session) as listener:

        def sort(event: Event) -> None:
            if event["event"] == "record":
                plain = {key: value for key, value in event.items() if key != "event"}
                records.append(HpccRecord.model_validate(plain))
                session.stream(records[-1])
            elif event["event"] == "places":
                places = [HpccPlace.model_validate(place) for place in event["places"]]
                for line in map_lines(places) if ranks > 1 else []:
                    session.note(line)
            else:
                listener(event)

        run_tool("isthmus-hpcc", arguments, sort, launch_of(ranks))
    if not records:
        raise IsthmusError("isthmus-hpcc printed no record")
    return records


def _show(session: Session, records: "list[HpccRecord]", summary: str | None) -> None:
    from isthmus.files import write_atomically
    from isthmus.hpcc.tables import summary_lines, table, verdict
    from isthmus.output import Result
    from isthmus.records import HpccFile
    from isthmus.stdout import write_out

    file = HpccFile(context=session.context(), records=records)
    if summary == "-":
        write_out(summary_lines(records))
    else:
        if summary is not None:
            write_atomically(Path(summary), summary_lines(records))
        session.emit(Result(file, records, verdict=[verdict(records)], tables=[table(records)]))
    if not records[0].validated:
        raise AnswerIsNoError(verdict(records))
