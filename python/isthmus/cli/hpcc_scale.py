"""`isthmus hpcc scale BENCH`: one benchmark on ever more ranks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from isthmus.base.configuration import resolve
from isthmus.base.errors import AnswerIsNoError, IsthmusError
from isthmus.base.files import check_folder
from isthmus.base.numbers import counted
from isthmus.base.texts import to_json
from isthmus.cli.command import argument, plain
from isthmus.cli.hpcc_options import MeasurementOptions, RunOptions, tuned
from isthmus.cli.noise import loads_of, warn_if_noisy
from isthmus.hpcc.benchmarks import benchmark_of
from isthmus.results.out_folder import OutFolder
from isthmus.running.tools import Request, also, assignments
from isthmus.show.output import Result
from isthmus.show.session import Session

if TYPE_CHECKING:
    from isthmus.hpcc.scaling import Mode
    from isthmus.records.hpcc import CurvePoint, HpccRecord, HpccScaleFile, ScaleRow

EXAMPLES = [
    "isthmus hpcc scale hpl --ranks 1,2,4 --mode strong",
    "isthmus hpcc scale ptrans --ranks 1,4 --size small --json -",
    "isthmus hpcc scale b_eff --ranks 2,4,8 --on opencl:0,opencl:1 --share",
]


def scale(
    session: Session,
    work: RunOptions,
    measuring: MeasurementOptions,
    benchmark: Annotated[str, argument("BENCH", "A benchmark that 'isthmus hpcc --list' names.")],
    ranks: Annotated[str, plain("--ranks R,R,...", "Numbers of MPI ranks to run with. [default: 1,2,4]")] = "1,2,4",
    mode: Annotated[
        str, plain("--mode weak,strong", "weak: the problem grows with R; strong: it stays. [default: both]")
    ] = "",
    dry_run: Annotated[bool, plain("--dry-run", "Print the runs, and stop.")] = False,
) -> None:
    """Run a benchmark on ever more ranks: speed-up, parallel efficiency, a plot.

    Weak scaling keeps the size of each rank's problem, strong scaling the size of the whole (as in Meyer, dissertation
    on HPCC FPGA, Paderborn 2024, 4.2). Each rank on a CPU takes the same part of it in every run, so that more ranks
    use more of the CPU; a note says when ranks share cores. Speed-up is the rate of all ranks over that of the fewest.
    For HPL's strong scaling the table also shows what this device's rates at smaller matrices predict (4.2.3 there).
    The command writes out/hpcc-BENCH/scale.json and report.html. The exit code is 1 if some results are wrong.
    """
    from isthmus.hpcc.scaling import MODES, check_modes

    growth = benchmark_of(benchmark).growth
    asked = [word.strip() for word in mode.split(",")] if mode else [one for one in MODES if growth.size]
    modes = check_modes(benchmark, asked or ["weak"])
    counts = _counts(ranks)
    request = {**work.request(benchmark), **measuring.request(), "parts": max(counts)}
    if dry_run:
        session.lines([f"{benchmark}, {one}: {counted(count, 'rank')}" for one in modes for count in counts])
        return
    folder = Path(resolve("out").value) / f"hpcc-{benchmark}"
    check_folder(folder, "out")
    if not measuring.no_tuned:
        # The parameters for the fewest ranks, in every run: what is compared differs in the ranks alone.
        request = also(request, tuned(session, work.run(benchmark, counts[0])))
    runs = _Runs(session, request, measuring)
    file, trouble = _measured(runs, benchmark, modes, counts)
    _show(session, benchmark, folder, file)
    if trouble is not None:
        raise trouble
    if not all(row.validated for row in file.rows):
        wrong = dict.fromkeys(counted(row.ranks, "rank") for row in file.rows if not row.validated)
        raise AnswerIsNoError(f"{benchmark}: wrong results on {', '.join(wrong)}")


@dataclass
class _Runs:
    """Runs of one benchmark, each made once."""

    session: Session
    request: Request
    measuring: MeasurementOptions
    done: "dict[tuple[int, str], list[HpccRecord]]" = field(default_factory=dict)

    def at(self, ranks: int, sizes: Mapping[str, int]) -> "list[HpccRecord]":
        """The records of a run on a number of ranks, with some parameters set."""
        from isthmus.hpcc.measure import measure

        key = (ranks, " ".join(assignments(sizes)))
        if key not in self.done:
            request, launcher = also(self.request, {"set": dict(sizes)}), self.measuring.launcher
            prefix = f"{counted(ranks, 'rank')}, "
            self.done[key] = measure(self.session, request, ranks, launcher, self.measuring.watch(), prefix=prefix)
        return self.done[key]


def _measured(
    runs: _Runs, benchmark: str, modes: "list[Mode]", counts: list[int]
) -> "tuple[HpccScaleFile, IsthmusError | None]":
    """Runs the cases; returns what was measured until one failed, and its error."""
    from isthmus.hpcc.scaling import rows_of, size_at
    from isthmus.records.hpcc import HpccScaleFile

    rows: list[ScaleRow] = []
    curve: list[CurvePoint] = []
    first = runs.at(counts[0], {})
    trouble: IsthmusError | None = None
    for mode in modes:
        found = [first]
        try:
            for count in counts[1:]:
                found.append(runs.at(count, size_at(benchmark, mode, first[0].parameters, count / counts[0])))
        except IsthmusError as error:
            trouble = error
        rows += rows_of(mode, found)
    if benchmark_of(benchmark).predicted and "strong" in modes and trouble is None:
        rows, curve = _predicted(runs, rows)
    records = [record for kept in runs.done.values() for record in kept]
    context = runs.session.context(complete=trouble is None)
    return HpccScaleFile(context=context, rows=rows, curve=curve, records=records), trouble


def _predicted(runs: _Runs, rows: "list[ScaleRow]") -> "tuple[list[ScaleRow], list[CurvePoint]]":
    """The table of strong scaling, with the rates of one rank alone at the local sizes."""
    from isthmus.hpcc.scaling import local_size, predicted
    from isthmus.records.hpcc import CurvePoint

    own = (rows[0].ranks, int(rows[0].parameters["MATRIX_SIZE"]))
    strong = [row for row in rows if row.mode == "strong" and not row.shared]
    sizes = sorted({local_size(int(row.parameters["MATRIX_SIZE"]), row.ranks) for row in strong})
    curve = [
        CurvePoint(size=size, value=record.value, unit=record.unit)
        for size in sizes
        for record in runs.at(1, {"MATRIX_SIZE": size} if (1, size) != own else {})
    ]
    return predicted(rows, {point.size: point.value for point in curve}), curve


def _counts(text: str) -> list[int]:
    """Ascending, each once."""
    try:
        counts = sorted({int(word) for word in text.split(",")})
    except ValueError:
        counts = []
    if not counts or counts[0] < 1:
        raise IsthmusError(f"--ranks: expected numbers of ranks such as 1,2,4, got '{text}'")
    return counts


def _show(session: Session, benchmark: str, wanted: Path, file: "HpccScaleFile") -> None:
    from isthmus.hpcc.scaling_tables import detail, table, verdict
    from isthmus.report import ReportContents, render_report

    contents = ReportContents(f"Scaling of {benchmark}")
    contents.add("scale.json", file)
    texts = {"scale.json": to_json(file), "report.html": render_report(contents)}
    with OutFolder(wanted, texts, session.note) as folder:
        written = [folder.write(name, text) for name, text in texts.items()]
    session.emit(Result(file, file.rows, [verdict(benchmark, file.rows)], [table(file.rows)], detail(file)))
    spreads = [(f"{one.name} on {counted(one.ranks, 'rank')}", one.spread) for one in file.records]
    warn_if_noisy(session, spreads, loads_of(file.records))
    session.note(f"written: {', '.join(map(str, written))}")
