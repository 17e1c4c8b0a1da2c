"""`isthmus sweep STUDY --set KEY=a,b,c`: a study at many values of keys and parameters."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from isthmus.asking.application_options import ApplicationOptions, TypedOptions
from isthmus.asking.experiments import Experiment
from isthmus.base.configuration import resolve
from isthmus.base.errors import AnswerIsNoError, IsthmusError
from isthmus.base.files import check_folder
from isthmus.base.grain import chosen
from isthmus.base.numbers import grouped, percent
from isthmus.base.texts import to_csv, to_json
from isthmus.cli.command import Coarse, DryRun, Fine, argument, plain
from isthmus.cli.run import Count
from isthmus.cli.study import Out
from isthmus.results.out_folder import OutFolder
from isthmus.show.output import Result
from isthmus.show.session import Session
from isthmus.sweeping.pareto import Objective, front, read_objectives
from isthmus.sweeping.values import Axis, read_axes

if TYPE_CHECKING:
    from isthmus.records.swept import SweepFile, SweepRow
    from isthmus.sweeping.points import Point
    from isthmus.sweeping.sweep_folder import SweepFolder
    from isthmus.sweeping.tornado import Bars

EXAMPLES = [
    "isthmus sweep image-filter --set link.pcie.lanes=1..16:x2 --count 20",
    "isthmus sweep image-filter --set link.pcie.lanes=4,8,16 --pareto value:max,link.pcie.lanes:min",
    "isthmus sweep image-filter --tornado --count 20",
    "isthmus sweep image-filter --set link.pcie.lanes=4,8,16 --dask tcp://head:8786",
]
FILES = ("sweep.json", "sweep.csv", "sweep.html")  # that a sweep writes, without its points

SetsOfValues = Annotated[
    list[str] | None, plain("--set KEY=VALUES", "Values of a board's key or a parameter: a,b,c or FIRST..LAST:x2.")
]


def sweep(
    session: Session,
    typed: TypedOptions,
    file: Annotated[str, argument("STUDY", "The study file, or a name that 'isthmus study --list' shows.")],
    sets: SetsOfValues = None,
    pareto: Annotated[
        str | None,
        plain(
            "--pareto NAME:max,...",
            "Show the points that no other beats in value (the rate), gb_per_s, p99_s or a KEY, each max or min.",
        ),
    ] = None,
    tornado: Annotated[
        bool, plain("--tornado", "Run each assumed number of the models at both ends of its range.")
    ] = False,
    dask: Annotated[str | None, plain("--dask ADDRESS", "Run on the workers of a Dask cluster's scheduler.")] = None,
    count: Count = None,
    fine: Fine = False,
    coarse: Coarse = False,
    out: Out = None,
    dry_run: DryRun = False,
) -> None:
    """Run a study at many values of platform keys and parameters, and name the best.

    Every combination of the values runs, for each target and flow of the study, on all cores; real devices are left
    out. A range FIRST..LAST:x2 doubles the value from step to step; FIRST..LAST:+N adds N. A point is kept in
    DIR/NAME/points.jsonl as soon as it is complete: the same command after a Ctrl-C, or after it was killed, runs only
    the missing points. The sweep writes sweep.json, sweep.csv and sweep.html to DIR/NAME; NAME is the stem of STUDY.
    With --dask the points run on other machines, which need the same version and the same files ('pip install
    isthmus[dask]').
    """
    from isthmus.asking.studies import Flags
    from isthmus.asking.study_file import find_study, read_study
    from isthmus.sweeping.points import points
    from isthmus.sweeping.tornado import bars_of

    path = find_study(file)
    axes = read_axes(sets or [])
    if not tornado and all(len(axis.values) == 1 for axis in axes):
        raise IsthmusError("--set: expected a KEY with several values, as in link.pcie.lanes=4,8,16, or --tornado")
    objectives = read_objectives(pareto, axes) if pareto else []
    flags = Flags(ApplicationOptions(count, typed), grain=chosen(fine, coarse))
    study = read_study(path)
    found = points(study, path, flags, axes, session.note)
    bars = bars_of(_as_it_is(found, axes)) if tornado else []
    moved = [point for one in bars for point in (one.base, *one.moved)]
    if dry_run:
        return session.lines([f"{len(found)} points, {len(moved)} more for --tornado, of {path}"])
    wanted = Path(resolve("out", out).value) / path.stem
    check_folder(wanted, "--out")
    return _sweep(session, _Plan(path.stem, wanted, found, bars, objectives, dask))


@dataclass(frozen=True)
class _Plan:
    """The points to run, and the folder of their files."""

    name: str
    folder: Path
    points: "list[Point]"
    bars: "list[Bars]"
    objectives: "list[Objective]"
    dask: str | None

    def all_points(self) -> "list[Point]":
        """All points, each once."""
        moved = [point for one in self.bars for point in (one.base, *one.moved)]
        return list({point.key: point for point in (*self.points, *moved)}.values())


def _as_it_is(found: "Sequence[Point]", axes: Sequence[Axis]) -> list[Experiment]:
    """The experiments of the study at the first value of each key."""
    first = tuple((axis.key, axis.values[0]) for axis in axes)
    return [point.experiment for point in found if point.values == first]


def _sweep(session: Session, plan: _Plan) -> None:
    from isthmus.sweeping.page import render_sweep
    from isthmus.sweeping.sweep_folder import SweepFolder

    with SweepFolder(plan.folder) as kept:
        rows = _run(session, plan, kept)
        # With this sweep's values: an earlier one may have come to the same point by other keys.
        ordered = [rows[point.key].model_copy(update={"point": dict(point.values)}) for point in plan.points]
        file = _file(session, plan, ordered, rows)
        with OutFolder(plan.folder, FILES, session.note) as folder:
            texts = dict(zip(FILES, (to_json(file), to_csv(file.rows), render_sweep(plan.name, file)), strict=True))
            written = [folder.write(name, text) for name, text in texts.items()]
    _show(session, file, written)


def _run(session: Session, plan: _Plan, kept: "SweepFolder") -> "dict[str, SweepRow]":
    """The rows of all points by their keys: those that are kept, and what is missing."""
    from isthmus.sweeping.cluster import run_on_cluster
    from isthmus.sweeping.work import Outcome, row_of, run_here

    rows = kept.rows()
    points = plan.all_points()
    missing = [point for point in points if point.key not in rows]
    if len(missing) < len(points):
        session.note(f"{len(points) - len(missing)} of {len(points)} points are in {kept.path} already")
    session.kept_in(kept.path)
    complete = len(points) - len(missing)
    with session.progress() as progress:

        def done(number: int, outcome: Outcome) -> None:
            nonlocal complete
            complete += 1
            row = row_of(missing[number], outcome)
            rows[row.key] = row
            if row.error is None:
                kept.add(row)
            session.stream(row)
            progress.update("points", complete, len(points))

        if missing and plan.dask is not None:
            run_on_cluster(plan.dask, missing, done)
        else:
            run_here(missing, done)
    return rows


def _file(session: Session, plan: _Plan, ordered: "list[SweepRow]", rows: "dict[str, SweepRow]") -> "SweepFile":
    from isthmus.records.swept import SweepFile
    from isthmus.sweeping.tornado import told

    return SweepFile(
        context=session.context(plan.points[0].experiment.seed),
        rows=ordered,
        pareto=front(ordered, plan.objectives) if plan.objectives else [],
        tornado=told(plan.bars, rows),
    )


def _in_words(row: "SweepRow") -> str:
    """The rate of a point, and where it has it."""
    place = " ".join([*(f"{key}={value}" for key, value in row.point.items()), f"on {row.target}, {row.flow}"])
    return f"{place}: {grouped(row.value)} {row.unit}, model"


def _show(session: Session, file: "SweepFile", written: list[Path]) -> None:
    from isthmus.sweeping.page import STILL, rows_table, tornado_table

    best: dict[str, SweepRow] = {}
    for row in (row for row in file.rows if row.value is not None):
        if (row.value or 0) > (best[row.application].value or 0 if row.application in best else -1):
            best[row.application] = row
    fastest = [f"fastest of {row.application}: {_in_words(row)}" for row in best.values()]
    tables = [rows_table(file.pareto or file.rows, "what no other point beats" if file.pareto else "")]
    tables += [tornado_table(file.tornado)] if file.tornado else []
    detail = [f"inputs that move a rate by less than {percent(STILL)} are left out here"] if file.tornado else []
    detail.append(f"written: {', '.join(map(str, written))}")
    session.emit(Result(file, file.rows, verdict=fastest, tables=tables, detail=detail))
    wrong = [row for row in file.rows if row.verified is False]
    refused = [row for row in file.rows if row.error is not None]
    if wrong:
        raise AnswerIsNoError(f"verification failed: the output of {len(wrong)} points differs from the reference")
    if refused:
        raise AnswerIsNoError(f"{len(refused)} of {len(file.rows)} points could not run: {refused[0].error}")
    session.next(f"xdg-open {written[-1]}")
