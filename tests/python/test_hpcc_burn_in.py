"""`isthmus hpcc BENCH --for`: repeated until a time is over."""

import json
import subprocess
from pathlib import Path
from random import Random

import pytest
from tests.python.conftest import Isthmus, program
from tests.python.test_schemas import check

from isthmus.hpcc.burn_in import drift
from isthmus.hpcc.launch import launch_of
from isthmus.running.tools import tool_path

STREAM = ("hpcc", "stream", "--size", "small", "--set", "DEVICE_BUFFER_SIZE=1024", "--set", "ARRAY_SIZE=65536")


def test_a_burn_in_looks_at_each_round_and_tells_how_the_last_one_compares(real: Isthmus) -> None:
    file = real.json(*STREAM, "--for", "2s")
    check("hpcc", file)
    for record in file["records"]:
        seen = record["burn_in"]
        assert record["validated"]
        assert seen["seconds"] >= 2
        assert seen["wrong_rounds"] == 0
        assert len(record["samples"]) == len(seen["ends_s"]) >= 2
        assert seen["repetitions"] >= 10 * (len(seen["ends_s"]) - 1)
        assert seen["last_to_first"] == record["samples"][-1] / record["samples"][0]
        assert not seen["cut_short"]


@pytest.mark.parametrize("ranks", [1, 2])
def test_an_interrupt_ends_a_burn_in_with_whole_rounds(real: Isthmus, ranks: int) -> None:
    request = {"BENCH": "stream", "size": "small", "set": {"DEVICE_BUFFER_SIZE": 1024, "ARRAY_SIZE": 65536}}
    words = [str(tool_path("isthmus-hpcc")), json.dumps({**request, "for": 3600})]
    launch = launch_of(ranks)
    tool = subprocess.Popen(
        launch.command(words),
        env={**real.environment, **launch.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert tool.stdout is not None
    while '"progress"' not in tool.stdout.readline():  # until a round has been played
        assert tool.poll() is None
    tool.send_signal(launch.interrupt)
    out, _ = tool.communicate(timeout=240)
    assert tool.returncode == 130
    records = [event for event in map(json.loads, out.splitlines()) if event["event"] == "record"]
    assert len(records) == 6
    assert all(record["validated"] and record["burn_in"]["cut_short"] for record in records)
    assert len(records[0]["samples"]) == len(records[0]["burn_in"]["ends_s"]) >= 1


def test_what_was_measured_before_ctrl_c_is_shown_and_kept(real: Isthmus) -> None:
    records = real.json(*STREAM, "--for", "1s")["records"]
    script = program(real.folder / "isthmus-hpcc", "cat printed.jsonl; exit 130")
    (real.folder / "printed.jsonl").write_text(
        "".join(json.dumps({"event": "record", **record}) + "\n" for record in records)
    )
    done = real(*STREAM, "--for", "1h", "--json", "cut.json", ISTHMUS_BIN=str(script.parent))
    assert done.returncode == 130
    assert done.stdout.startswith("stream: validated")
    file = real.read("cut.json")
    assert file["context"]["complete"] is False
    assert [record["name"] for record in file["records"]] == [record["name"] for record in records]


def test_wrong_rounds_are_counted(real: Isthmus, tree: Path) -> None:
    kernel = (tree / "kernels" / "hpcc" / "stream_ndrange_cpu.cl").read_text()
    (real.folder / "spoiled.cl").write_text(kernel.replace("factor * in1[k] + in2[k]", "factor * in1[k] - in2[k]"))
    done = real(*STREAM, "--for", "1s", "--kernel", "spoiled.cl", "--json", "wrong.json")
    assert done.returncode == 1
    seen = real.read("wrong.json")["records"][0]["burn_in"]
    assert seen["wrong_rounds"] == len(seen["ends_s"])
    assert f"{seen['wrong_rounds']} of {seen['wrong_rounds']} rounds WRONG" in done.stdout


def test_drift_is_the_slope_and_not_the_noise() -> None:
    draw = Random(1)
    times = [10.0 * number for number in range(1, 101)]
    steady = [100 + draw.gauss(0, 1) for _ in times]
    assert drift(times, [100.0] * 100) == 0
    assert abs(drift(times, steady) or 1) < 0.02
    falling = [value * (1 - 0.1 * number / 99) for number, value in enumerate(steady)]
    assert drift(times, falling) == pytest.approx(-0.1 / 0.95, abs=0.01)
    assert drift(times[:1], steady[:1]) is None
