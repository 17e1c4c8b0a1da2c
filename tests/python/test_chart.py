import itertools
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

from isthmus.base.numbers import grouped
from isthmus.records.run import StudyFile
from isthmus.report import render_chart

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def study(records: dict[str, Any]) -> Any:
    return records["study"]


def chart_of(study: Any) -> ElementTree.Element:
    return ElementTree.fromstring(render_chart(StudyFile.model_validate(study)))


def texts_of(chart: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in chart.iter(f"{SVG}text")]


def test_every_rate_stands_in_the_chart_with_its_kind(study: Any) -> None:
    texts = texts_of(chart_of(study))
    for row in study["rows"]:
        kind = "model" if row["kind"] == "modelled" else "measured"
        assert any(text.startswith(f"{row['flow']} {grouped(row['images_per_s'])} {kind};") for text in texts)


def test_what_is_measured_is_hatched_and_what_is_modelled_is_not(study: Any) -> None:
    rects = list(chart_of(study).iter(f"{SVG}rect"))
    hatched = {(rect.attrib["y"], rect.attrib["width"]) for rect in rects if rect.attrib.get("class") == "measured"}
    bars = [rect for rect in rects if rect.attrib["class"].startswith("bar")]
    assert [(bar.attrib["y"], bar.attrib["width"]) in hatched for bar in bars] == [
        row["kind"] == "measured" for row in study["rows"]
    ]
    assert hatched


def test_bars_are_as_long_as_the_rates_and_the_longest_right_one_stands_out(study: Any) -> None:
    bars = [bar for bar in chart_of(study).iter(f"{SVG}rect") if "bar" in bar.attrib["class"]]
    rates = [row["images_per_s"] for row in study["rows"]]
    longest = max(float(bar.attrib["width"]) for bar in bars)
    assert [float(bar.attrib["width"]) / longest for bar in bars] == pytest.approx(
        [rate / max(rates) for rate in rates], abs=1e-3
    )
    assert ["best" in bar.attrib["class"] for bar in bars] == [rate == max(rates) for rate in rates]


def test_nothing_lies_outside_the_picture_or_on_something_else(study: Any) -> None:
    chart = chart_of(study)
    bars = [bar for bar in chart.iter(f"{SVG}rect") if "bar" in bar.attrib["class"]]
    tops = [float(bar.attrib["y"]) for bar in bars]
    assert all(after - before >= float(bars[0].attrib["height"]) for before, after in itertools.pairwise(tops))
    assert tops[-1] + float(bars[-1].attrib["height"]) < float(chart.attrib["height"])


def test_markup_in_names_is_text(study: Any) -> None:
    for row in study["rows"]:
        row["device"] = row["target"] = "<script>1</script>"
    chart = chart_of(study)
    assert not list(chart.iter(f"{SVG}script"))
    assert any("<script>" in text for text in texts_of(chart))
