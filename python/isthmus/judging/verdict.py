"""The limit of a row, and which rows of an application win."""

from collections.abc import Iterable

from isthmus.base.groups import grouped_by
from isthmus.base.spread import Interval, apart, likely
from isthmus.records.run import Bottleneck, Row


def limit_of(row: Row) -> Bottleneck | None:
    """The bottleneck that the run names, else (a real device shows no parts) its longest stage and the next."""
    if row.bottleneck is not None or not row.stages:
        return row.bottleneck
    first, *others = sorted(row.stages, key=lambda stage: stage.share, reverse=True)
    second = others[0] if others else None
    return Bottleneck(
        part=first.name,
        busy_share=first.share,
        next=second.name if second else None,
        next_busy_share=second.share if second else None,
        would_need=first.time_s / second.time_s if second and second.time_s > 0 else None,
    )


def ranked(rows: Iterable[Row]) -> list[Row]:
    """The rows that are right, the fastest first."""
    return sorted((row for row in rows if row.verified), key=lambda row: row.value, reverse=True)


def fastest_of_targets(rows: Iterable[Row]) -> list[Row]:
    """The fastest right row of each application on each target."""
    return [of_place[0] for of_place in grouped_by(lambda row: (row.application, row.target), ranked(rows)).values()]


def tied(best: Row, others: Iterable[Row]) -> list[Row]:
    """The others that are not ranked below the best, for their samples overlap with its own."""
    return [row for row in others if row.value != best.value and not apart(_range(best), _range(row))]


def _range(row: Row) -> Interval:
    """The rates among which a row's may lie; a model's is exact."""
    return likely(row.samples) if row.samples else (row.value, row.value)
