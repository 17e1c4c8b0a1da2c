import html.parser
import json
from pathlib import Path
from typing import Any

import pytest
from tests.python.conftest import Isthmus

from isthmus.records import StudyFile
from isthmus.report import render_study

EVIL = "<script>alert('x')</script><img src=http://a/b onerror=alert(1)>"


class Page(html.parser.HTMLParser):
    """The elements of a page, its text, and what is left open."""

    VOID = frozenset({"meta", "rect"})

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


@pytest.fixture
def study(isthmus: Isthmus, study_file: Path) -> Any:
    return isthmus.json("study", "image-filter.toml")


def page_of(study: Any) -> Page:
    return Page(render_study(StudyFile.model_validate(study), "image-filter"))


def test_the_page_is_well_formed_and_has_the_landmarks_of_a_page(study: Any) -> None:
    page = page_of(study)
    names = [tag for tag, _ in page.elements]
    assert page.open == []
    assert names.count("main") == names.count("h1") == names.count("title") == 1
    assert ("html", {"lang": "en"}) in page.elements
    assert all("scope" in attributes for tag, attributes in page.elements if tag == "th")


def test_every_rate_says_whether_it_is_a_model(study: Any) -> None:
    page = page_of(study)
    assert page.text.count("model\n") >= 6
    assert "measured" in page.text


def test_inputs_are_shown_with_source_and_role(study: Any) -> None:
    page = page_of(study)
    for row in study["rows"]:
        for item in row["platform"]["inputs"] if row["platform"] else []:
            assert item["key"] in page.text
            assert item["source"] in page.text
            assert item["role"] in page.text


def test_the_page_asks_the_network_for_nothing_and_runs_nothing(study: Any) -> None:
    page = page_of(study)
    names = {tag for tag, _ in page.elements}
    assert not names & {"script", "link", "img", "iframe", "object", "embed", "form", "base"}
    for _, attributes in page.elements:
        assert not {"href", "src", "action", "style"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)


def test_markup_in_names_is_text(study: Any) -> None:
    for row in study["rows"]:
        row["device"] = row["target"] = EVIL
        for stage in row["stages"]:
            stage["name"] = EVIL
        for part in row["parts"]:
            part["name"] = part["resource"] = EVIL
        if row["platform"]:
            row["platform"]["file"] = row["platform"]["name"] = EVIL
            for item in row["platform"]["inputs"]:
                item.update(key=EVIL, unit=EVIL, source=EVIL, why=EVIL)
    study["verdict"].update(target=EVIL, reasons=[EVIL])
    study["context"]["argv"] = [EVIL]
    page = Page(render_study(StudyFile.model_validate(study), EVIL))
    names = {tag for tag, _ in page.elements}
    assert not names & {"script", "img"}
    assert EVIL in page.text


def test_what_scrolls_can_be_reached_by_keyboard_and_has_a_name(study: Any) -> None:
    page = page_of(study)
    scrolling = [attributes for _, attributes in page.elements if attributes.get("class") == "scroll"]
    assert scrolling
    for attributes in scrolling:
        assert attributes["tabindex"] == "0"
        assert attributes["role"] == "region"
        assert {"aria-label", "aria-labelledby"} & set(attributes)


def test_bars_never_leave_their_ground(study: Any) -> None:
    study["rows"][0]["stages"][0]["share"] = 1.7
    widths = [a["width"] for tag, a in page_of(study).elements if tag == "rect" and "bar" in str(a["class"])]
    assert all(0 <= float(str(width).removesuffix("%")) <= 100 for width in widths)


def test_equal_studies_give_equal_pages(study: Any) -> None:
    again = json.loads(json.dumps(study))
    assert render_study(StudyFile.model_validate(study), "a") == render_study(StudyFile.model_validate(again), "a")
