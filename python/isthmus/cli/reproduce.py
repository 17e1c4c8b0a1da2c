"""`isthmus reproduce [PAPER...]`: the published numbers beside ours."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from isthmus.cli.command import DryRun, List, Sets
from isthmus.cli.session import Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isthmus.output import Table
    from isthmus.records import PaperRow, PaperScore
    from isthmus.reproduction.published import Paper
    from isthmus.reproduction.survey import Survey

EXAMPLES = [
    "isthmus reproduce",
    "isthmus reproduce stacc --json stacc.json",
    "isthmus reproduce choi2019 --no-structure",
]
FEW_IMAGES = 6
FLOWS = 3
START_S = 1.0


def reproduce(
    session: Session,
    papers: Annotated[list[str] | None, typer.Argument(metavar="PAPER", help="Names or globs; all by default.")] = None,
    images: Annotated[
        int,
        typer.Option(
            "--images", metavar="N", min=1, help="Images of a run that is only compared with others. [default: 6]"
        ),
    ] = FEW_IMAGES,
    no_structure: Annotated[
        bool, typer.Option("--no-structure", help="Leave out what structure alone gives, which takes most of the time.")
    ] = False,
    sets: Sets = None,
    list_: List = False,
    dry_run: DryRun = False,
) -> None:
    """The published numbers beside ours, with the role of each and the score.

    Roles: input (the model was given it), derived (the calibrated inputs determine it: found by moving each of them by
    10 %), predicted (anything else that the model gives), checked (arithmetic of the paper), claim (true or false
    here), outside (no performance model can give it). The experiments run with the 200 images of the paper; runs that
    are only compared with each other (perturbations, sweeps of a rate) take fewer. Errors are of predicted rows.
    """
    from isthmus.names import select
    from isthmus.reproduction.laboratory import Bench
    from isthmus.reproduction.published import paper_names, read_papers
    from isthmus.reproduction.survey import Survey

    if list_:
        return session.lines([f"{name}  {paper.title}" for name, paper in read_papers().items()])
    chosen = select("paper", papers or [], paper_names())
    read = read_papers()
    published = {row.id: row for paper in read.values() for row in paper.row}
    row_ids = [row.id for name in chosen for row in read[name].row]
    survey = Survey(published, row_ids, Bench(), images, tuple(sets or ()), structure=not no_structure)
    if dry_run:
        return session.lines(_plan(survey))
    if sets:
        session.warn("with --set the boards are not those of the papers")
    with session.progress() as progress:
        survey.run(lambda done, total: progress.update("states of the boards", done, total))
    return _show(session, survey, read, chosen)


def _plan(survey: "Survey") -> list[str]:
    from isthmus.experiments import ASSUMED_S_PER_IMAGE
    from isthmus.progress import duration

    views = survey.views()
    images = FLOWS * sum(view.lab.images for view in views)
    wall_s = (images * ASSUMED_S_PER_IMAGE + FLOWS * len(views) * START_S) / (os.cpu_count() or 1)
    return [
        f"{len(views)} states of the boards, {FLOWS} flows each: {images} images, {survey.images} for a comparison",
        f"about {duration(wall_s)} if an image takes {ASSUMED_S_PER_IMAGE} s and a start {START_S} s",
    ]


def _show(session: Session, survey: "Survey", papers: "dict[str, Paper]", chosen: "Sequence[str]") -> None:
    from isthmus.output import Result
    from isthmus.records import ReproduceFile
    from isthmus.reproduction.comparison import paper_rows, score

    rows = paper_rows(survey, papers)
    scores = score(rows, papers, chosen)
    file = ReproduceFile(context=session.context(), rows=rows, score=scores)
    session.emit(
        Result(
            file,
            rows,
            verdict=[_sentence(name, found) for name, found in scores.items() if name != "all" or len(chosen) > 1],
            tables=[_table(rows), _score_table(scores)],
            detail=[
                "every value of ours is a model's, from runs of 200 images; roles, sweeps of a rate and the ends of "
                f"assumed ranges are compared in runs of {survey.images}"
            ],
        )
    )
    session.next("isthmus platform show model:aws-f1")


def _sentence(name: str, found: "PaperScore") -> str:
    predicted = found.roles.get("predicted")
    if predicted is None or predicted.mean_error is None or predicted.largest_error is None:
        return f"{name}: nothing predicted; {found.compared} of {found.published} numbers compared, {found.open} open"
    return (
        f"{name}: {predicted.rows} predicted, {predicted.agree} of them within 15 %, mean error "
        f"{predicted.mean_error:.1%}, largest {predicted.largest_error:.1%}; "
        f"{found.compared} of {found.published} numbers compared, {found.open} open"
    )


def _table(rows: "Sequence[PaperRow]") -> "Table":
    from isthmus.output import Table

    columns = ("id", "place", "quantity", "unit", "published", "ours, model", "error", "role", "note")
    cells = [
        (
            row.id,
            row.place,
            row.quantity,
            row.unit,
            _as_printed(row.published),
            _text(row.ours),
            "-" if row.error is None else f"{row.error:+.1%}",
            row.role,
            row.note,
        )
        for row in rows
    ]
    return Table(columns, cells, numbers=frozenset({"published", "ours, model", "error"}), below="note", key_columns=1)


def _score_table(scores: "dict[str, PaperScore]") -> "Table":
    from isthmus.output import Table

    columns = ("paper", "role", "rows", "agree", "mean error", "largest error")
    cells = [
        (
            name,
            role,
            str(part.rows),
            "-" if part.agree is None else str(part.agree),
            "-" if part.mean_error is None else f"{part.mean_error:.1%}",
            "-" if part.largest_error is None else f"{part.largest_error:.1%}",
        )
        for name, found in scores.items()
        for role, part in found.roles.items()
    ]
    return Table(columns, cells, numbers=frozenset(columns[2:]), title="score, duplicates once")


def _as_printed(value: bool | int | float | str) -> str:
    return f"{value:.15g}" if isinstance(value, float) else _text(value) if isinstance(value, bool) else str(value)


def _text(value: bool | int | float | str | None) -> str:
    from isthmus.numbers import figure

    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else figure(float(value))
