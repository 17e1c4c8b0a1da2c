"""Boards as they may be: joint draws of what a platform file assumes, and of what was calibrated."""

import math
import random
import re
from collections.abc import Mapping, Sequence

from isthmus.base.errors import IsthmusError
from isthmus.base.numbers import is_number
from isthmus.base.units import WHOLE
from isthmus.running.targets import platform
from isthmus.running.tools import Event, assignments

CALIBRATED = 0.1  # either way
TRIES = 200  # draws until a board takes one
_REFUSED = re.compile(r"key '([^']+)': expected (?:a multiple of (\d+) ?(\w*) in|.*power of two)")

DrawnValues = dict[str, float]


def uncertain(board: Event) -> dict[str, tuple[float, float, str]]:
    """The numbers of a board that nobody published, by key: least, most and unit."""
    found = {}
    for item in board["inputs"]:
        value, ends = item["value"], item.get("range")
        if not is_number(value):
            continue
        if item["role"] == "assumed" and ends and all(isinstance(end, int | float) for end in ends):
            found[item["key"]] = (float(ends[0]), float(ends[1]), item.get("unit") or "")
        elif item["role"] == "calibrated":
            low, high = sorted((value * (1 - CALIBRATED), value * (1 + CALIBRATED)))
            found[item["key"]] = (low, high, item.get("unit") or "")
    return {key: ends for key, ends in found.items() if ends[0] < ends[1]}


class Boards:
    """Draws of one target, each the same whenever it is asked for; one that the platform refuses is drawn again."""

    def __init__(self, target: str, sets: Sequence[str], seed: int) -> None:
        self.target = target
        self.sets = tuple(sets)
        self._seed = seed
        self._steps: dict[str, float] = {}  # of what a platform takes multiples alone of; 0: powers of two
        by_hand = {one.partition("=")[0].strip() for one in sets}
        self.usual = platform(target, sets)  # the board, before anything is drawn
        self._numbers = {key: ends for key, ends in uncertain(self.usual).items() if key not in by_hand}

    def draw(self, number: int, attempt: int = 0) -> DrawnValues:
        """The joint draw of this number; each attempt draws another one."""
        for again in range(TRIES):
            drawing = random.Random(f"{self._seed} {self.target} {number} {attempt} {again}")
            shares = {key: drawing.random() for key in self._numbers}
            drawn = {key: self._at(key, share) for key, share in shares.items()}
            if self._taken(drawn, shares):
                return drawn
        raise IsthmusError(f"'{self.target}': no draw of its assumed numbers was taken in {TRIES} tries")

    def _at(self, key: str, share: float) -> float:
        """The number with that share of its range below it."""
        low, high, unit = self._numbers[key]
        whole = WHOLE.get(unit)
        value = float(low * (high / low) ** share) if low > 0 else low + (high - low) * share
        if whole is None:
            return value
        step = self._steps.get(key, 1.0)
        if step:
            steps = min(max(round(value * whole / step), math.ceil(low * whole / step)), high * whole // step)
            return steps * step / whole
        powers = [2.0**power / whole for power in range(64) if low * whole <= 2**power <= high * whole]
        return powers[int(share * len(powers))] if powers else self._usual(key)

    def _usual(self, key: str) -> float:
        return next(float(item["value"]) for item in self.usual["inputs"] if item["key"] == key)

    def _taken(self, drawn: DrawnValues, shares: Mapping[str, float]) -> bool:
        """Tells whether the platform takes them, after those are powers of two, or multiples, that must be."""
        while True:
            try:
                platform(self.target, (*self.sets, *assignments(drawn)))
            except IsthmusError as error:
                key = self.learn(error)
                if key is None or key not in drawn:
                    return False
                before, drawn[key] = drawn[key], self._at(key, shares[key])
                if drawn[key] == before:
                    return False
            else:
                return True

    def learn(self, error: IsthmusError) -> str | None:
        """The key that takes only powers of two or multiples, as a board's message says; None for another message."""
        refused = _REFUSED.search(str(error))
        if refused is None:
            return None
        self._steps[refused[1]] = float(refused[2]) * WHOLE.get(refused[3], 1) if refused[2] else 0.0
        return refused[1]
