"""Look-ups in device memory, by the command with the real tools."""

import pytest
from tests.python.conftest import EXPLAINED, Isthmus
from tests.python.test_schemas import check

from isthmus.asking.experiments import Experiment, run_experiment

FEW = ("--count", "32768", "--set", "table=4")


def test_one_access_at_a_time_is_held_by_its_latency_and_many_by_the_banks(real: Isthmus) -> None:
    rows = {}
    for flow in ("offload", "stream"):
        file = real.json("run", "hash-lookup", "--on", "model:aws-f1", "--flow", flow, *FEW, **EXPLAINED)
        check("run", file)
        (rows[flow],) = file["rows"]
        assert rows[flow]["verified"] is True
    assert rows["offload"]["bottleneck"]["relief"].startswith("device.axi.latency=")
    assert rows["stream"]["bottleneck"]["relief"].startswith("device.dram.ban")
    assert rows["stream"]["value"] > 30 * rows["offload"]["value"]


@pytest.mark.parametrize("flow", ["offload", "overlap"])
def test_twice_the_look_ups_of_which_each_is_modelled_take_twice_the_time(flow: str) -> None:
    def seconds(count: int) -> float:
        asked = Experiment("hash-lookup", "model:aws-f1", flow, count, parameters=("table=4",), grain="fine")
        row = run_experiment(asked, lambda event: None, remember=False)
        assert row.verified
        return row.elapsed_s

    assert seconds(65536) / seconds(32768) == pytest.approx(2, rel=0.02)


def test_a_few_accesses_under_way_are_named_and_without_them_the_memory_is_the_limit(real: Isthmus) -> None:
    few = ("run", "hash-lookup", "--on", "model:aws-f1", "--flow", "stream", *FEW, "--set", "depth=8")
    (row,) = real.json(*few, **EXPLAINED)["rows"]
    assert row["bottleneck"]["part"] == "table's bursts under way"
    (window,) = (part["window"] for part in row["parts"] if part["name"] == row["bottleneck"]["part"])
    assert row["value"] == pytest.approx(8 / window["round_trip_s"], rel=0.03)


def test_a_row_counts_look_ups_of_whole_messages(real: Isthmus) -> None:
    text = real.folder / "text.txt"
    text.write_text("to be or not to be that is the question\n" * 50, encoding="utf-8")
    done = real("run", "hash-lookup", "--on", "native", "--input", "text.txt", "--count", "100", "--set", "batch=64")
    assert done.returncode == 0, done.stderr
    assert "128 lookups: as many as 2 messages of 64 hold" in done.stderr
    (row,) = real.json(
        "run", "hash-lookup", "--on", "native", "--input", "text.txt", "--count", "128", "--set", "batch=64"
    )["rows"]
    assert (row["count"], row["counted"], row["in_message"], row["bytes_each"]) == (128, "lookups", 64, 8)
    assert row["value"] == pytest.approx(128 / row["elapsed_s"])
    assert 1 <= row["accesses_per_lookup"] < 2


def test_copies_of_the_kernel_share_the_look_ups_and_are_told_with_their_actors(real: Isthmus) -> None:
    few = ("run", "hash-lookup", "--on", "native", "--count", "1000", "--set", "batch=64", "--set", "table=1")
    (row,) = real.json(*few, "--compute-units", "3", "--workers", "1")["rows"]
    assert (row["compute_units"], row["verified"]) == (3, True)
    (worker,) = row["workers"]
    assert {f"unit {unit}/matcher" for unit in range(3)} <= set(worker["actors"])
    shown = real(*few, "--compute-units", "3", "--workers", "1").stdout
    assert "actors (--compute-units 3 --map ACTOR=WORKER moves one)" in shown
    real.well(*few, "--compute-units", "2", "--workers", "1", "--map", "unit 1/matcher=0")
    (one,) = real.json(*few, "--map", "matcher=0")["rows"]
    assert one["compute_units"] == 1
    told = real.refusal("run", "hash-lookup", "--on", "native", "--compute-units", "2", "--faults", "stall=0.1")
    assert "--compute-units: expected 1 of 'hash-lookup', with faults, got 2" in told


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--set", "lambda=4"), "lambda: expected an integer of 1..3, got '4'"),
        (("--set", "batch=12"), "batch: expected a multiple of 8"),
        (("--set", "depth=0"), "depth: expected an integer of 1..2048, got '0'"),
        (("--set", "keys=zip"), "keys: unknown keys 'zip': expected uniform or zipf"),
        (("--input", "empty.txt"), "empty.txt: expected words, got none"),
        (("--input", "nowhere.txt"), "--input: expected a file, got 'nowhere.txt'"),
        (("--flow", "shared"), "has no flow 'shared'"),
    ],
)
def test_what_cannot_be_looked_up_is_one_line(real: Isthmus, words: tuple[str, ...], complaint: str) -> None:
    (real.folder / "empty.txt").write_text("\n", encoding="utf-8")
    assert complaint in real.refusal("run", "hash-lookup", "--on", "model:aws-f1", *words)
