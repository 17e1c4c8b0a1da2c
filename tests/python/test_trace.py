"""`--trace`: read back with Perfetto's own definitions, slice by slice."""

import os
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
from tests.python.conftest import Isthmus

RUN = ("run", "image-filter", "--on", "model:aws-f1", "--flow", "stream", "--images", "2")
Slice = tuple[int, int, str]


def slices_of(file: Path) -> dict[str, list[Slice]]:
    """Begin and end in nanoseconds and the state of each slice, by track."""
    trace = Trace()
    trace.ParseFromString(file.read_bytes())
    tracks: dict[int, str] = {}
    states: dict[int, str] = {}
    begun: dict[int, tuple[int, str]] = {}
    slices: dict[str, list[Slice]] = defaultdict(list)
    for packet in trace.packet:
        states.update({name.iid: name.name for name in packet.interned_data.event_names})
        if packet.HasField("track_descriptor"):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor.name
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            begun[event.track_uuid] = (packet.timestamp, states[event.name_iid])
        else:
            begin, state = begun.pop(event.track_uuid)
            slices[tracks[event.track_uuid]].append((begin, packet.timestamp, state))
    assert not begun
    return slices


def test_the_slices_of_a_trace_add_up_to_the_times_of_the_parts(real: Isthmus, tmp_path: Path) -> None:
    file = real.json(*RUN, "--trace", "f1.perfetto-trace")
    slices = slices_of(tmp_path / "f1.perfetto-trace")
    for part in file["rows"][0]["parts"]:
        if part["name"] not in slices:
            continue  # a window is no actor, nor are the waits for the porter
        track = slices[part["name"]]
        assert all(end == begin for (_, end, _), (begin, _, _) in pairwise(track))
        assert all(one[2] != other[2] for one, other in pairwise(track))
        for state in ("busy", "starved", "blocked"):
            total = sum(end - begin for begin, end, what in track if what == state)
            assert total * 1e-9 == pytest.approx(part[f"{state}_s"], abs=1e-9 * (len(track) + 1))


def test_a_trace_changes_no_number_of_the_run(real: Isthmus) -> None:
    with_trace = real.json(*RUN, "--trace", "a.perfetto-trace")["rows"]
    assert with_trace == real.json(*RUN)["rows"]


def test_window_and_parts_choose_what_is_traced(real: Isthmus, tmp_path: Path) -> None:
    chosen = ("--trace-window", "500us..600us", "--trace-parts", "sten*")
    done = real(*RUN, "--trace", "b.perfetto-trace", *chosen)
    assert done.returncode == 0
    assert "trace, model:" in done.stderr
    slices = slices_of(tmp_path / "b.perfetto-trace")
    assert list(slices) == ["stencil"]
    assert all(500_000 <= begin < end <= 600_000 for begin, end, _ in slices["stencil"])


def test_a_pattern_that_chooses_no_part_is_named_beside_the_parts(real: Isthmus) -> None:
    done = real(*RUN, "--trace", "d.perfetto-trace", "--trace-parts", "nosuch", "--trace-parts", "sten*")
    assert done.returncode == 0
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
    done = real(*RUN, *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


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
    done = real("run", "image-filter", "--on", "opencl:0", "--images", "1", "--trace", "d.perfetto-trace")
    assert done.returncode == 2
    assert "--trace" in done.stderr
