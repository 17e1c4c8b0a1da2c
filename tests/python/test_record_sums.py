"""What a record keeps of calls that it does not hold one by one, against the record of the same journals that does."""

import json
from collections import defaultdict
from pathlib import Path
from statistics import quantiles
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.conftest import Isthmus, journal_known_calls
from tests.python.report_records import page_of

from isthmus.recording import columns
from isthmus.recording.columns import Column, ColumnBuffer, ascending
from isthmus.recording.document import document, make_head
from isthmus.recording.groups import quantiles as columns_quantiles
from isthmus.recording.journal import CALL, SLOT, TIMES, read_journal, read_journals
from isthmus.recording.timeline import Timeline, make_timeline
from isthmus.records.base import Context

CONTEXT = Context(argv=[], host="", version="", start="", elapsed=0)
ALL = 1 << 30
TIMES_NAMES = ("queued", "submit", "start", "end")
Record = dict[str, Any]


@pytest.fixture(scope="module")
def journals(tmp_path_factory: pytest.TempPathFactory, compiled_kernels: Path) -> Path:
    """Journals of three processes: all kinds of calls, calls of five threads, and many launches."""
    folder = tmp_path_factory.mktemp("journals")
    for words in (["all"], ["threads"], ["many", "3000"]):
        journal_known_calls(folder, compiled_kernels, *words)
    return folder


def recorded(folder: Path, count: int) -> Record:
    """The record of these journals that holds so many calls."""
    line = make_timeline(read_journals(folder))
    found: Record = json.loads("".join(document(make_head(line, CONTEXT, ["app"], 0, count), line, count)))
    return found


@pytest.fixture(scope="module")
def full(journals: Path) -> Record:
    """The record that holds all calls."""
    return recorded(journals, ALL)


def spread(values: list[int]) -> Record | None:
    """Total, median and 99 % of some times, as the statistics module has them."""
    if not values:
        return None
    cuts = quantiles(values, n=100, method="inclusive") if len(values) > 1 else values * 99
    return {"total": sum(values), "p50": pytest.approx(cuts[49]), "p99": pytest.approx(cuts[98])}


def added_up(calls: list[Record]) -> Record:
    """What calls that are alike add up to."""
    timed = [one for one in calls if one["start_ns"] is not None]
    works = calls[0]["group"] in ("transfer", "kernel")
    return {
        **{name: calls[0][name] for name in ("device", "what", "group", "name")},
        "calls": len(calls),
        "timed": len(timed),
        "failed": sum(one["error"] != 0 for one in calls),
        "unfinished": sum(one["unfinished"] for one in calls),
        "bytes": sum(one["bytes"] for one in calls),
        "least_bytes": min(one["bytes"] for one in calls),
        "most_bytes": max(one["bytes"] for one in calls),
        "work_items": sum(int(np.prod(one["global_size"])) for one in calls if one["global_size"]),
        "first_call_ns": min(one["call_begin_ns"] for one in calls),
        "last_call_ns": max(one["call_end_ns"] for one in calls),
        "first_start_ns": min((one["start_ns"] for one in timed), default=None),
        "last_end_ns": max((one["end_ns"] for one in timed), default=None),
        "call_ns": spread([one["call_end_ns"] - one["call_begin_ns"] for one in calls]),
        "overhead_ns": spread([one["overhead_ns"] for one in calls]),
        "time_ns": spread([one["end_ns"] - one["start_ns"] for one in timed]),
        "gap_ns": spread([one["gap_ns"] for one in timed]) if works else None,
        "gap_host_ns": spread([one["gap_host_ns"] for one in timed]) if works else None,
    }


def test_sums_are_what_the_calls_add_up_to_by_device_kind_kernel_and_bytes(full: Record) -> None:
    groups = defaultdict(list)
    for one in full["records"]:
        groups[one["device"], one["what"], one["name"], one["bytes"]].append(one)
    assert len(groups) > 40

    def key(one: Record) -> str:
        return str([one[name] for name in ("device", "what", "name", "least_bytes")])

    expected = sorted(map(added_up, groups.values()), key=key)
    assert sorted(full["sums"], key=key) == expected
    assert sum(one["calls"] for one in full["sums"]) == len(full["records"]) == full["overhead"]["calls"]


@pytest.mark.parametrize("count", [0, 1, 100, 3000])
def test_what_is_summed_is_summed_whatever_the_record_holds_besides(journals: Path, full: Record, count: int) -> None:
    part = recorded(journals, count)
    assert part["records"] == full["records"][:count]
    assert part["summed"] == len(full["records"]) - count
    differing = {"records", "summed", "longest_gaps", "stretches"}
    assert {name: part[name] for name in part if name not in differing} == {
        name: full[name] for name in full if name not in differing
    }
    assert full["summed"] == 0
    assert full["longest_gaps"] == full["stretches"] == []


def test_no_sum_depends_on_how_many_calls_are_looked_at_together(
    journals: Path, full: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "_AT_ONCE", 13)
    assert recorded(journals, ALL) == full


def report_of(record: Record) -> str:
    """The report of a record, without the line that says how many calls it holds and what follows from their number."""
    lines = page_of({"app": record}).splitlines()
    return "\n".join(line for line in lines if "one by one" not in line)


@pytest.mark.parametrize("count", [0, 100, 3000])
def test_the_report_of_sums_is_that_of_the_calls(journals: Path, full: Record, count: int) -> None:
    assert report_of(recorded(journals, count)) == report_of(full)


def test_a_summary_is_small_and_says_what_it_lacks(real: Isthmus, journals: Path) -> None:
    done = real.well("record", "--recover", str(journals), "--summary", "-o", "a.json")
    whole = real("record", "--recover", str(journals), "-o", "b.json")
    file, other = (real.read(name) for name in ("a.json", "b.json"))
    assert file["records"] == []
    assert f"what {len(other['records']):,} calls add up to, and none of them one by one" in done.stdout
    assert "one by one" not in whole.stdout
    few = real("record", "--recover", str(journals), "--calls", "10", "-o", "c.json")
    assert f"of {len(other['records']):,} calls the record holds the first 10 one by one" in few.stdout
    tables = [done.stdout.split("kernels, time")[1].split("the layer took")[0] for done in (done, whole, few)]
    assert len(set(tables)) == 1


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--summary", "--calls", "3"), "--summary: expected no --calls with it"),
        (("--summary", "--trace", "a.trace"), "--summary: expected no --trace with it"),
        (("--calls", "0"), "--calls: expected"),
        (("--calls", "many"), "--calls: expected"),
    ],
)
def test_what_cannot_be_kept_is_one_line(isthmus: Isthmus, words: tuple[str, ...], expected: str) -> None:
    assert expected in isthmus.refusal("record", *words, "--", "true")


def test_a_map_that_moves_nothing_has_no_rate(journals: Path, full: Record) -> None:
    rates = {one["what"]: one["gb_per_s"] for one in full["transfers"]}
    # PoCL's processor has the host's memory: where it maps, there is the data.
    assert [one["shares_memory"] for one in full["devices"]] == [True] * 3
    for what in ("map buffer", "map image", "unmap", "SVM map", "SVM unmap"):
        assert rates[what] is None
    assert all(rate > 0 for what, rate in rates.items() if "map" not in what)
    line = make_timeline(read_journals(journals))
    for device in line.devices:
        device.shares_memory = False
    apart = {one.what: one for one in make_head(line, CONTEXT, ["app"], 0, 0).transfers}
    for what in ("map buffer", "unmap"):
        moving = [one for one in full["records"] if one["what"] == what and one["bytes"] > 0]
        assert 0 < len(moving) < apart[what].calls
        took = sum(one["end_ns"] - one["start_ns"] for one in moving)
        assert apart[what].gb_per_s == pytest.approx(sum(one["bytes"] for one in moving) / took)


def line_of(path: Path) -> Timeline:
    """The timeline of one journal."""
    journal = read_journal(path)
    assert journal is not None
    return make_timeline([journal])


def repeated(journal: Path, times: int, to: Path) -> int:
    """The journal of a program that did so many times what that of `journal` did; its number of calls."""
    raw = np.fromfile(journal, np.uint8).reshape(-1, SLOT)
    raw = raw[: np.flatnonzero(raw[:, 0] == 0)[0]]
    moving = raw[(raw[:, 0] == 4) | (raw[:, 0] == 5)]
    calls = moving[moving[:, 0] == 4].view(CALL).reshape(-1)
    span = int(calls["end"].max() - calls["begin"].min()) + 1000
    with to.open("wb") as file:
        raw[(raw[:, 0] != 4) & (raw[:, 0] != 5)].tofile(file)
        for number in range(times):
            again = moving.copy()
            its_calls, its_times = (again[again[:, 0] == kind] for kind in (4, 5))
            for table, names in ((its_calls.view(CALL), ("begin", "end")), (its_times.view(TIMES), TIMES_NAMES)):
                table["id"] += np.uint64(number * len(calls))
                for name in names:
                    table[name] += np.uint64(number * span)
            its_calls.tofile(file)
            its_times.tofile(file)
    return times * len(calls)


def test_little_is_held_of_a_call_and_a_hundred_times_as_many_add_up_to_a_hundred_times_as_much(
    journals: Path, tmp_path: Path
) -> None:
    (many,) = [path for path in journals.glob("*.journal") if line_of(path).commands.rows == 3003]
    count = repeated(many, 100, tmp_path / "1-0.journal")
    line = make_timeline(read_journals(tmp_path))
    head = make_head(line, CONTEXT, ["app"], 0, 0)
    assert head.overhead.calls == count > 300_000
    # What the journal has of a call and its times are 256 bytes.
    assert sum(column.nbytes for column in line.commands.values()) < 70 * count
    (tmp_path / "one").mkdir()
    repeated(many, 1, tmp_path / "one" / "1-0.journal")
    once = make_head(make_timeline(read_journals(tmp_path / "one")), CONTEXT, ["app"], 0, 0)
    for few, all_of_them in zip(once.sums, head.sums, strict=True):
        assert all_of_them.calls == 100 * few.calls
        assert all_of_them.call_ns.total == 100 * few.call_ns.total
        assert (few.time_ns and few.time_ns.total * 100) == (all_of_them.time_ns and all_of_them.time_ns.total)


def test_more_sizes_than_a_record_should_have_are_summed_by_powers_of_two(journals: Path) -> None:
    line = make_timeline(read_journals(journals))
    rows = np.flatnonzero(line.commands["bytes"] > 0)
    sizes = np.zeros(line.commands.rows, np.int64)
    sizes[rows] = np.arange(1, len(rows) + 1)
    line.commands["bytes"] = sizes
    assert len(rows) > 1000
    head = make_head(line, CONTEXT, ["app"], 0, 0)
    assert len(head.sums) < 300
    assert sum(one.bytes for one in head.sums) == sizes.sum()
    for one in head.sums:
        assert one.least_bytes.bit_length() == one.most_bytes.bit_length()


@given(st.lists(st.integers(-(1 << 62), 1 << 62), min_size=1), st.integers(0, 20))
def test_columns_hold_what_they_are_given(values: list[int], cut: int) -> None:
    given = np.array(values, np.int64)
    column, collected = Column(len(values)), ColumnBuffer(len(values) + 5)
    for rows in (slice(cut, None), slice(0, cut)):
        column.put(rows, given[rows])
    for rows in (slice(0, cut), slice(cut, None)):
        collected.add("a", given[rows])
    assert column.values.tolist() == collected.columns()["a"].tolist() == values
    assert column.values.itemsize <= max(1, (max(map(abs, values)).bit_length() + 8) // 8 * 2)
    assert ascending(given) == (values == sorted(values))


@given(st.lists(st.lists(st.integers(0, 1 << 40), max_size=40), min_size=1, max_size=3))
def test_quantiles_of_columns_are_those_of_numpy(parts: list[list[int]]) -> None:
    values = [value for part in parts for value in part]
    found = columns_quantiles([np.array(part, np.int64) for part in parts])
    assert (found.count, found.total) == (len(values), sum(values))
    if values:
        assert [found.p50, found.p99] == pytest.approx([float(np.percentile(values, at)) for at in (50, 99)])
