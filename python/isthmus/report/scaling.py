"""Speed-up over ranks, log-log: a panel for each mode, a line for each quantity, one for its prediction."""

from collections.abc import Callable, Mapping, Sequence

from isthmus.numbers import counted, figure
from isthmus.output import Table
from isthmus.records import ScaleRow
from isthmus.report.axes import LogAxis, Tick, decades
from isthmus.report.curves import HEIGHT, STYLES, Line, Panel, Point

LINEAR = "linear"
_MEANINGS = {"weak": "the problem grows with the ranks", "strong": "the problem stays"}

Values = Mapping[int, float]


def scaling_panels(rows: Sequence[ScaleRow]) -> list[Panel]:
    """A panel for each benchmark and mode that was run on several numbers of ranks."""
    by_panel: dict[tuple[str, str], list[ScaleRow]] = {}
    for row in rows:
        if row.speed_up and row.validated:
            by_panel.setdefault((row.name.partition(".")[0], row.mode), []).append(row)
    return [_panel(*key, found) for key, found in by_panel.items() if len({row.ranks for row in found}) > 1]


def _panel(benchmark: str, mode: str, rows: Sequence[ScaleRow]) -> Panel:
    ranks = sorted({row.ranks for row in rows})
    curves = _curves(benchmark, rows, ranks)
    values = [value for curve in curves.values() for value in curve.values()]
    named = decades(min(values), max(values))
    x, y = LogAxis(ranks[0], ranks[-1], 100), LogAxis(named[0], named[-1], HEIGHT, backwards=True)
    shared = {row.ranks for row in rows if row.shared}
    place = _placing(x, y, shared)
    modelled = {LINEAR, *(name for name in curves if name.endswith(", model"))}
    lines = [
        Line(name, number % STYLES, name in modelled, place(name, curve))
        for number, (name, curve) in enumerate(curves.items())
    ]
    return Panel(
        name=f"{benchmark}, {mode}",
        meaning=_MEANINGS[mode],
        unit=f"speed-up over {counted(ranks[0], 'rank')}",
        sizes=[Tick(x.at(count), str(count)) for count in ranks],
        rates=[Tick(y.at(value), f"{value:g}") for value in named],
        lines=lines,
        table=_table(f"{benchmark}, {mode}", ranks, curves, shared),
    )


def _placing(x: LogAxis, y: LogAxis, shared: set[int]) -> Callable[[str, Values], list[Point]]:
    def place(name: str, curve: Values) -> list[Point]:
        return [
            Point(
                x.at(count),
                y.at(value),
                f"{name}: {figure(value)} on {counted(count, 'rank')}"
                f"{', shared' if count in shared and name != LINEAR else ''}",
            )
            for count, value in curve.items()
        ]

    return place


def _curves(benchmark: str, rows: Sequence[ScaleRow], ranks: Sequence[int]) -> dict[str, Values]:
    """Linear speed-up, then each quantity and what was predicted of it; of many quantities the headline alone."""
    curves: dict[str, Values] = {LINEAR: {count: count / ranks[0] for count in ranks}}
    headline = [row for row in rows if row.name == benchmark]
    for row in headline or rows:
        curves.setdefault(f"{row.name}, measured", {row.ranks: 1.0})
        curves[f"{row.name}, measured"] = {**curves[f"{row.name}, measured"], row.ranks: row.speed_up or 1.0}
        if row.predicted is not None:
            name = f"{row.name}, predicted, model"
            first = row.value / (row.speed_up or 1.0)
            curves[name] = {**curves.get(name, {}), row.ranks: row.predicted / first}
    return curves


def _table(name: str, ranks: Sequence[int], curves: Mapping[str, Values], shared: set[int]) -> Table:
    columns = ("ranks", *curves)
    rows = [
        [
            f"{count}, shared" if count in shared else str(count),
            *(figure(curve[count]) if count in curve else "-" for curve in curves.values()),
        ]
        for count in ranks
    ]
    return Table(columns, rows, numbers=frozenset(columns), title=f"Speed-up of {name}")
