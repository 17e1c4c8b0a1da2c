"""Every choice of board, flow and method for a description, with what each takes: nominal, and in each joint draw."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from isthmus.advising.chips import by_ports
from isthmus.advising.curves import BoardCurves, Draw
from isthmus.advising.formulas import FORMULAS, RunTimes
from isthmus.descriptions.description import Description, Price
from isthmus.descriptions.unit import Unit

SEED = 1
FEW_BYTES = 48 * 2**20  # of all units that are looked at: a run of more says nothing else
FEWEST = 4
MISSED = 1e-9  # of a choice that takes longer than is needed: it comes behind all that do not


@dataclass(frozen=True)
class Choice:
    """A board and a way of feeding it."""

    target: str
    flow: str
    method: str | None = None

    def __str__(self) -> str:
        return " ".join(word for word in (self.target, self.flow, self.method) if word)


@dataclass(frozen=True)
class ChoiceValue:
    """A choice with its value by the formula, and in each draw; `scale` is what a run gave over its formula."""

    choice: Choice
    taken: RunTimes
    formula: float
    draws: tuple[float, ...]
    meets: bool  # the latency that is needed
    elapsed_s: float  # of all units, of the run where there is one
    latency_s: float
    scale: float = 1.0
    ran: bool = False

    @property
    def value(self) -> float:
        """The run's, where there is one."""
        return self.formula * self.scale


@dataclass(frozen=True)
class Goal:
    """The goal of a choice, and the number of units that it counts."""

    best: str
    latency_s: float | None
    units: int
    prices: Mapping[str, Price]

    @classmethod
    def of(cls, description: Description) -> "Goal":
        """Makes the goal of a description, with only a few units if units are large."""
        unit = Unit.of(description)
        moved = max(unit.sent + unit.fetched, 1.0)
        wanted = description.count or 100
        many = unit.together
        units = min(wanted, max(FEWEST, int(FEW_BYTES / moved)))
        limit = description.latency.value if description.latency else None
        return cls(description.best, limit, math.ceil(units / many) * many, description.prices)

    def prices_of(self, target: str) -> float | None:
        """The price of an hour of a target, or its watts, whichever the goal needs; None if it is not known."""
        price = self.prices.get(target)
        number = None if price is None else price.per_hour if self.best == "cost" else price.watts
        return None if number is None else number.value

    def value(self, target: str, elapsed_s: float, latency_s: float) -> float:
        """Units a second, seconds, money a unit, or joules a unit."""
        each = elapsed_s / self.units
        if self.best == "rate":
            return 1 / each
        if self.best == "latency":
            return latency_s
        price = self.prices_of(target) or math.nan
        return each * price / (3600 if self.best == "cost" else 1)

    def goodness(self, value: float, meets: bool = True) -> float:
        """The value of a choice, or its inverse, so that more is better."""
        good = value if self.best == "rate" else 1 / value
        return good if meets else good * MISSED


def supports(unit: Unit, flow: str, method: str | None = None) -> bool:
    """Tells whether a flow has a formula and an application of such units can be written for it; any can for a chip,
    which has methods.
    """
    if method is not None:
        return True
    if flow == "stream":
        return unit.streams
    return flow in FORMULAS and (flow != "shared" or unit.streams or unit.reads_again)


def without_formula(description: Description, boards: Sequence[BoardCurves]) -> list[str]:
    """A line on each flow that a board has for a description, and that cannot be advised, as it has no formula."""
    return [
        f"flow '{flow}' of {board.target} is not advised: it has no formula"
        for board in boards
        for flow in description.flows
        if flow in board.flows and flow not in FORMULAS and None in board.methods
    ]


def drawn(description: Description, count: int) -> list[dict[str, float]]:
    """Values of the numbers of a description that have a range, one for each draw."""
    ranging = {key: number for key, number in description.numbers() if number.ranges}
    draws = []
    for at in range(count):
        drawing = random.Random(f"{SEED} {description.name} {at}")
        draws.append({key: number.at(drawing.random()) for key, number in ranging.items()})
    return draws


def valued(description: Description, boards: Sequence[BoardCurves], asked: Goal) -> list[ChoiceValue]:
    """Every choice that a board has, the best first."""
    numbers = drawn(description, max((len(board.draws) for board in boards), default=0))
    units = [Unit.of(description.with_values(values)) for values in numbers]
    nominal = Unit.of(description)
    found = [
        _valued(Choice(board.target, flow, method), board, asked, nominal, units)
        for board in boards
        for flow in description.flows
        for method in board.methods
        if flow in board.flows and supports(nominal, flow, method)
    ]
    return ranked(found, asked)


def ranked(found: Sequence[ChoiceValue], asked: Goal) -> list[ChoiceValue]:
    """The best first."""
    return sorted(found, key=lambda one: -asked.goodness(one.value, one.meets))


def _valued(choice: Choice, board: BoardCurves, asked: Goal, nominal: Unit, units: Sequence[Unit]) -> ChoiceValue:
    taken = take(board.nominal, choice, nominal, asked)
    latency = taken.latency_s
    draws = []
    for draw, unit in zip(board.draws, units, strict=True):
        one = take(draw, choice, unit, asked)
        draws.append(asked.value(choice.target, one.elapsed_s, one.latency_s))
    return ChoiceValue(
        choice=choice,
        taken=taken,
        formula=asked.value(choice.target, taken.elapsed_s, latency),
        draws=tuple(draws),
        meets=asked.latency_s is None or latency <= asked.latency_s,
        elapsed_s=taken.elapsed_s,
        latency_s=latency,
    )


def take(draw: Draw, choice: Choice, unit: Unit, asked: Goal) -> RunTimes:
    """Evaluates the formula for a number of units on a board as a draw gives it."""
    messages = max(1, round(asked.units / unit.together))
    if choice.method is not None:
        return by_ports(draw.curves, unit, messages, choice.method)
    return FORMULAS[choice.flow](draw.curves, unit, messages)


def worth(draw: Draw, one: ChoiceValue, unit: Unit, asked: Goal) -> float:
    """The value of a choice for another unit, off its formula as much as its run was."""
    taken = take(draw, one.choice, unit, asked)
    return asked.value(one.choice.target, taken.elapsed_s, taken.latency_s) * one.scale


def after_run(one: ChoiceValue, asked: Goal, elapsed_s: float, latency_s: float) -> ChoiceValue:
    """The choice with the times that its run took."""
    value = asked.value(one.choice.target, elapsed_s, latency_s)
    meets = asked.latency_s is None or latency_s <= asked.latency_s
    return replace(one, scale=value / one.formula, meets=meets, elapsed_s=elapsed_s, latency_s=latency_s, ran=True)
