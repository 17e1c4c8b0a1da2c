"""Finding numbers of a platform from measured times, and which of them the times cannot tell apart."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from isthmus.asking.answers import ask_all
from isthmus.base.errors import IsthmusError
from isthmus.calibration.device_curves import Curves
from isthmus.calibration.limits import Range

Vector = NDArray[np.float64]
Model = Callable[[Curves, Mapping[str, float]], Curves]
End = Literal["least", "most"]

STEP = 0.1  # of the logarithm of a key, to see how the times follow it
TELLS = 0.05  # times that move by less on average while a key moves e-fold say nothing of it
FLOOR = 0.02  # errors below this count the same: no measured time is known better
ROUNDS = 12
SETTLED = 0.005
FARTHEST = 1.5  # of the logarithm of a key, in one round
ENDS = 1e-6  # of a logarithm: nearer to an end of its range a key is at it


@dataclass(frozen=True)
class Fit:
    """The keys that were found with their values, groups that cannot be told apart, keys that nothing is said of.

    `at_end` has those that the times want beyond what they may be, and at which end of that they are.
    """

    values: dict[str, float]
    together: list[list[str]]
    silent: list[str]
    at_end: dict[str, End]


def fit(points: Curves, start: Mapping[str, float], model: Model, ranges: Mapping[str, Range] | None = None) -> Fit:
    """The values of the keys of `start`, within their ranges, for which the model's times are nearest to the measured.

    Near is the sum of the absolute errors of the logarithms of the times, so that every size counts alike and a curve
    that the model's structure cannot give does not bend the others (least squares, reweighted). Keys whose effect the
    other keys have as well stay as they are.
    """
    problem = _Problem(points, model, ranges or {})
    values = {key: value for key, value in start.items() if value > 0}
    found: dict[str, float] = {}
    # What can be told apart is looked at where the search begins, and again where it has led to.
    for _ in range(2):
        chosen, together, silent = _tell_apart(problem, {**values, **found})
        found |= _search(problem, {**values, **found}, chosen)
    # What was moved until the times no longer follow it is at its end: a time of which nothing is left, though no
    # multiple of it is 0, or a rate so high that it costs nothing.
    gone: dict[str, End] = {key: "least" if found[key] < values[key] else "most"
                            for key in silent if found.get(key, values[key]) != values[key]}  # fmt: skip
    groups = [[group[0], *(key for key in group[1:] if key not in found)] for group in together]
    unsaid = [key for key in start if key not in values or (key in silent and key not in found)]
    return Fit(found, [group for group in groups if len(group) > 1], unsaid, gone | problem.at_end(found))


def _search(problem: "_Problem", values: Mapping[str, float], chosen: Sequence[str]) -> dict[str, float]:
    fixed = {key: value for key, value in values.items() if key not in chosen}
    found = {key: values[key] for key in chosen}
    for _ in range(ROUNDS):
        step = problem.step(fixed, found)
        if step is None or max(map(abs, step.values()), default=0.0) < SETTLED:
            break
        found = _moved(found, step)
    return found


class _Problem:
    def __init__(self, points: Curves, model: Model, ranges: Mapping[str, Range]) -> None:
        self._points = points
        self._model = model
        self._ranges = ranges
        self._refused: dict[str, End] = {}
        self._target = self._logarithms(points)

    def _logarithms(self, curves: Curves) -> Vector:
        return np.log([curves[probe][size] for probe, curve in self._points.items() for size in curve])

    def times(self, values: Mapping[str, float]) -> Vector | None:
        """Logarithms of the model's times; None where the model refuses the values."""
        try:
            return self._logarithms(self._model(self._points, values))
        except IsthmusError:
            return None

    def error(self, times: Vector) -> float:
        return float(np.sum(np.abs(times - self._target)))

    def slopes(self, fixed: Mapping[str, float], values: Mapping[str, float]) -> tuple[Vector, Vector]:
        """The times, and a column for each key: how their logarithms follow the key's."""
        base = self.times({**fixed, **values})
        if base is None:
            # The tool's own line says which number it refuses.
            self._model(self._points, {**fixed, **values})
            raise IsthmusError("the model refuses the numbers that it was given")

        def column(key: str) -> Vector:
            for step in (STEP, -STEP):
                moved = self.times({**fixed, **values, key: values[key] * float(np.exp(step))})
                if moved is not None:
                    return np.asarray((moved - base) / step)
            return np.zeros_like(base)

        columns = ask_all(list(values), lambda key, _on_event: column(key))
        return base, np.column_stack(columns) if columns else np.zeros((len(base), 0))

    def step(self, fixed: Mapping[str, float], values: Mapping[str, float]) -> dict[str, float] | None:
        """The change of each key's logarithm in this step; None if no step makes the error smaller."""
        base, slopes = self.slopes(fixed, values)
        self._refused = {}
        while len(self._refused) < len(values):
            move = self._downhill(values, slopes, self._target - base)
            for part in range(6):
                shorter = {key: by / 2**part for key, by in move.items()}
                times = self.times({**fixed, **_moved(values, shorter)})
                if times is not None and self.error(times) < self.error(base):
                    return shorter
            refused = self._refused_alone({**fixed, **values}, move)
            if not refused:
                return None
            self._refused |= refused
        return None

    def _downhill(self, values: Mapping[str, float], slopes: Vector, residual: Vector) -> dict[str, float]:
        """The step of least squares in which no key leaves its range: one that stands at its end stays there."""
        weights = 1 / np.sqrt(np.maximum(np.abs(residual), FLOOR))
        room = {key: self._room(key, value) for key, value in values.items()}
        free = [at for at, key in enumerate(values) if key not in self._refused]
        move = dict.fromkeys(values, 0.0)
        while free:
            solution = np.linalg.lstsq(slopes[:, free] * weights[:, None], residual * weights, rcond=None)[0]
            wanted = dict(zip([list(values)[at] for at in free], map(float, solution), strict=True))
            held = [key for key, by in wanted.items() if by != 0 and room[key][by > 0] == 0]
            if not held:
                bounds = {key: (max(-FARTHEST, room[key][0]), min(FARTHEST, room[key][1])) for key in wanted}
                return move | {key: min(max(by, bounds[key][0]), bounds[key][1]) for key, by in wanted.items()}
            free = [at for at in free if list(values)[at] not in held]
        return move

    def _room(self, key: str, value: float) -> Range:
        """The limits within which the logarithm of a key may fall and rise."""
        low, high = self._ranges.get(key, (0.0, float("inf")))
        fall = float(np.log(low / value)) if low > 0 else -float("inf")
        rise = float(np.log(high / value))
        return (0.0 if fall > -ENDS else fall, 0.0 if rise < ENDS else rise)

    def _refused_alone(self, values: Mapping[str, float], move: Mapping[str, float]) -> dict[str, End]:
        """The keys whose step the model refuses because of another key's value."""
        moved = {key: by for key, by in move.items() if by != 0}
        refused = [key for key, by in moved.items() if self.times({**values, **_moved(values, {key: by / 32})}) is None]
        return {key: "least" if move[key] < 0 else "most" for key in refused}

    def at_end(self, values: Mapping[str, float]) -> dict[str, End]:
        """The keys that could not go on, and in which direction."""
        rooms = {key: self._room(key, value) for key, value in values.items()}
        ends: dict[str, End] = {key: "least" if room[0] == 0 else "most" for key, room in rooms.items() if 0 in room}
        return ends | {key: end for key, end in self._refused.items() if key in values}


def _moved(values: Mapping[str, float], move: Mapping[str, float]) -> dict[str, float]:
    return {key: values[key] * float(np.exp(by)) for key, by in move.items()}


def _tell_apart(problem: _Problem, values: Mapping[str, float]) -> tuple[list[str], list[list[str]], list[str]]:
    """Keys with an effect of their own, the most telling first; the others with those whose effect theirs is; the mute.

    Columns are chosen one by one, each time the one of which most is left when its part along the chosen ones is taken
    away (QR with pivoting).
    """
    _, slopes = problem.slopes({}, values)
    keys, scale = list(values), float(np.sqrt(slopes.shape[0]))
    left = slopes.copy()
    chosen: list[int] = []
    while len(chosen) < len(keys):
        lengths = np.linalg.norm(left, axis=0) / scale
        best = int(np.argmax(lengths))
        if lengths[best] < TELLS:
            break
        direction = left[:, best] / np.linalg.norm(left[:, best])
        left = left - np.outer(direction, direction @ left)
        chosen.append(best)
    others = [at for at in range(len(keys)) if at not in chosen]
    silent = [at for at in others if np.linalg.norm(slopes[:, at]) / scale < TELLS]
    sizes = np.linalg.norm(slopes, axis=0)
    groups: dict[int, list[str]] = {}
    for at in others:
        if at not in silent:
            # By the cosine of the angle between their columns.
            nearest = max(chosen, key=lambda each: abs(slopes[:, at] @ slopes[:, each]) / sizes[each])
            groups.setdefault(nearest, [keys[nearest]]).append(keys[at])
    return [keys[at] for at in chosen], list(groups.values()), [keys[at] for at in silent]


def errors(measured: Curves, modelled: Curves) -> dict[str, list[float]]:
    """The model's time over the measured one, less one, for each probe."""
    return {
        probe: [modelled[probe][size] / time - 1 for size, time in curve.items()] for probe, curve in measured.items()
    }


def median(errors_: Sequence[float]) -> float:
    """The median of the absolute errors."""
    return float(np.median(np.abs(errors_)))
