"""The figures of the papers, drawn again from the models on the boards as they are."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from isthmus.base.errors import IsthmusError
from isthmus.records.papers import FigureSeries, PaperFigure
from isthmus.reproduction.counterparts import Published
from isthmus.reproduction.model_runs import CORES, ModelRuns
from isthmus.reproduction.published import Paper, PublishedFigure

Task = tuple[int, str, int]  # a figure, a series of it, a place


def draw(
    papers: Mapping[str, Paper],
    chosen: Sequence[str],
    models: ModelRuns,
    on_progress: Callable[[str, int, int], None],
) -> list[PaperFigure]:
    """The figures of the chosen papers, each value computed now; an IsthmusError names the figure and the series."""
    figures = [(name, figure) for name in chosen for figure in papers[name].figures]
    tasks = [
        (number, series, place)
        for number, (_, figure) in enumerate(figures)
        for series in figure.series
        for place in range(len(figure.places))
    ]
    values: dict[Task, float | None] = {}
    with ThreadPoolExecutor(CORES) as pool:
        found = pool.map(lambda task: _value(figures[task[0]], task, models), tasks)
        for done, (task, value) in enumerate(zip(tasks, found, strict=True), start=1):
            values[task] = value
            on_progress("figures", done, len(tasks))
    return [_figure(name, figure, number, values) for number, (name, figure) in enumerate(figures)]


def _value(of: tuple[str, PublishedFigure], task: Task, models: ModelRuns) -> float | None:
    (paper, figure), (_, series, place) = of, task
    counterpart = figure.curve(series)[place]
    if counterpart is None:
        return None
    try:
        return models.number_of(counterpart, figure.y[1])
    except IsthmusError as error:
        raise IsthmusError(f"{paper}: figure '{figure.name}': series '{series}': {error}") from error


def _figure(paper: str, figure: PublishedFigure, number: int, values: Mapping[Task, float | None]) -> PaperFigure:
    places = range(len(figure.places))
    return PaperFigure(
        paper=paper,
        name=figure.name,
        title=figure.title,
        x_label=figure.x[0],
        x_unit=figure.x[1],
        x=list(figure.places),
        y_label=figure.y[0],
        y_unit=figure.y[1],
        stacked=figure.stacked,
        series=[
            FigureSeries(
                name=name,
                kind="published" if any(isinstance(one, Published) for one in figure.curve(name)) else "modelled",
                values=[values[number, name, place] for place in places],
            )
            for name in figure.series
        ],
    )
