"""What is advised, against every choice run: on real models, random descriptions, with boards drawn anew."""

import math
import os
import random
import time
from collections import Counter
from collections.abc import Sequence

import pytest
from tests.python.random_descriptions import draw

from isthmus.advising.advice import Advice, RunOutcome, advise
from isthmus.advising.choices import Choice, ChoiceValue, Goal
from isthmus.advising.curves import BoardCurves, curves_of
from isthmus.advising.draws import Boards
from isthmus.advising.formulas import RunTimes
from isthmus.asking.experiments import Experiment, run_experiment
from isthmus.base.errors import IsthmusError
from isthmus.descriptions.application import DescribedApplication
from isthmus.descriptions.description import Description
from isthmus.records.advising import AdviseRow, AdviseVerdict
from isthmus.running.parallel import run_in_parallel
from isthmus.running.targets import platforms
from isthmus.running.tools import assignments

SECONDS = float(os.environ.get("ISTHMUS_ADVISE_SECONDS", "12"))
SEED = int(os.environ.get("ISTHMUS_ADVISE_SEED", str(random.SystemRandom().randrange(1 << 32))))
CASES = 200
# K/N: every Nth case from the Kth on, so that N processes have them all (tests/python/README.md).
SHARD, SHARDS = map(int, os.environ.get("ISTHMUS_ADVISE_SHARD", "0/1").split("/"))
ANEW = 40  # draws of which one runs
FRESH = 2  # the seed of boards that no curve was drawn of
BEST, BEST_SHARE = 1.1, 0.95
INSIDE_SHARE = 0.85
CLEAR, CLEAR_SHARE = 1.05, 0.95
APART, APART_SHARE = 1.5, 0.75
LEAST = 12  # cases of which a share says anything


def run(description: Description, choices: Sequence[ChoiceValue], sets: dict[str, tuple[str, ...]]) -> list[RunOutcome]:
    """Every choice, on its board with those numbers."""
    units = Goal.of(description).units
    came: dict[int, RunOutcome] = {}

    def one(experiment: Experiment, _on_event: object) -> RunOutcome:
        try:
            row = run_experiment(experiment, lambda _event: None, remember=False)
        except IsthmusError as error:
            return str(error)
        assert row.verified
        assert row.latency is not None
        return row.elapsed_s, row.latency.p50_s

    work = {
        number: Experiment(
            application="drawn.toml",
            target=choice.choice.target,
            flow=choice.choice.flow,
            count=units,
            sets=sets.get(choice.choice.target, ()),
            described=DescribedApplication(description),
            method=choice.choice.method,
        )
        for number, choice in enumerate(choices)
    }
    run_in_parallel(work, lambda _number, _event: None, came.__setitem__, one)
    return [came[number] for number in range(len(choices))]


def run_anew(description: Description, choice: ChoiceValue, boards: Boards, number: int) -> tuple[float, float]:
    """A choice on its board with numbers drawn anew: of those that the board takes the first that runs."""
    for attempt in range(ANEW):
        sets = assignments(boards.draw(number, attempt))
        (ran,) = run(description, [choice], {choice.choice.target: sets})
        if not isinstance(ran, str):
            return ran
        boards.learn(IsthmusError(ran))
    raise AssertionError(f"{choice.choice}: none of {ANEW} draws ran, the last: {ran}")


class Tally:
    """How often what is promised held."""

    def __init__(self) -> None:
        self.of: Counter[str] = Counter()
        self.held: Counter[str] = Counter()
        self.told: list[str] = []

    def add(self, what: str, holds: bool, told: str) -> None:
        self.of[what] += 1
        self.held[what] += holds
        self.told += [] if holds else [f"{what}: {told}"]

    def require(self, what: str, share: float) -> None:
        """Of few cases one or two may fail by chance: as many as one in a thousand such tallies has."""
        count, held = self.of[what], self.held[what]
        likely = sum(math.comb(count, k) * share**k * (1 - share) ** (count - k) for k in range(held + 1))
        assert count < LEAST or likely > 0.001, f"{what}: {held} of {count}; " + "\n".join(self.told)


def test_the_first_is_nearly_the_best_and_intervals_hold_what_other_boards_give() -> None:
    print(f"ISTHMUS_ADVISE_SEED={SEED}")
    end, tally = time.monotonic() + SECONDS, Tally()
    boards = [board for board in curves_of(dict.fromkeys(platforms(), ())) if board.flows]
    fresh = {board.target: Boards(board.target, (), FRESH) for board in boards}
    for case in range(SHARD, CASES, SHARDS):
        if time.monotonic() > end:
            break
        drawing = random.Random(f"{SEED} {case}")
        _case(draw(drawing), boards, fresh, drawing, tally, f"case {case} of seed {SEED}")
    print({what: f"{tally.held[what]} of {count}" for what, count in tally.of.items()}, *tally.told, sep="\n")
    tally.require("the first is within a tenth of the best", BEST_SHARE)
    tally.require("a result lies in its interval", INSIDE_SHARE)
    tally.require("a clear winner is the best or within 5 %", CLEAR_SHARE)
    tally.require("two that are 1.5 times apart are clear", APART_SHARE)


def _case(
    description: Description,
    boards: Sequence[BoardCurves],
    fresh: dict[str, Boards],
    drawing: random.Random,
    tally: Tally,
    name: str,
) -> None:
    kept: dict[str, RunOutcome] = {}

    def runner(choices: Sequence[ChoiceValue]) -> list[RunOutcome]:
        came = run(description, choices, {})
        kept.update({str(one.choice): ran for one, ran in zip(choices, came, strict=True)})
        return came

    found: Advice = advise(description, boards, runner)
    asked = found.asked

    def good(target: str, ran: RunOutcome) -> float:
        return 0.0 if isinstance(ran, str) else asked.goodness(asked.value(target, *ran))

    names = {str(_choice(row).choice): row for row in found.rows}
    first = str(_choice(found.verdict).choice)
    choices = [_choice(row) for each, row in names.items() if each not in kept]
    runner(choices)
    goods = {each: good(names[each].target, ran) for each, ran in kept.items()}
    best = max(goods.values())
    told = f"{name}: {first} {goods[first]:.4g} of {best:.4g}"
    tally.add("the first is within a tenth of the best", goods[first] * BEST >= best, told)
    numbers = drawn_anew(description, drawing)
    for each in drawing.sample(list(names), min(3, len(names))):
        row, boards_anew = names[each], fresh[names[each].target]
        ran = run_anew(numbers, _choice(row), boards_anew, drawing.randrange(1000))
        value = asked.value(row.target, *ran)
        tally.add("a result lies in its interval", row.low <= value <= row.high, f"{name}: {each} {value:.4g}")
    if found.verdict.clear:
        tally.add("a clear winner is the best or within 5 %", goods[first] * CLEAR >= best, told)
    second = sorted(goods.values())[-2] if len(goods) > 1 else 0.0
    if second and best / second >= APART:
        tally.add("two that are 1.5 times apart are clear", found.verdict.clear, told)


def drawn_anew(description: Description, drawing: random.Random) -> Description:
    """With its numbers anywhere in their ranges."""
    values = {key: number.at(drawing.random()) for key, number in description.numbers() if number.ranges}
    return description.with_values(values)


def _choice(row: AdviseRow | AdviseVerdict) -> ChoiceValue:
    return ChoiceValue(Choice(row.target, row.flow, row.method), RunTimes(0, 0), 0, (), True, 0, 0)


if __name__ == "__main__":
    pytest.main([__file__])
