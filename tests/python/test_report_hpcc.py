"""The report of HPC Challenge as a browser shows it, against the records that it was made of."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.python.browser import Browser
from tests.python.conftest import Isthmus
from tests.python.hpcc_records import CONTEXT, hpcc_record, launches, power, scale_row, sensors

from isthmus.base.numbers import figure

SENSORS = {"before": sensors(345), "after": sensors(1980)}
RECORDS = [
    hpcc_record("stream.copy", 40.0, 2, launches=launches(2, 6), power=power(), sensors=SENSORS),
    hpcc_record("stream.triad", 50.0, 2, expected=None, power=power(), sensors=SENSORS),
    hpcc_record("hpl", 400.0, quantity="rate", unit="GFLOP/s", validated=False),
]
ROWS = [
    scale_row("strong", 1, 1.0, predicted=100.0),
    scale_row("strong", 2, 1.8, predicted=190.0),
    scale_row("strong", 4, 2.0, shared=True),
    scale_row("weak", 1, 1.0),
    scale_row("weak", 2, 1.9),
]
EVIL = """"'></title></style></svg><script>window.ran=1</script><img src=x onerror=window.ran=1><b>{{7*7}}&lt;"""


def write_page(isthmus: Isthmus, records: list[dict[str, Any]], rows: list[dict[str, Any]]) -> Path:
    files = {"hpcc": {"records": records}, "hpcc-scale": {"rows": rows, "curve": [], "records": []}}
    for name, content in files.items():
        file = {"schema": f"isthmus.{name}/1", "context": CONTEXT, **content}
        (isthmus.folder / f"{name}.json").write_text(json.dumps(file))
    isthmus.well("report", "hpcc.json", "hpcc-scale.json", "--title", "Benchmarks")
    return isthmus.folder / "report.html"


@pytest.fixture
def page(isthmus: Isthmus) -> Path:
    return write_page(isthmus, RECORDS, ROWS)


def test_every_value_stands_beside_what_its_model_expects(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.texts("nav a") == browser.texts("main section > h2")
    values = browser.run(
        "return [...document.querySelectorAll('#benchmarks data')].map(e => [+e.value, e.textContent])"
    )
    assert values == [[record["value"], figure(record["value"])] for record in RECORDS if record["validated"]]
    bars = browser.run(
        """return [...document.querySelectorAll('#benchmarks tbody svg')].map(plot =>
             [...plot.querySelectorAll('.bar, .dotted')].map(e => parseFloat(e.getAttribute('width'))))"""
    )
    # Of one unit in one run 50 is the most, of the other 500, which is expected; a wrong rate has no bar.
    assert bars == [[80, 100], [100], [0, 100]]
    assert "wrong" in browser.texts("#benchmarks summary")[1]
    assert "330 W at most" in " ".join(browser.texts("#benchmarks details p"))
    assert "1980" in " ".join(browser.texts("#benchmarks .fit td"))


def test_replications_lie_at_their_times(browser: Browser, page: Path) -> None:
    browser.open(page)
    boxes = browser.steps("#replications .plot")
    shown = RECORDS[0]["launches"]
    end = max(launch["end_s"] for launch in shown)
    assert [box[0] for box in boxes] == pytest.approx([launch["start_s"] / end for launch in shown], abs=5e-3)
    widths = [(launch["end_s"] - launch["start_s"]) / end for launch in shown]
    assert [box[1] for box in boxes] == pytest.approx(widths, abs=5e-3)
    assert browser.texts("#replications .legend li") == ["1 rank 0", "2 rank 1"]
    assert len(browser.texts("#replications tbody tr")) == len(shown)


def test_speed_up_lies_where_logarithms_put_it(browser: Browser, page: Path) -> None:
    browser.open(page)
    points = browser.run(
        """return [...document.querySelectorAll('#scaling figure')].map(figure =>
             Object.fromEntries([...figure.querySelectorAll('.mark')].map(mark => {
               const box = mark.firstElementChild.nextElementSibling.getBoundingClientRect();
               return [mark.querySelector('title').textContent, [box.x + box.width / 2, box.y + box.height / 2]];
             })))"""
    )
    strong = points[0]
    low, high = strong["linear: 1.00 on 1 rank"], strong["linear: 4.00 on 4 ranks"]
    for name, ranks, value in (
        ("hpl, measured: 1.80 on 2 ranks", 2, 1.8),
        ("hpl, measured: 2.00 on 4 ranks, shared", 4, 2.0),
        ("hpl, predicted, model: 1.90 on 2 ranks", 2, 1.9),
    ):
        x, y = strong[name]
        assert (x - low[0]) / (high[0] - low[0]) == pytest.approx(math.log(ranks) / math.log(4), abs=0.01)
        assert (y - low[1]) / (high[1] - low[1]) == pytest.approx(math.log(value) / math.log(4), abs=0.01)
    assert len(points) == 2


def looks(browser: Browser, lines: str) -> list[list[str]]:
    """Shape, colour and dashes of each line of a legend or a plot."""
    found: list[list[str]] = browser.run(
        f"""return [...document.querySelectorAll('{lines}')].map(line => {{
             const shape = line.querySelector('circle, rect, path');
             const style = getComputedStyle(shape);
             const dashes = getComputedStyle(line.querySelector('line:not(.spread)')).strokeDasharray;
             return [shape.outerHTML.replace(/ xmlns="[^"]*"/, ''), style.fill, dashes];
           }})"""
    )
    return found


def test_one_legend_serves_every_plot_of_scaling_and_no_two_lines_look_alike(
    browser: Browser, isthmus: Isthmus
) -> None:
    names = ["hpl", "ptrans", "fft", "gemm", "random_access", "b_eff", "stream.triad"]
    rows = [
        scale_row(mode, ranks, 0.9 * ranks, name=name, predicted=95.0 * ranks if name == "hpl" else None)
        for name in names
        for mode in ("strong", "weak")
        for ranks in (1, 2)
    ]
    browser.open(write_page(isthmus, RECORDS, rows))
    (texts,) = [browser.texts("#scaling .legend")]
    assert len(texts) == 1
    wanted = ["linear", "hpl, measured", "hpl, predicted, model", *(f"{name}, measured" for name in names[1:])]
    assert browser.texts("#scaling .legend li") == wanted
    legend = looks(browser, "#scaling .legend .swatch")
    assert len({tuple(one) for one in legend}) == len(wanted)
    assert looks(browser, "#scaling figure:first-of-type .plot > g") == legend[:3], "as in the plots"


def test_spreads_stand_beside_the_speed_up_in_the_plot(browser: Browser, isthmus: Isthmus) -> None:
    rows = [
        scale_row("weak", ranks, speed_up, low=90 * speed_up, high=99 * speed_up)
        for ranks, speed_up in ((1, 1.0), (2, 1.9), (4, 3.6))
    ]
    browser.open(write_page(isthmus, RECORDS, rows))
    ends = browser.run(
        """return [...document.querySelectorAll('#scaling .plot .spread')].map(e =>
             [e.y1.baseVal.value, e.y2.baseVal.value])"""
    )
    named = browser.run(
        """return Object.fromEntries([...document.querySelectorAll('#scaling .plot .grid')].filter(e =>
             e.getAttribute('x1') == '0').map(e => [+e.nextElementSibling.textContent, e.y1.baseVal.value]))"""
    )
    (low, at_low), *_, (high, at_high) = sorted((float(value), at) for value, at in named.items())

    def place(value: float) -> float:
        return float(at_low + (at_high - at_low) * math.log(value / low) / math.log(high / low))

    assert ends == [pytest.approx([place(0.9 * one), place(one)], abs=0.1) for one in (1.0, 1.9, 3.6)]
    titles = browser.texts("#scaling .mark title")
    assert "hpl, measured: 1.90 (1.71 to 1.90) on 2 ranks" in titles


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1600])
def test_the_page_is_for_everyone(browser: Browser, page: Path, width: int, scheme: str) -> None:
    browser.open(page, width, scheme)
    browser.unfold()
    browser.check()
    plots = browser.plots()
    assert len(plots) == 3
    assert all(all(texts) for texts in plots)


def test_markup_in_any_text_is_text(browser: Browser, isthmus: Isthmus) -> None:
    texts = dict.fromkeys(("device", "target", "error_is", "kernel", "grid", "scheme"), EVIL)
    records = [{**record, **texts, "power": {**power(), "source": EVIL}} for record in RECORDS]
    rows = [{**row, "name": EVIL, "unit": EVIL} for row in ROWS]
    browser.open(write_page(isthmus, records, rows))
    browser.check_nothing_ran()


def test_lines_of_records_are_a_report_too(isthmus: Isthmus) -> None:
    (isthmus.folder / "lines.jsonl").write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    isthmus.well("report", "lines.jsonl")
    assert "Start and end of each replication" in (isthmus.folder / "report.html").read_text()
