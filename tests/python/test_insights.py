"""The insights of the papers: their tests, and what comes out for values of rows."""

from collections.abc import Callable
from typing import Any

import pytest

from isthmus.records.papers import PaperRow
from isthmus.reproduction.insights import Evidence, Insight, OurValues, judge, read_insights, truth
from isthmus.reproduction.papers import read_papers


def row(id_: str, ours: Any, role: Any = "predicted") -> PaperRow:
    return PaperRow(
        id=id_,
        paper="choi2019",
        place="4",
        quantity="a rate",
        unit="GB/s",
        published=1,
        ours=ours,
        error=None,
        role=role,
        note="",
    )


def test_there_are_seven_and_six_and_their_evidence_is_of_rows_that_there_are() -> None:
    insights = read_insights()
    numbers = [(one.paper, one.number) for one in insights]
    assert numbers == [("choi2019", at) for at in range(1, 8)] + [("gemieux2018", at) for at in range(1, 7)]
    rows = {one.id: one for paper in read_papers().values() for one in paper.row}
    for insight in insights:
        for evidence in insight.evidence:
            ours = OurValues({})
            assert truth(evidence.test, ours) is None
            assert ours.asked
            assert all(id_ in rows and rows[id_].counterpart for id_ in ours.asked), evidence.what


def test_with_the_numbers_of_the_papers_themselves_each_insight_is_judged() -> None:
    rows = [one for paper in read_papers().values() for one in paper.row]
    known = {one.id: one.value if isinstance(one.value, int | float) else True for one in rows} | {"S003-049": 2}
    ours = [row(id_, value) for id_, value in known.items()]
    judged = {(one.insight.paper, one.insight.number): one.said for one in judge(read_insights(), ours)}
    assert len(judged) == 13
    assert "not tested here" not in judged.values()
    assert judged["gemieux2018", 4] == judged["gemieux2018", 6] == "supported"


@pytest.mark.parametrize(
    ("test", "holds"),
    [
        (lambda ours: ours.holds("S000-001"), True),
        (lambda ours: ours.holds("S000-002"), None),
        (lambda ours: ours["S000-002"] < 3, True),
        (lambda ours: ours["S000-002"] > 3, False),
        (lambda ours: 2 * ours["S000-002"] > ours["S000-003"], False),
        (lambda ours: ours["S000-003"] / ours["S000-002"] > 3.9, True),
        (lambda ours: ours["S000-003"] / ours["S000-004"] > 1, None),
        (lambda ours: ours["S000-005"] > 1, None),
        (lambda ours: ours["S000-009"] > 1, None),
        (lambda ours: ours["S000-001"] > 0, None),
    ],
)
def test_a_test_holds_fails_or_cannot_be_told(test: Callable[[OurValues], bool], holds: bool | None) -> None:
    values = {"S000-001": True, "S000-002": 2.0, "S000-003": 8, "S000-004": 0, "S000-005": None}
    assert truth(test, OurValues({id_: row(id_, ours) for id_, ours in values.items()})) is holds


def test_an_insight_is_what_its_evidence_says_for_it_and_against_it() -> None:
    insight = Insight(
        paper="choi2019",
        number=1,
        says="measure",
        evidence=[
            Evidence("slow", lambda ours: ours["S000-001"] < 5),
            Evidence("fast", lambda ours: ours["S000-002"] > 5, means="against"),
        ],
    )
    for first, second, said in (
        (1.0, 1.0, "supported"),
        (9.0, 9.0, "contradicted"),
        (1.0, 9.0, "contradicted in part"),
        (1.0, None, "supported"),
        (None, None, "not tested here"),
    ):
        (judged,) = judge([insight], [row("S000-001", first), row("S000-002", second)])
        assert judged.said == said
    assert judge([insight], [row("S000-001", 1.0, "derived")])[0].findings[0].told == ["S000-001 1 GB/s (derived)"]
