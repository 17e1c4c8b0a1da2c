"""The report of a recorded program as a browser shows it, against the record."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.python.browser import Browser
from tests.python.conftest import Isthmus
from tests.python.recorded_calls import MS, call, worked
from tests.python.report_records import write_page
from tests.python.samples import sample

from isthmus.base.numbers import seconds

EVIL = """"'></title></svg><script>window.ran=1</script><b>{{7*7}}"""
PLAIN = sample("record")
RECORD: dict[str, Any] = {
    **PLAIN,
    "program": ["./app", "--fast"],
    "span_s": 0.1,
    "processes": [PLAIN["processes"][0] | {"ended": False, "unfinished": 2, "extensions": ["clFancyKHR"]}],
    "devices": [
        {
            **PLAIN["devices"][0],
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
        }
    ],
    "kernels": [PLAIN["kernels"][0] | {"name": "stencil", "calls": 2, "timed": 2, "work_items": 2048}],
    "transfers": [PLAIN["transfers"][0] | {"what": "write buffer", "calls": 1, "timed": 1, "bytes": 4096}],
    "host": [PLAIN["host"][0] | {"what": "finish", "calls": 1}],
    "overhead": PLAIN["overhead"] | {"calls": 4, "commands": 3, "command_ns": 400},
    "records": [
        call(1, "write buffer", "transfer", 0, bytes=4096, **worked(10, 20)),
        call(2, "kernel", "kernel", 2, name="stencil", **worked(40, 60), gap_ns=20 * MS, gap_host_ns=5 * MS),
        call(3, "kernel", "kernel", 4, name="stencil", **worked(70, 100), gap_ns=10 * MS, gap_host_ns=10 * MS),
        call(4, "finish", "host", 6, blocking=True),
    ],
    **{"sums": [], "longest_gaps": [], "stretches": []},
}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_page(tmp_path_factory.mktemp("page"), {"app": RECORD})


@pytest.mark.parametrize("width", (400, 1600))
def test_commands_lie_at_their_times_on_the_line_of_their_queue(browser: Browser, page: Path, width: int) -> None:
    browser.open(page, width)
    titles = browser.texts("#recorded .plot .step title")
    assert [title.partition(":")[0] for title in titles[:3]] == ["write buffer", "stencil", "stencil"]
    boxes = browser.steps("#recorded .plot")
    queue = boxes[:3]
    assert [box[0] for box in queue] == pytest.approx([0.1, 0.4, 0.7], abs=5e-3)
    assert [box[1] for box in queue] == pytest.approx([0.1, 0.2, 0.3], abs=5e-3)
    assert len({box[2] for box in queue}) == 1
    assert all(box[2] > queue[0][2] for box in boxes[3:])


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


@pytest.mark.parametrize(("width", "scheme"), [(1600, "light"), (400, "dark")])
def test_everything_can_be_told_from_its_ground(browser: Browser, page: Path, width: int, scheme: str) -> None:
    browser.open(page, width, scheme)
    browser.unfold()
    browser.check()


def test_the_plot_has_a_title_a_description_and_the_same_as_a_table(browser: Browser, page: Path) -> None:
    browser.open(page)
    ((title, description, rows),) = browser.plots()
    assert "./app --fast" in title
    assert "from 0 to 0.100 s" in description
    assert rows == len(browser.texts("#recorded .step"))


def test_a_short_stretch_of_work_is_shown_closer(browser: Browser, tmp_path: Path) -> None:
    late = json.loads(json.dumps(RECORD))
    late["records"].insert(0, call(5, "build program", "host", 0, call_end_ns=900 * MS, queue=None, device=None))
    for one in late["records"][1:4]:
        for name in ("queued_ns", "submit_ns", "start_ns", "end_ns"):
            one[name] += 900 * MS
    browser.open(write_page(tmp_path, {"app": late}))
    names = browser.texts("#recorded figcaption h3")
    assert len(names) == 2
    assert names[1].endswith("from the first command to the last, 0.910 s after the start")
    boxes = browser.steps("#recorded .plot", 1)[:3]
    assert [box[0] for box in boxes] == pytest.approx([0, 30 / 90, 60 / 90], abs=5e-3)


def test_markup_in_a_record_is_text(browser: Browser, tmp_path: Path) -> None:
    bad = json.loads(json.dumps(RECORD))
    bad["program"] = [EVIL]
    bad["processes"][0]["extensions"] = [EVIL]
    bad["devices"][0]["name"] = bad["kernels"][0]["name"] = bad["transfers"][0]["what"] = EVIL
    for one in bad["records"]:
        one["what"] = one["name"] = EVIL
    browser.open(write_page(tmp_path, {"app": bad}, EVIL))
    browser.check_nothing_ran()


def test_many_calls_make_a_small_page(tmp_path: Path) -> None:
    many = json.loads(json.dumps(RECORD))
    step = MS // 100
    many["records"] = [
        call(number, "kernel", "kernel", 0, name="k", start_ns=number * step, end_ns=number * step + step // 2)
        for number in range(20_000)
    ]
    assert write_page(tmp_path, {"app": many}).stat().st_size < 400_000


def test_the_command_takes_a_record_and_names_what_is_wrong_in_one(real: Isthmus, tmp_path: Path) -> None:
    (tmp_path / "app.record.json").write_text(json.dumps(RECORD))
    assert real("report", "app.record.json").returncode == 0
    (tmp_path / "bad.json").write_text(json.dumps({**RECORD, "span_s": "long"}))
    assert "bad.json: key 'span_s'" in real.refusal("report", "bad.json")


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
    told = isthmus.refusal("report", "app.record.json")
    assert told.startswith(f"app.record.json: key '{holders}.0.{field}': expected a place in '")
    assert told.endswith(f", which has {there}, got {place}")
