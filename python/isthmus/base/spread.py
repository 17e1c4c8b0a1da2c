"""Statistics of samples: the interval of their median, and whether one rate is above another."""

import math
from collections.abc import Sequence

OUTSIDE = 0.025  # on either side of a 95 % interval

Interval = tuple[float, float]


def likely(samples: Sequence[float]) -> Interval:
    """The interval in which the median of the distribution lies with 95 % probability, whatever the distribution.

    The interval of the sign test (binomial, p = 1/2). Fewer than six samples say less: all that was seen counts.
    """
    ordered = sorted(samples)
    below, cut = 0.0, 0
    while cut < len(ordered) // 2 and (below := below + math.comb(len(ordered), cut) / 2 ** len(ordered)) <= OUTSIDE:
        cut += 1
    return (ordered[cut - 1], ordered[-cut]) if cut else (ordered[0], ordered[-1])


def apart(one: Interval, other: Interval) -> bool:
    """Tells whether two intervals have nothing in common, so that it is known which is above the other."""
    return one[0] > other[1] or other[0] > one[1]
