"""A device's clock on the host's: a command is queued while its call lasts, and both clocks saw that."""

from dataclasses import dataclass

import numpy as np

from isthmus.recording.journal import Array

_MOST_DRIFT = 1e-3  # of a crystal, with plenty to spare: more is no clock's rate


@dataclass(frozen=True)
class Clock:
    """Host time = device time + `offset` + `drift` * (device time - `origin`), all in ns; `uncertainty` either way."""

    origin: int = 0
    offset: int = 0
    drift: float = 0.0
    uncertainty: int = 0

    def on_host(self, device: Array) -> Array:
        """Times of the device's clock as times of the host's."""
        since = device.astype(np.int64) - self.origin
        found: Array = device.astype(np.int64) + self.offset + np.rint(since * self.drift).astype(np.int64)
        return found


def align(queued: Array, begin: Array, end: Array) -> Clock:
    """The clock under which each command was queued between begin and end of its call, if there is one.

    The offset lies between the largest `begin - queued` and the least `end - queued`. Where nothing lies between them
    the clocks run at different rates: then a straight line through the shortest calls is taken, and the uncertainty is
    the most by which a call lies outside it.
    """
    if not len(queued):
        return Clock()
    queued, begin, end = (values.astype(np.int64) for values in (queued, begin, end))
    low, high = begin - queued, end - queued
    least, most = int(low.max()), int(high.min())
    origin = int(queued.min())
    if least <= most:
        return Clock(origin, (least + most) // 2, 0.0, (most - least + 1) // 2)
    middle = (low + high) // 2
    base = int(np.median(middle))
    short = np.argsort(end - begin, kind="stable")[: max(2, len(begin) // 4)]
    since = (queued - origin).astype(float)
    slope = 0.0
    if np.ptp(since[short]) > 0:
        fitted = float(np.polyfit(since[short], (middle[short] - base).astype(float), 1)[0])
        slope = fitted if abs(fitted) < _MOST_DRIFT else 0.0
    offset = base + round(float(np.median(middle[short] - base - since[short] * slope)))
    line = offset + np.rint(since * slope).astype(np.int64)
    outside = np.maximum(np.maximum(low - line, line - high), 0)
    return Clock(origin, offset, slope, int(outside.max()))
