"""`--trace`: read back with Perfetto's own definitions, slice by slice."""

import os
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
from tests.python.conftest import Isthmus, real_in

RUN = ("run", "image-filter", "--on", "model:aws-f1", "--flow", "stream", "--images", "2")
Slice = tuple[int, int, str]


class Read:
    """A trace: slices and counters by track, the process of each track, and the message of each slice that has one."""

    def __init__(self, file: Path) -> None:
        trace = Trace()
        trace.ParseFromString(file.read_bytes())
        self.slices: dict[str, list[Slice]] = defaultdict(list)
        self.messages: dict[str, list[int | None]] = defaultdict(list)
        self.counters: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self.processes: dict[str, str] = {}
        tracks: dict[int, str] = {}
        states: dict[int, str] = {}
        begun: dict[int, tuple[int, str]] = {}
        for packet in trace.packet:
            states.update({name.iid: name.name for name in packet.interned_data.event_names})
            if packet.HasField("track_descriptor"):
                track = packet.track_descriptor
                tracks[track.uuid] = track.process.process_name if track.HasField("process") else track.name
                if not track.HasField("process"):
                    self.processes[track.name] = tracks.get(track.parent_uuid, "")
            if not packet.HasField("track_event"):
                continue
            event = packet.track_event
            name = tracks[event.track_uuid]
            if event.type == TrackEvent.TYPE_COUNTER:
                self.counters[name].append((packet.timestamp, event.counter_value))
            elif event.type == TrackEvent.TYPE_SLICE_BEGIN:
                begun[event.track_uuid] = (packet.timestamp, states[event.name_iid])
                said = [note.int_value for note in event.debug_annotations if note.name == "message"]
                self.messages[name].append(said[0] if said else None)
            else:
                begin, state = begun.pop(event.track_uuid)
                self.slices[name].append((begin, packet.timestamp, state))
        assert not begun


@dataclass(frozen=True)
class Traced:
    """A run's row and its trace."""

    row: dict[str, Any]
    trace: Read


@pytest.fixture(scope="module")
def f1(tmp_path_factory: pytest.TempPathFactory, compiled_kernels: Path) -> Traced:
    """Two images as a stream: reading all of a trace is most of what a test of it costs."""
    folder = tmp_path_factory.mktemp("f1")
    row = real_in(folder, compiled_kernels).json(*RUN, "--trace", "f1.perfetto-trace")["rows"][0]
    return Traced(row, Read(folder / "f1.perfetto-trace"))


def slices_of(file: Path) -> dict[str, list[Slice]]:
    """Begin and end in nanoseconds and the state of each slice, by track."""
    return Read(file).slices


def test_the_slices_of_a_trace_add_up_to_the_times_of_the_parts(f1: Traced) -> None:
    slices = f1.trace.slices
    for part in f1.row["parts"]:
        if part["name"] not in slices:
            continue  # a window is no actor, nor are the waits for the porter
        track = slices[part["name"]]
        assert all(end == begin for (_, end, _), (begin, _, _) in pairwise(track))
        alike = [(one[2], message) for one, message in zip(track, f1.trace.messages[part["name"]], strict=True)]
        assert all(one != other for one, other in pairwise(alike))
        for state in ("busy", "starved", "blocked"):
            total = sum(end - begin for begin, end, what in track if what == state)
            if state == "starved":  # in the record also from its end to the run's
                total += part["lifetime_s"] * 1e9 - track[-1][1]
            assert total * 1e-9 == pytest.approx(part[f"{state}_s"], abs=1e-9 * (len(track) + 1))


def test_an_image_can_be_followed_through_the_parts_of_the_machine(f1: Traced) -> None:
    def spans(part: str) -> dict[int, tuple[int, int]]:
        """From the first to the last work on each image."""
        found: dict[int, tuple[int, int]] = {}
        for (begin, end, state), message in zip(f1.trace.slices[part], f1.trace.messages[part], strict=True):
            assert (message is None) or state != "starved"
            if message is not None:
                found[message] = (found.get(message, (begin, end))[0], end)
        return found

    way = ("producer thread", "device registers", "read requests", "reply buffer", "stencil", "write requests")
    for image in range(2):
        entered = [spans(part)[image][0] for part in way]
        assert entered == sorted(entered)
    for image, steps in enumerate(step["steps"] for step in f1.row["first_images"]):
        # The porter fetches what was written, within its period and some round trips.
        written = spans("write requests")[image][1]
        assert written == pytest.approx(steps[1]["end_s"] * 1e9, abs=50_000)


def mean_of(values: list[tuple[int, int]], lifetime_s: float) -> float:
    """What a counter shows on average, from the run's start to its end."""
    ends = [at for at, _ in values[1:]] + [lifetime_s * 1e9]
    return sum(value * (end - at) for (at, value), end in zip(values, ends, strict=True)) / (lifetime_s * 1e9)


@pytest.mark.parametrize("flow", ["offload", "overlap", "stream"])
def test_a_trace_counts_what_is_under_way_in_every_window_up_to_its_size(
    real: Isthmus, tmp_path: Path, flow: str
) -> None:
    words = ("run", "image-filter", "--on", "model:alpha-data-7v3", "--flow", flow, "--images", "1")
    row = real.json(*words, "--trace", "run.perfetto-trace")["rows"][0]
    counters = Read(tmp_path / "run.perfetto-trace").counters
    assert all(before < after for each in counters.values() for (before, _), (after, _) in pairwise(each))
    windows = [part for part in row["parts"] if part["window"]]
    assert {part["name"] for part in windows} >= {"PCIe tags", "posted data credits"}
    for part in windows:
        window, lifetime_s = part["window"], part["lifetime_s"]
        mean = pytest.approx(window["taken"] * window["round_trip_s"] / lifetime_s, rel=0.01)
        assert [
            name
            for name, values in counters.items()
            if max(value for _, value in values) <= window["size"] and mean_of(values, lifetime_s) == mean
        ], part["name"]


def test_parts_stand_in_processes_of_host_link_and_device(f1: Traced) -> None:
    processes = f1.trace.processes
    assert set(processes.values()) == {"host", "link", "device"}
    assert processes["producer thread"] == processes["porter thread"] == processes["host memory"] == "host"
    assert processes["PCIe host to device"] == "link"
    assert processes["stencil"] == processes["PCIe reader: tags"] == "device"


def test_a_trace_changes_no_number_of_the_run(real: Isthmus, f1: Traced) -> None:
    assert [f1.row] == real.json(*RUN)["rows"]


def test_window_and_parts_choose_what_is_traced(real: Isthmus, tmp_path: Path) -> None:
    chosen = ("--trace-window", "500us..600us", "--trace-parts", "sten*")
    done = real.well(*RUN, "--trace", "b.perfetto-trace", *chosen)
    assert "trace, model:" in done.stderr
    slices = slices_of(tmp_path / "b.perfetto-trace")
    assert list(slices) == ["stencil"]
    assert all(500_000 <= begin < end <= 600_000 for begin, end, _ in slices["stencil"])


def test_a_pattern_that_chooses_no_part_is_named_beside_the_parts(real: Isthmus) -> None:
    done = real.well(*RUN, "--trace", "d.perfetto-trace", "--trace-parts", "nosuch", "--trace-parts", "sten*")
    note = next(line for line in done.stderr.splitlines() if "nosuch" in line)
    assert "--trace-parts 'nosuch' chooses nothing; there is: " in note
    assert "stencil" in note
    assert "sten*" not in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--trace-window", "1ms"), "--trace-window: expected --trace FILE"),
        (("--trace", "c", "--trace-window", "2ms..1ms"), "--trace-window '2ms..1ms': expected the later time last"),
        (("--trace", "c", "--trace-limit", "much"), "--trace-limit 'much': expected a number and a unit"),
        (("--trace", "no/such/folder/c"), "no/such/folder/c: the trace cannot be written: No such file or directory"),
        (("--trace", "/dev/full"), "/dev/full: the trace could not be written whole"),
    ],
)
def test_what_a_trace_cannot_be_is_one_line(real: Isthmus, words: tuple[str, ...], said: str) -> None:
    assert said in real.refusal(*RUN, *words)


def test_a_pipe_gets_the_trace_and_stays_a_pipe_and_a_link_a_link(real: Isthmus, tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    (tmp_path / "target").touch()
    link.symlink_to("target")
    words = ("--trace-window", "0us..20us", "--trace-parts", "stencil")
    with os.fdopen(os.open(pipe, os.O_RDWR | os.O_NONBLOCK), "rb", buffering=0) as reader:
        assert real(*RUN, "--trace", str(pipe), *words).returncode == 0
        assert real(*RUN, "--trace", str(link), *words).returncode == 0
        assert reader.read(1 << 16) == (tmp_path / "target").read_bytes()
    assert pipe.is_fifo()
    assert link.is_symlink()


def test_a_real_device_has_no_parts_to_trace(real: Isthmus) -> None:
    told = real.refusal("run", "image-filter", "--on", "opencl:0", "--images", "1", "--trace", "d.perfetto-trace")
    assert "--trace" in told
