"""The search of `isthmus hpcc tune`: one parameter after the other, quick trials first, then a duel for the place.

It depends on nothing but the values of its trials, so with known trials it repeats its steps.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from isthmus.hpcc.benchmarks import Space

Candidate = dict[str, int]  # parameters that differ from the defaults

QUICK = 2  # repetitions of a trial that only sorts out
LONG = 4  # of one in a duel
ROUNDS = 2  # of a duel, in which the two take turns: a machine's rate may change between minutes
CLEARLY = 1.01  # what a challenger must be better by


@dataclass(frozen=True)
class TrialRequest:
    """A trial: its candidate as sorted pairs, repetitions, and which of several alike it is."""

    candidate: tuple[tuple[str, int], ...]
    repetitions: int
    turn: int = 0


class BudgetSpentError(Exception):
    """No time is left for a trial."""


Answer = Callable[[TrialRequest], float | None]  # the rate; None for what does not run or is wrong


class Search:
    """Goes from the defaults to the best candidate of a space."""

    def __init__(
        self, space: Space, defaults: Candidate, answer: Answer, on_better: Callable[[Candidate], None]
    ) -> None:
        self._space = space
        self._defaults = defaults
        self._answer = answer
        self._on_better = on_better
        self.best: Candidate = {}

    def run(self) -> bool:
        """Searches until no parameter alone makes it better; False if the budget ended it before."""
        try:
            while sum(self._improve(name) for name in self._space):
                pass
            if self.best and not self._wins(self.best, {}):
                self._keep({})
        except BudgetSpentError:
            return False
        return True

    def _improve(self, name: str) -> bool:
        """Tries the other values of one parameter; whether one of them has replaced the best."""
        here = self._rate(self.best)
        rated = [(self._rate(candidate), candidate) for candidate in self._neighbours(name)]
        above = [pair for pair in rated if pair[0] > here]
        if not above:
            return False
        challenger = max(above, key=lambda pair: pair[0])[1]
        if not self._wins(challenger, self.best):
            return False
        self._keep(challenger)
        return True

    def _neighbours(self, name: str) -> Iterator[Candidate]:
        now = self.best.get(name, self._defaults[name])
        for value in self._space[name]:
            if value != now:
                candidate = {**self.best, name: value}
                yield {key: value for key, value in candidate.items() if value != self._defaults[key]}

    def _wins(self, challenger: Candidate, holder: Candidate) -> bool:
        rates = [(self._rate(challenger, LONG, turn), self._rate(holder, LONG, turn)) for turn in range(ROUNDS)]
        return max(rate for rate, _ in rates) > CLEARLY * max(rate for _, rate in rates)

    def _rate(self, candidate: Candidate, repetitions: int = QUICK, turn: int = 0) -> float:
        rate = self._answer(TrialRequest(tuple(sorted(candidate.items())), repetitions, turn))
        return 0.0 if rate is None else rate

    def _keep(self, candidate: Candidate) -> None:
        self.best = candidate
        self._on_better(candidate)
