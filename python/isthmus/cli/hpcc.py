"""`isthmus hpcc BENCH`: HPC Challenge for accelerators, on one device or many."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from isthmus.base.durations import parse_duration
from isthmus.base.errors import AnswerIsNoError, IsthmusError
from isthmus.base.files import write_atomically
from isthmus.base.names import unknown
from isthmus.cli.command import DryRun, List, argument, written
from isthmus.cli.commands import COMMANDS
from isthmus.cli.hpcc_options import (
    Binary,
    For,
    Kernel,
    MeasurementOptions,
    Placement,
    RunOptions,
    tuned,
)
from isthmus.cli.noise import loads_of, warn_if_noisy
from isthmus.hpcc.benchmarks import BENCHMARKS
from isthmus.hpcc.side_file import check
from isthmus.running.offers import offered
from isthmus.running.tools import also, request_of
from isthmus.show.output import Result
from isthmus.show.session import Session

if TYPE_CHECKING:
    from isthmus.records.hpcc import HpccRecord

EXAMPLES = [
    "isthmus hpcc stream --size small",
    "isthmus hpcc b_eff -n 2 --on opencl:0",
    "isthmus hpcc gemm --for 1h",
    "isthmus hpcc hpl -n 4 --dry-run",
    "isthmus hpcc ptrans -n 4 --grid 2x2 --set BLOCK_SIZE=256 --json -",
]

Summary = Annotated[
    str | None, written("--summary FILE", "Write key=value lines as HPC Challenge does; '-' is stdout.")
]


def _known(word: str | None) -> str | None:
    """The word as it is; an IsthmusError with the nearest benchmark or command of `hpcc` if it is neither."""
    if word is not None and word not in BENCHMARKS:
        raise unknown("benchmark", word, [*BENCHMARKS, *COMMANDS["hpcc"].members])
    return word


def hpcc(
    session: Session,
    work: RunOptions,
    placing: Placement,
    measuring: MeasurementOptions,
    benchmark: Annotated[str | None, argument("BENCH", "A benchmark that --list names.", _known)] = None,
    for_: For = None,
    kernel: Kernel = None,
    binary: Binary = None,
    summary: Summary = None,
    dry_run: DryRun = False,
    list_: List = False,
) -> None:
    """Run HPC Challenge for accelerators on one OpenCL device or many.

    One MPI rank runs on each device, as in HPCC FPGA (Meyer, dissertation, Paderborn 2024, chapters 3 and 4).
    The slowest rank gives the time of a repetition, and the best repetition counts. The table also shows the rate that
    a model expects from this device's own probes at the same size; a rate above that is refused. The exit code is
    1 if the results are wrong.
    """
    if list_:
        known = offered("isthmus-hpcc")["benchmarks"]
        return session.lines([f"{one['name']}  {one['meaning']}" for one in known])
    if benchmark is None:
        raise IsthmusError("BENCH: expected a benchmark", hint="'isthmus hpcc --list' names them.")
    if summary == "-" and "-" in (session.json, session.csv, session.jsonl):
        raise IsthmusError("--summary, --json, --csv and --jsonl: only one of them can be '-', the standard output")
    from isthmus.hpcc.measure import InterruptedBurnIn, measure, warn_of_turns

    chosen: dict[str, object] = {"shape": placing.shape, "grid": placing.grid}
    chosen |= {"kernel": kernel, "binary": binary, "for": for_ and parse_duration(for_, "--for")}
    request = {**work.request(benchmark), **measuring.request(), **request_of(chosen)}
    if not (measuring.no_tuned or kernel or binary):
        request = also(request, tuned(session, work.run(benchmark, placing.ranks, placing.shape, placing.grid)))
    if binary is not None:
        check(Path(binary))
    if dry_run:
        from isthmus.hpcc.plan import lines_of, plan_of

        warn_of_turns(session, placing.ranks, measuring.launcher)
        return session.lines(lines_of(plan_of(request, placing.ranks, measuring.launcher)))
    try:
        records = measure(session, request, placing.ranks, measuring.launcher, measuring.watch())
    except InterruptedBurnIn as cut:
        _show(session, cut.records, summary, complete=False)
        raise
    return _show(session, records, summary) if records else None


def _show(session: Session, records: "list[HpccRecord]", summary: str | None, complete: bool = True) -> None:
    from isthmus.hpcc.burn_in import burn_in_lines, burn_in_table
    from isthmus.hpcc.tables import cache_lines, power_line, summary_lines, table, unjudged_lines, verdict
    from isthmus.records.hpcc import HpccFile

    file = HpccFile(context=session.context(complete=complete), records=records)
    said = [verdict(records), *burn_in_lines(records)]
    tables = [table(records), *burn_in_table(records)]
    lines = summary_lines(records)
    if summary not in (None, "-"):
        write_atomically(Path(str(summary)), lines)
    result = Result(file, records, said, tables, [power_line(records)])
    session.emit(result, text=lines if summary == "-" else None)
    for line in [*unjudged_lines(records), *cache_lines(records)]:
        session.note(line)
    warn_if_noisy(session, [(record.name, record.spread) for record in records], loads_of(records))
    if session.json not in (None, "-"):
        session.next(f"isthmus report {session.json}")
    if not records[0].validated:
        raise AnswerIsNoError(verdict(records))
