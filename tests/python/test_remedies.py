import math

import pytest
from tests.python.judged_rows import KEYS, row_of, steps_of

from isthmus.asking.experiments import Experiment
from isthmus.judging.remedies import Steps, remedies, slower

RUN = Experiment("./app", "model:a", "stream", 100)


def most(**keys: float) -> dict[str, float]:
    """What each key is held to give at most."""
    named = {name.replace("_", ".", 1): value for name, value in keys.items()}
    board = {**KEYS, **named}
    return {one.key: one.most for one in remedies(row_of(RUN, board), steps_of("model:a", (), board))}


def test_the_keys_behind_what_is_busiest_come_first() -> None:
    found = remedies(row_of(RUN), steps_of("model:a", ()))
    assert [one.key for one in found[:2]] == ["window.size", "window.round_trip"]
    assert [(one.value, one.part) for one in found[:2]] == [(8.0, "window"), (0.5, "window")]


def test_no_key_gives_more_than_the_busiest_other_part_allows() -> None:
    bounds = most()
    assert bounds["window.size"] == pytest.approx(1.0), "the link is half busy"
    assert bounds["link.rate"] == pytest.approx(1 / 0.75 - 1), "half of the half for which it is busy"
    assert most(link_rate=4.4)["window.size"] == pytest.approx(0.1)


@pytest.mark.parametrize(("busy", "size", "round_trip"), [(0.4, 1.0, 1 / 0.6 - 1), (0.04, 1 / 0.96 - 1, 1 / 0.96 - 1)])
def test_a_larger_window_may_take_away_more_than_its_waits(busy: float, size: float, round_trip: float) -> None:
    # Who waits for an entry keeps what comes after it waiting too: only the half of the time for which the link is busy
    # is sure to stay.
    row = row_of(RUN)
    window = row.parts[2].model_copy(update={"busy_s": busy})
    held = row.model_copy(update={"parts": [*row.parts[:2], window]})
    bounds = {one.key: one.most for one in remedies(held, steps_of("model:a", ()))}
    assert bounds["window.size"] == pytest.approx(size)
    assert bounds["window.round_trip"] == pytest.approx(round_trip)


def test_what_gives_nothing_that_one_sees_is_left_out() -> None:
    assert most().keys() - most(link_rate=1000.0).keys() == {"link.rate"}


def test_a_key_of_two_parts_is_counted_for_both_and_named_with_the_busier() -> None:
    row = row_of(RUN)
    shared = [part.model_copy(update={"keys": ["link.rate"]}) for part in row.parts if part.window is None]
    (one,) = remedies(row.model_copy(update={"parts": shared}), {"link.rate": Steps((16.0,))})
    assert one.part == "link"
    assert one.most == pytest.approx(1 / (1 - (0.5 + 0.4) / 2) - 1)


def test_slower_values_begin_with_the_busiest_part() -> None:
    found = slower(row_of(RUN), steps_of("model:a", ()))
    assert (found[0].key, found[0].value) == ("window.size", 2.0)
    assert {one.key for one in found} == set(KEYS)


def test_a_part_that_never_lived_is_not_busy() -> None:
    part = row_of(RUN).parts[0].model_copy(update={"lifetime_s": 0.0})
    assert part.busy_share == 0
    assert math.isfinite(part.busy_share)
