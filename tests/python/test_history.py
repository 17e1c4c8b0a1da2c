"""The results store and `isthmus history`; writers are processes of their own, and some of them are killed."""

import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.python.conftest import Isthmus

from isthmus.results.store import records_of

PROBE = ("probe", "model:aws-f1", "h2d", "-q", "--sizes", "4KiB,64KiB")
RECORDS = 40

WRITER = """
import json, sys
from isthmus.results.store import keep
document = json.load(sys.stdin)
for number in range(int(sys.argv[2])):
    keep(document, f"{sys.argv[1]}-{number}")
    print(number, flush=True)
"""


@pytest.fixture
def document(isthmus: Isthmus) -> str:
    """The JSON file of a run with many records."""
    file = isthmus.json("probe", "model:aws-f1", "h2d", "--sizes", "4KiB", ISTHMUS_STORE="elsewhere.sqlite")
    file["records"] *= RECORDS
    return json.dumps(file)


def store_of(isthmus: Isthmus) -> Path:
    """Where the store lies in the home of the tests."""
    return isthmus.folder / "home" / ".local" / "share" / "isthmus" / "results.sqlite"


def write(isthmus: Isthmus, document: str, name: str, times: int) -> "subprocess.Popen[str]":
    """A process that keeps the document so many times."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, name, str(times)],
        env={**isthmus.environment, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write(document)
    process.stdin.close()
    return process


def stored(path: Path) -> dict[str, tuple[int, int]]:
    """For each run by name: the records that it says it has, and those that are there."""
    with closing(sqlite3.connect(path)) as store:
        rows = store.execute(
            "SELECT runs.name, runs.records, count(records.run) FROM runs LEFT JOIN records ON records.run = runs.id "
            "GROUP BY runs.id, runs.name, runs.records"
        ).fetchall()
    return {name: (declared, there) for name, declared, there in rows}


def test_every_run_is_kept_and_shown_as_its_file_was(isthmus: Isthmus) -> None:
    first = isthmus.json(*PROBE)
    second = isthmus.json("run", "image-filter", "--on", "model:aws-f1", "--flow", "stream", "-q")
    assert isthmus.json("history", "1") == first
    assert isthmus.json("history", "2") == second
    assert isthmus("history", "1").stdout.splitlines()[-3].split()[-1] == "model"
    runs = isthmus.json("history")["runs"]
    assert [(run["id"], run["kind"], run["records"]) for run in runs] == [(2, "run", 1), (1, "probe", 2)]
    assert runs[1]["command"].startswith("isthmus probe model:aws-f1 h2d")


def test_what_is_no_run_is_not_kept(isthmus: Isthmus) -> None:
    isthmus("devices")
    isthmus("history")
    assert isthmus.json("history")["runs"] == []


def test_a_run_is_saved_by_name_and_the_newest_of_a_name_is_meant(isthmus: Isthmus) -> None:
    isthmus(*PROBE, "--save", "base", "--set", "host.copy.rate=2")
    newest = isthmus.json(*PROBE, "--save", "base", "--set", "host.copy.rate=3")
    assert isthmus.json("history", "base") == newest
    assert len(isthmus.json("history")["runs"]) == 2
    assert isthmus.refusal("history", "bsae").endswith("unknown run 'bsae'; help: did you mean 'base'?")


def test_two_runs_are_compared_new_over_old(isthmus: Isthmus) -> None:
    isthmus(*PROBE, "--save", "slow", "--set", "host.copy.rate=2")
    isthmus(*PROBE, "--save", "fast", "--set", "host.copy.rate=4")
    compared = isthmus.json("history", "slow", "fast")["comparisons"]
    assert len(compared) == 2
    assert all(one["ratio"] == one["new"] / one["old"] > 1 for one in compared)
    done = isthmus("history", "fast", "slow", "--fail-over", "5%")
    assert done.returncode == 1
    assert "worse by more than 5%" in done.stderr


def test_the_store_lies_where_the_person_says(isthmus: Isthmus) -> None:
    isthmus(*PROBE, ISTHMUS_STORE="mine.sqlite")
    assert stored(isthmus.folder / "mine.sqlite") == {None: (2, 2)}
    isthmus(*PROBE, XDG_DATA_HOME=str(isthmus.folder / "data"))
    assert (isthmus.folder / "data" / "isthmus" / "results.sqlite").is_file()
    assert not store_of(isthmus).exists()


def test_a_store_that_cannot_be_used_costs_a_line_and_not_the_result(isthmus: Isthmus) -> None:
    (isthmus.folder / "broken.sqlite").write_text("this is no database\n")
    done = isthmus.well(*PROBE, "--json", "-", ISTHMUS_STORE="broken.sqlite")
    assert len(json.loads(done.stdout)["records"]) == 2
    assert done.stderr.startswith("warning: this run is not kept: broken.sqlite: cannot use the results store: ")
    assert done.stderr.count("\n") == 1
    listing = isthmus("history", ISTHMUS_STORE="broken.sqlite")
    assert listing.returncode == 2
    assert listing.stderr.count("\n") == 1


def test_what_was_held_out_counts_as_records() -> None:
    held_out = {"schema": "isthmus.reproduce/1", "rows": [], "score": {}, "held_out": [{"id": "S000-087"}]}
    assert records_of(held_out) == [{"id": "S000-087"}]
    assert records_of({**held_out, "held_out": []}) == []


@pytest.mark.parametrize("most", [0, 4096, 10_000])
def test_a_disk_that_was_full_when_the_store_was_made_costs_no_later_run(isthmus: Isthmus, most: int) -> None:
    store = store_of(isthmus)
    full = subprocess.run(
        [sys.executable, "-B", "-m", "isthmus", *PROBE],
        cwd=isthmus.folder,
        env=isthmus.environment,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "warning: this run is not kept: " in full.stderr
    done = isthmus(*PROBE, "--save", "later")
    assert (done.returncode, done.stderr) == (0, "")
    assert stored(store)["later"] == (2, 2)


def test_an_empty_file_becomes_a_store(isthmus: Isthmus) -> None:
    store_of(isthmus).parent.mkdir(parents=True)
    store_of(isthmus).touch()
    isthmus(*PROBE, "--save", "first")
    assert stored(store_of(isthmus)) == {"first": (2, 2)}


def test_writers_at_one_time_lose_nothing(isthmus: Isthmus, document: str) -> None:
    writers = [write(isthmus, document, name, 6) for name in ("a", "b", "c")]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    for writer in writers:
        assert writer.stdout is not None
        writer.stdout.close()
    whole = (RECORDS, RECORDS)
    assert stored(store_of(isthmus)) == {f"{name}-{number}": whole for name in "abc" for number in range(6)}


def test_a_writer_that_is_killed_leaves_complete_runs_alone(isthmus: Isthmus, document: str) -> None:
    draw = random.Random(7)
    acknowledged: set[str] = set()
    for attempt in range(6):
        writer = write(isthmus, document, str(attempt), 1000)
        assert writer.stdout is not None
        for _ in range(draw.randrange(1, 4)):
            acknowledged.add(f"{attempt}-{writer.stdout.readline().strip()}")
        writer.send_signal(signal.SIGKILL)  # wherever it is in its next write
        acknowledged |= {f"{attempt}-{line.strip()}" for line in writer.stdout if line.endswith("\n")}
        writer.stdout.close()
        assert writer.wait() == -signal.SIGKILL
        runs = stored(store_of(isthmus))
        assert set(runs.values()) == {(RECORDS, RECORDS)}
        assert acknowledged <= set(runs)
    shown: dict[str, Any] = isthmus.json("history", sorted(acknowledged)[0])
    assert len(shown["records"]) == RECORDS


def test_a_run_that_is_killed_leaves_the_records_that_it_had_completed(isthmus: Isthmus) -> None:
    whole = isthmus.json(*PROBE, ISTHMUS_STORE="elsewhere.sqlite")
    probing = isthmus.start(*PROBE, "--jsonl", "-", FAKE_PROBE="endless")
    assert probing.stdout is not None
    first = json.loads(probing.stdout.readline())
    assert isthmus.json("history")["runs"] == []  # it still runs
    probing.send_signal(signal.SIGKILL)
    assert probing.wait() == -signal.SIGKILL
    for _ in range(2):  # it is taken in once
        (run,) = isthmus.json("history")["runs"]
        assert (run["kind"], run["complete"], run["records"]) == ("probe", False, 1)
    kept = isthmus.json("history", "1")
    assert kept["records"] == [first] == whole["records"][:1]
    assert list(isthmus.folder.glob("**/*.running/*")) == []


def test_a_run_that_is_kept_leaves_no_journal(isthmus: Isthmus) -> None:
    isthmus(*PROBE)
    isthmus("run", "image-filter", "--on", "model:aws-f1", "--flow", "stream", "-q")
    assert [run["complete"] for run in isthmus.json("history")["runs"]] == [True, True]
    assert list(isthmus.folder.glob("**/*.running/*")) == []


def test_a_device_that_vanishes_after_its_probe_costs_the_run_one_line_and_the_probe_nothing(isthmus: Isthmus) -> None:
    probed = isthmus.json("probe", "opencl:0", "h2d", "-q", "--sizes", "4KiB")
    told = isthmus.refusal("run", "image-filter", "--on", "opencl:0", FAKE_RUN="gone")
    assert told.startswith("no OpenCL device: expected a driver")
    (kept,) = isthmus.json("history")["runs"]
    assert isthmus.json("history", str(kept["id"])) == probed
