"""The insights of the papers (papers/insights), and what our values of their rows say of each."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from isthmus.base.files import data_folder
from isthmus.base.numbers import as_written, is_number
from isthmus.records.papers import PaperRow
from isthmus.reproduction.papers import run


class OurValues:
    """Our values of rows, as a test asks for them."""

    def __init__(self, rows: Mapping[str, PaperRow]) -> None:
        self._rows = rows
        self.asked: dict[str, bool] = {}  # by row, whether it has a value that a test can use

    def __getitem__(self, row_id: str) -> float:
        """The number of a row; not a number where it has none."""
        ours = self._ours(row_id)
        self.asked[row_id] = is_number(ours)
        return ours if is_number(ours) else math.nan

    def holds(self, row_id: str) -> bool:
        """Tells whether the claim of a row holds; false where it has none."""
        ours = self._ours(row_id)
        self.asked[row_id] = isinstance(ours, bool)
        return ours is True

    def _ours(self, row_id: str) -> object:
        return self._rows[row_id].ours if row_id in self._rows else None


@dataclass(frozen=True)
class Evidence:
    """A test of our values, and its meaning for an insight if it is true."""

    what: str
    test: Callable[[OurValues], bool]
    means: Literal["for", "against"] = "for"


@dataclass(frozen=True)
class Insight:
    """An insight of a paper, in a few words of ours."""

    paper: str
    number: int
    says: str
    evidence: Sequence[Evidence]


@dataclass(frozen=True)
class Finding:
    """The finding of one piece of evidence: whether it supports the insight; None if a row has no value here."""

    what: str
    supports: bool | None
    told: list[str]  # row, our value and its role


@dataclass(frozen=True)
class InsightFindings:
    """An insight with what was found."""

    insight: Insight
    findings: list[Finding]

    @property
    def said(self) -> str:
        """The finding in a word or two."""
        told = {one.supports for one in self.findings} - {None}
        if not told:
            return "not tested here"
        return "contradicted in part" if len(told) > 1 else ("supported" if told == {True} else "contradicted")


def read_insights() -> list[Insight]:
    """All insights, in the order of the papers."""
    return list(run(data_folder("papers") / "insights" / "insights.py")["INSIGHTS"])


def judge(insights: Sequence[Insight], rows: Sequence[PaperRow]) -> list[InsightFindings]:
    """Judges each insight by the rows of a comparison."""
    known = {row.id: row for row in rows}
    return [InsightFindings(one, [_finding(evidence, known) for evidence in one.evidence]) for one in insights]


def _finding(evidence: Evidence, rows: Mapping[str, PaperRow]) -> Finding:
    ours = OurValues(rows)
    supports = truth(evidence.test, ours)
    if supports is not None:
        supports = supports == (evidence.means == "for")
    return Finding(evidence.what, supports, [_value(rows[row_id]) for row_id in ours.asked if row_id in rows])


def truth(test: Callable[[OurValues], bool], ours: OurValues) -> bool | None:
    """Tells whether a test holds; None where a row has no value that it can be held against."""
    try:
        holds = test(ours)
    except ZeroDivisionError:
        return None
    return holds if all(ours.asked.values()) else None


def _value(row: PaperRow) -> str:
    ours = row.ours
    text = f"{ours:.4g}" if isinstance(ours, float) else as_written(ours)
    return f"{row.id} {text}{f' {row.unit}' if row.unit and not isinstance(ours, bool) else ''} ({row.role})"
