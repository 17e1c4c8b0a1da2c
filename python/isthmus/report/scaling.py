"""Speed-up over ranks, log-log: a panel for each mode, a line for each quantity, one for its prediction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from isthmus.base.groups import grouped_by
from isthmus.base.numbers import counted, figure
from isthmus.hpcc.benchmarks import rated
from isthmus.records.hpcc import ScaleRow
from isthmus.report.axes import LogAxis, Tick, decades
from isthmus.report.curves import HEIGHT, STYLES, Line, Panel, Point
from isthmus.show.output import Table

LINEAR = "linear"
_MEANINGS = {"weak": "the problem grows with the ranks", "strong": "the problem stays"}

Values = Mapping[int, float]


@dataclass
class Curve:
    """Speed-up by ranks, and where that of the repetitions lies."""

    values: dict[int, float] = field(default_factory=dict)
    spreads: dict[int, tuple[float, float]] = field(default_factory=dict)


def scaling_panels(rows: Sequence[ScaleRow]) -> list[Panel]:
    """A panel for each benchmark and mode that was run on several numbers of ranks; a line looks the same in all."""
    known = (row for row in rows if row.speed_up and row.validated)
    by_panel = grouped_by(lambda row: (row.name.partition(".")[0], row.mode), known)
    several = {key: found for key, found in by_panel.items() if len({row.ranks for row in found}) > 1}
    curves = {key: _curves(key[0], found) for key, found in several.items()}
    names = dict.fromkeys(name for found in curves.values() for name in found)
    styles = {name: number % STYLES for number, name in enumerate(names)}
    return [_panel(f"{key[0]}, {key[1]}", key[1], several[key], curves[key], styles) for key in several]


def _panel(
    name: str, mode: str, rows: Sequence[ScaleRow], curves: Mapping[str, Curve], styles: Mapping[str, int]
) -> Panel:
    ranks = sorted({row.ranks for row in rows})
    shown = [value for curve in curves.values() for value in curve.values.values()]
    shown += [end for curve in curves.values() for spread in curve.spreads.values() for end in spread]
    named = decades(min(shown), max(shown))
    place = _Placement(
        LogAxis(ranks[0], ranks[-1], 100),
        LogAxis(named[0], named[-1], HEIGHT, backwards=True),
        {row.ranks for row in rows if row.shared},
    )
    return Panel(
        name=name,
        meaning=_MEANINGS[mode],
        unit=f"speed-up over {counted(ranks[0], 'rank')}",
        sizes=[Tick(place.x.at(count), str(count)) for count in ranks],
        rates=[Tick(place.y.at(value), f"{value:g}") for value in named],
        lines=[
            Line(label, styles[label], label == LINEAR or label.endswith(", model"), place.points(label, curve))
            for label, curve in curves.items()
        ],
        table=_table(name, ranks, {label: curve.values for label, curve in curves.items()}, place.shared),
    )


@dataclass(frozen=True)
class _Placement:
    x: LogAxis
    y: LogAxis
    shared: set[int]

    def points(self, name: str, curve: Curve) -> list[Point]:
        return [self._point(name, count, value, curve.spreads.get(count)) for count, value in curve.values.items()]

    def _point(self, name: str, count: int, value: float, spread: tuple[float, float] | None) -> Point:
        ranges = f" ({figure(spread[0])} to {figure(spread[1])})" if spread else ""
        shared = ", shared" if count in self.shared and name != LINEAR else ""
        title = f"{name}: {figure(value)}{ranges} on {counted(count, 'rank')}{shared}"
        return Point(self.x.at(count), self.y.at(value), title, spread and (self.y.at(spread[0]), self.y.at(spread[1])))


def _curves(benchmark: str, rows: Sequence[ScaleRow]) -> dict[str, Curve]:
    """Linear speed-up, then each quantity and what was predicted of it; of many quantities the headline alone."""
    ranks = sorted({row.ranks for row in rows})
    curves = {LINEAR: Curve({count: count / ranks[0] for count in ranks})}
    headline = [row for row in rows if row.name == rated(benchmark)]
    for row in headline or rows:
        speed_up = row.speed_up or 1.0
        one = row.value / speed_up
        curve = curves.setdefault(f"{row.name}, measured", Curve())
        curve.values[row.ranks] = speed_up
        if row.low is not None and row.high is not None and row.low > 0:
            curve.spreads[row.ranks] = (row.low / one, max(row.high, row.value) / one)
        if row.predicted is not None:
            curves.setdefault(f"{row.name}, predicted, model", Curve()).values[row.ranks] = row.predicted / one
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
