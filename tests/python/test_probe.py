import json

from tests.python.conftest import Isthmus


def test_there_is_a_record_for_each_probe_and_size(isthmus: Isthmus) -> None:
    records = isthmus.json("probe", "model:aws-f1", "--sizes", "64B,4KiB..16KiB:x2", "--repeat", "3")["records"]
    places = [(record["name"], record["parameters"]["size"]) for record in records]
    assert places == [(name, size) for name in ("h2d", "d2h") for size in (64, 4096, 8192, 16384)]
    assert all(len(record["samples"]) == 3 for record in records)


def test_headings_say_direction_unit_and_kind(isthmus: Isthmus) -> None:
    done = isthmus("probe", "model:aws-f1", "h2d", "--sizes", "4KiB")
    assert "host to device (h2d), GB/s, model" in done.stdout
    assert "device to host" not in done.stdout


def test_a_noisy_run_gets_one_warning_that_says_what_to_do(isthmus: Isthmus) -> None:
    done = isthmus("probe", "opencl:0", "*2d", "-q")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("warning: 8 of 8 records spread by more than 5%")
    assert "raise --repeat" in done.stderr


def test_set_reaches_the_model(isthmus: Isthmus) -> None:
    only_copy = ("--set", "host.copy.rate=1", "--set", "host.copy.rate=2")
    slow, fast = (
        isthmus.json("probe", "model:aws-f1", "h2d", "--sizes", "64MiB", *only_copy[at : at + 2])["records"]
        for at in (0, 2)
    )
    assert slow[0]["value"] < fast[0]["value"] < 2


def test_records_are_streamed_as_lines(isthmus: Isthmus) -> None:
    done = isthmus("probe", "model:aws-f1", "h2d", "--sizes", "4KiB,8KiB", "--jsonl", "-")
    assert [json.loads(line)["parameters"]["size"] for line in done.stdout.splitlines()] == [4096, 8192]


def test_unknown_probes_and_targets_are_one_line(isthmus: Isthmus) -> None:
    assert isthmus("probe", "model:aws-f1", "h2e").stderr == "error: unknown probe 'h2e'; help: did you mean 'h2d'?\n"
    assert isthmus("probe", "modl:aws-f1").returncode == 2
    assert isthmus("probe").stderr.startswith("error: TARGET: expected a target")
    assert isthmus("probe", "opencl:0", "--set", "a=1").returncode == 2


def test_a_dry_run_says_what_would_be_measured(isthmus: Isthmus) -> None:
    done = isthmus("probe", "model:aws-f1", "h2d", "--sizes", "4KiB,64MiB", "--dry-run")
    assert done.stdout == "h2d on model:aws-f1: 2 sizes (4KiB, 64MiB), 10 samples each\n"
