"""The figures of the papers, drawn again from the models on the boards as they are."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from isthmus.base.errors import IsthmusError
from isthmus.base.numbers import is_number
from isthmus.records.papers import FigureSeries, PaperFigure
from isthmus.reproduction.expressions import Evaluator, number_in
from isthmus.reproduction.model_runs import CORES
from isthmus.reproduction.published import Paper, PublishedFigure, PublishedRow, Series
from isthmus.reproduction.units import convert

Task = tuple[int, int, int]  # a figure, a series of it, a place


def draw(
    papers: Mapping[str, Paper],
    chosen: Sequence[str],
    evaluator: Evaluator,
    on_progress: Callable[[str, int, int], None],
) -> list[PaperFigure]:
    """The figures of the chosen papers, each value computed now; an IsthmusError names the figure and the series."""
    figures = [(name, figure) for name in chosen for figure in papers[name].figure]
    tasks = [
        (number, series, place)
        for number, (_, figure) in enumerate(figures)
        for series in range(len(figure.series))
        for place in range(len(figure.x.values))
    ]
    values: dict[Task, float | None] = {}
    with ThreadPoolExecutor(CORES) as pool:
        found = pool.map(lambda task: _value(figures[task[0]], task, evaluator), tasks)
        for done, (task, value) in enumerate(zip(tasks, found, strict=True), start=1):
            values[task] = value
            on_progress("figures", done, len(tasks))
    return [_figure(name, figure, number, values) for number, (name, figure) in enumerate(figures)]


def check_figures(
    path: Path, paper: Paper, check: Callable[[str, str], None], known: Mapping[str, PublishedRow]
) -> None:
    """Refuses a figure if one of its values cannot be had; `check` takes an experiment and the unit of its axis."""
    for figure in paper.figure:
        for series in figure.series:
            listed = series.experiments if series.experiments is not None else series.rows
            if listed is not None and len(listed) != len(figure.x.values):
                raise IsthmusError(
                    f"{path}: figure '{figure.name}': series '{series.name}': expected {len(figure.x.values)} values, "
                    f"got {len(listed)}"
                )
            for place, x in enumerate(figure.x.values):
                _check_one(path, figure, series, series.at(place, x), check, known)


def _check_one(
    path: Path,
    figure: PublishedFigure,
    series: Series,
    wanted: str,
    check: Callable[[str, str], None],
    known: Mapping[str, PublishedRow],
) -> None:
    try:
        if series.rows is None and wanted:
            check(wanted, figure.y.unit)
        elif wanted and not is_number(known[wanted].value if wanted in known else None):
            raise IsthmusError(f"expected a row with a number, got '{wanted}'")
    except IsthmusError as error:
        raise IsthmusError(f"{path}: figure '{figure.name}': series '{series.name}': {error}") from error


def _value(of: tuple[str, PublishedFigure], task: Task, evaluator: Evaluator) -> float | None:
    paper, figure = of
    series, place = figure.series[task[1]], task[2]
    wanted = series.at(place, figure.x.values[place])
    if not wanted:
        return None
    try:
        if series.rows is not None:
            row = evaluator.published[wanted]
            return convert(number_in(row.value), row.unit, figure.y.unit)
        return number_in(evaluator.value(wanted, figure.y.unit))
    except IsthmusError as error:
        raise IsthmusError(f"{paper}: figure '{figure.name}': series '{series.name}': {error}") from error


def _figure(paper: str, figure: PublishedFigure, number: int, values: Mapping[Task, float | None]) -> PaperFigure:
    places = range(len(figure.x.values))
    return PaperFigure(
        paper=paper,
        name=figure.name,
        title=figure.title,
        x_label=figure.x.label,
        x_unit=figure.x.unit,
        x=figure.x.values,
        y_label=figure.y.label,
        y_unit=figure.y.unit,
        stacked=figure.stacked,
        series=[
            FigureSeries(
                name=series.name,
                kind="modelled" if series.rows is None else "published",
                values=[values[number, at, place] for place in places],
            )
            for at, series in enumerate(figure.series)
        ],
    )
