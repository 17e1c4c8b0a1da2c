"""The decision tree of min2019 figure 5: every path, and what it is asked of."""

import itertools
from dataclasses import replace

import pytest

from isthmus.asking.experiments import Experiment
from isthmus.base.errors import IsthmusError
from isthmus.judging.coherence import (
    LARGE,
    SMALL,
    TO_CPU,
    TO_FPGA,
    WITHIN,
    Decision,
    SharedBuffer,
    decide,
    transfers_of,
)
from isthmus.running.methods import METHODS, check_method

MIDDLE = 1 << 20
# Each path of section V.B: what leads to it, the method, the last answer.
PATHS = [
    (SharedBuffer(WITHIN, MIDDLE), "hp-nc", "within the FPGA"),
    (SharedBuffer(TO_CPU, MIDDLE), "hpc", "to the CPU"),
    (SharedBuffer(TO_FPGA, MIDDLE), "hp-nc", "in sequence"),
    (SharedBuffer(TO_FPGA, MIDDLE, sequential=False), "hp-nc", "can be made sequential"),
    *(
        path
        for cached in (
            {"mostly_written": False},
            {"sequential": False, "can_be_sequential": False},
        )
        for path in (
            (SharedBuffer(TO_FPGA, LARGE + 1, **cached), "hpc", "over 16 MiB"),
            (SharedBuffer(TO_FPGA, SMALL - 1, read_at_once=True, **cached), "acp", "below 64 KiB, read at once"),
            (SharedBuffer(TO_FPGA, SMALL, read_at_once=True, **cached), "hp-c", "idle memory"),
            (SharedBuffer(TO_FPGA, SMALL - 1, **cached), "hp-c", "idle memory"),
            (
                SharedBuffer(TO_FPGA, MIDDLE, reordered=LARGE + 1, **cached),
                "hpc",
                "over 16 MiB of other work before",
            ),
            (SharedBuffer(TO_FPGA, MIDDLE, reordered=LARGE, **cached), "hp-c", "idle memory"),
            (SharedBuffer(TO_FPGA, MIDDLE, busy_memory=True, **cached), "hpc", "busy memory"),
            (SharedBuffer(TO_FPGA, LARGE, **cached), "hp-c", "idle memory"),
        )
    ),
]


@pytest.mark.parametrize(("transfer", "method", "last"), PATHS)
def test_each_path_of_the_tree_ends_in_its_method(transfer: SharedBuffer, method: str, last: str) -> None:
    decision = decide(transfer)
    assert (decision.method, decision.path[-1]) == (method, last)


def test_the_tree_answers_whatever_it_is_asked() -> None:
    flags = list(itertools.product((False, True), repeat=5))
    sizes = (64, SMALL, MIDDLE, LARGE, 2 * LARGE)
    ends: set[Decision] = set()
    for direction, size, reordered, (written, sequential, can_be, at_once, busy) in itertools.product(
        (TO_FPGA, TO_CPU, WITHIN), sizes, (0, 2 * LARGE), flags
    ):
        ends.add(decide(SharedBuffer(direction, size, written, sequential, can_be, at_once, reordered, busy)))
    assert {end.method for end in ends} == set(METHODS)
    assert {decide(transfer) for transfer, _, _ in PATHS} <= ends
    last = {(end.path[-1], end.method) for end in ends}
    assert last == {(answer, method) for _, method, answer in PATHS}


def test_only_what_is_made_sequential_asks_for_a_rewrite() -> None:
    assert decide(SharedBuffer(TO_FPGA, MIDDLE, sequential=False)).rewritten
    assert not decide(SharedBuffer(TO_FPGA, MIDDLE)).rewritten


def test_what_a_delay_puts_before_a_read_is_as_many_messages_of_the_size_that_is_asked_for() -> None:
    frames = Experiment("difference-of-gaussian", "model:zynq-ultrascale", "shared", 8, delay="3")
    for width, height in ((320, 240), (1920, 1080)):
        transfers = transfers_of(replace(frames, parameters=(f"size={width}x{height}",)))
        assert {transfer.reordered for transfer in transfers.values()} == {3 * width * height * 4}, "four bytes a pixel"
    assert {one.reordered for one in transfers_of(replace(frames, delay=None)).values()} == {0}


def test_a_method_that_there_is_not_is_refused_with_the_nearest() -> None:
    with pytest.raises(IsthmusError, match="--method: unknown method 'hpx'"):
        check_method("hpx", "--method")
