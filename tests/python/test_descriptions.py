"""Applications that are described: what a file says, what of it is refused, and that a run does exactly this."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.conftest import Isthmus
from tests.python.test_schemas import check

from isthmus.base.errors import IsthmusError
from isthmus.descriptions.description import Description, description_of, read_description
from isthmus.descriptions.unit import Crossing, Unit, arguments

SMALL = """
[application]
name = "small"
units = "4 frames"
[[transfer]]
direction = "to-device"
bytes = "64 KiB"
[[transfer]]
direction = "to-host"
bytes = 1000
host = "pinned"
count = 2
[kernel]
time = "200 us"
"""


def of(text: str, *sets: str) -> Description:
    return description_of(tomllib.loads(text), "my-app.toml", sets)


@pytest.fixture
def small(tmp_path: Path) -> str:
    (tmp_path / "small.toml").write_text(SMALL)
    return "small.toml"


def test_a_number_is_written_bare_with_a_unit_or_as_in_platform_files() -> None:
    written = ['"2 ms"', "0.002", '"2000us"', "{ value = 2, unit = 'ms' }", "{ value = '2 ms' }"]
    for one in written:
        kernel = of(SMALL.replace('"200 us"', one)).kernel
        assert kernel.time is not None
        assert kernel.time.value == pytest.approx(2e-3)


def test_a_range_is_in_the_unit_of_its_value() -> None:
    text = SMALL.replace('"200 us"', '{ value = 200, unit = "us", range = [100, 400], source = "a guess" }')
    time = of(text).kernel.time
    assert time is not None
    assert [time.low, time.high] == pytest.approx([1e-4, 4e-4])
    assert time.source == "a guess"
    assert time.at(0.5) == pytest.approx(2e-4), "the middle by the logarithm"


def test_what_is_set_takes_the_place_of_what_is_written() -> None:
    assert of(SMALL, "app.kernel.rate=2 GB/s").kernel.time is None
    assert of(SMALL, "app.transfer.1.bytes=4 KiB").transfers[1].bytes.value == 4096
    assert of(SMALL, "app.application.flows=overlap,stream").flows == ("overlap", "stream")
    assert of(SMALL, "app.host.background=memory").background == "memory"
    watts = of(SMALL, "app.price.model:aws-f1.watts=75").prices["model:aws-f1"].watts
    assert watts is not None
    assert watts.value == 75


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (
            'time = "200 us"',
            'time = 1\nrate = "1 GB/s"',
            "key 'kernel.rate': expected kernel.time or kernel.rate, got b",
        ),
        ('"64 KiB"', "0", "key 'transfer.bytes': expected bytes as in '8 MiB', 1 or more, got 0"),
        (
            '"64 KiB"',
            '"64 MB"',
            "key 'transfer.bytes': expected bytes as in '8 MiB', 1 or more, got '64 MB'; help: did",
        ),
        (
            '"to-host"',
            '"to-hos"',
            "key 'transfer.direction': expected to-device or to-host, got 'to-hos'; help: did you",
        ),
        ('bytes = "64 KiB"', "", "key 'transfer.bytes': missing, expected bytes as in '8 MiB', 1 or more"),
        ("count = 2", "conut = 2", "unknown key 'transfer.conut'; help: did you mean 'transfer.count'?"),
        ("[kernel]", "[kernell]", "unknown key 'kernell'; help: did you mean 'kernel'?"),
        (
            'time = "200 us"',
            "device_write = 10",
            "key 'kernel.device_write': expected the 2000 B that go to the host or",
        ),
        (
            '"200 us"',
            "{ value = 1, range = [2, 3] }",
            "key 'kernel.time': expected a range [LEAST, MOST] with the value",
        ),
        ('"200 us"', "{ value = 1, unit = 'm' }", "key 'kernel.time': expected a unit of s, ms, us, ns or ps, got the"),
        ('"200 us"', "{ vale = 1 }", "unknown key 'kernel.time.vale'; help: did you mean 'kernel.time.value'?"),
        (
            '"4 frames"',
            '"4 stages"',
            "key 'application.units': expected a name that rows do not have for something else",
        ),
        ('"4 frames"', '"0 frames"', "key 'application.units': expected how many a run has, what they are called, or"),
        (
            'name = "small"',
            'flows = ["ofload"]',
            "key 'application.flows': expected a list of offload, overlap, stream",
        ),
    ],
)
def test_what_is_wrong_in_a_description_is_one_line(
    real: Isthmus, small: str, old: str, new: str, complaint: str
) -> None:
    assert old in SMALL
    (real.folder / small).write_text(SMALL.replace(old, new))
    told = real.refusal("run", small, "--on", "model:aws-f1")
    assert told.startswith("small.toml:")
    assert complaint in told


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--set", "app.kernel.tim=1"), "--set app.kernel.tim: unknown key 'kernel.tim'; help: did you mean"),
        (
            ("--set", "app.kernel.time=often"),
            "--set app.kernel.time: expected a time as in '2 ms', of 0 s or more, got",
        ),
        (("--set", "app.transfer.bytes=1"), "expected transfer.NUMBER.bytes of 2 transfers, from 0"),
        (("--set", "app.transfer.2.bytes=1"), "expected a transfer of 2, from 0, got '2'"),
        (("--flow", "shared"), "'model:aws-f1' has no flow 'shared' for 'small'; help: it has offload, overlap and s"),
        (("--on", "opencl:0"), "a description runs on models alone"),
        (("--on", "model:xeon-fpga-v1", "--flow", "stream"), "'model:xeon-fpga-v1' has no flow 'stream' for 'small'"),
    ],
)
def test_what_is_asked_of_a_description_in_vain_is_one_line(
    real: Isthmus, small: str, words: tuple[str, ...], complaint: str
) -> None:
    on = () if "--on" in words else ("--on", "model:aws-f1")
    assert complaint in real.refusal("run", small, *on, *words)


def test_only_descriptions_have_keys_of_an_application(real: Isthmus) -> None:
    told = real.refusal("run", "image-filter", "--on", "model:aws-f1", "--set", "app.kernel.time=1")
    assert "only a description, FILE.toml, has keys app.*, and 'image-filter' is none" in told


def test_no_part_of_a_board_is_called_app(real: Isthmus) -> None:
    (real.folder / "mine.toml").write_text('name = "mine"\n[app.kernel]\nkind = "kernel"\n')
    told = real.refusal("platform", "show", "mine.toml")
    assert "key 'app.kernel': expected another name, got 'app', which keys of descriptions begin with" in told


def test_a_run_does_what_is_described(real: Isthmus, small: str) -> None:
    def row(*words: str) -> Any:
        file = real.json("run", small, "--on", "model:aws-f1", *words)
        check("run", file)
        return file["rows"][0]

    found = row("--flow", "offload")
    assert (found["application"], found["count"], found["counted"]) == ("small", 4, "frames")
    assert found["verified"] is True
    assert found["bytes_each"] == 65536
    names = [step["name"] for step in found["first_frames"][0]["steps"]]
    assert names == ["host to device copy", "kernel", "device to host copy", "device to host copy"]
    slower = row("--flow", "offload", "--set", "app.kernel.time=1 ms", "--set", "app.host.time=1 ms")
    assert slower["elapsed_s"] - found["elapsed_s"] == pytest.approx(4 * 1.8e-3, rel=1e-2)
    assert row("--flow", "stream", "--frames", "50")["value"] == pytest.approx(5000, rel=0.05), "the kernel's 200 us"
    assert row("--set", "kernel.clock=125", "--flow", "stream", "--count", "50")["value"] == pytest.approx(
        5000, rel=0.05
    ), "a time is no number of cycles"


def test_others_that_use_memory_leave_half_of_its_rate(real: Isthmus, small: str) -> None:
    words = ("run", small, "--on", "model:alpha-data-7v3", "--flow", "offload")
    beside = real.json(*words, "--set", "app.host.background=memory")["rows"][0]
    inputs = {one["key"]: one["value"] for one in beside["platform"]["inputs"]}
    assert inputs["host.memory.transfer_rate"] == 800
    assert beside == real.json(*words, "--set", "host.memory.transfer_rate=800 MT/s")["rows"][0]


def test_a_study_takes_a_description(real: Isthmus, small: str) -> None:
    (real.folder / "study.toml").write_text(
        f'[application]\ndescription = "{small}"\n[study]\ntargets = ["model:aws-f1", "model:xeon-fpga-v1"]\n'
    )
    file = real.json("study", "study.toml", "--no-probes", "--set", "app.kernel.time=1 ms")
    check("study", file)
    flows = [(row["target"], row["flow"]) for row in file["rows"]]
    assert flows == [("model:aws-f1", flow) for flow in ("offload", "overlap", "stream")] + [
        ("model:xeon-fpga-v1", "shared")
    ]
    assert all(row["verified"] and row["value"] < 1000 for row in file["rows"])


def test_on_a_chip_each_transfer_has_the_method_of_the_decision_tree_unless_one_is_given(
    real: Isthmus, small: str
) -> None:
    words = ("run", small, "--on", "model:zynq-ultrascale", "--set", "app.transfer.0.order=random")
    (row,) = real.json(*words)["rows"]
    assert row["verified"]
    assert (row["flow"], row["method"]) == ("shared", "tree")
    assert row["methods"] == {"transfer.0": "hp-c", "transfer.1": "hpc"}, "64 KiB out of sequence; to the CPU"
    (row,) = real.json(*words, "--method", "transfer.0=hp-c,transfer.1=hp-nc")["rows"]
    assert row["verified"]
    assert row["methods"] == {"transfer.0": "hp-c", "transfer.1": "hp-nc"}
    for method, complaint in (("hp", "--method"), ("transfer.7=hpc", "transfer.7")):
        assert complaint in real.refusal(*words, "--method", method)
    assert "has no buffers that ports move" in real.refusal("run", small, "--on", "model:aws-f1", "--method", "hpc")


def test_a_study_of_a_description_has_a_row_for_each_method_on_a_chip(real: Isthmus, small: str) -> None:
    (real.folder / "study.toml").write_text(
        f'[application]\ndescription = "{small}"\n'
        '[study]\ntargets = ["model:xeon-fpga-v1", "model:zynq-ultrascale"]\nmethods = ["hp-nc", "acp"]\n'
    )
    file = real.json("study", "study.toml", "--no-probes")
    found = [(row["target"], row.get("method")) for row in file["rows"]]
    assert found == [("model:xeon-fpga-v1", None), *(("model:zynq-ultrascale", one) for one in ("hp-nc", "acp"))]


def test_a_study_takes_one_of_name_program_and_description(real: Isthmus) -> None:
    (real.folder / "study.toml").write_text(
        '[application]\nname = "image-filter"\ndescription = "a.toml"\n[study]\ntargets = ["native"]\n'
    )
    told = real.refusal("study", "study.toml")
    assert told.startswith("study.toml:3: key 'application.name', 'application.program' or")


def test_the_description_of_the_examples_is_one(tree: Path) -> None:
    found = read_description(tree / "examples" / "my-app.toml")
    assert (found.name, found.count, found.units) == ("my-app", 100, "frames")


@given(st.lists(st.integers(1, 48), min_size=1, max_size=3), st.sampled_from([1, 2, 3, 4, 8, 16]))
@settings(max_examples=50, deadline=None)
def test_counts_that_are_no_whole_numbers_are_whole_of_several_units(counts: list[int], parts: int) -> None:
    crossings = tuple(Crossing(True, False, 64, count / parts) for count in counts)
    unit = Unit(crossings, 1, 0.0, 64, 0, 0, 1e-6)
    said = dict(one.split("=", 1) for one in arguments(unit, "offload", 1e8, "any", "units"))
    many = int(said["in_message"])
    assert many == unit.together <= 16
    moved = [int(one.rpartition("x")[2]) for one in said["transfers"].split(",")]
    assert moved == [count * many / parts for count in counts]
    assert int(said["host_time"]) == 1000 * many


def test_what_few_words_make_leaves_while_the_kernel_computes_in_both_grains(real: Isthmus) -> None:
    (real.folder / "more.toml").write_text(
        '[application]\nunits = "2 units"\n'
        '[[transfer]]\ndirection = "to-device"\nbytes = 8192\n'
        '[[transfer]]\ndirection = "to-host"\nbytes = 1500000\n'
        '[kernel]\ntime = "1.5 ms"\n'
    )
    words = ("run", "more.toml", "--on", "model:alveo-u250", "--flow", "offload")
    for grain in ("--fine", "--coarse"):
        (row,) = real.json(*words, grain)["rows"]
        kernel = next(stage["time_s"] for stage in row["stages"] if stage["name"] == "kernel")
        assert kernel == pytest.approx(2 * 1.5e-3, rel=0.07), grain


def test_in_place_what_crosses_now_and_then_puts_no_further_output_on_a_launch(real: Isthmus) -> None:
    elapsed = []
    for count in (0.25, 1):
        (real.folder / "again.toml").write_text(
            '[application]\nunits = "4 units"\n'
            '[[transfer]]\ndirection = "to-device"\nbytes = 65536\n'
            f'[[transfer]]\ndirection = "to-device"\nbytes = 64\ncount = {count}\n'
            '[[transfer]]\ndirection = "to-host"\nbytes = 65536\n'
            "[kernel]\ndevice_read = 131200\n"
        )
        (row,) = real.json("run", "again.toml", "--on", "model:xeon-fpga-v2", "--flow", "shared")["rows"]
        elapsed.append(row["elapsed_s"])
    assert elapsed[0] == pytest.approx(elapsed[1], rel=0.02)


def test_of_large_units_a_few_bytes_now_and_then_put_no_sixteen_into_a_message() -> None:
    often, seldom = Crossing(True, False, 8 * 2**20, 1), Crossing(True, False, 4, 45 / 16)
    assert Unit((often, seldom), 1, 0.0, 64, 0, 0, 0.0).together == 1
    assert Unit((replace(often, bytes=4096), seldom), 1, 0.0, 64, 0, 0, 0.0).together == 16
    assert Unit((replace(often, bytes=2**25, count=0.25), seldom), 1, 0.0, 64, 0, 0, 0.0).together == 4


def test_units_of_one_message_pass_a_circuit_that_starts_once_and_computes_for_all_of_them(real: Isthmus) -> None:
    (real.folder / "quarter.toml").write_text(
        '[application]\nunits = "8 units"\n'
        '[[transfer]]\ndirection = "to-device"\nbytes = 4096\n'
        '[[transfer]]\ndirection = "to-device"\nbytes = 64\ncount = 0.25\n'
        '[[transfer]]\ndirection = "to-host"\nbytes = 4096\n'
        '[kernel]\ntime = "100 us"\n'
    )
    for target, flow in (("model:aws-f1", "stream"), ("model:xeon-fpga-v1", "shared")):
        (row,) = real.json("run", "quarter.toml", "--on", target, "--flow", flow)["rows"]
        assert row["verified"]
        assert row["elapsed_s"] == pytest.approx(8 * 100e-6, rel=0.1)


def test_a_board_refuses_what_its_reader_cannot_read() -> None:
    with pytest.raises(IsthmusError, match="key 'transfer': missing, expected a table"):
        of("[kernel]\ntime = 1\n")
