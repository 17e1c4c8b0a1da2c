"""Tells whether the newest of many runs is worse than the earlier ones by more than they differ among each other."""

import statistics
from collections.abc import Iterable, Sequence
from typing import Any

from isthmus.records.listings import Regression
from isthmus.results.store import SeriesRun
from isthmus.results.values import TIMES, is_wrong, rate_of, record_name

FEWEST = 3  # earlier runs, below which their spread is not known
MOST = 20  # of the earlier runs, the last ones: a rate of a year ago is no measure
# Deviations of a normal distribution, estimated by 1.4826 times the median of the distances from the median.
DEVIATIONS = 4.0
SCALE = 1.4826
LEAST = 0.02  # of the median: a nearer value is no regression, however alike the earlier runs are

Key = tuple[str, ...]


def regressions(runs: Iterable[SeriesRun]) -> list[Regression]:
    """Every measured series of right results with enough runs, in the order of the runs; regressed ones first."""
    series: dict[Key, list[tuple[int, float]]] = {}
    units: dict[Key, str] = {}
    for run in runs:
        for record in run.records:
            value = rate_of(record)
            if value is None or record.get("kind") != "measured" or is_wrong(record):
                continue
            key = _key(run.host, record)
            series.setdefault(key, []).append((run.id, value))
            units[key] = str(record.get("unit", "images/s"))
    judged = [_judge(key, values, units[key]) for key, values in series.items() if len(values) > FEWEST]
    return sorted(judged, key=lambda one: not one.regressed)


def _judge(key: Key, values: Sequence[tuple[int, float]], unit: str) -> Regression:
    *earlier, (run, newest) = values
    before = [value for _, value in earlier[-MOST:]]
    median = statistics.median(before)
    noise = SCALE * statistics.median(abs(value - median) for value in before) / median
    change = newest / median - 1
    loss = change if unit in TIMES else -change
    return Regression(
        name=key[0],
        device=key[1],
        host=key[2],
        unit=unit,
        run=run,
        earlier=len(before),
        median=median,
        noise=noise,
        newest=newest,
        change=change,
        regressed=loss > max(DEVIATIONS * noise, LEAST),
    )


def _key(host: str, record: dict[str, Any]) -> Key:
    """The values that two records of one series share."""
    how = ("run", "variant", "size", "ranks", "grid", "scheme", "shared")
    configuration = tuple(f"{name}={record[name]}" for name in how if name in record)
    return (record_name(record), str(record.get("device", "")), host, *configuration)
