"""Pure functions over draws: the best choice, how sure it is, what decides, and what would change it."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from isthmus.advising.choices import ChoiceValue, Goal, supports, worth
from isthmus.advising.curves import BoardCurves
from isthmus.descriptions.description import Description
from isthmus.descriptions.unit import Unit
from isthmus.records.advising import AdviseMeasure, AdviseTurn

SURE = 0.95  # of the draws that a clear winner wins
ALSO = 0.05  # of them that one of several wins
EVEN = 0.02  # by which two choices are apart that are as good as each other
MIDDLE = (0.05, 0.95)  # of the draws between low and high
FORMULA = 0.03  # that three quarters of the formulas are at most away from a run of the same numbers
FARTHEST = 64.0  # times that a number is moved at most
STEPS = 24
FOLLOWS = 0.25  # a rank correlation that one of 64 draws in fifty has by chance

# The probe that tells of a curve.
PROBES = {
    "kernel-read": "device-read",
    "kernel-write": "device-write",
    "kernel-both": "device-read",
    "shared-in": "shared-read",
    "shared-first": "shared-read",
    "shared-pass": "shared-read",
    "shared-out": "shared-write",
    "shared-output": "shared-write",
    "shared-both": "loopback",
}
# And of one that a chip has for a method, by how its name begins.
CHIP_PROBES = {
    "kernel-in": "port-tx",
    "kernel-out": "port-rx",
    "maintenance": "maintenance",
    "write-sequential": "memcpy",
    "read-sequential": "memcpy",
    "write-random": "transpose",
    "own-": "memcpy",
}


def interval(one: ChoiceValue) -> tuple[float, float]:
    """The middle nine tenths of the draws; without draws the value itself.

    What did not run may also be as far away as its formula is from a run.
    """
    if not one.draws:
        return one.value, one.value
    low, high = middle(one.draws)
    away = 1.0 if one.ran else 1 + FORMULA
    return low * one.scale / away, high * one.scale * away


def middle(values: Sequence[float]) -> tuple[float, float]:
    """The ends between which nine tenths of further values like these are to be expected."""
    low, high = np.quantile(values, MIDDLE, method="weibull")
    return float(low), float(high)


def wins(found: Sequence[ChoiceValue], asked: Goal) -> list[float]:
    """The share of draws in which each choice is the best of all; without draws the first is."""
    count = len(found[0].draws)
    won = [0.0 if count else float(one is found[0]) for one in found]
    for draw in range(count):
        goods = [asked.goodness(one.draws[draw] * one.scale, one.meets) for one in found]
        won[goods.index(max(goods))] += 1 / count
    return won


def by_wins(found: Sequence[ChoiceValue], asked: Goal) -> list[tuple[ChoiceValue, float]]:
    """Ranked choices with the share of draws that each wins, those first that are as good as the best in that order.

    A small difference between two runs says less than the ranges of the board's numbers. Only a choice that ran comes
    before a choice that ran.
    """

    def even(one: ChoiceValue) -> bool:
        goods = [asked.goodness(each.value, each.meets) for each in (one, found[0])]
        return goods[0] * (1 + EVEN) >= goods[1] and one.ran == found[0].ran

    pairs = zip(found, wins(found, asked), strict=True)
    return sorted(pairs, key=lambda pair: (not even(pair[0]), -pair[1] if even(pair[0]) else 0.0))


def ratios(first: ChoiceValue, second: ChoiceValue, asked: Goal) -> list[float]:
    """The factors by which the first is better, one for each draw."""
    return [
        asked.goodness(one * first.scale, first.meets) / asked.goodness(two * second.scale, second.meets)
        for one, two in zip(first.draws, second.draws, strict=True)
    ]


def decider(
    first: ChoiceValue,
    second: ChoiceValue,
    asked: Goal,
    boards: Mapping[str, BoardCurves],
    numbers: Sequence[Mapping[str, float]],
) -> AdviseMeasure | None:
    """The uncertain number that the ratio of two choices follows most, by the rank correlation over the draws."""
    ratio = ratios(first, second, asked)
    found = [
        AdviseMeasure(input=f"app.{key}", correlation=correlation([one[key] for one in numbers], ratio))
        for key in (numbers[0] if numbers else ())
    ]
    for target in dict.fromkeys((first.choice.target, second.choice.target)):
        draws = boards[target].draws
        for key in draws[0].inputs if draws else ():
            series = [draw.inputs[key] for draw in draws]
            found.append(AdviseMeasure(input=key, target=target, correlation=correlation(series, ratio)))
    best = max(found, key=lambda one: abs(one.correlation), default=None)
    if best is None or abs(best.correlation) < FOLLOWS:
        return None
    probe = None if best.target is None else probe_of(boards[best.target], best.input)
    return best.model_copy(update={"probe": probe})


def probe_of(board: BoardCurves, key: str) -> str | None:
    """The probe whose curve follows a number of a board most."""
    series = [draw.inputs[key] for draw in board.draws]
    told = [name for name in board.nominal.curves if probe_named(name) is not None]
    strongest, most = None, 0.0
    for name in told:
        for place in range(len(board.nominal.curves[name])):
            found = abs(correlation(series, [draw.curves[name][place][1] for draw in board.draws]))
            if found > most:
                strongest, most = name, found
    return None if strongest is None else probe_named(strongest)


def probe_named(curve: str) -> str | None:
    """The probe that measures a curve; None if several parts of a board determine it."""
    _, by_method, name = curve.rpartition("/")
    if by_method or curve.startswith("own-"):
        return next((probe for start, probe in CHIP_PROBES.items() if name.startswith(start)), None)
    return PROBES.get(curve, None if curve.startswith(("stream-", "shared-")) else curve)


def correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's: of the ranks; 0 where either does not move."""
    if len(set(one)) < 2 or len(set(other)) < 2:
        return 0.0
    return float(np.corrcoef(_ranks(one), _ranks(other))[0, 1])


def _ranks(values: Sequence[float]) -> NDArray[np.float64]:
    """The place of each in the order of all; the mean of their places where several are equal."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: NDArray[np.float64] = (np.cumsum(counts) - (counts + 1) / 2)[place]
    return ranks


def turn(
    description: Description, first: ChoiceValue, second: ChoiceValue, asked: Goal, boards: Mapping[str, BoardCurves]
) -> AdviseTurn | None:
    """The value that one number of the description must have for the second to win; None if no number alone does it."""

    def ahead(key: str, number: float) -> bool:
        unit = Unit.of(description.with_values({key: number}))
        goods = []
        for one in (first, second):
            if not supports(unit, one.choice.flow, one.choice.method):
                return False
            value = worth(boards[one.choice.target].nominal, one, unit, asked)
            goods.append(asked.goodness(value, one.meets))
        return goods[1] > goods[0]

    found = []
    for key, number in description.numbers():
        if number.value <= 0 or (key.endswith("count") and number.value == 1):
            continue
        for up in (True, False):
            factor = _least(lambda by, key=key, now=number.value: ahead(key, now * by), up)  # type: ignore[misc]
            if factor is not None:
                change = AdviseTurn(key=f"app.{key}", now=number.value, becomes=number.value * factor)
                found.append((abs(math.log(factor)), change))
    return min(found, key=lambda one: one[0])[1] if found else None


def _least(holds: Callable[[float], bool], up: bool) -> float | None:
    """The factor nearest to 1, above or below it, at which something holds."""
    far = FARTHEST if up else 1 / FARTHEST
    before = 1.0
    for step in range(1, STEPS + 1):
        factor = float(far ** (step / STEPS))
        if holds(factor):
            for _ in range(STEPS):
                middle = math.sqrt(before * factor)
                before, factor = (before, middle) if holds(middle) else (middle, factor)
            return factor
        before = factor
    return None
