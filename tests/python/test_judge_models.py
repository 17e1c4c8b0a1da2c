"""What a verdict names holds the run: on real models, under random numbers, against every key tried one by one."""

import math
import os
import random
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest
from tests.python.conftest import TREE

from isthmus.asking.experiments import Experiment, run_experiment
from isthmus.base.errors import IsthmusError
from isthmus.judging.judge import HOLDS, changed, judge, worth_trying
from isthmus.judging.remedies import steps_of
from isthmus.records.run import Row
from isthmus.running.parallel import cores

SECONDS = float(os.environ.get("ISTHMUS_JUDGE_SECONDS", "10"))
SEED = int(os.environ.get("ISTHMUS_JUDGE_SEED", str(random.SystemRandom().randrange(1 << 32))))
ECHO = str(TREE / "build" / "release" / "tests" / "program" / "echo_messages")

ROUNDS = 50  # random settings of each work, board and flow, while there is time
REFUSED = "the model does not take these numbers"

BOARDS = ("model:aws-f1", "model:alpha-data-7v3")
# The numbers that windows and latencies have, each with the ends between which it is drawn; sizes are powers of two.
WINDOWS = {
    "link.pcie.round_trip": (0.6, 20, "us"),
    "link.pcie.tags": (1, 256, ""),
    "link.pcie.posted_header_credits": (1, 127, ""),
    "link.pcie.posted_data_credits": (16, 2047, ""),
    "link.pcie.nonposted_header_credits": (1, 127, ""),
    "stream.requests_in_flight": (1, 256, ""),
    "stream.request_size": (6, 13, "2^ B"),
    "stream.buffer_size": (20, 23, "2^ B"),
    "stream.input_buffers": (1, 64, ""),
    "stream.output_buffers": (1, 64, ""),
    "stream.porter_period": (0.1, 100, "us"),
    "device.axi.outstanding": (1, 64, ""),
    "device.axi.latency": (0, 2000, "ns"),
    "dma.descriptors_in_flight": (1, 64, ""),
}


@dataclass(frozen=True)
class Work:
    """An application, how much of it, and the bytes of a message of `echo_messages`."""

    application: str
    count: int
    flows: tuple[str, ...]
    bytes: int = 0


WORKS = (
    Work(ECHO, 400, ("stream",), 64),
    Work(ECHO, 300, ("stream",), 4096),
    Work(ECHO, 40, ("stream",), 1 << 20),
    Work("image-filter", 6, ("offload", "overlap", "stream")),
)


def drawn(chance: random.Random, key: str) -> str:
    """KEY=VALUE."""
    low, high, unit = WINDOWS[key]
    if unit == "2^ B":
        return f"{key}={1 << chance.randint(int(low), int(high))}B"
    value = math.exp(chance.uniform(math.log(max(low, 0.1)), math.log(high)))
    return f"{key}={value:.3g}{unit}" if unit else f"{key}={round(value)}"


def rates(experiments: Sequence[Experiment]) -> list[Row | None]:
    """Rows side by side; None where the model refuses."""

    def rate(experiment: Experiment) -> Row | None:
        try:
            return run_experiment(experiment, lambda event: None, remember=False)
        except IsthmusError:
            return None

    with ThreadPoolExecutor(cores()) as pool:
        return list(pool.map(rate, experiments))


def raises(experiment: Experiment, row: Row, changes: Sequence[str]) -> dict[str, float]:
    """By what share each change raises the whole run's rate."""
    rows = rates([changed(experiment, change) for change in changes])
    return {change: one.value / row.value - 1 for change, one in zip(changes, rows, strict=True) if one is not None}


def every_key(experiment: Experiment) -> list[str]:
    """Each key of the board at each of its next values."""
    return [
        f"{key}={value:.9g}"
        for key, step in steps_of(experiment.target, experiment.sets).items()
        for value in step.faster
    ]


def of_windows(changes: Sequence[str]) -> list[str]:
    """Those of the keys in WINDOWS."""
    return [change for change in changes if change.partition("=")[0] in WINDOWS]


def complaint(experiment: Experiment, whole: bool) -> str | None:
    """What is wrong with the verdict on a run; None if nothing is, `REFUSED` if the model does not take its numbers."""
    (row,) = rates([experiment])
    if row is None:
        return REFUSED
    limit = judge(experiment, row, rates, lambda done, most: None).bottleneck
    assert limit is not None
    tried = every_key(experiment)
    found = raises(experiment, row, tried if whole else of_windows(tried))
    best = max(found, key=lambda change: found[change])
    told = f"{experiment.application} {experiment.target} {experiment.flow} {' '.join(experiment.sets)}: {limit}"
    hint = worth_trying(row.model_copy(update={"bottleneck": limit}))
    hinted = raises(experiment, row, [hint])[hint] if hint else 0.0
    if hint is None or abs(hinted) < 0.01:
        return f"{told}\nthe hint {hint} changes the rate by {hinted:.4f}; {best} by {found[best]:.4f}"
    gives = raises(experiment, row, [limit.relief])[limit.relief] if limit.relief else HOLDS
    if found[best] >= 2 * HOLDS and gives < found[best] / 2:
        return f"{told}\nraises the rate by {gives:.4f}, but {best} by {found[best]:.4f}"
    return None


def cases(chance: random.Random) -> "list[tuple[Work, Experiment]]":
    """One of each work, board and flow, in random order, with some numbers drawn."""
    found = []
    for work in WORKS:
        for board in BOARDS:
            for flow in work.flows:
                keys = chance.sample(sorted(WINDOWS), chance.randint(1, 4))
                sets = tuple(drawn(chance, key) for key in keys)
                own = "/" in work.application
                found.append(
                    (work, Experiment(work.application, board, flow, work.count, seed=None if own else 1, sets=sets))
                )
    chance.shuffle(found)
    return found


def test_raising_what_is_named_raises_the_rate_by_at_least_half_of_what_any_key_does() -> None:
    assert Path(ECHO).is_file(), "built by make test"
    chance = random.Random(SEED)
    end = time.monotonic() + SECONDS
    judged: Counter[tuple[str, int, str, str]] = Counter()
    left: list[tuple[Work, Experiment]] = []
    while not judged or (time.monotonic() < end and min(judged.values()) < ROUNDS):
        left = left or cases(chance)
        work, experiment = left.pop()
        with mock.patch.dict(os.environ, {"ECHO_BYTES": str(work.bytes)}):
            wrong = complaint(experiment, whole=SECONDS > 60)
        if wrong is not REFUSED:
            judged[Path(work.application).name, work.bytes, experiment.target, experiment.flow] += 1
            assert wrong is None, f"seed {SEED}, case {judged.total()}: {wrong}"
    print(f"seed {SEED}: {judged.total()} cases")
    for (application, size, board, flow), count in sorted(judged.items()):
        print(f"{count:4} of {application} {size or ''} {board} {flow}")


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize(
    ("application", "flow", "count"),
    [("image-filter", "offload", 8), ("image-filter", "stream", 8), ("suffix-sum", "stream", 1000)],
)
def test_short_reruns_say_of_what_limits_a_run_what_whole_ones_say(
    board: str, application: str, flow: str, count: int
) -> None:
    asked: list[Experiment] = []

    def run_all(wanted: Sequence[Experiment]) -> list[Row | None]:
        asked.extend(wanted)
        return rates(wanted)

    experiment = Experiment(application, board, flow, count, seed=1)
    (row,) = rates([experiment])
    assert row is not None
    short = judge(experiment, row, run_all, lambda done, most: None).bottleneck
    assert short is not None
    assert short.relief is not None
    assert max(one.count for one in asked) < count
    found = {effect.change: effect.raises for effect in short.effects}
    assert raises(experiment, row, [short.relief])[short.relief] == pytest.approx(found[short.relief], abs=0.01)


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize(
    "assignment",
    [
        "link.pcie.round_trip=20us",
        "link.pcie.tags=2",
        "link.pcie.posted_header_credits=3",
        "link.pcie.nonposted_header_credits=3",
        "stream.porter_period=100us",
        "stream.requests_in_flight=1",
        "stream.input_buffers=1",
        "stream.output_buffers=1",
    ],
)
def test_a_latency_or_a_window_that_holds_a_stream_is_named(board: str, assignment: str) -> None:
    with mock.patch.dict(os.environ, {"ECHO_BYTES": "4096"}):
        assert complaint(Experiment(ECHO, board, "stream", 300, sets=(assignment,)), whole=False) is None
