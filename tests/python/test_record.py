"""`isthmus record`: a program whose every call is known (tests/layer/known_calls.cpp), and other people's programs."""

import json
import os
import shutil
import signal
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
from tests.python.conftest import KNOWN, Done, Isthmus, program
from tests.python.test_schemas import check

Record = Callable[..., Done]


@pytest.fixture
def record(real: Isthmus) -> Record:
    """`isthmus record` in a process of its own, so that the program's output is seen too."""

    def run(*words: str | Path, **environment: str) -> Done:
        started = real.start("record", *map(str, words), **environment)
        out, err = started.communicate()
        return Done(started.returncode, out, err)

    return run


@dataclass(frozen=True)
class Whole:
    """A run of every part of known_calls: what it printed, its record, and its trace."""

    out: str
    err: str
    file: Any
    trace: Path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, compiled_kernels: Path) -> Whole:
    """Recorded once for the tests that only look at it."""
    folder = tmp_path_factory.mktemp("whole")
    command = Isthmus(folder, {**os.environ, "POCL_CACHE_DIR": str(compiled_kernels), "HOME": str(folder)})
    started = command.start("record", "-o", "a.json", "--trace", "a.perfetto-trace", "--", str(KNOWN), "all")
    out, err = started.communicate()
    assert started.returncode == 0, err
    assert list(folder.glob("isthmus-record-*")) == []
    return Whole(out, err, read(folder / "a.json"), folder / "a.perfetto-trace")


def read(path: Path) -> Any:
    """A record, which is what its schema says."""
    file = json.loads(path.read_text())
    check("record", file)
    return file


def said(out: str) -> list[str]:
    """The calls that known_calls says it makes."""
    return [line.removeprefix("call ") for line in out.splitlines() if line.startswith("call ")]


def line_of(command: dict[str, Any]) -> str:
    """A command as known_calls prints it."""

    def size(values: list[int] | None) -> str:
        return "x".join(map(str, values)) if values else "-"

    words = [command["what"], command["bytes"], int(command["blocking"]), command["name"] or "-"]
    return "|".join(map(str, [*words, size(command["global_size"]), size(command["local_size"])]))


def test_the_record_of_a_program_is_what_it_did(whole: Whole) -> None:
    assert [line_of(command) for command in whole.file["records"]] == said(whole.out)
    assert whole.file["program"] == [str(KNOWN), "all"]
    assert whole.file["exit_code"] == 0


def test_the_sums_of_a_record_are_those_of_its_commands(whole: Whole) -> None:
    file = whole.file
    moved: Counter[str] = Counter()
    times: dict[str, list[int]] = defaultdict(list)
    for command in file["records"]:
        if command["group"] == "transfer" or command["what"].endswith("with content"):
            moved[command["what"]] += command["bytes"]
        if command["group"] == "kernel":
            times[command["name"] or command["what"]].append(command["end_ns"] - command["start_ns"])
    assert {one["what"]: one["bytes"] for one in file["transfers"]} == moved
    for one in file["kernels"]:
        spans = sorted(times.pop(one["name"]))
        assert one["calls"] == len(spans)
        assert one["total_s"] == pytest.approx(sum(spans) * 1e-9)
        assert spans[0] * 1e-9 <= one["p50_s"] <= one["p99_s"] <= spans[-1] * 1e-9 * (1 + 1e-9)
    assert times == {}
    assert file["overhead"]["calls"] == len(file["records"])
    assert file["overhead"]["commands"] == sum(one["group"] != "host" for one in file["records"])
    assert file["overhead"]["total_s"] == pytest.approx(sum(one["overhead_ns"] for one in file["records"]) * 1e-9)


def test_the_gaps_of_a_device_and_its_commands_fill_its_time(whole: Whole) -> None:
    file = whole.file
    device = file["devices"][0]
    busy = [one for one in file["records"] if one["group"] in ("transfer", "kernel") and one["start_ns"] is not None]
    busy.sort(key=lambda one: one["start_ns"])
    until = busy[0]["start_ns"]
    for one in busy:
        assert one["gap_ns"] == max(0, one["start_ns"] - until)
        assert 0 <= one["gap_host_ns"] <= one["gap_ns"]
        until = max(until, one["end_ns"])
    total = device["busy_s"] + device["gap_host_s"] + device["gap_other_s"]
    assert total == pytest.approx(device["span_s"])
    assert total == pytest.approx((until - busy[0]["start_ns"]) * 1e-9)


def test_the_device_works_after_the_host_asks_it_to(whole: Whole) -> None:
    file = whole.file
    slack = round(file["devices"][0]["clock_uncertainty_s"] * 1e9) + 1
    timed = [one for one in file["records"] if one["start_ns"] is not None]
    assert timed
    for one in timed:
        assert one["call_begin_ns"] - slack <= one["queued_ns"] <= one["call_end_ns"] + slack
        assert one["queued_ns"] <= one["submit_ns"] <= one["start_ns"] <= one["end_ns"]
        if one["blocking"] and one["error"] == 0:
            assert one["end_ns"] <= one["call_end_ns"] + slack


def test_the_table_names_kernels_transfers_and_what_the_layer_took(whole: Whole) -> None:
    for word in ("idle", "measured", "nothing", "add", "read buffer rectangle", "1,024", "the layer took"):
        assert word in whole.out
    assert whole.err == "next: isthmus report a.json\n"


def test_json_on_stdout_is_nothing_but_the_record(record: Record) -> None:
    done = record("--json", "-", "--", KNOWN, "compute")
    assert json.loads(done.stdout)["schema"] == "isthmus.record/1"
    assert [line_of(command) for command in json.loads(done.stdout)["records"]] == said(done.stderr)


@pytest.mark.parametrize(
    ("part", "code", "ended"), [("left", 6, True), ("quick", 7, False), ("killed", 128 + signal.SIGKILL, False)]
)
def test_however_a_program_ends_its_code_is_passed_on_and_its_calls_are_kept(
    record: Record, tmp_path: Path, part: str, code: int, ended: bool
) -> None:
    done = record("-o", "a.json", "--", KNOWN, part)
    assert done.returncode == code
    file = read(tmp_path / "a.json")
    assert file["exit_code"] == code
    assert file["context"]["complete"] is ended
    assert [line_of(command) for command in file["records"]] == said(done.stdout)
    assert ("was killed, crashed or left by _exit" in done.stdout) is not ended


@pytest.mark.parametrize(("part", "without"), [("polls", 0), ("never-asks", 3)])
def test_what_a_program_that_left_by_exit_saw_complete_is_not_called_incomplete(
    record: Record, tmp_path: Path, part: str, without: int
) -> None:
    done = record("-o", "a.json", "--", KNOWN, part)
    (process,) = read(tmp_path / "a.json")["processes"]
    assert process["unfinished"] == without, done.stdout
    assert "not complete" not in done.stdout
    assert ("3 commands without times: the driver was not asked for them" in done.stdout) is (without > 0)


def test_every_process_of_a_program_is_in_its_record(record: Record, tmp_path: Path) -> None:
    done = record("-o", "a.json", "--", KNOWN, "split")
    file = read(tmp_path / "a.json")
    assert len(file["processes"]) == 2
    assert file["processes"][1]["parent"] == file["processes"][0]["process"]
    assert Counter(line_of(command) for command in file["records"]) == Counter(said(done.stdout))


def test_a_program_without_opencl_is_one_line_and_no_record(real: Isthmus, tmp_path: Path) -> None:
    told = real.refusal("record", "--", str(KNOWN), "none")
    assert "the OpenCL layer was never called" in told
    assert "code 3" in told
    assert {path.name for path in tmp_path.iterdir()} <= {"home"}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), "COMMAND: expected a program after --"),
        (("--", "./no-such-program"), "./no-such-program: cannot start"),
        (("--loader", "none.so", "--", "true"), "--loader none.so: expected the file of an OpenCL loader"),
        (("--loader", "/bin/true", "--", "true"), "--loader /bin/true: knows no layers"),
        (("--recover", "nowhere"), "--recover nowhere: expected a folder with journals"),
        (("-o", "/proc/none/a.json", "--", "true"), "--output: /proc/none/a.json: cannot write"),
    ],
)
def test_what_cannot_be_recorded_is_one_line(real: Isthmus, words: tuple[str, ...], expected: str) -> None:
    assert expected in real.refusal("record", *words)


def test_a_program_gets_a_loader_that_knows_layers_before_one_that_knows_none(record: Record, tmp_path: Path) -> None:
    """Its first libOpenCL is one without layers, as CUDA's is."""
    loader = Path(os.path.realpath("/usr/lib/x86_64-linux-gnu/libOpenCL.so.1"))
    old = tmp_path / "cuda" / "libOpenCL.so.1"
    old.parent.mkdir()
    old.write_bytes(loader.read_bytes().replace(b"OPENCL_LAYERS", b"OPENCL_NOTHIN"))
    alone = subprocess.run(
        [KNOWN, "compute"], env={**os.environ, "LD_LIBRARY_PATH": str(old.parent)}, capture_output=True, check=True
    )
    done = record("-o", "a.json", "--", KNOWN, "compute", LD_LIBRARY_PATH=str(old.parent))
    assert done.returncode == 0, done.stderr
    assert alone.stdout.decode() in done.stdout
    assert [line_of(command) for command in read(tmp_path / "a.json")["records"]] == said(done.stdout)


def test_the_journals_of_a_recording_that_was_killed_become_a_record(record: Record, tmp_path: Path) -> None:
    done = record("-o", "a.json", "--", program(tmp_path / "app.sh", f'"{KNOWN}" compute\nkill -9 $PPID'))
    assert done.returncode == -signal.SIGKILL
    (folder,) = tmp_path.glob("isthmus-record-*")
    again = record("--recover", folder, "-o", "a.json")
    assert again.returncode == 0, again.stderr
    assert [line_of(command) for command in read(tmp_path / "a.json")["records"]] == said(done.stdout)


def test_ctrl_c_ends_the_program_and_not_its_record(record: Record, tmp_path: Path) -> None:
    script = program(tmp_path / "app.sh", f'"{KNOWN}" compute\nkill -INT $PPID\nkill -INT $$')
    done = record("-o", "a.json", "--", script)
    assert done.returncode == 128 + signal.SIGINT
    assert read(tmp_path / "a.json")["records"]


@pytest.mark.parametrize(("part", "khronos"), [("all", True), ("properties", False)])
def test_under_another_driver_and_loader_the_record_is_as_whole_and_the_program_sees_as_little(
    record: Record, tmp_path: Path, part: str, khronos: bool
) -> None:
    """Intel's runtime for processors and the loader of Khronos's beside it (the group `devices` of pyproject.toml)."""
    (library,) = [file for file in files("intel-opencl-rt") or [] if file.name == "libintelocl.so"]
    (tmp_path / "vendors").mkdir()
    (tmp_path / "vendors" / "intel.icd").write_text(f"{Path(str(library.locate())).resolve()}\n")
    vendors = {"OCL_ICD_VENDORS": str(tmp_path / "vendors")}
    if khronos:
        folder = Path(str(library.locate())).resolve().parent
        assert (folder / "libOpenCL.so.1").is_file()
        vendors["LD_LIBRARY_PATH"] = str(folder)
    alone = subprocess.run([KNOWN, part], env={**os.environ, **vendors}, capture_output=True, text=True, check=True)
    done = record("-o", "a.json", "--", KNOWN, part, **vendors)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(alone.stdout)
    file = read(tmp_path / "a.json")
    assert [line_of(command) for command in file["records"]] == said(alone.stdout)
    assert "Intel" in file["devices"][0]["platform"]
    assert all(one["timed"] == one["calls"] for one in file["kernels"])


def slices_of(path: Path) -> dict[str, list[tuple[int, int, str, frozenset[int]]]]:
    """Begin, end, name and arrows of each slice, by the name of its track."""
    trace = Trace()
    trace.ParseFromString(path.read_bytes())
    tracks: dict[int, str] = {}
    begun: dict[int, tuple[int, str, frozenset[int]]] = {}
    slices = defaultdict(list)
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor.name
            continue
        event = packet.track_event
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            begun[event.track_uuid] = (packet.timestamp, event.name, frozenset(event.flow_ids))
        else:
            begin, name, flows = begun.pop(event.track_uuid)
            slices[tracks[event.track_uuid]].append((begin, packet.timestamp, name, flows))
    assert not begun
    return slices


def test_a_trace_has_the_calls_of_each_thread_and_the_commands_of_each_queue(whole: Whole) -> None:
    file, slices = whole.file, slices_of(whole.trace)
    calls = [one for track, found in slices.items() if track.startswith("thread") for one in found]
    work = [one for track, found in slices.items() if "queue" in track for one in found]
    assert sorted((begin, end) for begin, end, _, _ in calls) == sorted(
        (one["call_begin_ns"], one["call_end_ns"]) for one in file["records"]
    )
    timed = [one for one in file["records"] if one["start_ns"] is not None]
    assert sorted((begin, end) for begin, end, _, _ in work) == sorted(
        (one["start_ns"], one["end_ns"]) for one in timed
    )
    assert Counter(flows for *_, flows in work) == Counter(flows for *_, flows in calls if flows)
    for track in slices.values():
        assert all(one[1] <= other[0] for one, other in pairwise(sorted(track)))


def test_clinfo_is_recorded_as_a_program_without_commands(real: Isthmus, tmp_path: Path) -> None:
    done = real.well("record", "-o", "a.json", "--", "clinfo", "-l")
    assert "the program called OpenCL" in done.stdout
    assert read(tmp_path / "a.json")["records"] == []


def test_clpeak_says_the_same_and_its_launches_are_counted(record: Record, tmp_path: Path) -> None:
    done = record("-o", "a.json", "--", "clpeak", "--kernel-latency")
    assert done.returncode == 0, done.stderr
    assert "Kernel launch latency" in done.stdout
    file = json.loads((tmp_path / "a.json").read_text())
    (kernel,) = file["kernels"]
    # Twenty thousand measured launches and those to warm up, each a record with its times.
    assert kernel["calls"] >= 20_000
    assert kernel["timed"] == kernel["calls"] == sum(one["group"] == "kernel" for one in file["records"])


def test_clfft_client_moves_its_signal_there_and_finds_its_kernels(real: Isthmus, tmp_path: Path) -> None:
    assert shutil.which("clFFT-client"), "expected the packages of scripts/packages-test.txt"
    real.well("record", "-o", "a.json", "--", "clFFT-client", "-x", "1024", "-p", "5")
    file = read(tmp_path / "a.json")
    assert {one["name"] for one in file["kernels"]} == {"fft_fwd"}
    written = [one["bytes"] for one in file["records"] if one["what"] == "write buffer"]
    assert 1024 * 8 in written  # complex, single precision
