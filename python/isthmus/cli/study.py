"""`isthmus study FILE`: an application on several targets in several flows, and one verdict."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isthmus.cli.command import DryRun, List, Sets, setting
from isthmus.cli.run import Images, Input
from isthmus.cli.session import Session
from isthmus.errors import AnswerIsNoError, IsthmusError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isthmus.experiments import Experiment
    from isthmus.records import Row

EXAMPLES = [
    "isthmus study examples/image-filter.toml",
    "isthmus study examples/image-filter.toml --images 20 --dry-run",
    "isthmus study examples/image-filter.toml --set link.pcie.lanes=8",
]

Out = Annotated[str | None, setting("out", "--out", metavar="DIR", text="Folder of the results.")]


def study(
    session: Session,
    file: Annotated[str | None, typer.Argument(metavar="FILE", help="The study file; --list finds some.")] = None,
    images: Images = None,
    photographs: Input = None,
    sets: Sets = None,
    out: Out = None,
    list_: List = False,
    dry_run: DryRun = False,
) -> None:
    """An application on several targets in several flows, and one verdict.

    Writes study.json, report.html and chart.svg to DIR/NAME, NAME being the stem of FILE; each row is in
    DIR/NAME/study.jsonl as soon as it is complete. --set changes the models; an OpenCL device has no flow 'stream'.
    Models run side by side on all cores, a real device alone.
    """
    from isthmus.settings import resolve
    from isthmus.studies import experiments_of, find_study, read_study, study_files

    if list_:
        return session.lines(study_files())
    if file is None:
        raise IsthmusError("FILE: expected a study file", hint="'isthmus study --list' finds some.")
    path = find_study(file)
    experiments = experiments_of(read_study(path), path, sets or [], images, photographs)
    if dry_run:
        from isthmus.cli.plan import show_plan

        return show_plan(session, experiments)
    folder = Path(resolve("out", out).value) / path.stem
    return _conclude(session, _run_all(session, experiments, folder), folder, path)


def _run_all(session: Session, experiments: "Sequence[Experiment]", folder: Path) -> "list[Row]":
    """Models side by side, then each real device by itself, so that nothing disturbs what is measured."""
    from isthmus.cli.events import Listener, Tally
    from isthmus.experiments import run_experiment
    from isthmus.side_by_side import run_side_by_side
    from isthmus.targets import is_model

    kept = _Rows(session, folder / "study.jsonl")
    models = {number: run for number, run in enumerate(experiments) if is_model(run.target)}
    with Listener(session, f"{len(models)} models side by side: ") as listener:
        run_side_by_side(models, Tally(listener, sum(run.images for run in models.values())), kept.keep)
    for number, experiment in enumerate(experiments):
        if number not in models:
            prefix = f"run {number + 1} of {len(experiments)}, {experiment.target} {experiment.flow}: "
            with Listener(session, prefix) as listener:
                kept.keep(number, run_experiment(experiment, listener))
    return kept.in_order()


class _Rows:
    """Rows as they are completed, in the order of the study."""

    def __init__(self, session: Session, file: Path) -> None:
        self._session = session
        self._file = file
        self._rows: dict[int, Row] = {}
        self._streamed = 0

    def keep(self, number: int, row: "Row") -> None:
        """Writes all complete rows to the file; streams this one once those before it are complete."""
        from isthmus.files import write_atomically
        from isthmus.output import to_json_line

        self._rows[number] = row
        write_atomically(self._file, "".join(to_json_line(row) for row in self.in_order()))
        while self._streamed in self._rows:
            self._session.stream(self._rows[self._streamed])
            self._streamed += 1

    def in_order(self) -> "list[Row]":
        return [self._rows[number] for number in sorted(self._rows)]


def _conclude(session: Session, rows: "list[Row]", folder: Path, path: Path) -> None:
    from isthmus.experiments import refuse_wrong
    from isthmus.files import write_atomically
    from isthmus.numbers import grouped
    from isthmus.output import Result, to_json
    from isthmus.records import StudyFile
    from isthmus.report import render_chart, render_study
    from isthmus.tables import rows_table
    from isthmus.verdict import decide, kind_of, reason

    verdict = decide(rows)
    file = StudyFile(context=session.context(rows[0].seed), rows=rows, verdict=verdict)
    write_atomically(folder / "study.json", to_json(file))
    write_atomically(folder / "report.html", render_study(file, path.stem))
    write_atomically(folder / "chart.svg", render_chart(file))
    said = []
    if verdict is not None:
        best = next(row for row in rows if (row.target, row.flow) == (verdict.target, verdict.flow))
        pace = f"{grouped(best.images_per_s)} images/s, {kind_of(best)}"
        said = [f"fastest: {best.target}, {best.flow}: {pace}", f"bottleneck, {kind_of(best)}: {reason(best)}"]
    session.emit(
        Result(
            file=file,
            records=rows,
            verdict=said,
            tables=[rows_table(rows)],
            detail=[
                *(verdict.reasons[1:] if verdict else []),
                f"{rows[0].images} images of {rows[0].width}x{rows[0].height} in each run",
                f"written: {folder}/study.json, {folder}/report.html, {folder}/chart.svg",
            ],
        )
    )
    refuse_wrong(rows)
    if verdict is None:
        raise AnswerIsNoError("no target gave the right output")
    session.next(f"xdg-open {folder / 'report.html'}")
