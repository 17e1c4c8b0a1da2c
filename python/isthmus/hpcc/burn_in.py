"""The results of a run that lasts a given time: whether a device stays right, and whether it stays as fast."""

import statistics
from collections.abc import Sequence

from isthmus.base.numbers import figure, percent
from isthmus.records.hpcc import HpccRecord
from isthmus.show.output import Table
from isthmus.show.progress import duration


def with_drift(record: HpccRecord) -> HpccRecord:
    """The record of a burn-in with its ratio of the last round to the first, and its drift."""
    if record.burn_in is None:
        return record
    samples = record.samples
    seen = record.burn_in.model_copy(
        update={
            "last_to_first": samples[-1] / samples[0],
            "slowest_to_median": min(samples) / record.median,
            "drift": drift(record.burn_in.ends_s, samples),
        }
    )
    return record.model_copy(update={"burn_in": seen})


def drift(times: Sequence[float], values: Sequence[float]) -> float | None:
    """The rise of the least-squares line of values over times, from the first time to the last.

    It is a share of the values' mean; None for fewer than two values.
    """
    if len(values) < 2:
        return None
    slope = statistics.linear_regression(times, values).slope
    return slope * (times[-1] - times[0]) / statistics.fmean(values)


def burn_in_lines(records: Sequence[HpccRecord]) -> list[str]:
    """Says how long the burn-in lasted and whether all results were right."""
    seen = records[0].burn_in
    if seen is None:
        return []
    wrong = f"{seen.wrong_rounds} of {len(seen.ends_s)} rounds WRONG" if seen.wrong_rounds else "no round wrong"
    cut = ", ended early" if seen.cut_short else ""
    return [f"burn-in: {duration(seen.seconds)}{cut}, {seen.repetitions} repetitions, {wrong}"]


def burn_in_table(records: Sequence[HpccRecord]) -> list[Table]:
    """The rates of the rounds, as a table."""
    rows = [
        (
            one.name,
            figure(one.samples[0]),
            figure(one.samples[-1]),
            f"{seen.last_to_first:.3f}",
            figure(min(one.samples)),
            percent(seen.drift),
            one.unit,
        )
        for one in records
        if (seen := one.burn_in) is not None and seen.last_to_first is not None
    ]
    columns = ("rounds of", "first", "last", "last / first", "least", "drift", "unit")
    return [Table(columns, rows, numbers=frozenset(columns[1:6]))] if rows else []
