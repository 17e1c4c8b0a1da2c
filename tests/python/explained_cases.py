"""Numbers as a board gives them with one cause on, noisy, and how well `explain` finds the cause: for tests."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from isthmus.advising.curves import flows_of_board
from isthmus.asking.predictions import Predictions
from isthmus.explaining.causes import Cause, causes_of
from isthmus.explaining.explain import Explanation, explain, predicted
from isthmus.explaining.measurement import Measurement, over_coherent_link, read_measured
from isthmus.explaining.ranking import alike
from isthmus.records.run import Platform
from isthmus.running.boards import is_chip
from isthmus.running.targets import platform

NOISE = 0.03  # standard deviation of a number
MOVED = 1.1  # by which a given number, or all rates of the model, are off

# One way and back, and the large size: shared memory and ports are asked of what is worked on at once.
_COPIES = ((("h2d", "d2h"), ("d2h", "h2d"), ("h2d-pinned", "d2h-pinned"), ("d2h-pinned", "h2d-pinned")), "64MiB")
_SHARED = ((("shared-read", "shared-write"), ("shared-write", "shared-read")), "1MiB")
_PORTS = ((("port-tx", "port-rx"), ("port-rx", "port-tx")), "1MiB")


def ways_of(target: str) -> tuple[tuple[tuple[str, str], ...], str]:
    """What a person measures of a board: copies to a memory of its own, shared memory, or a processor's ports."""
    if is_chip(target):
        return _PORTS
    return _SHARED if "shared" in flows_of_board(target) else _COPIES


Explain = Callable[["Case"], Explanation]


@dataclass
class Board:
    """A board, what it is made of, and what its model gives."""

    target: str
    made_of: Platform
    predictions: Predictions
    ways: tuple[tuple[tuple[str, str], ...], str]

    @classmethod
    def of(cls, target: str, cache: Path) -> "Board":
        """With answers kept in `cache`."""
        made_of = Platform.model_validate(platform(target))
        return cls(target, made_of, Predictions(target, cache=cache), ways_of(target))


@dataclass(frozen=True)
class Case:
    """A cause that is on, at one severity, and the numbers that a person measures."""

    board: Board
    cause: Cause
    severity: int
    numbers: list[Measurement]

    def __str__(self) -> str:
        told = " ".join(self.cause.changes[self.severity].told)
        return f"{self.board.target}, {self.cause.name} ({told}): {', '.join(one.text for one in self.numbers)}"


def numbers_of(chance: random.Random, board: Board) -> list[Measurement]:
    """One number, or three: large and small one way, large back."""
    ways, large = board.ways
    there, back = chance.choice(ways)
    one, small = f"{there} {large} 1 GB/s", f"{there} 4KiB 1 GB/s"
    texts = [one, small, f"{back} {large} 1 GB/s"] if chance.random() < 0.5 else [chance.choice((one, small))]
    return over_coherent_link([read_measured(text) for text in texts], board.made_of)


def draw(
    chance: random.Random,
    boards: Sequence[Board],
    all_rates_off: bool,
    asked: Callable[[random.Random, Board], list[Measurement]] = numbers_of,
) -> Case:
    """A cause at any severity of any board; one that moves no number by over 5 % is nothing to ask about."""
    while True:
        board = chance.choice(boards)
        numbers = asked(chance, board)
        cause = chance.choice(causes_of(board.made_of))
        severity = chance.randrange(len(cause.changes))
        answers = predicted(board.predictions, [cause.changes[severity]], numbers)[0]
        took = [answer.seconds for answer in answers if answer is not None]
        base = [answer.seconds for answer in board.predictions.require([one.query for one in numbers])]
        if len(took) == len(numbers) and not alike(took, base):
            return Case(board, cause, severity, _measured(chance, numbers, took, all_rates_off))


def _measured(
    chance: random.Random, numbers: Sequence[Measurement], took: Sequence[float], all_rates_off: bool
) -> list[Measurement]:
    """Noise, and one of the numbers moved; or all of them, as if every rate of the model were off."""
    noisy = [seconds * math.exp(chance.gauss(0, NOISE)) for seconds in took]
    factor = chance.choice((MOVED, 1 / MOVED))
    moved = range(len(noisy)) if all_rates_off else [chance.randrange(len(noisy))]
    return [
        one.with_seconds(seconds * (factor if at in moved else 1.0))
        for at, (one, seconds) in enumerate(zip(numbers, noisy, strict=True))
    ]


def explained(case: Case) -> Explanation:
    """What `explain` says of a case."""
    return explain(case.board.made_of, case.board.predictions, case.numbers)


@dataclass
class Score:
    """How often the cause that is on has the first or second place, and how many causes share its place."""

    cases: int = 0
    found: int = 0
    ruled_out: int = 0
    sharing: int = 0

    def add(self, case: Case, found: Explanation) -> str | None:
        """Counts a case; what is wrong where the cause that is on is ruled out."""
        place = next(at for at, fits in enumerate(found.places) if _of(case, fits))
        fits = found.places[place]
        self.cases += 1
        self.found += place < 2
        self.sharing += len(fits)
        ruled_out = any(fit.ruled_out for fit in fits if fit.causes == (case.cause.name,))
        self.ruled_out += ruled_out
        return f"ruled out: {case}" if ruled_out else None

    @property
    def share_found(self) -> float:
        """The share of the cases that were found."""
        return self.found / self.cases

    @property
    def causes_a_place(self) -> float:
        """On average."""
        return self.sharing / self.cases


def _of(case: Case, fits: Sequence[object]) -> bool:
    return any(getattr(fit, "causes", None) == (case.cause.name,) for fit in fits)
