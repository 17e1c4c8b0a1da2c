"""The pictures of an advice: charts against the formulas of choi2019, the tree against the decision itself."""

import html
import math
import re
from pathlib import Path
from typing import Any

import pytest
from tests.python.browser import Browser
from tests.python.report_records import page_of, write_page
from tests.python.samples import sample
from tests.python.test_coherence import PATHS

from isthmus.advising.metrics import effective, threshold
from isthmus.base.errors import IsthmusError
from isthmus.judging.coherence import SharedBuffer, decide
from isthmus.records.advising import AdviseBranch, AdviseFile
from isthmus.report import gather
from isthmus.report.advice import advised, ctc_panel, insights_of, reuse_panel
from isthmus.report.curves import Line, Panel
from isthmus.report.template import environment
from isthmus.report.tree import trees
from isthmus.reproduction.insights import read_insights

DMA, DEVICE, SHARED, R = 2.0, 16.0, 4.0, 1.5
NO_MEMORY = {"dma_gb_per_s": None, "device_gb_per_s": None}
EVIL = "<script>window.ran=1</script>"


def row(target: str, flow: str, ctc: float, **more: Any) -> dict[str, Any]:
    plain = sample("advise")["rows"][0]
    return {
        **plain,
        "target": target,
        "flow": flow,
        "method": None,
        "ctc": ctc,
        "r": R,
        "reasons": [EVIL],
        "r_threshold": {},
        **NO_MEMORY,
        **more,
    }


def file() -> AdviseFile:
    """A private board in two flows, one above and one below CTC 1, and a shared one."""
    own = {"dma_gb_per_s": DMA, "device_gb_per_s": DEVICE, "r_threshold": {"shared": threshold(DMA, DEVICE, SHARED)}}
    rows = [
        row("private", "offload", 4.0, **own),
        row("private", "overlap", 0.25, **own),
        row("shared", "shared", 1.0, effective_gb_per_s=SHARED),
    ]
    crossing = [{key: one[key] for key in ("target", "flow", "method")} | {"crossing_s": 1e-3} for one in rows]
    branches = [branch(transfer, number) for number, (transfer, _, _) in enumerate(PATHS)]
    plain = {**sample("advise"), "application": "my app", "rows": rows, "crossing": crossing}
    return AdviseFile.model_validate({**plain, "tree": [one.model_dump() for one in branches]})


def branch(transfer: SharedBuffer, number: int = 0) -> AdviseBranch:
    found = decide(transfer)
    plain = sample("advise")["tree"][0] | {"costs_s": None, "least": None, "transfer": number, "bytes": transfer.size}
    return AdviseBranch.model_validate({**plain, "method": found.method, "path": list(found.path)})


def line(panel: Panel | None, label: str) -> Line:
    assert panel is not None
    return next(one for one in panel.lines if one.label.startswith(label))


def test_the_curve_of_a_private_memory_crosses_the_level_of_a_shared_one_at_the_threshold() -> None:
    panel = reuse_panel(file())
    curve, level, here = (line(panel, label) for label in ("private", "shared", "my app"))
    above = [one.x for one, other in zip(curve.points, level.points, strict=True) if one.y < other.y]
    below = [one.x for one, other in zip(curve.points, level.points, strict=True) if one.y >= other.y]
    assert below
    assert above
    assert max(below) < min(above), "beyond one r it is ahead, before that it is not"
    turn = threshold(DMA, DEVICE, SHARED)
    assert turn is not None
    assert turn > R
    least, most = math.log(R / 4), math.log(turn * 4)
    crossing = (math.log(turn) - least) / (most - least) * 100
    assert max(below) <= crossing <= min(above)
    assert here.points[0].x == pytest.approx((math.log(R) - least) / (most - least) * 100, abs=0.01)
    assert f"{effective(R, DMA, DEVICE):.2f} GB/s" in here.points[0].title


def test_a_choice_lies_above_the_line_where_computation_takes_longer() -> None:
    panel = ctc_panel(file())
    low, high = line(panel, "CTC 1").points
    for of, flow, over in (("private", "offload", 1), ("private", "overlap", -1), ("shared", "shared", 0)):
        point = next(one for one in line(panel, of).points if f" {flow}:" in one.title)
        at = low.y + (high.y - low.y) * (point.x - low.x) / (high.x - low.x)
        assert (at - point.y > 1) - (point.y - at > 1) == over, point


def test_twelve_lines_of_a_chart_differ_in_their_marks_and_not_in_colour_alone() -> None:
    found = file()
    own = {"dma_gb_per_s": DMA, "device_gb_per_s": DEVICE}
    many = [row(f"board-{number}", "offload", 1.0, **own) for number in range(11)]
    panel = reuse_panel(AdviseFile.model_validate({**found.model_dump(by_alias=True), "rows": many}))
    assert panel is not None
    assert len({one.style for one in panel.lines}) == len(panel.lines) == 12, "six shapes, filled and hollow"
    assert all(one.marks is not None for one in panel.lines)
    page = environment().from_string('{% from "parts/macros.html.j2" import legend %}{{ legend(lines) }}')
    drawn = re.findall(r'class="swatch ([^"]*)"[^>]*><line[^>]*/>(<svg.*?</svg>)</svg>', page.render(lines=panel.lines))
    assert len({("hollow" in looks.split(), mark) for looks, mark in drawn}) == 12


def test_an_advice_alone_says_what_it_supports_of_the_insights_and_what_command_tells_the_rest() -> None:
    found = file()
    assert {key: one.supports for key, one in insights_of(found).items() if key[1] == 2} == {("choi2019", 2): True}
    never = [one.model_copy(update={"r_threshold": dict.fromkeys(one.r_threshold)}) for one in found.rows]
    slow = [one.model_copy(update={"line_latency_s": 1.0 if one.flow == "shared" else 1e-6}) for one in never]
    other = found.model_copy(update={"rows": slow, "matters_below_s": None})
    assert {key[1]: one.supports for key, one in insights_of(other).items()} == {2: False, 3: False, 4: False}
    page = page_of({"advise": found.model_dump(by_alias=True)})
    assert all(one.says in html.unescape(page) for one in read_insights())
    assert "isthmus reproduce choi2019 gemieux2018 stacc" in page


def test_a_board_whose_choices_are_not_there_is_not_drawn() -> None:
    found = file()
    alone = found.model_copy(update={"rows": found.rows[2:]})
    assert reuse_panel(alone) is None, "no memory of its own"
    still = found.model_copy(update={"rows": [one.model_copy(update={"ctc": 0.0}) for one in found.rows]})
    assert ctc_panel(still) is None, "no computation has no place on a logarithm"


@pytest.mark.parametrize(("transfer", "method", "last"), PATHS)
def test_the_lit_path_of_the_tree_is_that_of_the_decision(transfer: SharedBuffer, method: str, last: str) -> None:
    (tree,) = trees([branch(transfer)])
    lit = [edge for edge in tree.edges if edge.lit]
    answers = list(decide(transfer).path)
    assert sorted(edge.text for edge in lit) == sorted(answers)
    assert last in answers
    assert [box.text for box in tree.methods if box.lit] == [method]
    assert sum(box.lit for box in tree.questions) == len(answers)


def test_the_drawing_has_every_answer_once_and_no_words_in_each_others_place() -> None:
    (tree,) = trees([branch(PATHS[0][0])])
    assert len({edge.text for edge in tree.edges}) == len(tree.edges) == 16
    widest = 7.2  # pixels of a letter
    areas = [(edge.x, edge.x + widest * len(edge.text), edge.y - 12, edge.y, edge.text) for edge in tree.edges]
    areas += [(box.x, box.x + box.width, box.y, box.y + 26, box.text) for box in [*tree.questions, *tree.methods]]
    for at, (left, right, top, bottom, text) in enumerate(areas):
        assert right <= tree.width
        assert bottom <= tree.height
        for other_left, other_right, other_top, other_bottom, other in areas[:at]:
            apart = right < other_left or other_right < left or bottom < other_top or other_bottom < top
            assert apart, f"'{text}' and '{other}'"


def test_transfers_with_one_path_share_a_drawing() -> None:
    assert len(advised(file()).trees) == len({decide(transfer).path for transfer, _, _ in PATHS})


def test_a_browser_shows_it_readably_at_any_width_and_runs_nothing(browser: Browser, tmp_path: Path) -> None:
    page = write_page(tmp_path, {"advise": file().model_dump(by_alias=True)})
    for scheme, width in (("light", 1600), ("dark", 400)):
        browser.open(page, width, scheme)
        browser.unfold()
        browser.check()
    assert browser.run("return window.ran") is None
    assert EVIL in browser.texts("#advice details li")


def test_lines_of_an_advice_alone_are_refused_by_the_names_of_what_a_report_takes(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(file().rows[0].model_dump_json(by_alias=True) + "\n")
    with pytest.raises(IsthmusError, match=r"rows\.jsonl:1: expected a record of isthmus run, "):
        gather([path], "Advice")
