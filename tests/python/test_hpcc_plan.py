"""`hpcc --dry-run`: what would be run and how long it would take; with the real tool."""

from pathlib import Path
from typing import Any

import pytest
from tests.python.conftest import Isthmus
from tests.python.hpcc_records import CONTEXT, hpcc_record

from isthmus.hpcc.plan import ASSUMED_BYTES_OF_HOST, START_S, estimate, lines_of
from isthmus.results.store import keep

SMALL = ("--size", "small", "--repeat", "2")


def test_the_plan_names_sizes_ranks_memory_and_devices_and_nothing_runs(real: Isthmus) -> None:
    done = real.well("hpcc", "stream", "-n", "2", *SMALL, "--set", "ARRAY_SIZE=4194304", "--dry-run")
    first, sizes, memory, *ranks = done.stdout.splitlines()
    assert first.startswith("stream, 2 ranks, grid 1x2, small size, base run, 2 repetitions: about ")
    assert first.endswith("(no such run is known here: the device's rates are assumed)")
    assert "ARRAY_SIZE=4194304" in sizes
    assert sizes.endswith("(set)")
    assert memory.startswith("memory: 48.0 MiB a rank, of "), "three arrays of 16 MiB"
    assert [line.partition(":")[0] for line in ranks] == ["rank 0", "rank 1"]
    assert all("opencl:0" in line for line in ranks)
    assert real.json("history")["runs"] == []


@pytest.mark.parametrize(("benchmark", "size"), [("hpl", "MATRIX_SIZE=1048576"), ("stream", f"ARRAY_SIZE={1 << 38}")])
def test_what_could_not_run_is_said_by_the_plan_too(real: Isthmus, benchmark: str, size: str) -> None:
    words = ("hpcc", benchmark, "--set", size)
    planned, run = real(*words, "--dry-run"), real(*words, "-q")
    assert (planned.returncode, planned.stdout) == (2, "")
    assert planned.stderr == run.stderr
    assert f"{size}: needs " in planned.stderr


def test_a_run_that_is_known_tells_how_long_the_next_one_takes(real: Isthmus) -> None:
    words = ("hpcc", "gemm", *SMALL, "--set", "MATRIX_SIZE=256", "--set", "BLOCK_SIZE=64")
    assert real(*words, "-q").returncode == 0
    assert "as the last such run here" in real(*words, "--dry-run").stdout
    for other in (("--optimized",), ("--set", "NUM_REPLICATIONS=2"), ("-n", "2"), ("--for", "5min")):
        assert "no such run is known here" in real(*words, *other, "--dry-run").stdout


def plan_of(record: dict[str, Any], **changed: Any) -> dict[str, Any]:
    names = ("benchmark", "variant", "size", "run", "ranks", "grid", "parameters", "places", "device_info")
    plan = {name: record[name] for name in names}
    rest = {"repetitions": 10, "burn_in_s": 0.0, "memory_bytes": 0, "operations": 0.0, "traffic_bytes": 0.0}
    return plan | rest | changed


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISTHMUS_STORE", str(tmp_path / "results.sqlite"))


@pytest.mark.usefixtures("store")
def test_twice_the_repetitions_take_twice_the_time_behind_the_start() -> None:
    record = hpcc_record("hpl", 40.0, 2)
    file = {"schema": "isthmus.hpcc/1", "context": {**CONTEXT, "elapsed": 102.0, "complete": True}}
    keep({**file, "records": [record]})
    count = len(record["samples"])
    for times in (1, 2, 4):
        seconds, basis = estimate(plan_of(record, repetitions=times * count))
        assert (seconds - START_S, basis) == (times * (102.0 - START_S), "as the last such run here")


@pytest.mark.usefixtures("store")
def test_without_a_run_that_is_known_the_rates_of_the_device_are_assumed() -> None:
    record = hpcc_record("hpl", 40.0, 1)
    work = plan_of(record)
    more: list[dict[str, Any]] = [
        {"operations": 1e12},
        {"traffic_bytes": 1e12},
        {"memory_bytes": 10**10},
        {"operations": 1e12, "repetitions": 99},
        {"burn_in_s": 3600.0},
    ]
    times = [estimate({**work, **one})[0] for one in more]
    assert all(seconds > START_S + 1 for seconds in times)
    assert times[2] == pytest.approx(START_S + 1e10 / ASSUMED_BYTES_OF_HOST)
    assert (times[3] - START_S) / (times[0] - START_S) == pytest.approx(100 / 11), "and the one that does not count"
    assert times[4] == pytest.approx(START_S + 3600)


@pytest.mark.usefixtures("store")
def test_ranks_that_share_a_device_take_turns_on_it_and_need_its_memory_together() -> None:
    one = plan_of(hpcc_record("hpl", 40.0, 1), operations=1e12, memory_bytes=2**30, parameters_from="set")
    place, host = one["places"][0], 2**30 / ASSUMED_BYTES_OF_HOST
    shared = one | {"ranks": 3, "places": [place | {"rank": rank, "shared": True} for rank in range(3)]}
    apart = one | {"ranks": 3, "places": [place | {"rank": rank, "target": f"opencl:{rank}"} for rank in range(3)]}
    alone = estimate(one)[0] - START_S - host
    assert estimate(apart)[0] - START_S - host == pytest.approx(alone)
    assert estimate(shared)[0] - START_S - host == pytest.approx(3 * alone)
    memory = [next(line for line in lines_of(plan) if line.startswith("memory: ")) for plan in (apart, shared)]
    assert "share" not in memory[0]
    assert memory[1].endswith("; 3 ranks share it and need 3.00 GiB")
