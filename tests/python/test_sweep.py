"""`isthmus sweep`: values and ranges, points that are known again, the best of them, and sweeps that were killed."""

import json
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.python.conftest import Isthmus
from tests.python.test_descriptions import SMALL

from isthmus.base.errors import IsthmusError
from isthmus.records.swept import SweepRow, TornadoBar
from isthmus.sweeping import cluster
from isthmus.sweeping.page import STILL, tornado_table, tornadoes
from isthmus.sweeping.pareto import Objective, front, read_objectives
from isthmus.sweeping.sweep_folder import FILE, SweepFolder
from isthmus.sweeping.values import Axis, number_of, read_axes

STUDY = """
[application]
name = "suffix-sum"
count = 4
[study]
targets = ["model:aws-f1", "native"]
flows = ["stream", "offload"]
"""


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("k.a=8,16", ["8", "16"]),
        ("k.a=1..16", ["1", "2", "4", "8", "16"]),
        ("k.a=1..20:x3", ["1", "3", "9"]),
        ("k.a=1..4:+1", ["1", "2", "3", "4"]),
        ("k.a=0.5..2:x2", ["0.5", "1", "2"]),
        ("k.a=4KiB..1MiB:x16", ["4KiB", "64KiB", "1024KiB"]),
        ("k.a=1MiB..2MiB:+512KiB", ["1MiB", "1.5MiB", "2MiB"]),
        ("k.a=100MHz..300MHz:+100MHz", ["100MHz", "200MHz", "300MHz"]),
        ("k.a=100..300MHz:+100", ["100MHz", "200MHz", "300MHz"]),
        ("k.a=true,false", ["true", "false"]),
        ("k.a=1..4,4,64", ["1", "2", "4", "64"]),
        ("input=../photos,./here", ["../photos", "./here"]),
    ],
)
def test_a_key_has_the_values_that_are_listed_and_those_of_its_ranges_once(text: str, values: list[str]) -> None:
    assert read_axes([text])[0].values == tuple(values)


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        (["k.a"], "expected KEY=A,B"),
        (["k.a=1,,2"], "expected a value between commas"),
        (["k.a=8..4"], "expected a range that rises"),
        (["k.a=1..4:x1"], "expected a range that rises"),
        (["k.a=0..4"], "expected a range that rises"),
        (["k.a=1..4:+0"], "expected a range that rises"),
        (["k.a=1MHz..4GHz"], "expected one unit"),
        (["k.a=a..b"], "expected FIRST..LAST"),
        (["k.a=1", "k.a=2"], "is given twice"),
        (["k.a=1..3000000:+1"], "more than 1,000,000 points"),
    ],
)
def test_values_that_cannot_be_read_say_what_was_expected(sets: list[str], expected: str) -> None:
    with pytest.raises(IsthmusError) as error:
        read_axes(sets)
    assert expected in str(error.value)


def test_a_value_is_a_number_with_or_without_its_unit() -> None:
    assert [number_of(text) for text in ("8", "4KiB", "1.5e2 MHz", "true")] == [8.0, 4096.0, 1.5e8, None]
    falling = ["0.5s", "1 ms", "3us", "20 ns"]
    assert sorted(falling, key=lambda text: -(number_of(text) or 0.0)) == falling


def row(application: str, key: str, lanes: int, value: float | None) -> SweepRow:
    return SweepRow(
        point={"link.pcie.lanes": str(lanes)},
        application=application,
        target="model:aws-f1",
        flow="stream",
        value=value,
        unit="images/s",
        gb_per_s=value,
        verified=value is not None,
        key=key,
    )


def test_the_front_is_what_no_other_row_of_the_application_beats() -> None:
    chance = random.Random(3)
    fast, few = Objective("value", True), Objective("link.pcie.lanes", False)
    for _ in range(100):
        rows = [
            row(chance.choice("ab"), str(at), chance.choice((1, 2, 4, 8)), chance.choice((None, 1.0, 2.0, 3.0, 4.0)))
            for at in range(chance.randrange(1, 14))
        ]
        found = {one.key for one in front(rows, [fast, few])}

        def beaten(one: SweepRow, among: list[SweepRow]) -> bool:
            lanes, value = int(one.point["link.pcie.lanes"]), one.value or 0.0
            return any(
                other.application == one.application
                and other.value is not None
                and other.value >= value
                and int(other.point["link.pcie.lanes"]) <= lanes
                and (other.value, int(other.point["link.pcie.lanes"])) != (value, lanes)
                for other in among
            )

        assert found == {one.key for one in rows if one.value is not None and not beaten(one, rows)}


def test_objectives_name_what_there_is_and_which_way() -> None:
    axes = [Axis("link.pcie.lanes", ("4", "8")), Axis("host.runtime.staging", ("none", "chunked"))]
    found = read_objectives("value:max, link.pcie.lanes:min", axes)
    assert found == [Objective("value", True), Objective("link.pcie.lanes", False)]
    for text, expected in (
        ("value", "expected NAME:max or NAME:min"),
        ("valu:max", "unknown objective 'valu'"),
        ("host.runtime.staging:min", "expected a key with numbers, got 'none'"),
    ):
        with pytest.raises(IsthmusError, match=expected):
            read_objectives(text, axes)


def test_half_a_line_of_a_sweep_that_was_killed_is_no_point_and_spoils_no_other(tmp_path: Path) -> None:
    one, two = row("a", "1", 4, 2.0), row("a", "2", 8, 3.0)
    with SweepFolder(tmp_path) as kept:
        kept.add(one)
    file = tmp_path / FILE
    file.write_text(file.read_text() + file.read_text()[: len(file.read_text()) // 2])
    with SweepFolder(tmp_path) as kept:
        assert kept.rows() == {"1": one}
        kept.add(two)
    with SweepFolder(tmp_path) as kept:
        assert kept.rows() == {"1": one, "2": two}


def test_a_folder_is_swept_into_by_one_at_a_time(tmp_path: Path) -> None:
    with (
        SweepFolder(tmp_path),
        pytest.raises(IsthmusError, match="another sweep is writing there"),
        SweepFolder(tmp_path),
    ):
        pass


def swept(real: Isthmus, *words: str, name: str = "out") -> dict[str, Any]:
    (real.folder / "sums.toml").write_text(STUDY)
    real.well("sweep", "sums.toml", *words, "--out", name, "-q")
    return read(real.folder / name)


def read(folder: Path) -> dict[str, Any]:
    found = json.loads((folder / "sums" / "sweep.json").read_text())
    return {key: value for key, value in found.items() if key != "context"}


def test_each_point_is_what_a_run_with_its_values_gives(real: Isthmus) -> None:
    rows = swept(real, "--set", "link.pcie.lanes=4,16", "--set", "stream.request_size=512..1024:x2")["rows"]
    assert len(rows) == 2 * 2 * 2  # of model:aws-f1 in two flows; native is no model
    for one in rows[::3]:
        sets = [word for key, value in one["point"].items() for word in ("--set", f"{key}={value}")]
        run = real.json("run", "suffix-sum", "--on", one["target"], "--flow", one["flow"], "--count", "4", *sets)
        assert run["rows"][0]["value"] == one["value"]
    folder = real.folder / "out" / "sums"
    assert len((folder / "sweep.csv").read_text().splitlines()) == 1 + len(rows)
    page = (folder / "sweep.html").read_text()
    assert "<script" not in page
    assert "Every point" in page


def test_the_tornado_has_both_ends_of_each_assumed_input_and_spans_what_they_give(real: Isthmus) -> None:
    study = STUDY.replace(', "offload"', "").replace('"model:aws-f1", "native"', '"model:aws-f1"')
    (real.folder / "sums.toml").write_text(study)
    assert real("sweep", "sums.toml", "--tornado", "--out", "out", "-q").returncode == 0
    bars = read(real.folder / "out")["tornado"]
    assert [bar["swing"] for bar in bars] == sorted((bar["swing"] for bar in bars), reverse=True)
    by_key = {bar["key"]: bar for bar in bars}
    assert "host.numa.distance" not in by_key  # of a part that is off
    period = by_key["stream.porter_period"]
    assert len(period["ends"]) == 2
    for end, value in zip(period["ends"], period["values"], strict=True):
        words = ("run", "suffix-sum", "--on", "model:aws-f1", "--flow", "stream", "--count", "4")
        assert real.json(*words, "--set", f"stream.porter_period={end}")["rows"][0]["value"] == value
        assert period["low"] <= value <= period["high"]
    page = (real.folder / "out" / "sums" / "sweep.html").read_text()
    drawn = page.partition("<details>")[0]
    for bar in bars:  # an input that moves nothing has no bar
        assert (f'<th scope="row">{bar["key"]}</th>' in drawn) == (bar["swing"] >= STILL)
        assert bar["key"] in page


def test_a_tornado_on_a_terminal_has_only_inputs_that_move_the_rate() -> None:
    def bar(key: str, low: float, high: float) -> TornadoBar:
        values = {"ends": ["1", "2"], "key_unit": "us", "values": [low, high], "base": 100.0, "unit": "runs/s"}
        swing = (high - low) / 100
        place = {"application": "sums", "target": "model:aws-f1", "flow": "stream"}
        return TornadoBar.model_validate({**place, **values, "key": key, "low": low, "high": high, "swing": swing})

    bars = [bar("a.long", 80, 110), bar("a.short", 99, 100), bar("a.still", 100, 100.05)]
    assert [row[2] for row in tornado_table(bars).rows] == ["a.long", "a.short"]
    one, *others = tornadoes([*bars, bar("b.still", 100, 100).model_copy(update={"flow": "offload"})])
    assert [found.key for found in one.still] == ["a.still"]
    assert others[0].bars == []


def test_the_best_points_are_titled_and_a_sweep_without_keys_names_its_fastest_place(real: Isthmus) -> None:
    (real.folder / "sums.toml").write_text(STUDY)
    words = ("--set", "link.pcie.lanes=4,16", "--pareto", "value:max,link.pcie.lanes:min", "--out", "out")
    said = real("sweep", "sums.toml", *words).stdout
    assert said.index("what no other point beats") < said.index("link.pcie.lanes   application")
    alone = real("sweep", "sums.toml", "--set", "link.pcie.lanes=4", "--tornado", "--out", "out").stdout
    assert "fastest of suffix-sum: link.pcie.lanes=4 on model:aws-f1, " in alone


def test_numbers_of_a_description_are_swept_as_a_run_takes_them(real: Isthmus) -> None:
    (real.folder / "mine.toml").write_text(SMALL)
    study = STUDY.replace('name = "suffix-sum"', 'description = "mine.toml"').replace(', "native"', "")
    (real.folder / "sums.toml").write_text(study)
    words = ("--set", "app.kernel.time=20us,1ms", "--set", "app.transfer.0.bytes=4KiB,64KiB")
    real.well("sweep", "sums.toml", *words, "--pareto", "value:max,app.kernel.time:max", "--out", "out", "-q")
    found = read(real.folder / "out")
    rows, pareto = found["rows"], found["pareto"]
    assert len(rows) == 2 * 2 * 2
    for one in (rows[0], rows[-1]):
        sets = [word for key, value in one["point"].items() for word in ("--set", f"{key}={value}")]
        run = real.json("run", "mine.toml", "--on", one["target"], "--flow", one["flow"], "--count", "4", *sets)
        assert run["rows"][0]["value"] == one["value"]
    assert {one["point"]["app.kernel.time"] for one in pareto} == {"20us", "1ms"}, "1 ms is more than 20 us"
    told = real.refusal("sweep", "sums.toml", "--set", "app.kernel.tme=1us,2us", "--out", "out")
    assert told == "--set app.kernel.tme: unknown key 'kernel.tme'; help: did you mean 'kernel.time'?"


def command(real: Isthmus, *words: str) -> subprocess.Popen[str]:
    """A sweep in a process of its own that prints each point once it is complete."""
    (real.folder / "sums.toml").write_text(STUDY)
    return subprocess.Popen(
        [sys.executable, "-m", "isthmus", "sweep", "sums.toml", *words, "--jsonl", "-", "-q"],
        cwd=real.folder,
        env=real.environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


SETS = ("--set", "link.pcie.lanes=1..16:x2", "--set", "stream.request_size=512,1024")


def test_a_sweep_that_was_killed_runs_only_what_is_missing_and_writes_the_same(real: Isthmus) -> None:
    whole = swept(real, *SETS, name="whole")
    killed = command(real, *SETS, "--out", "killed")
    assert killed.stdout is not None
    for _ in range(3):
        assert killed.stdout.readline()
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    before = (real.folder / "killed" / "sums" / FILE).read_text().splitlines()
    assert 3 <= len(before) < 20
    assert not (real.folder / "killed" / "sums" / "sweep.json").exists()
    again = real("sweep", "sums.toml", *SETS, "--out", "killed")
    assert f"{len(before)} of 20 points are in" in again.stderr.replace("\n", " ")
    assert (real.folder / "killed" / "sums" / FILE).read_text().splitlines()[: len(before)] == before
    assert read(real.folder / "killed") == whole
    assert [(real.folder / name / "sums" / "sweep.csv").read_bytes() for name in ("whole", "killed")] == 2 * [
        (real.folder / "whole" / "sums" / "sweep.csv").read_bytes()
    ]


def test_a_point_that_the_board_refuses_in_company_is_told_and_the_others_are_there(real: Isthmus) -> None:
    """Each value is fine by itself; a request larger than a buffer is not."""
    (real.folder / "sums.toml").write_text(STUDY)
    words = ("--set", "stream.request_size=1KiB,8KiB", "--set", "stream.buffer_size=4KiB,4MiB")
    done = real("sweep", "sums.toml", *words, "--out", "out", "-q")
    rows = read(real.folder / "out")["rows"]
    refused = [one for one in rows if one["error"]]
    assert done.returncode == 1
    assert refused
    assert all(one["value"] is None for one in refused)
    assert all(one["value"] > 0 for one in rows if not one["error"])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--set", "link.pcie.lanes=4"], "--set: expected a KEY with several values"),
        (["--set", "link.pcie.lane=4,8"], "key 'link.pcie.lane': expected a key"),
        (["--set", "link.pcie.lanes=4,77"], "key 'link.pcie.lanes': expected 1..32, got 77"),
        (["--set", "iteration=1,2"], "no application here has the parameter 'iteration'"),
        (["--set", "link.pcie.tags=1..1024:+1", "--set", "stream.porter_period=1..1000:+1"], "over 1,000,000 points"),
        (["--set", "link.pcie.lanes=4,8", "--pareto", "speed:max"], "unknown objective 'speed'"),
    ],
)
def test_a_sweep_that_cannot_be_is_one_line_and_exit_2(real: Isthmus, words: list[str], expected: str) -> None:
    (real.folder / "sums.toml").write_text(STUDY)
    assert expected in real.refusal("sweep", "sums.toml", *words, "-q")


def test_a_cluster_with_another_version_or_no_worker_is_refused() -> None:
    own = cluster.version()
    cluster._check_versions({"tcp://a": own, "tcp://b": own}, "tcp://head")
    with pytest.raises(IsthmusError, match=r"worker tcp://b has isthmus 9\.9 x, expected"):
        cluster._check_versions({"tcp://a": own, "tcp://b": ("9.9", "x")}, "tcp://head")
    with pytest.raises(IsthmusError, match="has no workers"):
        cluster._check_versions({}, "tcp://head")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nowhere", "http://127.0.0.1:1", "tls://127.0.0.1:1"])
def test_a_scheduler_that_does_not_answer_is_one_line_and_exit_2(
    real: Isthmus, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "ANSWERS_S", 0.5)
    (real.folder / "sums.toml").write_text(STUDY)
    told = real.refusal("sweep", "sums.toml", "--set", "link.pcie.lanes=4,8", "--dask", address, "-q")
    assert f"--dask {address}: no scheduler answers" in told


@contextmanager
def dask(
    real: Isthmus, what: str, *words: str, ready: str, **environment: str
) -> "Iterator[tuple[subprocess.Popen[str], str]]":
    """A scheduler or a worker, once it says that it is ready; the line that says so."""
    process = subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{what}", *words],
        cwd=real.folder,
        env={**real.environment, **environment},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        yield process, next(line for line in process.stderr if ready in line)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def test_a_worker_that_is_killed_on_the_way_changes_nothing(real: Isthmus) -> None:
    pytest.importorskip("distributed")
    whole = swept(real, *SETS, name="whole")
    place = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show")
    with dask(real, "scheduler", *place, ready="Scheduler at:") as (_, line):
        address = line.split()[-1]
        of_worker = (address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
        with (
            dask(real, "worker", *of_worker, ready="Registered to:") as (first, _),
            dask(real, "worker", *of_worker, ready="Registered to:"),
            command(real, *SETS, "--out", "cluster", "--dask", address) as process,
        ):
            assert process.stdout is not None
            assert process.stdout.readline()
            first.kill()
            process.stdout.read()
            assert process.wait() == 0
    assert read(real.folder / "cluster") == whole


@pytest.mark.parametrize(
    ("text", "has"),
    [('def version():\n    return "0.0.1", "abc"\n', "isthmus 0.0.1 abc"), ("", "no isthmus that tells its version")],
)
def test_a_worker_of_another_version_is_one_line_and_exit_2(real: Isthmus, text: str, has: str) -> None:
    pytest.importorskip("distributed")
    package = real.folder / "other" / "isthmus" / "sweeping"
    package.mkdir(parents=True)
    for file, held in (
        (package.parent / "__init__.py", ""),
        (package / "__init__.py", ""),
        (package / "cluster.py", text),
    ):
        file.write_text(held)
    (real.folder / "sums.toml").write_text(STUDY)
    place = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show")
    with dask(real, "scheduler", *place, ready="Scheduler at:") as (_, line):
        address = line.split()[-1]
        of_worker = (address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
        with dask(real, "worker", *of_worker, ready="Registered to:", PYTHONPATH=str(real.folder / "other")):
            told = real.refusal("sweep", "sums.toml", "--set", "link.pcie.lanes=4,8", "--dask", address, "-q")
    assert re.search(rf"worker tcp://\S+ has {has}, expected \S+ \S+ as here", told), told
