"""`isthmus hpcc BENCH --for`: repeated until a time is over."""

import json
import signal
from pathlib import Path
from random import Random

import pytest
from tests.python.conftest import Isthmus
from tests.python.test_schemas import check

from isthmus.hpcc.burn_in import drift

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


def test_ctrl_c_keeps_the_rounds_that_were_played(real: Isthmus) -> None:
    command = real.start(*STREAM, "-n", "2", "--for", "1h", "--json", "cut.json", "--jsonl", "-")
    assert command.stderr is not None
    command.stderr.readline()  # where a rank runs: from here on a round is always played to its end
    command.send_signal(signal.SIGINT)
    out, complaint = command.communicate(timeout=240)
    assert command.returncode == 130, complaint
    file = json.loads((real.folder / "cut.json").read_text())
    assert file["context"]["complete"] is False
    assert all(record["validated"] and record["burn_in"]["cut_short"] for record in file["records"])
    assert len(out.splitlines()) > len(file["records"])


def test_wrong_rounds_are_counted(real: Isthmus, tree: Path) -> None:
    kernel = (tree / "kernels" / "hpcc" / "stream_ndrange_cpu.cl").read_text()
    (real.folder / "spoiled.cl").write_text(kernel.replace("factor * in1[k] + in2[k]", "factor * in1[k] - in2[k]"))
    done = real(*STREAM, "--for", "1s", "--kernel", "spoiled.cl", "--json", "wrong.json")
    assert done.returncode == 1
    seen = json.loads((real.folder / "wrong.json").read_text())["records"][0]["burn_in"]
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
