"""The report of a recorded program as a browser shows it, against the record."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.python.browser import Browser, chromium
from tests.python.conftest import Isthmus

from isthmus.base.numbers import seconds
from isthmus.records import RecordFile
from isthmus.report import render_report
from isthmus.report.contents import ReportContents

EVIL = """"'></title></svg><script>window.ran=1</script><b>{{7*7}}"""
MS = 1_000_000


def command(number: int, what: str, group: str, begin: int, **more: Any) -> dict[str, Any]:
    """A call of 1 ms that begins at `begin` ms."""
    return {
        "process": 0,
        "id": number,
        "what": what,
        "group": group,
        "name": None,
        "queue": 0,
        "device": 0,
        "thread": 7,
        "bytes": 0,
        "global_size": None,
        "local_size": None,
        "blocking": False,
        "waits": 0,
        "error": 0,
        "unfinished": False,
        "call_begin_ns": begin * MS,
        "call_end_ns": (begin + 1) * MS,
        "overhead_ns": 300,
        "queued_ns": None,
        "submit_ns": None,
        "start_ns": None,
        "end_ns": None,
        "gap_ns": 0,
        "gap_host_ns": 0,
        **more,
    }


def worked(start: int, end: int) -> dict[str, int]:
    """Times of a command that was at work from `start` to `end`, ms."""
    return {"queued_ns": start * MS, "submit_ns": start * MS, "start_ns": start * MS, "end_ns": end * MS}


RECORD: dict[str, Any] = {
    "schema": "isthmus.record/1",
    "context": {"argv": ["isthmus", "record"], "host": "vm", "version": "0.1.0", "start": "2026", "elapsed": 1.0},
    "program": ["./app", "--fast"],
    "exit_code": 0,
    "origin": "2026-01-01T00:00:00+00:00",
    "span_s": 0.1,
    "processes": [
        {
            "process": 7,
            "parent": 1,
            "command": "./app --fast",
            "ended": False,
            "unfinished": 2,
            "lost": 0,
            "extensions": ["clFancyKHR"],
        }
    ],
    "devices": [
        {
            "process": 0,
            "name": "A device",
            "platform": "A platform",
            "driver": "1.0",
            "type": "CPU",
            "commands": 3,
            "span_s": 0.09,
            "busy_s": 0.06,
            "transfers_s": 0.01,
            "kernels_s": 0.05,
            "gap_host_s": 0.02,
            "gap_other_s": 0.01,
            "gaps": 2,
            "longest_gap_s": 0.02,
            "clock_uncertainty_s": 1e-6,
            "clock_drift": 0.0,
            "timer_resolution_ns": 1,
        }
    ],
    "queues": [{"device": 0, "forced": True}],
    "kernels": [
        {
            "name": "stencil",
            "device": 0,
            "calls": 2,
            "timed": 2,
            "work_items": 2048,
            "total_s": 0.05,
            "mean_s": 0.025,
            "p50_s": 0.025,
            "p99_s": 0.03,
        }
    ],
    "transfers": [
        {
            "what": "write buffer",
            "device": 0,
            "calls": 1,
            "timed": 1,
            "bytes": 4096,
            "total_s": 0.01,
            "p50_s": 0.01,
            "gb_per_s": 0.0004096,
        }
    ],
    "host": [{"what": "finish", "calls": 1, "total_s": 0.001, "longest_s": 0.001}],
    "overhead": {
        "calls": 4,
        "commands": 3,
        "total_s": 1.2e-6,
        "command_ns": 400,
        "mean_ns": 300,
        "p50_ns": 300,
        "p99_ns": 300,
        "share": 1.2e-5,
    },
    "records": [
        command(1, "write buffer", "transfer", 0, bytes=4096, **worked(10, 20)),
        command(2, "kernel", "kernel", 2, name="stencil", **worked(40, 60), gap_ns=20 * MS, gap_host_ns=5 * MS),
        command(3, "kernel", "kernel", 4, name="stencil", **worked(70, 100), gap_ns=10 * MS, gap_host_ns=10 * MS),
        command(4, "finish", "host", 6, blocking=True),
    ],
}


def write_page(folder: Path, record: dict[str, Any], title: str = "app") -> Path:
    contents = ReportContents(title)
    contents.add("app.record.json", RecordFile.model_validate(record))
    page = folder / "report.html"
    page.write_text(render_report(contents))
    return page


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_page(tmp_path_factory.mktemp("page"), RECORD)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.mark.parametrize("width", (400, 1600))
def test_commands_lie_at_their_times_on_the_line_of_their_queue(browser: Browser, page: Path, width: int) -> None:
    browser.open(page, width)
    boxes = browser.run(
        """const plot = document.querySelector('#recorded .plot'), origin = plot.getBoundingClientRect();
           return [...plot.querySelectorAll('.step')].map(e => [
             e.querySelector('title').textContent, (e.getBoundingClientRect().x - origin.x) / origin.width,
             e.width.baseVal.value / origin.width, e.getBoundingClientRect().y - origin.y])"""
    )
    queue = boxes[:3]
    assert [box[0].partition(":")[0] for box in queue] == ["write buffer", "stencil", "stencil"]
    assert [box[1] for box in queue] == pytest.approx([0.1, 0.4, 0.7], abs=5e-3)
    assert [box[2] for box in queue] == pytest.approx([0.1, 0.2, 0.3], abs=5e-3)
    assert len({box[3] for box in queue}) == 1
    assert all(box[3] > queue[0][3] for box in boxes[3:])
    assert browser.run("return document.documentElement.scrollWidth") <= width


def test_the_tables_hold_the_timeline_the_sums_and_the_longest_gaps(browser: Browser, page: Path) -> None:
    browser.open(page)
    begins = browser.texts("#recorded figure tbody td:nth-child(4)")
    assert begins[:3] == [seconds(one["start_ns"] * 1e-9) for one in RECORD["records"][:3]]
    assert browser.texts("#recorded h4")[-1] == "the longest gaps of a device"
    gaps = browser.texts("#recorded article > .scroll:last-child tbody tr")
    assert [gap.split(" ")[0] for gap in gaps] == ["20.0", "10.0"]
    text = " ".join(browser.texts("#recorded"))
    for said in (
        "busy 67 % of 90.0 ms",
        "stencil",
        "4,096",
        "400 ns a command",
        "2 commands without times",
        "clFancyKHR",
    ):
        assert said in text
    assert "measured" in " ".join(browser.texts("#verdict"))


@pytest.mark.parametrize("scheme", ("light", "dark"))
def test_everything_can_be_told_from_its_ground(browser: Browser, page: Path, scheme: str) -> None:
    browser.open(page, scheme=scheme)
    browser.unfold()
    assert [one for one in browser.contrasts() if one[2] < (4.5 if one[0] == "text" else 3)] == []


def test_the_plot_has_a_title_a_description_and_the_same_as_a_table(browser: Browser, page: Path) -> None:
    browser.open(page)
    ((title, description, rows),) = browser.run(
        """return [...document.querySelectorAll('svg[role=img]')].map(plot => [
             ...plot.getAttribute('aria-labelledby').split(' ').map(id => document.getElementById(id).textContent),
             plot.closest('figure').querySelectorAll('table tbody tr').length])"""
    )
    assert "./app --fast" in title
    assert "from 0 to 0.100 s" in description
    assert rows == len(browser.texts("#recorded .step"))


def test_a_short_stretch_of_work_is_shown_closer(browser: Browser, tmp_path: Path) -> None:
    late = json.loads(json.dumps(RECORD))
    late["records"].insert(0, command(5, "build program", "host", 0, call_end_ns=900 * MS, queue=None, device=None))
    for one in late["records"][1:4]:
        for name in ("queued_ns", "submit_ns", "start_ns", "end_ns"):
            one[name] += 900 * MS
    browser.open(write_page(tmp_path, late))
    names = browser.texts("#recorded figcaption h3")
    assert len(names) == 2
    assert names[1].endswith("from the first command to the last, 0.910 s after the start")
    boxes = browser.run(
        """const plot = document.querySelectorAll('#recorded .plot')[1], origin = plot.getBoundingClientRect();
           return [...plot.querySelectorAll('.step')].slice(0, 3).map(e =>
             (e.getBoundingClientRect().x - origin.x) / origin.width)"""
    )
    assert boxes == pytest.approx([0, 30 / 90, 60 / 90], abs=5e-3)


def test_markup_in_a_record_is_text(browser: Browser, tmp_path: Path) -> None:
    bad = json.loads(json.dumps(RECORD))
    bad["program"] = [EVIL]
    bad["processes"][0]["extensions"] = [EVIL]
    bad["devices"][0]["name"] = bad["kernels"][0]["name"] = bad["transfers"][0]["what"] = EVIL
    for one in bad["records"]:
        one["what"] = one["name"] = EVIL
    browser.open(write_page(tmp_path, bad, EVIL))
    browser.unfold()
    assert browser.run("return window.ran") is None
    assert browser.run("return document.querySelectorAll('script, b').length") == 0
    assert browser.complaints() == []


def test_many_calls_make_a_small_page(tmp_path: Path) -> None:
    many = json.loads(json.dumps(RECORD))
    step = MS // 100
    many["records"] = [
        command(number, "kernel", "kernel", 0, name="k", start_ns=number * step, end_ns=number * step + step // 2)
        for number in range(20_000)
    ]
    assert write_page(tmp_path, many).stat().st_size < 400_000


def test_the_command_takes_a_record_and_names_what_is_wrong_in_one(real: Isthmus, tmp_path: Path) -> None:
    (tmp_path / "app.record.json").write_text(json.dumps(RECORD))
    assert real("report", "app.record.json").returncode == 0
    (tmp_path / "bad.json").write_text(json.dumps({**RECORD, "span_s": "long"}))
    done = real("report", "bad.json")
    assert done.returncode == 2
    assert "bad.json: key 'span_s'" in done.stderr


@pytest.mark.parametrize(
    ("holders", "field", "place", "there"),
    [
        ("records", "device", 3, 1),
        ("queues", "device", -1, 1),
        ("devices", "process", 1, 1),
        ("records", "queue", 9, 1),
    ],
)
def test_a_place_that_its_list_does_not_have_is_one_line(
    isthmus: Isthmus, holders: str, field: str, place: int, there: int
) -> None:
    record = json.loads(json.dumps(RECORD))
    assert len(record[holders]) >= 1
    record[holders][0][field] = place
    (isthmus.folder / "app.record.json").write_text(json.dumps(record))
    done = isthmus("report", "app.record.json")
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: app.record.json: key '{holders}.0.{field}': expected a place in '")
    assert done.stderr.endswith(f", which has {there}, got {place}\n")
