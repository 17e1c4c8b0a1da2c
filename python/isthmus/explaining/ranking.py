"""The ranking of causes by what was measured: pure functions of seconds.

An error is the largest |ln(model / measured)| over the numbers given; a known share of the host's busy time adds how
far the model's is from it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

NEAR = 0.10  # a cause whose error is below needs no second one
SECOND = 0.05  # that two causes together pay
ALIKE = 0.05  # what agrees within shares a place
MISSED = 0.25  # a number that is missed by more rules out

Seconds = Sequence[float]


@dataclass(frozen=True)
class Trial:
    """The model's answers for each number, with a cause at one severity, and the host's busy share if it has one."""

    number: int  # of the severity
    seconds: tuple[float, ...]
    busy: float | None = None


@dataclass(frozen=True)
class Fit:
    """A cause, or two together, at its best severity."""

    causes: tuple[str, ...]
    trial: Trial
    error: float
    ruled_out: bool = False

    @property
    def together(self) -> bool:
        """Tells whether it takes two."""
        return len(self.causes) > 1


def distance(seconds: Seconds, measured: Seconds) -> float:
    """The largest |ln(model / measured)|."""
    return max(abs(math.log(one / other)) for one, other in zip(seconds, measured, strict=True))


def error_of(trial: Trial, measured: Seconds, busy: float | None) -> float:
    """The distance, and the difference of the host's busy share from the seen one, where the model has it."""
    off = abs(trial.busy - busy) if busy is not None and trial.busy is not None else 0.0
    return distance(trial.seconds, measured) + off


def fit(causes: tuple[str, ...], trials: Sequence[Trial], measured: Seconds, busy: float | None) -> Fit:
    """The best of the severities; of equal ones the mildest. It is ruled out if each misses a number."""
    best = min(trials, key=lambda trial: error_of(trial, measured, busy))
    error = error_of(best, measured, busy) + (SECOND if len(causes) > 1 else 0.0)
    return Fit(causes, best, error, all(distance(trial.seconds, measured) > MISSED for trial in trials))


def alike(one: Seconds, other: Seconds) -> bool:
    """Tells whether two predictions agree for each number."""
    return distance(one, other) <= ALIKE


def places(fits: Sequence[Fit]) -> list[list[Fit]]:
    """Groups the causes: those that agree with the best of a place share it; ruled-out causes come last, one by one."""
    found: list[list[Fit]] = []
    for one in sorted(fits, key=lambda fit: (fit.ruled_out, fit.error)):
        seconds = one.trial.seconds
        alikes = (place for place in found if place[0].ruled_out == one.ruled_out)
        place = next((place for place in alikes if alike(seconds, place[0].trial.seconds)), None)
        if place is None:
            found.append([one])
        else:
            place.append(one)
    return found


def needs_two(fits: Sequence[Fit]) -> bool:
    """Tells whether two causes together are worth trying."""
    return min(fit.error for fit in fits) >= NEAR


def added(base: Seconds, one: Seconds, other: Seconds) -> tuple[float, ...]:
    """An estimate of the time with two causes, if each adds to it; it chooses the pairs that the model runs."""
    return tuple(max(a + b - time, a, b) for time, a, b in zip(base, one, other, strict=True))
