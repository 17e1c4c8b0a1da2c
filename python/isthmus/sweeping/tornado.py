"""The effect of each assumed input of a platform: the study with it at either end of its range, all else as it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from isthmus.asking.experiments import Experiment
from isthmus.base.errors import IsthmusError
from isthmus.base.groups import grouped_by
from isthmus.records.swept import SweepRow, TornadoBar
from isthmus.reproduction.roles import ends
from isthmus.running.targets import platform, read_platform
from isthmus.sweeping.points import Point, point_of


@dataclass(frozen=True)
class Bars:
    """The study as it is, and with each assumed input moved: the points of an experiment."""

    base: Point
    moved: list[Point]
    units: dict[str, str]  # of the inputs that were moved


def bars_of(experiments: Sequence[Experiment]) -> list[Bars]:
    """Makes the bars of each experiment."""
    inputs: dict[tuple[str, tuple[str, ...]], tuple[list[tuple[str, str]], dict[str, str]]] = {}
    found = []
    for run in experiments:
        place = (run.target, run.sets)
        if place not in inputs:
            inputs[place] = _ends(*place)
        pairs, units = inputs[place]
        found.append(Bars(point_of(run, ()), [point_of(run, (pair,)) for pair in pairs], units))
    return found


def _ends(target: str, sets: Sequence[str]) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """KEY and VALUE of each assumed number of a part that is on, at each end that the board takes; and the units."""

    def legal(assignment: str) -> bool:
        try:
            platform(target, [*sets, assignment])
        except IsthmusError:
            return False
        return True

    whole = read_platform(target, sets)
    off = {item.key.removesuffix(".enabled") for item in whole.inputs if item.value is False}
    tried = [item for item in whole.inputs if item.range is not None and item.key.rpartition(".")[0] not in off]
    assignments = [change.sets[0] for change in ends(target, tried, legal)]
    pairs = [(key, value) for key, _, value in (one.partition("=") for one in assignments)]
    return pairs, {item.key: item.unit or "" for item in tried}


def told(bars: Sequence[Bars], rows: Mapping[str, SweepRow]) -> list[TornadoBar]:
    """The bars of each target and flow, the longest first; an end that the target refused has no value."""
    found: list[TornadoBar] = []
    for one in bars:
        of_one = [
            _bar(one, key, points, rows)
            for key, points in grouped_by(lambda point: point.values[0][0], one.moved).items()
        ]
        found += sorted((bar for bar in of_one if bar is not None), key=lambda bar: -bar.swing)
    return found


def _bar(bars: Bars, key: str, points: Sequence[Point], rows: Mapping[str, SweepRow]) -> TornadoBar | None:
    base = rows[bars.base.key]
    ends_of = [(point.values[0][1], rows[point.key].value) for point in points]
    values = [value for _, value in ends_of if value is not None]
    if base.value is None or not values:
        return None
    low, high = min([base.value, *values]), max([base.value, *values])
    return TornadoBar(
        application=base.application,
        target=base.target,
        flow=base.flow,
        key=key,
        ends=[end for end, _ in ends_of],
        key_unit=bars.units.get(key, ""),
        values=[value for _, value in ends_of],
        base=base.value,
        low=low,
        high=high,
        swing=(high - low) / base.value,
        unit=base.unit,
    )
