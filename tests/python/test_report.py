import html.parser
import json
from typing import Any

import pytest
from tests.python.report_records import page_of

from isthmus.base.numbers import seconds


class Page(html.parser.HTMLParser):
    """The elements of a page, its text, and what is left open."""

    VOID = frozenset({"meta", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def render(records: dict[str, Any], *names: str) -> str:
    return page_of({name: records[name] for name in names or records})


def test_the_page_is_well_formed_and_has_the_landmarks_of_a_page(records: dict[str, Any]) -> None:
    page = Page(render(records))
    names = [tag for tag, _ in page.elements]
    assert page.open == []
    for landmark in ("header", "nav", "main", "footer", "h1"):
        assert names.count(landmark) == 1
    assert ("html", {"lang": "en"}) in page.elements
    assert all("scope" in attributes for tag, attributes in page.elements if tag == "th")


def test_no_name_stands_for_two_elements_and_every_reference_leads_somewhere(records: dict[str, Any]) -> None:
    page = Page(render(records))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in page.elements:
        for name in ("aria-labelledby", "href"):
            wanted = str(attributes.get(name) or "").replace("#", "").split()
            assert set(wanted) <= set(ids)


@pytest.mark.parametrize(
    ("names", "sections"),
    [
        (("study",), "verdict results flows where stalls timeline inputs limits made"),
        (("probes",), "verdict curves waterfall probes limits made"),
        (("reproduce",), "verdict papers made"),
        (
            ("study", "probes", "reproduce"),
            "verdict results flows where stalls timeline curves waterfall probes papers inputs limits made",
        ),
    ],
)
def test_there_is_a_section_for_what_the_records_tell_and_none_for_what_they_do_not(
    records: dict[str, Any], names: tuple[str, ...], sections: str
) -> None:
    page = Page(render(records, *names))
    assert [attributes["id"] for tag, attributes in page.elements if tag == "section"] == sections.split()


def test_every_rate_says_whether_it_is_a_model(records: dict[str, Any]) -> None:
    page = Page(render(records, "study"))
    assert page.text.count("model\n") >= 6
    assert "measured" in page.text


def test_inputs_are_shown_with_source_and_role(records: dict[str, Any]) -> None:
    page = Page(render(records, "study"))
    for row in records["study"]["rows"]:
        for item in row["platform"]["inputs"] if row["platform"] else []:
            assert item["key"] in page.text
            assert item["source"] in page.text
            assert item["role"] in page.text


def test_the_page_asks_the_network_for_nothing_and_runs_nothing(records: dict[str, Any]) -> None:
    page = Page(render(records))
    names = {tag for tag, _ in page.elements}
    assert not names & {"script", "link", "img", "iframe", "object", "embed", "form", "base"}
    for _, attributes in page.elements:
        assert not {"src", "action", "style"} & set(attributes)
        assert str(attributes.get("href", "#")).startswith("#")
        assert not any(name.startswith("on") for name in attributes)


def test_what_scrolls_can_be_reached_by_keyboard_and_has_a_name(records: dict[str, Any]) -> None:
    scrolling = [attributes for _, attributes in Page(render(records)).elements if attributes.get("class") == "scroll"]
    assert scrolling
    for attributes in scrolling:
        assert attributes["tabindex"] == "0"
        assert attributes["role"] == "region"
        assert attributes["aria-label"]


def test_bars_never_leave_their_ground(records: dict[str, Any]) -> None:
    records["study"]["rows"][0]["stages"][0]["share"] = 1.7
    page = Page(render(records))
    widths = [a["width"] for tag, a in page.elements if tag == "rect" and a.get("class") in ("bar", "bar best")]
    numbers = [float(str(width).removesuffix("%")) for width in widths]
    assert min(numbers) >= 0
    assert max(numbers) == 100, "of a share of 1.7"


def test_equal_records_give_equal_pages(records: dict[str, Any]) -> None:
    assert render(records) == render(json.loads(json.dumps(records)))


def test_no_records_give_a_page_that_says_nothing() -> None:
    assert Page(page_of({})).open == []


def test_a_wrong_output_is_no_verdict(records: dict[str, Any]) -> None:
    for row in records["study"]["rows"]:
        row["verified"] = False
    assert "No target gave the right output." in render(records, "study")


def test_of_a_wrong_row_neither_times_nor_what_holds_it_are_shown(records: dict[str, Any]) -> None:
    right = render(records, "study")
    row = records["study"]["rows"][0]
    stage, first = row["stages"][0], row["first_images"][0]["steps"][0]
    stage["time_s"], first["end_s"] = 7.654, 8.765
    reason = "window, 12 % busy"
    row["bottleneck"] = {"part": "window", "busy_share": 0.12}
    told = (seconds(stage["time_s"]), seconds(first["end_s"]), reason)
    assert all(text in render(records, "study") for text in told)
    row["verified"] = False
    wrong = render(records, "study")
    assert not any(text in wrong for text in told)
    assert right.count("WRONG") == 0 < Page(wrong).text.count("WRONG")


def test_threads_are_shown_with_their_cores_and_actors(records: dict[str, Any]) -> None:
    native = next(row for row in records["study"]["rows"] if row["target"] == "native")
    native["workers"] = [{"core": 1, "actors": ["producer", "stencil"]}, {"core": None, "actors": ["consumer"]}]
    text = Page(render(records, "study")).text
    assert "thread 0 on core 1: producer, stencil" in text
    assert "thread 1: consumer" in text


def test_rows_of_one_target_and_flow_say_in_each_part_what_tells_them_apart(records: dict[str, Any]) -> None:
    study = records["study"]
    first = study["rows"][0]
    gain = {"mean": 1.25, "min": 1.2, "max": 1.3}
    study["rows"] = [{**first, "parameters": {"handover": name}, "speedup": gain} for name in ("mmio", "poll")]
    page = Page(render(records, "study")).text
    for name in ("mmio", "poll"):
        assert page.count(f"handover {name}") >= 4, "table, bars, stages and parts"
    assert page.count("1.250") == 2


def test_no_two_of_many_lines_look_alike(records: dict[str, Any]) -> None:
    probes = records["probes"]
    curve = [one for one in probes["records"] if one["name"] == "h2d"]
    probes["records"] = [{**one, "target": f"board {number}"} for number in range(30) for one in curve]
    legend = render(records, "probes").partition('<ul class="legend">')[2].partition("</ul>")[0]
    looks = [line.partition("</svg> ")[0] for line in legend.split("<li>")[1:]]
    assert len(looks) == len({(one["target"], one["kind"]) for one in probes["records"]}) >= 30
    assert len(set(looks)) == len(looks)
