"""report.html as a browser shows it, against the records that it was made of."""

import itertools
import json
import math
from pathlib import Path
from typing import Any

import pytest
from selenium.common.exceptions import NoAlertPresentException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from tests.python.browser import Browser
from tests.python.report_records import write_page

from isthmus.base.numbers import figure, grouped, seconds
from isthmus.records.run import StudyFile
from isthmus.report import render_chart

EVIL = (
    """"'></title></style></svg><script>alert(1);window.ran=1</script><img src=x onerror=window.ran=1><b>{{7*7}}&lt;"""
)
SCHEMES = ("light", "dark")
WIDTHS = (400, 1600)
# What a record's text may not be: the values that its model allows, and what is looked up.
CHOSEN = frozenset({"error", "flow", "grain", "kind", "role", "schema"})


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, written: dict[str, str]) -> Path:
    return write_page(tmp_path_factory.mktemp("page"), {name: json.loads(text) for name, text in written.items()})


def test_a_reader_finds_every_section_by_its_heading_and_from_the_contents(browser: Browser, page: Path) -> None:
    browser.open(page)
    headings = browser.texts("main section > h2")
    assert headings[:4] == ["Verdict", "Targets and flows", "Rate by flow", "Where the time goes"]
    assert browser.texts("nav a") == headings
    assert len(browser.driver.find_elements(By.CSS_SELECTOR, "h1")) == 1


def test_rates_are_those_of_the_records_the_fastest_first(
    browser: Browser, page: Path, records: dict[str, Any]
) -> None:
    browser.open(page)
    rows = sorted(records["study"]["rows"], key=lambda row: -row["images_per_s"])
    values = browser.run("return [...document.querySelectorAll('#results data')].map(e => [+e.value, e.textContent])")
    expected = [
        [[row["images_per_s"], grouped(row["images_per_s"])], [row["gb_per_s"], figure(row["gb_per_s"])]]
        for row in rows
    ]
    assert values == list(itertools.chain(*expected))
    assert browser.texts("#verdict .best-of data") == [grouped(rows[0]["images_per_s"])]


def test_bars_by_flow_are_as_long_as_the_rates(browser: Browser, page: Path, records: dict[str, Any]) -> None:
    browser.open(page)
    widths = browser.run(
        "return [...document.querySelectorAll('#flows dl .bar')].map(e => e.getBoundingClientRect().width)"
    )
    rates = sorted(row["images_per_s"] for row in records["study"]["rows"])
    assert [width / max(widths) for width in sorted(widths)] == pytest.approx(
        [rate / rates[-1] for rate in rates], abs=2e-3
    )


def test_the_stall_table_is_that_of_the_records(browser: Browser, page: Path, records: dict[str, Any]) -> None:
    browser.open(page)
    browser.unfold()
    shown = browser.texts("#stalls tbody th")
    rows = [row for row in sorted(records["study"]["rows"], key=lambda row: -row["images_per_s"]) if row["parts"]]
    parts = [sorted(row["parts"], key=lambda part: -part["busy_s"]) for row in rows]
    assert shown == [part["name"] for part in itertools.chain(*parts)]
    bars = browser.run(
        "return [...document.querySelectorAll('#stalls td .bar')].map(e => parseFloat(e.getAttribute('width')))"
    )
    shares = [100 * part["busy_s"] / part["lifetime_s"] for part in itertools.chain(*parts)]
    assert bars == pytest.approx(shares, abs=0.01)


def test_points_of_curves_lie_where_logarithms_put_them(browser: Browser, page: Path, records: dict[str, Any]) -> None:
    browser.open(page)
    places = browser.run(
        """return [...document.querySelectorAll('#curves figure')].map(figure => [
             figure.querySelector('h3').textContent,
             [...figure.querySelectorAll('.mark')].map(mark => {
               const box = mark.firstElementChild.nextElementSibling.getBoundingClientRect();
               return [mark.querySelector('title').textContent, box.x + box.width / 2, box.y + box.height / 2];
             })])"""
    )
    assert [name for name, _ in places] == ["h2d", "d2h", "h2d-pinned", "d2h-pinned", "h2d-alloc"]
    for name, points in places:
        found = [record for record in records["probes"]["records"] if record["name"] == name]
        assert len(points) == len(found)
        by_title = {title: (x, y) for title, x, y in points}
        first, *_, last = found
        for record in found:
            x, y = by_title[_title(record)]
            assert _share(record["parameters"]["size"], 64, 1 << 24) == pytest.approx(
                _linear(x, by_title[_title(first)][0], by_title[_title(last)][0]), abs=0.01
            )
            low, high = first["value"], last["value"]
            if last["target"] == first["target"]:
                assert _share(record["value"], low, high) == pytest.approx(
                    _linear(y, by_title[_title(first)][1], by_title[_title(last)][1]), abs=0.01
                )


def _title(record: dict[str, Any]) -> str:
    kind = "model" if record["kind"] == "modelled" else "measured"
    size = record["parameters"]["size"]
    unit = next((unit for shift, unit in ((20, "MiB"), (10, "KiB")) if size >= 1 << shift), "B")
    shown = size >> {"MiB": 20, "KiB": 10, "B": 0}[unit]
    return f"{record['target']}, {record['device']}, {kind}: {figure(record['value'])} GB/s at {shown}{unit}"


def _share(value: float, low: float, high: float) -> float:
    return math.log(value / low) / math.log(high / low)


def _linear(at: float, low: float, high: float) -> float:
    return (at - low) / (high - low)


def test_tables_of_curves_hold_the_values_of_the_records(browser: Browser, page: Path, records: dict[str, Any]) -> None:
    browser.open(page)
    for number, name in enumerate(("h2d", "d2h", "h2d-pinned", "d2h-pinned", "h2d-alloc"), start=1):
        found = [record for record in records["probes"]["records"] if record["name"] == name]
        shown = browser.texts(f"#curves figure:nth-of-type({number}) tbody td")
        targets = len({record["target"] for record in found})
        by_target = [shown[column::targets] for column in range(targets)]
        assert list(itertools.chain(*by_target)) == [figure(record["value"]) for record in found]


def test_the_waterfall_falls_as_the_steps_do(browser: Browser, page: Path, records: dict[str, Any]) -> None:
    browser.open(page)
    steps = [record["value"] for record in records["probes"]["records"] if record["name"] == "steps"]
    shown = browser.run("return [...document.querySelectorAll('#waterfall data')].map(e => +e.value)")
    assert shown == pytest.approx(steps)
    assert browser.texts("#waterfall article:first-child tbody th")[0].startswith("advertised")


@pytest.mark.parametrize("width", WIDTHS)
def test_steps_of_the_first_images_lie_at_their_times(
    browser: Browser, page: Path, records: dict[str, Any], width: int
) -> None:
    browser.open(page, width)
    row = max(records["study"]["rows"], key=lambda row: row["images_per_s"])
    steps = [step for image in row["first_images"] for step in image["steps"]]
    boxes = browser.steps("#timeline .plot")
    end = max(step["end_s"] for step in steps)
    begins = [step["begin_s"] / end for step in steps]
    widths = [(step["end_s"] - step["begin_s"]) / end for step in steps]
    assert [box[0] for box in boxes] == pytest.approx(begins, abs=5e-3)
    assert [box[1] for box in boxes] == pytest.approx(widths, abs=5e-3)
    table = browser.texts("#timeline figure:first-child tbody td:nth-child(3)")
    assert table == [seconds(step["begin_s"]) for step in steps]


def test_published_numbers_stand_beside_ours_with_role_and_error(
    browser: Browser, page: Path, records: dict[str, Any]
) -> None:
    browser.open(page)
    rows = records["reproduce"]["rows"]
    # All of them as those of their paper, and once more as those of its table V.
    assert browser.texts("#papers details tbody tr > :nth-child(2)") == 2 * [row["role"] for row in rows]
    errors = browser.run("return [...document.querySelectorAll('#papers data')].map(e => +e.value)")
    assert errors == pytest.approx(2 * [row["error"] for row in rows if row["error"] is not None])


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_leaves_the_page_sideways_all_stands_out_and_the_console_is_silent(
    browser: Browser, page: Path, width: int, scheme: str
) -> None:
    browser.open(page, width, scheme)
    browser.unfold()
    assert browser.run("return window.innerWidth") == width
    browser.check()
    assert {what for what, _, _ in browser.contrasts()} == {"text", "shape"}


def test_dark_is_dark_and_light_is_light(browser: Browser, page: Path) -> None:
    grounds = []
    for scheme in SCHEMES:
        browser.open(page, scheme=scheme)
        grounds.append(browser.run("return getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(255, 255, 255)", "rgb(20, 23, 26)"]


def test_every_plot_has_a_title_a_description_and_the_same_as_a_table(browser: Browser, page: Path) -> None:
    browser.open(page)
    plots = browser.plots()
    assert len(plots) == 5 + 9
    for title, description, rows in plots:
        assert title
        assert description
        assert rows > 0


def test_the_keyboard_reaches_the_content_the_details_and_what_scrolls(browser: Browser, page: Path) -> None:
    browser.open(page, 400)
    active = "return [document.activeElement.tagName, document.activeElement.textContent.trim()]"

    def press(key: str) -> None:
        browser.driver.switch_to.active_element.send_keys(key)

    browser.driver.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    assert browser.run(active) == ["A", "Skip to the content"]
    assert browser.run("return document.activeElement.getBoundingClientRect().x") >= 0
    press(Keys.ENTER)
    assert browser.run("return location.hash") == "#main"
    press(Keys.TAB)
    assert browser.run(active) == ["SUMMARY", "Why not the others"]
    press(Keys.ENTER)
    assert browser.run("return document.querySelector('#verdict details').open")
    press(Keys.TAB)
    assert (
        browser.run("return document.activeElement.getAttribute('aria-label')") == "Targets and flows of image-filter"
    )
    assert browser.run("return getComputedStyle(document.activeElement).outlineStyle") != "none"
    unreachable = """return [...document.querySelectorAll('main *')].filter(e =>
      e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX === 'auto' && e.tabIndex < 0).length"""
    assert browser.run(unreachable) == 0


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_table_that_goes_on_has_a_shadow_at_that_edge(browser: Browser, page: Path, scheme: str) -> None:
    browser.open(page, 400, scheme)
    table = browser.driver.find_element(By.CSS_SELECTOR, "#results .scroll")
    assert browser.run("return arguments[0].scrollWidth - arguments[0].clientWidth", table) > 50
    assert table.get_attribute("tabindex") == "0"
    ground = browser.run("return getComputedStyle(document.body).backgroundColor")
    for scrolled, shadows in ((0, [False, True]), (20, [True, True]), (9999, [True, False])):
        browser.run("arguments[0].scrollLeft = arguments[1]", table, scrolled)
        assert [color != ground for color in browser.edges(table)] == shadows


def test_rows_of_tables_keep_one_line_on_a_narrow_page(browser: Browser, page: Path) -> None:
    browser.open(page, 400)
    browser.unfold()
    folded = browser.run(
        """return [...document.querySelectorAll('table:not(.steps) :is(th, td)')].filter(cell => {
             const lines = new Set(), range = document.createRange();
             range.selectNodeContents(cell);
             const boxes = [...range.getClientRects()].filter(box => box.width && box.height > 9);
             boxes.forEach(box => lines.add(Math.round(box.top / 9)));
             return cell.textContent.trim() && !cell.querySelector('svg') && lines.size > 2;
           }).map(cell => cell.textContent.trim().slice(0, 60))"""
    )
    assert folded == []


def test_bars_of_what_is_measured_are_hatched(browser: Browser, page: Path, records: dict[str, Any]) -> None:
    browser.open(page)
    shown = browser.run(
        """return [...document.querySelectorAll('#flows dl > div')].map(row => [
             row.querySelector('dd').textContent.trim(), !!row.querySelector('.bar + .measured')])"""
    )
    assert len(shown) == len(records["study"]["rows"])
    assert [hatched for _, hatched in shown] == [text.endswith("measured") for text, _ in shown]
    assert {hatched for _, hatched in shown} == {True, False}
    pattern = "return getComputedStyle(document.querySelector('#flows dl .measured')).fill"
    assert browser.run(pattern) == 'url("#hatch")'


@pytest.mark.parametrize("width", [400, 1280])
def test_texts_of_the_chart_are_inside_it_and_large_enough(
    browser: Browser, records: dict[str, Any], tmp_path: Path, width: int
) -> None:
    study = records["study"]
    for row, value in zip(study["rows"], itertools.cycle((30.0, 1444.0)), strict=False):
        row["value"] = row["images_per_s"] = value
        row["device"] = "Intel(R) FPGA Emulation Device on AMD EPYC 7B13 64-Core Processor"
    chart = tmp_path / "chart.svg"
    chart.write_text(render_chart(StudyFile.model_validate(study)))
    browser.open(chart, width)
    left, right, *texts = browser.run(
        """const box = document.documentElement.getBoundingClientRect();
           return [box.left, box.right, ...[...document.querySelectorAll('text')].map(text => {
             const own = text.getBoundingClientRect();
             return [own.left, own.right, own.height, text.textContent];
           })]"""
    )
    assert left >= 0
    assert right <= width
    assert [text for text in texts if text[0] < left or text[1] > right or text[2] < 11] == []
    assert sum("1,444" in text[3] for text in texts) > 1


def spoiled(value: Any, key: str = "") -> Any:
    """A record with markup in every text that may be any text."""
    if isinstance(value, dict):
        return {name: spoiled(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [spoiled(each, key) for each in value]
    return value + EVIL if isinstance(value, str) and key not in CHOSEN else value


def test_markup_in_any_text_of_a_record_is_text(
    browser: Browser, page: Path, records: dict[str, Any], tmp_path: Path
) -> None:
    count = "return [...document.querySelectorAll('*')].map(e => e.tagName)"
    browser.open(page)
    before = browser.run(count)
    bad = spoiled(records)
    for clean, evil in zip(records["probes"]["records"], bad["probes"]["records"], strict=True):
        evil["name"] = clean["name"]  # an unknown probe has no curve: that its name is text too is the next claim
    bad["reproduce"]["score"] = records["reproduce"]["score"]
    browser.open(write_page(tmp_path, bad, EVIL))
    with pytest.raises(NoAlertPresentException):
        _ = browser.driver.switch_to.alert.text
    browser.check_nothing_ran()
    assert browser.run(count) == before, "no element more, none less"
    assert browser.run("return document.body.textContent.includes('<script>alert(1);window.ran=1</script>')")


def test_markup_in_names_that_nothing_knows_is_text(browser: Browser, records: dict[str, Any], tmp_path: Path) -> None:
    bad = spoiled(records)
    bad["reproduce"]["score"] = dict(zip([EVIL], records["reproduce"]["score"].values(), strict=True))
    browser.open(write_page(tmp_path, bad))
    browser.check_nothing_ran()
    assert "window.ran=1</script>" in " ".join(browser.texts("#probes td, #papers th"))


@pytest.mark.parametrize("width", WIDTHS)
def test_texts_without_end_scroll_in_their_tables_and_not_the_page(
    browser: Browser, records: dict[str, Any], tmp_path: Path, width: int
) -> None:
    for row in records["study"]["rows"]:
        row["target"] = row["device"] = "x" * 300
        for item in row["stages"] + row["parts"]:
            item["name"] = "y" * 300
    for record in records["probes"]["records"]:
        record["device"] = "z" * 300
    browser.open(write_page(tmp_path, records, "w" * 300), width)
    browser.unfold()
    assert browser.run("return document.documentElement.scrollWidth") <= width


def test_a_page_of_all_records_stays_far_below_its_limit(page: Path) -> None:
    assert page.stat().st_size < 1_000_000
