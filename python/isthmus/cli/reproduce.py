"""`isthmus reproduce [PAPER...]`: the published numbers beside ours."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from isthmus.cli.command import DryRun, List, Sets, count
from isthmus.cli.session import Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isthmus.records import Recalibrated
    from isthmus.reproduction.holdout import HoldOut
    from isthmus.reproduction.published import Paper
    from isthmus.reproduction.survey import Survey

EXAMPLES = [
    "isthmus reproduce",
    "isthmus reproduce stacc --json stacc.json",
    "isthmus reproduce choi2019 --no-structure",
    "isthmus reproduce --hold-out S000-087",
]
FEW_IMAGES = 6
FLOWS = 3
START_S = 1.0


def reproduce(
    session: Session,
    papers: Annotated[list[str] | None, typer.Argument(metavar="PAPER", help="Names or globs; all by default.")] = None,
    images: Annotated[
        int,
        count("--images", metavar="N", text="Images of a run that is only compared with others. [default: 6]"),
    ] = FEW_IMAGES,
    no_structure: Annotated[
        bool, typer.Option("--no-structure", help="Leave out what structure alone gives, which takes most of the time.")
    ] = False,
    hold_out: Annotated[
        str | None,
        typer.Option(
            "--hold-out", metavar="EXPERIMENT", help="A row, or paper and place: what the model says without it."
        ),
    ] = None,
    sets: Sets = None,
    list_: List = False,
    dry_run: DryRun = False,
) -> None:
    """The published numbers beside ours, with the role of each and the score.

    Roles: input (the model was given it), derived (the calibrated inputs determine it: found by moving each of them by
    10 %), predicted (anything else that the model gives), checked (arithmetic of the paper), claim (true or false
    here), outside (no performance model can give it). The experiments run with the 200 images of the paper; runs that
    are only compared with each other (perturbations, sweeps of a rate) take fewer. Errors are of predicted rows.
    With --hold-out the numbers that were calibrated with one experiment (its duplicates included) are found again from
    the others, or turned off where no other tells them, and its rows alone are shown.
    """
    from isthmus.names import select
    from isthmus.reproduction.holdout import HoldOut
    from isthmus.reproduction.laboratory import Bench
    from isthmus.reproduction.published import paper_names, read_papers
    from isthmus.reproduction.survey import Survey

    if list_:
        return session.lines([f"{name}  {paper.title}" for name, paper in read_papers().items()])
    chosen = select("paper", papers or [], paper_names())
    read = read_papers()
    if hold_out is not None:
        return _hold_out(session, HoldOut(read, Bench(), images), hold_out)
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


def _hold_out(session: Session, study: "HoldOut", experiment: str) -> None:
    from isthmus.output import Result
    from isthmus.records import ReproduceFile
    from isthmus.reproduction.tables import held_out_table

    with session.progress() as progress:
        progress.update(f"without {experiment}", 0, 1)
        found = study.run(experiment)
    changes = {(row.board, one.key): one for row in found for one in row.recalibrated}
    worst = max(found, key=lambda row: abs(row.error), default=None)
    said = f"; the model without it is off by at most {abs(worst.error):.1%} ({worst.id})" if worst else ""
    session.emit(
        Result(
            ReproduceFile(context=session.context(), rows=[], score={}, held_out=found),
            found,
            verdict=[f"{experiment} held out: {len(changes)} of the model's numbers rest on it{said}"],
            tables=[held_out_table(found)],
            detail=[f"{board} {_recalibrated(one)}" for (board, _), one in changes.items()],
        )
    )
    session.next("isthmus reproduce")


def _recalibrated(one: "Recalibrated") -> str:
    from isthmus.numbers import figure

    now = (
        f"{figure(one.new)} {one.unit} from the others"
        if one.new is not None
        else f"told by no other, so turned off ({one.set})"
    )
    return f"{one.key}: {figure(one.old)} {one.unit} with it, {now}"


def _plan(survey: "Survey") -> list[str]:
    from isthmus.experiments import ASSUMED_S
    from isthmus.progress import duration

    views = survey.views()
    image_s, images = ASSUMED_S["images"], FLOWS * sum(view.lab.images for view in views)
    wall_s = (images * image_s + FLOWS * len(views) * START_S) / (os.cpu_count() or 1)
    return [
        f"{len(views)} states of the boards, {FLOWS} flows each: {images} images, {survey.images} for a comparison",
        f"about {duration(wall_s)} if an image takes {image_s} s and a start {START_S} s",
    ]


def _show(session: Session, survey: "Survey", papers: "dict[str, Paper]", chosen: "Sequence[str]") -> None:
    from isthmus.output import Result
    from isthmus.records import ReproduceFile
    from isthmus.reproduction.comparison import paper_rows, score
    from isthmus.reproduction.tables import rows_table, score_line, score_table

    rows = paper_rows(survey, papers)
    scores = score(rows, papers, chosen)
    file = ReproduceFile(context=session.context(), rows=rows, score=scores)
    session.emit(
        Result(
            file,
            rows,
            verdict=[score_line(name, found) for name, found in scores.items() if name != "all" or len(chosen) > 1],
            tables=[rows_table(rows), score_table(scores)],
            detail=[
                "every value of ours is a model's, from runs of 200 images; roles, sweeps of a rate and the ends of "
                f"assumed ranges are compared in runs of {survey.images}"
            ],
        )
    )
    session.next("isthmus platform show model:aws-f1")
