import json
from pathlib import Path

from tests.python.conftest import Isthmus
from tests.python.samples import sample

from isthmus.results.values import record_name

RUN = ("run", "image-filter", "--on", "model:aws-f1", "--flow", "overlap", "-q")


def probes(path: Path, samples: list[float], unit: str = "GB/s") -> None:
    """A file with one record of these samples."""
    file = sample("probe")
    measured = {"unit": unit, "kind": "measured", "value": sorted(samples)[len(samples) // 2], "samples": samples}
    path.write_text(json.dumps({**file, "records": [{**file["records"][0], **measured}]}))


def test_the_ratio_is_new_over_old(isthmus: Isthmus) -> None:
    isthmus(*RUN, "--json", "old.json", "--set", "host.copy.rate=2")
    isthmus(*RUN, "--json", "new.json", "--set", "host.copy.rate=3")
    (found,) = isthmus.json("compare", "old.json", "new.json")["comparisons"]
    assert found["ratio"] == found["new"] / found["old"] > 1
    assert found["low"] is None


def test_a_regression_over_the_limit_is_exit_code_1(isthmus: Isthmus) -> None:
    isthmus(*RUN, "--json", "old.json", "--set", "host.copy.rate=2")
    isthmus(*RUN, "--json", "new.json", "--set", "host.copy.rate=1.9")
    assert isthmus("compare", "old.json", "new.json", "--fail-over", "6%").returncode == 0
    done = isthmus("compare", "old.json", "new.json", "--fail-over", "4%")
    assert done.returncode == 1
    assert done.stderr == "error: worse by more than 4%: image-filter model:aws-f1 overlap\n"


def test_what_noise_explains_is_no_regression(isthmus: Isthmus) -> None:
    probes(isthmus.folder / "old.json", [8.0, 9.0, 10.0, 11.0, 12.0])
    probes(isthmus.folder / "new.json", [7.5, 8.5, 9.5, 11.0, 12.0])
    assert isthmus("compare", "old.json", "new.json", "--fail-over", "1%").returncode == 0
    (found,) = isthmus.json("compare", "old.json", "new.json")["comparisons"]
    assert found["low"] < found["ratio"] < found["high"]


def test_a_longer_time_is_worse(isthmus: Isthmus) -> None:
    probes(isthmus.folder / "old.json", [10.0, 10.0, 10.0], "us")
    probes(isthmus.folder / "new.json", [12.0, 12.0, 12.0], "us")
    assert isthmus("compare", "old.json", "new.json", "--fail-over", "10%").returncode == 1
    assert isthmus("compare", "new.json", "old.json", "--fail-over", "10%").returncode == 0


def test_what_cannot_be_compared_is_one_line(isthmus: Isthmus) -> None:
    (isthmus.folder / "old.json").write_text("{}")
    told = isthmus.refusal("compare", "old.json", "old.json")
    assert told == "old.json: expected a file of run, study, probe or hpcc"
    assert isthmus("compare", "old.json", "none.json").returncode == 2
    told = isthmus.refusal("compare", "old.json", "old.json", "--fail-over", "much")
    assert told == "--fail-over: expected a percentage, as in 5%, got 'much'"


def test_wrong_results_are_not_compared_and_that_is_said(isthmus: Isthmus) -> None:
    isthmus(*RUN, "--json", "right.json")
    isthmus(*RUN, "--json", "wrong.json", FAKE_RUN="wrong")
    done = isthmus("compare", "right.json", "wrong.json")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "warning: WRONG results are not compared: image-filter model:aws-f1 overlap",
        "error: right.json and wrong.json: no record is in both",
    ]


def test_wrong_results_have_no_rate_in_the_history(isthmus: Isthmus) -> None:
    isthmus(*RUN, FAKE_RUN="wrong")
    assert "WRONG" in isthmus("history", "1").stdout


def test_runs_by_several_methods_rewritten_or_delayed_have_names_of_their_own() -> None:
    row = {"application": "filter", "target": "model:chip", "flow": "shared"}
    changes: list[dict[str, str | int]] = [
        {},
        {"method": "hpc"},
        {"method": "acp"},
        {"method": "hpc", "delay": 2},
        {"rewrite": "sequential"},
    ]
    names = [record_name({**row, **change}) for change in changes]
    assert len(set(names)) == len(names)
    assert names[0] == "filter model:chip shared"
    assert names[3] == "filter model:chip by hpc delayed by 2 shared"
