from collections.abc import Callable, Mapping, Sequence
from typing import Any
from unittest import mock

import pytest
from tests.python import judged_rows
from tests.python.judged_rows import KEYS, row_of, steps_of

from isthmus.asking.experiments import Experiment
from isthmus.judging.judge import changed, judge, worth_trying
from isthmus.records.run import Row
from isthmus.show.verdict import heading, reason

RUN = Experiment("./app", "model:a", "stream", 100)


def judged(
    keys: Mapping[str, float] = KEYS, cheat: Mapping[str, float] | None = None, run: Experiment = RUN, **changes: Any
) -> tuple[Row, list[Experiment]]:
    """The row of `run` on a machine with `keys`, judged by reruns on one with `cheat`; and the reruns."""
    asked: list[Experiment] = []

    def run_all(wanted: Sequence[Experiment]) -> list[Row | None]:
        asked.extend(wanted)
        return [row_of(one, cheat or keys) for one in wanted]

    def steps(target: str, sets: Sequence[str]) -> Any:
        return judged_rows.steps_of(target, sets, keys)

    with mock.patch("isthmus.judging.judge.steps_of", steps):
        return judge(run, row_of(run, keys, **changes), run_all, lambda done, most: None), asked


def limit_of(**keys: float) -> Any:
    """The bottleneck on a machine with other numbers."""
    return judged({**KEYS, **{name.replace("_", ".", 1): value for name, value in keys.items()}})[0].bottleneck


def test_the_part_is_named_whose_key_raises_the_rate() -> None:
    assert (limit_of().part, limit_of().relief) == ("window", "window.size=8")
    assert (limit_of(window_size=64).part, limit_of(window_size=64).relief) == ("link", "link.rate=16")
    assert limit_of(window_size=64, link_rate=50).part == "kernel"


ITERATING = Experiment("./app", "model:a", "stream", 1, parameters=("size=9", "iterations=20"))


def iterations(run: Experiment, copy_s: float = 0.0) -> dict[str, Any]:
    """What a row says of a run of which each iteration takes as long as a message of the machine."""
    count = next(int(one.removeprefix("iterations=")) for one in run.parameters if one.startswith("iterations="))
    each = 1 / row_of(run).value
    ends = [copy_s + number * each for number in range(1, count + 1)]
    told = {"iteration_ends_s": ends, "parameters": {"size": 9, "iterations": count}}
    return {"elapsed_s": ends[-1], "value": 1 / ends[-1], **told}


def judged_iterating(copy_s: float) -> list[Experiment]:
    """The reruns of a run that iterates after a copy."""
    asked: list[Experiment] = []

    def run_all(wanted: Sequence[Experiment]) -> list[Row | None]:
        asked.extend(wanted)
        return [row_of(one, **iterations(one, copy_s)) for one in wanted]

    with mock.patch("isthmus.judging.judge.steps_of", judged_rows.steps_of):
        row = judge(ITERATING, row_of(ITERATING, **iterations(ITERATING, copy_s)), run_all, lambda done, most: None)
    assert row.bottleneck is not None
    assert row.bottleneck.relief == "window.size=8"
    return asked


def test_iterations_that_are_nearly_all_of_a_run_are_told_from_two_of_them() -> None:
    assert {one.parameters for one in judged_iterating(copy_s=0.1)} == {("size=9", "iterations=2")}


def test_iterations_beside_a_copy_that_counts_run_again_in_full() -> None:
    assert {one.parameters for one in judged_iterating(copy_s=1.0)} == {ITERATING.parameters}


def test_where_two_parts_hold_it_alike_none_is_named() -> None:
    limit = limit_of(link_rate=4.0, kernel_rate=4.0)
    assert limit.part is None
    assert limit.relief is None


def test_a_busy_part_whose_key_changes_nothing_is_never_called_the_bottleneck() -> None:
    # The reruns are those of a machine on which something that no part shows holds the rate.
    held = dict.fromkeys(KEYS, 1e9) | {"kernel.rate": 4.0}
    row, _ = judged(cheat=held)
    limit = row.bottleneck
    assert limit is not None
    assert limit.part is None
    assert heading(row) == "no single bottleneck, model"


def test_the_hint_is_then_a_slower_value_that_changes_the_rate() -> None:
    row, _ = judged({**KEYS, "link.rate": 4.0, "kernel.rate": 4.0})
    change = worth_trying(row)
    assert change is not None
    assert row_of(changed(RUN, change)).value < row.value


def test_where_nothing_can_be_run_again_the_hint_is_of_the_first_key_of_the_part_that_the_row_names() -> None:
    with mock.patch("isthmus.judging.judge.steps_of", steps_of):
        row = judge(RUN, row_of(RUN), lambda wanted: [None] * len(wanted), lambda done, most: None)
        assert row.bottleneck == row_of(RUN).bottleneck, "nothing was found out beside what the run itself tells"
        assert heading(row) == "busiest part, model"
        assert worth_trying(row) == f"{row.parts[2].keys[0]}=8" == "window.size=8"


def test_reruns_stop_where_nothing_that_is_left_can_give_twice_as_much() -> None:
    _, asked = judged({**KEYS, "link.rate": 100.0, "kernel.rate": 100.0})
    assert {one.sets for one in asked} == {("window.size=8",), ("window.round_trip=0.5",)}


def test_a_change_takes_the_place_of_what_the_user_set() -> None:
    run = Experiment("./app", "model:a", "stream", 100, sets=("window.size=2", "kernel.rate=50"))
    row, _ = judged(run=run)
    assert worth_trying(row) == "window.size=4"
    assert changed(run, "window.size=4").sets == ("kernel.rate=50", "window.size=4")


def test_a_long_run_is_rerun_short_with_its_own_short_run_beside() -> None:
    run = Experiment("./app", "model:a", "stream", 1_000_000)
    row, asked = judged(run=run)
    assert {one.count for one in asked} == {500, 1000}
    assert [one.sets for one in asked[:2]] == [(), ()]
    assert row.bottleneck is not None
    assert row.bottleneck.effects[0].raises == pytest.approx(1.0)


def judged_as_if(elapsed_s: Callable[[Experiment], float]) -> tuple[Row, list[Experiment]]:
    """The row of a million messages, judged by reruns that take so long; and the reruns."""
    asked: list[Experiment] = []

    def run_all(wanted: Sequence[Experiment]) -> list[Row | None]:
        asked.extend(wanted)
        return [row_of(one, elapsed_s=elapsed_s(one)) for one in wanted]

    run = Experiment("./app", "model:a", "stream", 1_000_000)
    with mock.patch("isthmus.judging.judge.steps_of", judged_rows.steps_of):
        return judge(run, row_of(run), run_all, lambda done, most: None), asked


def test_a_short_run_that_does_not_show_the_rate_of_the_whole_is_made_longer() -> None:
    def twice_as_fast_at_first(run: Experiment) -> float:
        return max(run.count / 8, (run.count - 1500) / 4)

    _, asked = judged_as_if(twice_as_fast_at_first)
    assert [one.count for one in asked[:5]] == [500, 1000, 2000, 4000, 8000], "each once"
    assert {one.count for one in asked[5:]} == {4000, 8000}


def test_the_way_in_and_out_of_a_short_run_does_not_count() -> None:
    row, asked = judged_as_if(lambda one: 1e6 + row_of(one).elapsed_s)
    assert {one.count for one in asked} == {500, 1000}
    assert row.bottleneck is not None
    assert row.bottleneck.effects[0].raises == pytest.approx(1.0)


def test_a_change_whose_messages_take_no_time_to_tell_is_no_effect() -> None:
    row, _ = judged_as_if(lambda one: 1.0 if one.sets else row_of(one).elapsed_s)
    assert row.bottleneck is not None
    assert row.bottleneck.effects == []


@pytest.mark.parametrize("changes", [{"kind": "measured"}, {"parts": []}])
def test_what_is_measured_or_without_parts_is_not_run_again(changes: dict[str, Any]) -> None:
    row, asked = judged(**changes)
    assert asked == []
    assert row.bottleneck == row_of(RUN, **changes).bottleneck


def test_nothing_is_said_of_what_holds_a_wrong_row() -> None:
    assert row_of(RUN, verified=False).bottleneck is not None, "the tool names one"
    row, asked = judged(verified=False)
    assert asked == []
    assert row.bottleneck is None


def test_a_full_window_is_told_with_what_fills_it() -> None:
    row, _ = judged()
    assert reason(row) == (
        "window, all 4 entries under way 100 % of the time, each for 1.00 s: at most 4 entries / 1.00 s = "
        "4.00 entries/s; window.size=8 raises the rate by 100 %"
    )


def test_where_no_number_holds_it_the_two_with_most_effect_are_told() -> None:
    row, _ = judged({**KEYS, "link.rate": 4.0, "kernel.rate": 4.1})
    assert reason(row).startswith("no number alone holds it; most effect: ")
    assert reason(row).count("the rate by") == 2


def test_what_is_told_of_the_next_part_must_be_what_reruns_show() -> None:
    row, _ = judged({**KEYS, "window.size": 64.0}, cheat={**KEYS, "window.size": 64.0, "kernel.rate": 8.9})
    assert row.bottleneck is not None
    assert row.bottleneck.part == "link"
    assert row.bottleneck.next is None, "the link is 25 % from the kernel by its shares, 11 % by the reruns"
