"""The figures of papers, drawn again: our curves, and the numbers that the papers give."""

from collections.abc import Callable, Sequence

from isthmus.base.errors import IsthmusError
from isthmus.base.numbers import figure as shown
from isthmus.base.sizes import parse_size
from isthmus.records.papers import FigureSeries, PaperFigure, PaperRow
from isthmus.report.axes import LogAxis, Tick, decades, every
from isthmus.report.curves import HEIGHT, STYLES, Line, Panel, Point
from isthmus.report.timeline import LINE, Lane, TimelineChart, bar
from isthmus.show.output import Table

MARGIN = 8.0  # percent of a plot's width next to places that are names
ROOM = 56  # letters in a line below a plot
TIMES = 5  # names below bars


def figure_panels(figures: Sequence[PaperFigure]) -> list[Panel | TimelineChart]:
    """Each figure in which anything is there to be drawn: curves, or bars whose parts lie one behind the other."""
    return [_bars(figure) if figure.stacked else _panel(figure) for figure in figures if any(_there(figure.series))]


def tables_of(rows: Sequence[PaperRow]) -> dict[str, list[PaperRow]]:
    """The rows of each table of a paper that we have values of, by "paper, table VI"."""
    found: dict[str, list[PaperRow]] = {}
    for row in rows:
        for place in row.place.split(", "):
            if place.startswith("table "):
                found.setdefault(f"{row.paper}, {place}", []).append(row)
    return {name: table for name, table in found.items() if any(row.ours is not None for row in table)}


def _there(series: Sequence[FigureSeries]) -> list[float]:
    return [value for one in series for value in one.values if value is not None and value > 0]


def _bars(figure: PaperFigure) -> TimelineChart:
    """A bar for each series, from 0 on."""
    values = [[max(value or 0.0, 0.0) for value in series.values] for series in figure.series]
    end = max(map(sum, values))
    lanes = [
        Lane(
            name=series.name,
            top=number * LINE,
            bars=[
                bar(
                    sum(of_series[:place]),
                    sum(of_series[:place]) + value,
                    end,
                    place,
                    f"{_label(series)}, {figure.x[place]}: {shown(value)} {figure.y_unit}",
                )
                for place, value in enumerate(of_series)
                if value > 0
            ],
        )
        for number, (series, of_series) in enumerate(zip(figure.series, values, strict=True))
    ]
    step = every(0, end, TIMES)
    return TimelineChart(
        label=f"{figure.paper}, {figure.name}: {figure.title}, {_kind(figure.series[0])}",
        steps=[str(x) for x in figure.x],
        times=[
            Tick(round(100 * number * step / end, 3), f"{number * step:g} {figure.y_unit}")
            for number in range(int(end / step + 1e-9) + 1)
        ],
        lanes=lanes,
        height=len(lanes) * LINE,
        end=f"{shown(end)} {figure.y_unit}",
        table=_table(figure, [str(x) for x in figure.x], [("in all", [sum(one) for one in values])]),
        wide=True,
    )


def _panel(figure: PaperFigure) -> Panel:
    named = decades(min(_there(figure.series)), max(_there(figure.series)))
    y = LogAxis(named[0], named[-1], HEIGHT, backwards=True)
    at, joined = _places(figure.x)
    labels = [f"{x}{figure.x_unit and ' '}{figure.x_unit}" for x in figure.x]
    lines = [
        Line(
            label=_label(series),
            style=number % STYLES,
            modelled=series.kind == "modelled",
            points=[
                Point(at(place), y.at(value), f"{_label(series)}: {shown(value)} {figure.y_unit} at {labels[place]}")
                for place, value in enumerate(series.values)
                if value is not None and value > 0
            ],
            joined=joined,
        )
        for number, series in enumerate(figure.series)
    ]
    return Panel(
        name=f"{figure.paper}, {figure.name}: {figure.title}",
        meaning=f"{figure.y_label} by {figure.x_label}",
        unit=figure.y_unit,
        sizes=_apart([Tick(at(place), str(x)) for place, x in enumerate(figure.x)]),
        rates=[Tick(y.at(value), f"{value:g}") for value in named],
        lines=[line for line in lines if line.points],
        table=_table(figure, labels),
    )


def _apart(ticks: Sequence[Tick]) -> list[Tick]:
    """The names that fit in a line, evenly spaced, with the first of them."""
    longest = max(len(tick.label) for tick in ticks)
    fit = max(2, int(ROOM / (longest + 1)))
    return list(ticks[:: -(-len(ticks) // fit)])


def _label(series: FigureSeries) -> str:
    return f"{series.name}, {_kind(series)}"


def _kind(series: FigureSeries) -> str:
    return "model" if series.kind == "modelled" else "published"


def _places(x: Sequence[int | float | str]) -> tuple[Callable[[int], float], bool]:
    """Percent from the left of each place, and whether what lies between two says something."""
    numbers = [_size(one) for one in x]
    if len(x) > 1 and all(number is not None and number > 0 for number in numbers):
        known = [float(number) for number in numbers if number is not None]
        if max(known) > min(known):
            axis = LogAxis(min(known), max(known), 100)
            return lambda place: axis.at(known[place]), True
    step = (100 - 2 * MARGIN) / max(len(x) - 1, 1)
    return lambda place: round(MARGIN + step * place, 2), False


def _size(x: int | float | str) -> float | None:
    if not isinstance(x, str):
        return float(x)
    try:
        return float(parse_size(x))
    except IsthmusError:
        return None


def _table(figure: PaperFigure, labels: Sequence[str], more: Sequence[tuple[str, Sequence[float]]] = ()) -> Table:
    columns = [figure.x_label, *(f"{_label(series)}, {figure.y_unit}" for series in figure.series)]
    rows = [
        [labels[place], *("-" if (value := series.values[place]) is None else shown(value) for series in figure.series)]
        for place in range(len(labels))
    ]
    rows += [[name, *map(shown, values)] for name, values in more]
    return Table(columns, rows, numbers=frozenset(columns[1:]), title=f"{figure.paper}, {figure.name}")
