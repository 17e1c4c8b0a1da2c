"""The times at which each replication of a kernel ran, from profiling events (meyer2024 figure 3.3)."""

from collections.abc import Sequence

from isthmus.base.groups import grouped_by
from isthmus.base.numbers import seconds
from isthmus.records.hpcc import HpccLaunch, HpccRecord
from isthmus.report.benchmarks import place_of
from isthmus.report.timeline import LINE, Bar, Lane, TimelineChart, bar, ticks
from isthmus.show.output import Table


def replications(records: Sequence[HpccRecord]) -> list[TimelineChart]:
    """A timeline for each record of a kernel that was launched more than once: a lane for each replication."""
    return [_timeline(record) for record in records if len(record.launches) > 1 and _end(record) > 0]


def _end(record: HpccRecord) -> float:
    return max(launch.end_s for launch in record.launches)


def _timeline(record: HpccRecord) -> TimelineChart:
    end = _end(record)
    ranks = sorted({launch.rank for launch in record.launches})
    by_lane = grouped_by(lambda launch: (launch.rank, launch.phase, launch.replication), record.launches)
    lanes = [
        Lane(
            f"{phase[:1]}{replication}",
            number * LINE,
            [_bar(launch, end, ranks.index(rank)) for launch in launches],
        )
        for number, ((rank, phase, replication), launches) in enumerate(sorted(by_lane.items()))
    ]
    label = f"{record.name}, {place_of(record)}"
    steps = [f"rank {rank}" for rank in ranks]
    names = [f"{phase[0]}: {phase}" for phase in dict.fromkeys(launch.phase for launch in record.launches) if phase]
    return TimelineChart(label, steps, ticks(end), lanes, len(lanes) * LINE, seconds(end), _table(record, label), names)


def _bar(launch: HpccLaunch, end: float, style: int) -> Bar:
    phase = f", {launch.phase} of step {launch.step}" if launch.phase else ""
    who = f"rank {launch.rank}, replication {launch.replication}{phase}"
    title = f"{who}: {seconds(launch.start_s)} to {seconds(launch.end_s)}"
    return bar(launch.start_s, launch.end_s, end, style, title)


def _table(record: HpccRecord, label: str) -> Table:
    columns = ("rank", "replication", "start", "end", "time")
    cells = [
        (
            str(launch.rank),
            str(launch.replication),
            seconds(launch.start_s),
            seconds(launch.end_s),
            seconds(launch.end_s - launch.start_s),
        )
        for launch in record.launches
    ]
    return Table(columns, cells, numbers=frozenset(columns), title=f"replications of {label}")
