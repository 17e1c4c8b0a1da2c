"""What journals mean: clocks, gaps, and files that are cut short or spoiled; and which loader a program gets."""

import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.conftest import KNOWN, journal_known_calls

from isthmus.base.errors import IsthmusError
from isthmus.recording.clocks import Clock, align
from isthmus.recording.columns import Array, Columns
from isthmus.recording.document import document, make_head
from isthmus.recording.gaps import Cover
from isthmus.recording.journal import CALL, GROUPS, TIMES, read_journal, read_journals
from isthmus.recording.loader import knows_layers, loader_environment
from isthmus.recording.perfetto import trace_of
from isthmus.recording.summary import overhead
from isthmus.recording.tables import detail
from isthmus.recording.timeline import Timeline, make_timeline
from isthmus.records.base import Context
from isthmus.records.recording import RecordFile

CONTEXT = Context(argv=[], host="", version="", start="", elapsed=0)
Calls = list[tuple[int, int, int]]


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory, compiled_kernels: Path) -> Path:
    """The journal of known_calls, written by the layer itself."""
    folder = tmp_path_factory.mktemp("journals")
    journal_known_calls(folder, compiled_kernels, "compute")
    (path,) = folder.glob("*.journal")
    return path


def aligned(queued: Array, begin: Array, end: Array) -> Clock:
    """The clock on which these commands were queued between these times."""
    return align(len(queued), lambda rows: (queued[rows], begin[rows], end[rows]))


@given(
    offset=st.integers(-(10**15), 10**15),
    calls=st.lists(st.tuples(st.integers(10**6, 10**12), st.integers(0, 10**5), st.integers(0, 10**5)), min_size=1),
)
def test_a_clock_that_is_only_off_is_found_within_its_uncertainty(offset: int, calls: Calls) -> None:
    """Each call is queued so long after its begin, and so long before its end."""
    queued = np.array([at for at, _, _ in calls])
    begin = np.array([at + offset - before for at, before, _ in calls])
    end = np.array([at + offset + after for at, _, after in calls])
    clock = aligned(queued, begin, end)
    assert clock.drift == 0
    assert abs(clock.offset - offset) <= clock.uncertainty
    on_host = clock.on_host(queued)
    assert (begin - clock.uncertainty <= on_host).all()
    assert (on_host <= end + clock.uncertainty).all()


def test_what_a_launch_costs_has_its_share_of_the_finish_that_asks_for_its_time() -> None:
    columns = {name: np.zeros(1001, np.int64) for name in ("begin", "span", "start", "time", "timed")}
    columns |= {"what": np.array([0] * 1000 + [1]), "overhead": np.array([80] * 1000 + [1_620_000])}
    columns["span"][-1] = 10**9
    columns["timed"] = columns["timed"].astype(bool)
    groups = [GROUPS.index("kernel"), GROUPS.index("host")]
    took = overhead(Timeline([], 0, 0, Columns(columns, 1001), whats=["kernel", "finish"], group_of=groups))
    assert (took.calls, took.commands, took.p50_ns) == (1001, 1000, 80)
    assert took.command_ns == pytest.approx(1700)
    (printed,) = detail(RecordFile.model_construct(overhead=took, span_s=1.0, processes=[], summed=0))
    assert printed.startswith("the layer took 1.70 ms in 1,001 calls, 1.70 us a command with asking for its times (p99")


def test_a_clock_that_runs_at_another_rate_is_followed() -> None:
    dice = random.Random(1)
    host = np.array(sorted(dice.randrange(60 * 10**9) for _ in range(2000)))
    device = np.array([10**12 + round(at * (1 + 30e-6)) for at in host.tolist()])
    before = np.array([dice.randrange(200, 2000) for _ in host])
    clock = aligned(device, host - before, host + 500)
    # Thirty millionths of a minute are 1.8 ms; without following them the times would be off by up to 0.9 ms.
    assert clock.drift == pytest.approx(-30e-6, rel=0.01)
    assert np.abs(clock.on_host(device) - host).max() < 5_000
    assert np.abs(clock.on_host(device) - host).max() <= clock.uncertainty + 2_500


@given(st.lists(st.tuples(st.integers(0, 200), st.integers(0, 50)), max_size=30), st.integers(0, 30))
def test_the_time_that_commands_cover_is_counted_once_however_many_come_together(
    spans: list[tuple[int, int]], cut: int
) -> None:
    start = np.array([start for start, _ in sorted(spans)], np.int64)
    done = start + np.array([length for _, length in sorted(spans)], np.int64)
    cover = Cover()
    before = [*cover.add(start[:cut], done[:cut]), *cover.add(start[cut:], done[cut:])]
    assert before == [max(done[:place], default=start[place]) for place in range(len(start))]
    assert cover.total == len({tick for begin, end in zip(start, done, strict=True) for tick in range(begin, end)})


@settings(max_examples=30, deadline=None)
@given(cut=st.integers(0, 1 << 14))
def test_a_journal_that_is_cut_short_is_whole_up_to_there(journal: Path, cut: int) -> None:
    whole = read_journal(journal)
    assert whole is not None
    part = journal.parent / "part"
    part.write_bytes(journal.read_bytes()[:cut])
    found = read_journal(part)
    if cut < 128:
        assert found is None
    else:
        assert found is not None
        known = dict(zip(whole.calls["slot"].tolist(), whole.calls["times_slot"].tolist(), strict=True))
        for slot, times in zip(found.calls["slot"].tolist(), found.calls["times_slot"].tolist(), strict=True):
            assert times in (known[slot], -1)
            assert (times >= 0) == (0 <= known[slot] < cut // 128)


@settings(max_examples=40, deadline=None)
@given(changes=st.lists(st.tuples(st.integers(0, 16_000), st.integers(0, 255)), min_size=1, max_size=8))
def test_a_spoiled_journal_is_a_record_of_its_kind_or_an_error(journal: Path, changes: list[tuple[int, int]]) -> None:
    spoiled = bytearray(journal.read_bytes()[:16_384])
    for at, value in changes:
        spoiled[at] = value
    path = journal.parent / "spoiled"
    path.write_bytes(spoiled)
    try:
        found = read_journal(path)
        if found is not None:
            line = make_timeline([found])
            text = "".join(document(make_head(line, CONTEXT, ["app"], None, 10), line, 10))
            RecordFile.model_validate(json.loads(text))
            assert list(trace_of(line, 10)) or not line.commands.rows
    except IsthmusError:
        pass


def test_a_folder_without_journals_has_none(tmp_path: Path) -> None:
    assert read_journals(tmp_path) == []
    (tmp_path / "1-0.journal").write_bytes(b"")
    assert read_journals(tmp_path) == []
    (tmp_path / "2-0.journal").write_bytes(b"\x01" * 256)
    with pytest.raises(IsthmusError, match=r"2-0\.journal: expected a journal of version 2"):
        read_journals(tmp_path)


def test_slots_are_as_long_as_the_layer_writes_them() -> None:
    assert CALL.itemsize == TIMES.itemsize == 128


@pytest.fixture
def old_loader(tmp_path: Path) -> Path:
    """A loader that knows no layers, in a folder of its own."""
    path = tmp_path / "old" / "libOpenCL.so.1"
    path.parent.mkdir()
    known = Path("/usr/lib/x86_64-linux-gnu/libOpenCL.so.1").read_bytes()
    path.write_bytes(known.replace(b"OPENCL_LAYERS", b"OPENCL_NOTHIN"))
    return path


def environment_of(program: Path, folder: Path, **environment: str) -> dict[str, str]:
    """What is set for a program whose environment is this."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("LD_LIBRARY_PATH", raising=False)
        for name, value in environment.items():
            patch.setenv(name, value)
        return loader_environment(str(program), None, folder / "loader")


def test_a_loader_that_knows_layers_stays(tmp_path: Path, old_loader: Path) -> None:
    assert not knows_layers(old_loader)
    assert environment_of(KNOWN, tmp_path) == {}
    assert environment_of(Path("no-such-program"), tmp_path) == {}


def test_one_that_knows_none_has_one_that_does_before_it(tmp_path: Path, old_loader: Path) -> None:
    found = environment_of(KNOWN, tmp_path, LD_LIBRARY_PATH=str(old_loader.parent))
    assert found == {"LD_LIBRARY_PATH": f"{tmp_path}/loader:{old_loader.parent}"}
    assert knows_layers(tmp_path / "loader" / "libOpenCL.so.1")
    assert knows_layers(tmp_path / "loader" / "libOpenCL.so")


def test_a_program_with_a_path_of_its_own_gets_it_first_of_all(tmp_path: Path, old_loader: Path) -> None:
    source = tmp_path / "app.c"
    source.write_text(
        "int clGetPlatformIDs(unsigned, void*, unsigned*);\nint main(void) { return clGetPlatformIDs(0, 0, 0); }\n"
    )
    app = tmp_path / "app"
    built_in = f"-Wl,--disable-new-dtags,-rpath,{old_loader.parent}"
    subprocess.run(["cc", source, "-o", app, f"-L{old_loader.parent}", "-l:libOpenCL.so.1", built_in], check=True)
    found: dict[str, Any] = environment_of(app, tmp_path)
    assert found["LD_PRELOAD"] == f"{tmp_path}/loader/libOpenCL.so.1"
    told = subprocess.run(["ldd", app], env={**os.environ, **found}, check=True, capture_output=True, text=True).stdout
    assert f"{tmp_path}/loader/libOpenCL.so.1" in told
