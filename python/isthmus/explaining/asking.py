"""The next measurement: the probe and size at which the causes of a place differ, or where to look."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from isthmus.asking.predictions import MIB, Predictions
from isthmus.explaining.explain import Explanation, predicted
from isthmus.explaining.measurement import Measurement
from isthmus.explaining.ranking import ALIKE, NEAR, Fit
from isthmus.running.probes import all_probes
from isthmus.running.probing import served_by

# Probes that are asked for copies of a number's direction, of the other, and with other memory of the host.
_COPIES = ("h2d", "d2h", "h2d-pinned", "d2h-pinned")
_SIZES = (4 << 10, 64 << 10, MIB, 64 * MIB)
MOST = 8  # causes that are distinguished at once


@dataclass(frozen=True)
class NextMeasurement:
    """A number that distinguishes causes, as each expects it; without one, where to look for each."""

    number: Measurement | None
    seconds: list[float]
    fits: list[Fit]


def next_measurement(found: Explanation, predictions: Predictions) -> NextMeasurement | None:
    """The next measurement for the causes that fit best; None if there is only one."""
    fits = _open(found)
    if len(fits) < 2:
        return None
    candidates = _candidates(found.numbers, predictions.target, predictions.sets)
    rows = predicted(predictions, [found.change_of(one) for one in fits], candidates)
    best, most = None, (1, 0.0)
    for at, candidate in enumerate(candidates):
        seconds = [row[at] for row in rows]
        known = [answer.seconds for answer in seconds if answer is not None]
        if len(known) == len(seconds) and (told := _told_apart(known)) > most:
            best, most = NextMeasurement(candidate.with_seconds(known[0]), known, fits), told
    return best or NextMeasurement(None, [], fits)


def _open(found: Explanation) -> list[Fit]:
    """The causes of the first place; if that has only one cause, also those that fit within 10 %.

    The list is empty if the unchanged model fits within 10 %.
    """
    if found.base_error < NEAR:
        return []
    first = found.fitting
    near = [one for place in found.places for one in place if one.error < NEAR and found.moves(one)]
    return (first if len(first) > 1 else first + [one for one in near if one not in first])[:MOST]


def _told_apart(seconds: Sequence[float]) -> tuple[int, float]:
    """The number of groups into which a number divides the causes, and the distance of the nearest two groups."""
    ordered = sorted(map(math.log, seconds))
    gaps = [gap for one, other in pairwise(ordered) if (gap := other - one) > ALIKE]
    return 1 + len(gaps), min(gaps, default=0.0)


def _candidates(numbers: Sequence[Measurement], target: str, sets: Sequence[str]) -> list[Measurement]:
    """Numbers that were not given yet."""
    first = numbers[0]
    served = served_by(target, sets)
    if first.direction is not None:
        probes, sizes = [name for name in _COPIES if name in served], list(_SIZES)
    else:
        probes, sizes = [first.probe], [size for size in _SIZES if size <= MIB]
    looked_at = {name: all_probes()[name].sizes for name in probes}
    asked = [
        replace(first, probe=probe, size=size, unit="GB/s", value=0.0)
        for probe in probes
        for size in sizes
        if (own := looked_at[probe]) is None or size in own
    ]
    given = {one.what for one in numbers}
    latency = {name for name in probes if all_probes()[name].quantity == "latency"}
    return [replace(one, unit="us") if one.probe in latency else one for one in asked if one.what not in given]
