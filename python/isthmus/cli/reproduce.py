"""`isthmus reproduce [PAPER...]`: published numbers compared with ours."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from isthmus.base.errors import IsthmusError
from isthmus.base.files import write_atomically
from isthmus.base.names import select
from isthmus.base.numbers import figure
from isthmus.cli.command import DryRun, List, Sets, argument, counting, plain
from isthmus.show.output import Result, Table
from isthmus.show.progress import duration
from isthmus.show.session import Session

if TYPE_CHECKING:
    from isthmus.records.papers import PaperFigure, PaperRow, Recalibration
    from isthmus.reproduction.evaluation import Evaluation
    from isthmus.reproduction.holdout import HoldOut
    from isthmus.reproduction.model_runs import ToolAnswers
    from isthmus.reproduction.published import Paper

EXAMPLES = [
    "isthmus reproduce",
    "isthmus reproduce stacc --failing",
    "isthmus reproduce choi2019 --no-spans --json choi2019.json",
    "isthmus reproduce stacc --no-spans --figures --json stacc.json && isthmus report stacc.json",
    "isthmus reproduce --new lab.py && isthmus reproduce lab.py",
    "isthmus reproduce --hold-out S000-087",
]
OF_PYTHON = ".py"
FEW_IMAGES = 4
PROBE_S = 0.5
IMAGE_S = 0.1
START_S = 0.05


def reproduce(
    session: Session,
    papers: Annotated[
        list[str] | None,
        argument(
            "PAPER",
            "Names or globs of papers, or Python files of papers, which it runs. [default: every installed one]",
        ),
    ] = None,
    failing: Annotated[
        bool, plain("--failing", "Show only the rows that do not agree; the JSON file has all.")
    ] = False,
    images: Annotated[
        int, counting("--images N", "Images in runs that are only compared with each other. [default: 4]")
    ] = FEW_IMAGES,
    no_spans: Annotated[
        bool, plain("--no-spans", "Do not vary the assumed inputs, which saves most of the time.")
    ] = False,
    figures: Annotated[
        bool, plain("--figures", "Draw the figures of the papers again, for the JSON file and its report.")
    ] = False,
    new: Annotated[
        str | None, plain("--new FILE", "Begin a paper of your own, FILE.py and FILE.toml, and stop.")
    ] = None,
    hold_out: Annotated[
        str | None,
        plain(
            "--hold-out EXPERIMENT",
            "Predict a row, given by its id or as PAPER:PLACE, with a model that was not calibrated on it.",
        ),
    ] = None,
    sets: Sets = None,
    list_: List = False,
    dry_run: DryRun = False,
) -> None:
    """Compare published numbers with those of the models, and score the models.

    Papers: choi2019 (Choi et al., TRETS 2019), stacc (Ruan et al., ST-Accel, FCCM 2018), gemieux2018 (Gémieux et al.,
    IEEE Access 2018), min2019 (Min et al., FPL 2019). Rows that do not agree come first. A paper of your own is a
    Python file, which is run as code when you name it, with a TOML file of its numbers beside it; --new begins both.

    Each row has a role. input: the number is an input of the model. derived: a calibrated input determines the row; a
    change of the input by a tenth changes the row by over 0.8 of that. predicted: the model gives the row, and some
    input changes it. checked: the row is arithmetic of the paper. claim: the statement is true or false here. outside:
    no performance model can give the row. The span of a predicted row holds its values with the assumed inputs anywhere
    in their ranges. The experiments run with the 200 images of the paper; runs that are only compared with each other
    take fewer. The errors count the predicted rows only; rows that follow from one run count once. --hold-out fits the
    numbers that were calibrated on one experiment (and its duplicates) again to the other experiments, or turns them
    off if no other determines them; the output then has only the rows of that experiment.
    """
    from isthmus.reproduction.evaluation import Evaluation
    from isthmus.reproduction.figures import draw
    from isthmus.reproduction.holdout import HoldOut
    from isthmus.reproduction.model_runs import ToolAnswers
    from isthmus.reproduction.papers import read_papers

    if new is not None:
        return _new(session, new)
    if list_:
        return session.lines([f"{name}  {paper.title}" for name, paper in read_papers().items()])
    tools = ToolAnswers()
    read, chosen = _read(papers or [], tools)
    if hold_out is not None:
        return _hold_out(session, HoldOut(read, tools, images), hold_out)
    published = {row.id: row for paper in read.values() for row in paper.row}
    row_ids = [row.id for name in chosen for row in read[name].row]
    paper_of = {row.id: name for name, paper in read.items() for row in paper.row}
    places = _places(_files(papers or []), read)
    evaluation = Evaluation(published, row_ids, tools, images, tuple(sets or ()), not no_spans, paper_of, places)
    if dry_run:
        return session.lines(_plan(evaluation))
    if sets:
        session.warn("with --set the boards are not those of the papers")
    with session.progress() as progress:
        drawn = draw(read, chosen, evaluation.as_they_are(), progress.update) if figures else []
        evaluation.run(progress.update)
    return _show(session, evaluation, read, chosen, failing, drawn)


def _read(words: Sequence[str], tools: "ToolAnswers") -> "tuple[dict[str, Paper], list[str]]":
    """Every paper, and the names of the chosen ones; the rows of a user's own papers are checked."""
    from isthmus.reproduction.model_runs import ModelRuns
    from isthmus.reproduction.papers import check_paper, paper_names, read_papers

    files = _files(words)
    names = [word for word in words if not word.endswith(OF_PYTHON)]
    read = read_papers(files)
    published = {row.id: row for paper in read.values() for row in paper.row}
    for file in files:
        check_paper(file, read[file.stem], ModelRuns(tools, 1, 1, published=published))
    installed = select("paper", names, paper_names()) if names or not files else []
    return read, [*installed, *(file.stem for file in files)]


def _files(words: Sequence[str]) -> list[Path]:
    """The Python files of the user's own papers."""
    for word in words:
        if word.endswith(".toml"):
            raise IsthmusError(f"{word}: expected the Python file of a paper, which this one has beside it")
    return [Path(word) for word in words if word.endswith(OF_PYTHON)]


def _places(files: Sequence[Path], papers: "dict[str, Paper]") -> dict[str, str]:
    """The places of the user's own rows."""
    from isthmus.reproduction.papers import place_of

    return {row.id: f"{place_of(file, row.id)}: " for file in files for row in papers[file.stem].row}


def _new(session: Session, file: str) -> None:
    from isthmus.reproduction.papers import new_paper

    if Path(file).suffix not in ("", OF_PYTHON):
        raise IsthmusError(f"--new: expected a name that ends in {OF_PYTHON} or has no end, got '{file}'")
    paper = Path(file).with_suffix(OF_PYTHON)
    texts = new_paper(paper)
    for path in texts:
        if path.exists():
            raise IsthmusError(f"{path}: is there already", hint="choose another name.")
    for path, text in texts.items():
        write_atomically(path, text)
    session.lines(list(map(str, texts)))
    session.next(f"isthmus reproduce {paper}")


def _hold_out(session: Session, study: "HoldOut", experiment: str) -> None:
    from isthmus.records.papers import ReproduceFile
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


def _recalibrated(one: "Recalibration") -> str:
    now = (
        f"{figure(one.new)} {one.unit} from the others"
        if one.new is not None
        else f"determined by no other row, so turned off ({one.set})"
    )
    return f"{one.key}: {figure(one.old)} {one.unit} with it, {now}"


def _plan(evaluation: "Evaluation") -> list[str]:
    from isthmus.reproduction.model_runs import CORES
    from isthmus.reproduction.scenarios import experiments_s

    scenarios = evaluation.first_scenarios()
    if evaluation.spans:
        scenarios += [*evaluation.end_scenarios(evaluation.spanned_rows()), *evaluation.most_corner_scenarios()]
    wall_s = (
        sum(START_S + experiments_s(scenario, evaluation.published, IMAGE_S, PROBE_S) for scenario in scenarios) / CORES
    )
    return [
        f"{len(scenarios)} states of the boards, {evaluation.images} images of a run that is only compared",
        f"at most about {duration(wall_s)} on {CORES} cores if an image takes {IMAGE_S} s and a probe {PROBE_S} s",
    ]


def _show(
    session: Session,
    evaluation: "Evaluation",
    papers: "dict[str, Paper]",
    chosen: Sequence[str],
    only_failing: bool,
    figures: "list[PaperFigure]",
) -> None:
    from isthmus.records.papers import ReproduceFile
    from isthmus.reproduction.comparison import AGREE, failing, paper_rows, score
    from isthmus.reproduction.tables import score_line, score_table

    rows = paper_rows(evaluation, papers)
    wrong = failing(rows)
    scores = score(rows, papers, chosen)
    session.emit(
        Result(
            ReproduceFile(context=session.context(), rows=rows, score=scores, figures=figures),
            wrong if only_failing else rows,
            verdict=[score_line(name, found) for name, found in scores.items() if name != "all" or len(chosen) > 1],
            tables=[*_tables(rows, wrong, only_failing), score_table(scores)],
            detail=[
                AGREE,
                "every value of ours is a model's, from runs of 200 images; roles, sweeps of a rate and the ends of "
                f"assumed ranges are compared in runs of {evaluation.images}",
            ],
        )
    )
    if not evaluation.spans:
        session.note("without spans a row that no calibrated input moves is called a claim; leave out --no-spans")
    session.next("isthmus platform show model:aws-f1")


def _tables(rows: "Sequence[PaperRow]", wrong: "Sequence[PaperRow]", only_failing: bool) -> list[Table]:
    from isthmus.reproduction.tables import rows_table

    found = [rows_table(wrong, "does not agree, worst first")] if wrong else []
    names = {row.id for row in wrong}
    rest = [row for row in rows if row.id not in names]
    return found if only_failing else [*found, rows_table(rest, "the others")]
