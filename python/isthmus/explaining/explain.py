"""Why numbers are as low as they are: the causes of a board, tried on its model, and those that fit."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from isthmus.asking.predictions import Prediction, Predictions
from isthmus.explaining.causes import Cause, causes_of
from isthmus.explaining.changes import Change
from isthmus.explaining.measurement import Measurement
from isthmus.explaining.ranking import SECOND, Fit, Trial, added, alike, distance, error_of, fit, needs_two, places
from isthmus.records.run import Platform
from isthmus.running.parallel import OnCount

PAIRS = 16  # of two causes, by what they promise, that the model runs


@dataclass(frozen=True)
class Suspect:
    """A cause, or two together, as changes of the model by severity."""

    causes: tuple[Cause, ...]
    changes: tuple[Change, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the causes."""
        return tuple(cause.name for cause in self.causes)


@dataclass
class Explanation:
    """The result: `base` is the model as it is, `places` the causes that fit, best first."""

    numbers: list[Measurement]
    base: list[Prediction]
    places: list[list[Fit]]
    suspects: dict[tuple[str, ...], Suspect] = field(default_factory=dict)

    def change_of(self, fit: Fit) -> Change:
        """The change of the model at the best severity."""
        return self.suspects[fit.causes].changes[fit.trial.number]

    def looks_of(self, fit: Fit) -> list[str]:
        """The places where a person can check the cause."""
        return [cause.look for cause in self.suspects[fit.causes].causes]

    def moves(self, fit: Fit) -> bool:
        """Tells whether a cause changes any of the numbers by more than causes that share a place may differ."""
        return not alike(fit.trial.seconds, [answer.seconds for answer in self.base])

    @property
    def fitting(self) -> list[Fit]:
        """The causes of the first place that has any which change the numbers and are not ruled out."""
        places = ([one for one in place if self.moves(one) and not one.ruled_out] for place in self.places)
        return next((place for place in places if place), [])

    @property
    def base_error(self) -> float:
        """The error of the model as it is."""
        return distance([answer.seconds for answer in self.base], [one.seconds for one in self.numbers])


def explain(
    board: Platform,
    predictions: Predictions,
    numbers: Sequence[Measurement],
    busy: float | None = None,
    on_answer: OnCount = lambda done, total: None,
) -> Explanation:
    """The causes of a board, ranked by how well the model with each gives the numbers."""
    base = predictions.require([one.query for one in numbers])
    measured = [one.seconds for one in numbers]
    suspects = [Suspect((cause,), cause.changes) for cause in causes_of(board)]
    trials = _try(predictions, suspects, numbers, on_answer)
    fits = [fit(one.names, trials[one.names], measured, busy) for one in suspects if trials[one.names]]
    if fits and needs_two(fits):
        pairs = _promising(suspects, trials, [answer.seconds for answer in base], measured, busy)
        tried = _try(predictions, pairs, numbers, on_answer)
        both = [fit(one.names, tried[one.names], measured, busy) for one in pairs if tried[one.names]]
        best = min(one.error for one in fits)
        fits += [one for one in both if one.error < best]
        suspects += pairs
    found = places(fits)
    return Explanation(list(numbers), base, found, {one.names: one for one in suspects})


def predicted(
    predictions: Predictions,
    changes: Sequence[Change],
    numbers: Sequence[Measurement],
    on_answer: OnCount = lambda done, total: None,
) -> list[list[Prediction | None]]:
    """The model's answers: for each change, one for each number."""
    ways = [[change.of(number) for number in numbers] for change in changes]
    answers = predictions.answers((query for row in ways for way in row for query in way.queries), on_answer)
    return [[way.answer(answers) for way in row] for row in ways]


def _try(
    predictions: Predictions, suspects: Sequence[Suspect], numbers: Sequence[Measurement], on_answer: OnCount
) -> dict[tuple[str, ...], list[Trial]]:
    """The trials of each suspect; none of a severity that the model refuses."""
    flat = [change for one in suspects for change in one.changes]
    rows: Iterator[list[Prediction | None]] = iter(predicted(predictions, flat, numbers, on_answer))
    return {one.names: _trials([next(rows) for _ in one.changes]) for one in suspects}


def _trials(rows: Sequence[Sequence[Prediction | None]]) -> list[Trial]:
    found = []
    for number, row in enumerate(rows):
        answers = [answer for answer in row if answer is not None]
        if len(answers) == len(row):
            found.append(Trial(number, tuple(answer.seconds for answer in answers), answers[0].busy_share))
    return found


def _promising(
    suspects: Sequence[Suspect],
    trials: Mapping[tuple[str, ...], Sequence[Trial]],
    base: Sequence[float],
    measured: Sequence[float],
    busy: float | None,
) -> list[Suspect]:
    """The best pairs of causes, each at the severities at which the pair fits best if each cause adds to the time."""
    alone = {one.names: min((error_of(t, measured, busy) for t in trials[one.names]), default=9.0) for one in suspects}
    found: list[tuple[float, int, Suspect]] = []
    for first, second in combinations(suspects, 2):
        best: tuple[float, Change] | None = None
        for one in trials[first.names]:
            for other in trials[second.names]:
                error = distance(added(base, one.seconds, other.seconds), measured) + SECOND
                if best is not None and error >= best[0]:
                    continue
                change = first.changes[one.number].with_other(second.changes[other.number])
                best = best if change is None else (error, change)
        if best is not None and best[0] < min(alone[first.names], alone[second.names]):
            found.append((best[0], len(found), Suspect((*first.causes, *second.causes), (best[1],))))
    return [one for _, _, one in sorted(found, key=lambda entry: entry[:2])[:PAIRS]]
