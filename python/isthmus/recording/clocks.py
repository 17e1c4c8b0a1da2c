"""A device's clock on the host's: a command is queued while its call lasts, and both clocks saw that."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from isthmus.recording.columns import Array, pieces

_MOST_DRIFT = 1e-3  # of a crystal, with plenty to spare: more is no clock's rate
_MOST_FITTED = 1 << 20  # of the commands, evenly spread: a line through more is no better


@dataclass(frozen=True)
class Clock:
    """Host time = device time + `offset` + `drift` * (device time - `origin`), all in ns, within `uncertainty`."""

    origin: int = 0
    offset: int = 0
    drift: float = 0.0
    uncertainty: int = 0

    def on_host(self, device: Array) -> Array:
        """Times of the device's clock as times of the host's."""
        since = device.astype(np.int64) - self.origin
        found: Array = device.astype(np.int64) + self.offset + np.rint(since * self.drift).astype(np.int64)
        return found


def align(count: int, at: Callable[[slice], tuple[Array, Array, Array]]) -> Clock:
    """The clock under which each command was queued between begin and end of its call, if there is one.

    `at` has for some of the `count` commands when they were queued, by the device's clock, and when their calls began
    and ended, by the host's. The offset lies between the largest `begin - queued` and the least `end - queued`. Where
    nothing lies between them the clocks run at different rates: then a straight line through the shortest calls is
    taken, and the uncertainty is the most by which a call lies outside it.
    """
    if not count:
        return Clock()
    origin, least, most = _bounds(at(part) for part in pieces(count))
    if least <= most:
        return Clock(origin, (least + most) // 2, 0.0, (most - least + 1) // 2)
    queued, begin, end = at(slice(0, count, -(-count // _MOST_FITTED)))
    slope, offset = _line(queued - origin, begin - queued, end - queued)
    outside = 0
    for part in pieces(count):
        queued, begin, end = at(part)
        line = queued + offset + np.rint((queued - origin).astype(float) * slope).astype(np.int64)
        outside = max(outside, int((begin - line).max()), int((line - end).max()))
    return Clock(origin, offset, slope, outside)


def _bounds(parts: Iterable[tuple[Array, Array, Array]]) -> tuple[int, int, int]:
    """The first time; and between which offsets each of the commands was queued during its call."""
    found = [
        (int(queued.min()), int((begin - queued).max()), int((end - queued).min())) for queued, begin, end in parts
    ]
    origins, least, most = zip(*found, strict=True)
    return min(origins), max(least), min(most)


def _line(since: Array, low: Array, high: Array) -> tuple[float, int]:
    """Slope and offset of the line through the middles of the shortest calls."""
    middle = (low + high) // 2
    base = int(np.median(middle))
    short = np.argsort(high - low, kind="stable")[: max(2, len(low) // 4)]
    slope = 0.0
    if np.ptp(since[short]) > 0:
        fitted = float(np.polyfit(since[short].astype(float), (middle[short] - base).astype(float), 1)[0])
        slope = fitted if abs(fitted) < _MOST_DRIFT else 0.0
    return slope, base + round(float(np.median(middle[short] - base - since[short] * slope)))
