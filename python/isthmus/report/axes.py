"""Axes: where values lie, in percent of a plot's width or pixels of its height, and which of them are named."""

import math
from dataclasses import dataclass

_FEW = 6  # names on an axis


@dataclass(frozen=True)
class Tick:
    """A named place on an axis."""

    at: float
    label: str


@dataclass(frozen=True)
class LogAxis:
    """Values from `low` to `high`, both above 0, spread over 0 .. `length` by their logarithms; backwards if wished."""

    low: float
    high: float
    length: float
    backwards: bool = False

    def at(self, value: float) -> float:
        """The position of a value."""
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return round(self.length * (1 - share if self.backwards else share), 2)

    def within(self, value: float) -> bool:
        """Tells whether a value lies on it."""
        return self.low <= value <= self.high


def decades(low: float, high: float) -> list[float]:
    """Powers of ten (with 2 and 5 between them if they are few) from the last below `low` to the first above `high`."""
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    powers = [10.0**power for power in range(first, max(last, first + 1) + 1)]
    steps = [scale * power for power in powers for scale in (1, 2, 5)]
    below = max(step for step in steps if step <= low * (1 + 1e-9))
    above = min((step for step in steps if step >= high * (1 - 1e-9) and step > below), default=steps[-1])
    named = [step for step in steps if below <= step <= above]
    return named if len(named) <= _FEW else powers


def every(low: float, high: float, most: int) -> float:
    """A step of 1, 2 or 5 times a power of ten that goes from `low` to `high` in at most `most` steps."""
    least = (high - low) / most
    power = 10.0 ** math.floor(math.log10(least))
    return next(scale * power for scale in (1, 2, 5, 10) if scale * power >= least * (1 - 1e-9))
