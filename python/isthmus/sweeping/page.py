"""The page of a sweep: rates over the first key with numbers, the best, what each assumed input does, every point."""

from collections.abc import Sequence
from dataclasses import dataclass

from isthmus.base.groups import grouped_by
from isthmus.base.numbers import figure, grouped
from isthmus.records.swept import SweepFile, SweepRow, TornadoBar
from isthmus.report.axes import LogAxis, Tick, decades
from isthmus.report.curves import HEIGHT, STYLES, Line, Panel, Point, legend
from isthmus.report.template import environment
from isthmus.show.output import Table
from isthmus.sweeping.values import number_of

SHOWN = 8  # inputs of a row, in a table on a terminal
STILL = 0.005  # an input whose swing is below moves nothing
_NAMED = 8  # values that an axis has room for


@dataclass(frozen=True)
class Series:
    """Rows that differ in the key of the axis alone."""

    label: str
    rows: list[SweepRow]


@dataclass(frozen=True)
class Tornado:
    """The bars of one row of the study: those that move its rate, the longest first, and the others."""

    title: str
    base: str
    bars: list[TornadoBar]
    still: list[TornadoBar]


def tornadoes(bars: Sequence[TornadoBar]) -> list[Tornado]:
    """The bars by row of the study."""
    by_row = grouped_by(lambda bar: (bar.application, bar.target, bar.flow), bars)
    return [
        Tornado(
            title=f"{application} on {target}, {flow}",
            base=f"{grouped(of_row[0].base)} {of_row[0].unit}",
            bars=[bar for bar in of_row if bar.swing >= STILL],
            still=[bar for bar in of_row if bar.swing < STILL],
        )
        for (application, target, flow), of_row in by_row.items()
    ]


def render_sweep(name: str, file: SweepFile) -> str:
    """The page as HTML; it runs no script and holds all that it shows."""
    panels = sweep_panels(file.rows)
    template = environment().get_template("sweep.html.j2")
    return template.render(
        title=f"Sweep {name}",
        file=file,
        panels=panels,
        legend=legend(panels),
        height=HEIGHT,
        best=rows_table(file.pareto),
        tornadoes=tornadoes(file.tornado),
        ends_of=ends_of,
        down=max((1 - bar.low / bar.base for bar in file.tornado), default=0.0),
        up=max((bar.high / bar.base - 1 for bar in file.tornado), default=0.0),
        still=STILL,
        every=rows_table(file.rows),
    )


def rows_table(rows: Sequence[SweepRow], title: str = "") -> Table:
    """A line for each point."""
    keys = list(dict.fromkeys(key for row in rows for key in row.point))
    unit = ", ".join(dict.fromkeys(row.unit for row in rows if row.unit)) or "rate"
    columns = (*keys, "application", "target", "flow", unit, "input payload, GB/s", "kind", "output")
    cells = [
        (
            *(row.point.get(key, "-") for key in keys),
            *(row.application, _place(row), row.flow, grouped(row.value), figure(row.gb_per_s), "model", _output(row)),
        )
        for row in rows
    ]
    return Table(columns, cells, numbers=frozenset({*keys, unit, "input payload, GB/s"}), title=title)


def _place(row: SweepRow) -> str:
    return row.target if row.channel is None else f"{row.target} over {row.channel}"


def _output(row: SweepRow) -> str:
    if row.error is not None:
        return row.error
    return "right" if row.verified else "WRONG"


def ends_of(bar: TornadoBar) -> str:
    """The ends with their unit."""
    return f"{' and '.join(bar.ends)} {bar.key_unit}".rstrip()


def tornado_table(bars: Sequence[TornadoBar]) -> Table:
    """A line for each input that moves a row of the study, the longest bars of the row, and no more of them."""
    cells = [
        (bar.target, bar.flow, bar.key, ends_of(bar), *map(grouped, (bar.low, bar.base, bar.high)), bar.unit)
        for of_row in tornadoes(bars)
        for bar in of_row.bars[:SHOWN]
    ]
    columns = ("target", "flow", "assumed input", "ends", "least, model", "as it is, model", "most, model", "unit")
    return Table(columns, cells, numbers=frozenset(name for name in columns if name.endswith("model")))


def sweep_panels(rows: Sequence[SweepRow]) -> list[Panel]:
    """A plot for each application, over the first key that has several numbers; none without such a key."""
    found = []
    for application in dict.fromkeys(row.application for row in rows):
        known = [row for row in rows if row.application == application and row.value]
        key = next((name for name in (known[0].point if known else ()) if _is_axis(name, known)), None)
        if key is not None:
            found.append(_panel(application, key, known))
    return found


def _is_axis(key: str, rows: Sequence[SweepRow]) -> bool:
    numbers = [number_of(row.point[key]) for row in rows]
    return all(number is not None and number > 0 for number in numbers) and len(set(numbers)) > 1


def _panel(application: str, key: str, rows: Sequence[SweepRow]) -> Panel:
    series = _series(key, rows)
    texts = {number_of(row.point[key]) or 1.0: row.point[key] for row in rows}
    numbers = sorted(texts)
    values = [row.value or 1.0 for row in rows]
    named = decades(min(values), max(values))
    x, y = LogAxis(numbers[0], numbers[-1], 100), LogAxis(named[0], named[-1], HEIGHT, backwards=True)
    every = -(-len(numbers) // _NAMED)
    return Panel(
        name=application,
        meaning=f"by {key}, both axes logarithmic, model",
        unit=rows[0].unit,
        sizes=[Tick(x.at(number), texts[number]) for number in numbers[::every]],
        rates=[Tick(y.at(value), f"{value:g}") for value in named],
        lines=[
            Line(one.label, at % STYLES, True, [_point(key, row, x, y, one.label) for row in one.rows])
            for at, one in enumerate(series)
        ],
        table=rows_table(rows),
    )


def _series(key: str, rows: Sequence[SweepRow]) -> list[Series]:
    def label(row: SweepRow) -> str:
        others = [f"{name}={value}" for name, value in row.point.items() if name != key]
        return ", ".join([_place(row), row.flow, *others])

    def place(row: SweepRow) -> float:
        return number_of(row.point[key]) or 0.0

    return [Series(name, sorted(one, key=place)) for name, one in grouped_by(label, rows).items()]


def _point(key: str, row: SweepRow, x: LogAxis, y: LogAxis, label: str) -> Point:
    value = row.value or 1.0
    title = f"{label}: {grouped(value)} {row.unit} at {key}={row.point[key]}"
    return Point(x.at(number_of(row.point[key]) or 1.0), y.at(value), title)
