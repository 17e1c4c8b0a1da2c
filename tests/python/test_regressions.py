"""`isthmus history --regressions`: the newest run beyond the noise of the earlier ones."""

from random import Random
from typing import Any

import pytest
from tests.python.conftest import Isthmus
from tests.python.test_schemas import check

from isthmus.results.regressions import regressions
from isthmus.results.store import SeriesRun

PROBE = ("probe", "model:aws-f1", "h2d", "-q", "--sizes", "4KiB")


def record(value: float, **changed: Any) -> dict[str, Any]:
    """Something that was measured."""
    plain = {"name": "gemm", "target": "opencl:0", "device": "a GPU", "unit": "GFLOP/s", "kind": "measured"}
    return {**plain, "parameters": {"MATRIX_SIZE": 4096}, "value": value, **changed}


def runs(values: list[float], **changed: Any) -> list[SeriesRun]:
    """A run for each value."""
    return [SeriesRun(number, "host", [record(value, **changed)]) for number, value in enumerate(values, 1)]


def earlier(spread: float, count: int = 15) -> list[float]:
    """Values around 100."""
    draw = Random(5)
    return [100 + draw.gauss(0, spread) for _ in range(count)]


@pytest.mark.parametrize("spread", [0.1, 1.0, 5.0])
def test_what_is_worse_beyond_the_noise_is_a_regression_and_the_noise_is_none(spread: float) -> None:
    worse = 100 - max(8 * spread, 5)
    (found,) = regressions(runs([*earlier(spread), worse]))
    assert found.regressed
    assert (found.run, found.earlier, found.newest) == (16, 15, worse)
    assert found.noise == pytest.approx(spread / 100, rel=0.6)
    (found,) = regressions(runs([*earlier(spread), 100 - spread]))
    assert not found.regressed
    (found,) = regressions(runs([*earlier(spread), 150]))
    assert not found.regressed


def test_of_times_more_is_worse() -> None:
    assert regressions(runs([*earlier(1), 120], unit="us"))[0].regressed
    assert not regressions(runs([*earlier(1), 80], unit="us"))[0].regressed


def test_one_slow_run_among_the_earlier_ones_hides_nothing() -> None:
    assert regressions(runs([*earlier(1), 20, 90]))[0].regressed


def test_only_what_was_run_in_the_same_way_is_compared() -> None:
    first = runs(earlier(1))
    for changed in (
        {"device": "another"},
        {"ranks": 2},
        {"parameters": {"MATRIX_SIZE": 8192}},
        {"run": "optimized"},
        {"kind": "modelled"},
    ):
        other = SeriesRun(16, "host", [record(10, **changed)])
        assert not any(one.regressed for one in regressions([*first, other]))
    assert not any(one.regressed for one in regressions([*first, SeriesRun(16, "elsewhere", [record(10)])]))
    assert regressions([*first, SeriesRun(16, "host", [record(10)])])[0].regressed


def test_wrong_results_count_for_no_median() -> None:
    for wrong in ({"verified": False}, {"validated": False}):
        fast = [SeriesRun(number, "host", [record(1000, **wrong)]) for number in range(100, 110)]
        assert regressions([*runs([100, 100, 100, 100]), *fast])[0].median == 100


def test_a_few_runs_are_not_judged() -> None:
    assert regressions(runs([100, 100, 10])) == []
    assert regressions(runs([100, 100, 100, 10]))[0].regressed


def test_the_command_says_what_got_worse_and_can_fail_for_it(isthmus: Isthmus) -> None:
    target = ("probe", "opencl:0", "h2d", "-q", "--sizes", "4KiB")
    for _ in range(4):
        isthmus(*target)
    file = isthmus.json("history", "--regressions")
    check("regressions", file)
    assert [one["earlier"] for one in file["regressions"]] == [3]
    done = isthmus("history", "--fail-on-regression")
    assert done.returncode == int(file["regressions"][0]["regressed"])
    assert isthmus("history", "1", "--regressions").returncode == 2


def test_what_is_modelled_is_not_judged(isthmus: Isthmus) -> None:
    for rate in ("4", "4", "4", "4", "1"):
        isthmus(*PROBE, "--set", f"host.copy.rate={rate}")
    assert isthmus.json("history", "--regressions")["regressions"] == []
