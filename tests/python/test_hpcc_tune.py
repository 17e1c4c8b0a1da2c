"""The search for parameters: on made-up devices, where the best is known, and on PoCL."""

import json
import os
import shlex
import signal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.conftest import Isthmus, program, python_program
from tests.python.test_schemas import check

from isthmus.base.errors import IsthmusError
from isthmus.hpcc.tuning.search import BudgetSpentError, Search, TrialRequest
from isthmus.hpcc.tuning.trials import TrialBudget
from isthmus.running.tools import run_tool

SPACE = {"A": [1, 2, 4, 8], "B": [1, 3, 5], "C": [0, 1]}
DEFAULTS = {"A": 2, "B": 1, "C": 0}


def peak(question: TrialRequest) -> float:
    """A device that is fastest with A = 8, B = 3, C = 0."""
    values = {**DEFAULTS, **dict(question.candidate)}
    return 100.0 - (8 - values["A"]) - 2 * abs(values["B"] - 3) - values["C"]


def searched(answer: Any) -> tuple[Search, bool]:
    search = Search(SPACE, DEFAULTS, answer, lambda better: None)
    return search, search.run()


def test_the_best_is_found_where_each_parameter_counts_by_itself() -> None:
    search, complete = searched(peak)
    assert (search.best, complete) == ({"A": 8, "B": 3}, True)


def test_what_does_not_run_is_never_best() -> None:
    search, _ = searched(lambda question: None if ("A", 8) in question.candidate else peak(question))
    assert search.best == {"A": 4, "B": 3}


def test_where_the_defaults_do_not_run_something_else_is_found() -> None:
    search, _ = searched(lambda question: None if ("A", 8) not in question.candidate else peak(question))
    assert search.best == {"A": 8, "B": 3}


def test_the_defaults_stay_where_nothing_is_clearly_better() -> None:
    search, complete = searched(lambda question: 100.0 + 0.5 * len(question.candidate))
    assert (search.best, complete) == ({}, True)


@given(
    st.integers(min_value=0, max_value=40),
    st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 2)), st.floats(1, 9)),
)
@settings(deadline=None)
def test_a_search_that_was_interrupted_ends_as_one_that_was_not(stop: int, rates: dict[tuple[int, int], float]) -> None:
    known: dict[TrialRequest, float] = {}
    asked = 0

    def rate(question: TrialRequest) -> float:
        values = {**DEFAULTS, **dict(question.candidate)}
        return rates.get((SPACE["A"].index(values["A"]), SPACE["B"].index(values["B"])), 5.0)

    def interrupted(question: TrialRequest) -> float:
        nonlocal asked
        if question not in known:
            asked += 1
            if asked == stop:
                raise BudgetSpentError
            known[question] = rate(question)
        return known[question]

    searched(interrupted)
    assert searched(interrupted)[0].best == searched(rate)[0].best


FAKE = """
import json, os, signal, sys
request = json.loads(sys.argv[1])
values = {"VECTOR_COUNT": 16, "DEVICE_BUFFER_SIZE": 16384} | request.get("set", {})
info = {"name": "made up", "platform": "", "vendor": "", "driver": "1", "opencl": "", "type": "cpu", "pci": None,
        "compute_units": 1, "clock_mhz": 1, "global_memory_bytes": 1, "ecc": False}
def tell(**event): print(json.dumps(event), flush=True)
if "parameters" in request:
    tell(event="compilation", parameters=values, specs=[], variant="ndrange", shape="cpu", kernel="", device_info=info)
    sys.exit(0)
if values["VECTOR_COUNT"] == 4: os.kill(os.getpid(), signal.SIGSEGV)
if values["DEVICE_BUFFER_SIZE"] == 1024:
    print("error: DEVICE_BUFFER_SIZE=1024: refused", file=sys.stderr)
    sys.exit(2)
right = values["DEVICE_BUFFER_SIZE"] != 4096
rate = (200.0 if not right else 10.0) + values["VECTOR_COUNT"] + (values["DEVICE_BUFFER_SIZE"] == 65536) * 20
tell(event="record", name="stream.triad", benchmark="stream", quantity="bandwidth", unit="GB/s", value=rate,
     samples=[rate], median=rate, spread=0, seconds=[1.0], across="average", kind="measured", validated=right, error=0,
     error_limit=1, error_is="error", run="base", target="opencl:0", device="made up", expected=None,
     expected_spread=None, expected_from="", efficiency=None, variant="ndrange", kernel="", size="small",
     parameters=values, parameters_from="defaults", ranks=1, grid="1x1", scheme="", shared=False, places=[],
     device_info=info)
sys.exit(0 if right else 1)
"""


@pytest.fixture
def made_up(real: Isthmus) -> Isthmus:
    """The command on a device that crashes, refuses and is wrong with some parameters."""
    tool = python_program(real.folder / "fake" / "isthmus-hpcc", FAKE)
    return Isthmus(real.folder, {**real.environment, "ISTHMUS_BIN": str(tool.parent)})


def test_crashes_refusals_and_wrong_results_are_results_of_the_search(made_up: Isthmus) -> None:
    file = made_up.json("hpcc", "tune", "stream", "--size", "small")
    check("hpcc-tune", file)
    tuned = file["tuned"]
    assert (tuned["settings"], tuned["value"], tuned["default_value"]) == ({"DEVICE_BUFFER_SIZE": 65536}, 46, 26)
    assert tuned["complete"] is True
    reasons = [trial["reason"] for trial in tuned["trials"] if trial["value"] is None]
    assert any("SIGSEGV" in reason for reason in reasons)
    assert any("DEVICE_BUFFER_SIZE=1024: refused" in reason for reason in reasons)
    assert any("wrong" in reason for reason in reasons)
    assert all(trial["settings"].get("DEVICE_BUFFER_SIZE") != 4096 for trial in tuned["trials"] if trial["value"])


def test_where_nothing_runs_the_reason_is_one_line(made_up: Isthmus) -> None:
    told = made_up.refusal("hpcc", "tune", "stream", "--set", "VECTOR_COUNT=4", "-q")
    assert "no configuration is known to run here" in told
    assert "SIGSEGV" in told


def test_a_trial_that_hangs_is_ended(tmp_path: Path) -> None:
    tool = program(tmp_path / "hangs", "exec sleep 1000000")
    with TrialBudget(0.1) as limit, pytest.raises(IsthmusError, match="SIGKILL"):
        run_tool(str(tool), {}, lambda event: None)
    assert limit.passed


SMALL = ("stream", "--variant", "single", "--size", "small")


def test_later_runs_use_what_was_found_and_say_so(real: Isthmus) -> None:
    file = real.json("hpcc", "tune", *SMALL, "--budget", "0.5s")
    check("hpcc-tune", file)
    path = Path(file["tuned"]["file"])
    content = json.loads(path.read_text())
    content["entries"][0]["settings"] = {"DEVICE_BUFFER_SIZE": 64}
    path.write_text(json.dumps(content))
    used = real("hpcc", *SMALL, "--repeat", "1", "--json", "-")
    record = json.loads(used.stdout)["records"][0]
    assert record["parameters"]["DEVICE_BUFFER_SIZE"] == 64
    assert record["parameters_from"] == str(path)
    assert "tuned for this device: DEVICE_BUFFER_SIZE=64" in used.stderr
    for more, origin in (
        (("--no-tuned",), "defaults"),
        (("--set", "VECTOR_COUNT=8"), "set"),
        (("--optimized",), "defaults"),
    ):
        other = real.json("hpcc", *SMALL, "--repeat", "1", *more)["records"][0]
        assert (other["parameters_from"], other["parameters"]["DEVICE_BUFFER_SIZE"]) == (origin, 256)
    content["entries"][0]["task"]["kernels"] = "others"
    path.write_text(json.dumps(content))
    assert real.json("hpcc", *SMALL, "--repeat", "1")["records"][0]["parameters_from"] == "defaults"
    path.write_text("{}")
    assert "not a file of tuned parameters" in real.refusal("hpcc", *SMALL, "-q")


def test_the_next_command_is_one_that_uses_what_was_found(real: Isthmus) -> None:
    done = real("hpcc", "tune", *SMALL, "--budget", "0.5s", "--json", "tuned.json")
    (command,) = [line for line in done.stderr.splitlines() if line.startswith("next: isthmus hpcc")]
    record = real.json(*shlex.split(command)[2:], "--repeat", "1")["records"][0]
    assert record["parameters_from"] == real.read("tuned.json")["tuned"]["file"]


def trials_of(real: Isthmus) -> list[str]:
    folder = real.folder / "home" / ".local" / "share" / "isthmus" / "tuned" / "trials"
    return [line for path in folder.glob("*.jsonl") for line in path.read_text().splitlines()]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_search_that_was_ended_goes_on_where_it_was(real: Isthmus, number: signal.Signals) -> None:
    first = real.start("hpcc", "tune", *SMALL, "-q")
    while len(trials_of(real)) < 2:
        assert first.poll() is None
    os.kill(first.pid, number)
    assert first.wait(timeout=240) == (130 if number == signal.SIGINT else -signal.SIGKILL)
    before = [json.loads(line) for line in trials_of(real)[:2]]
    (path,) = (real.folder / "home" / ".local" / "share" / "isthmus" / "tuned" / "trials").glob("*.jsonl")
    with path.open("a") as file:
        file.write('{"settings": {"half of a')
    done = real.json("hpcc", "tune", *SMALL, "--budget", "0.5s")
    assert done["tuned"]["trials"][:2] == before
    assert len(done["tuned"]["trials"]) == len(trials_of(real))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("b_eff",), "b_eff: expected a benchmark with something to tune: stream"),
        (("strem",), "unknown benchmark 'strem'"),
        (("fft", "--set", "NUM_REPLICATIONS=2"), "fft: every parameter that could be tuned is set by hand"),
        (("fft", "--budget", "10"), "--budget: expected a number and s, min or h, as in 90s, got '10'"),
        ((), "BENCH: expected a benchmark"),
    ],
)
def test_what_cannot_be_tuned_is_one_line(real: Isthmus, words: tuple[str, ...], complaint: str) -> None:
    assert complaint in real.refusal("hpcc", "tune", *words, "-q")


def test_the_list_shows_what_is_tried(real: Isthmus) -> None:
    lines = real("hpcc", "tune", "--list").stdout.splitlines()
    assert any(line.startswith("gemm, cpu") and "BLOCK_SIZE: 128" in line for line in lines)


def test_scaling_and_acceptance_use_what_was_found_too(real: Isthmus) -> None:
    path = Path(real.json("hpcc", "tune", *SMALL, "--budget", "0.5s")["tuned"]["file"])
    content = json.loads(path.read_text())
    content["entries"][0]["settings"] = {"DEVICE_BUFFER_SIZE": 64}
    path.write_text(json.dumps(content))
    once = (*SMALL, "--repeat", "1")
    scaled = real.json("hpcc", "scale", *once, "--ranks", "1,2", "--mode", "weak")["records"]
    assert {(one["parameters"]["DEVICE_BUFFER_SIZE"], one["parameters_from"]) for one in scaled} == {(64, str(path))}
    assert {one["ranks"] for one in scaled} == {1, 2}
    plain = real.json("hpcc", "scale", *once, "--ranks", "1", "--no-tuned")["records"]
    assert {one["parameters_from"] for one in plain} == {"defaults"}
    wanted = '[[benchmark]]\nname = "stream"\nvariant = "single"\nsize = "small"\nrepeat = 1\n'
    for more, origin in (("", str(path)), ("tuned = false\n", "defaults")):
        (real.folder / "expect.toml").write_text(wanted + more)
        checks = real.json("hpcc", "acceptance", "--expect", "expect.toml")["checks"]
        assert {one["record"]["parameters_from"] for one in checks} == {origin}
