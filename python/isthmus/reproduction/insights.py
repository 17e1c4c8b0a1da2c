"""The insights of the papers (papers/insights), and what our values of their rows say of each."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from isthmus.base.files import data_folder
from isthmus.base.numbers import as_written, is_number
from isthmus.base.toml_files import read_toml
from isthmus.records.base import TomlTable, Value
from isthmus.records.papers import PaperRow

_ID = re.compile(r"[A-Z]\d+-\d+")
_TEST = re.compile(r"(?P<left>[^<>]+?)(?:\s*(?P<order>[<>])\s*(?P<right>[^<>]+))?")
_FACTOR = re.compile(r"\s*([*/]?)\s*([A-Z]\d+-\d+|\d+(?:\.\d+)?)\s*")

Ours = Mapping[str, Value | None]


class Evidence(TomlTable):
    """A test of rows, and its meaning if it is true."""

    what: str = Field(min_length=1)
    test: str = Field(min_length=1)
    means: Literal["for", "against"]

    @property
    def rows(self) -> list[str]:
        """The rows that it is about."""
        return list(dict.fromkeys(_ID.findall(self.test)))


class Insight(TomlTable):
    """An insight of a paper, in a few words of ours."""

    paper: str
    number: int = Field(ge=1)
    says: str
    evidence: list[Evidence] = Field(min_length=1)


class _Insights(TomlTable):
    insight: list[Insight]


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
    """Reads all insights, in the order of the papers."""
    return read_toml(_Insights, data_folder("papers") / "insights" / "insights.toml").insight


def judge(insights: Sequence[Insight], rows: Sequence[PaperRow]) -> list[InsightFindings]:
    """Judges each insight by the rows of a comparison."""
    known = {row.id: row for row in rows}
    return [InsightFindings(one, [_finding(evidence, known) for evidence in one.evidence]) for one in insights]


def _finding(evidence: Evidence, rows: Mapping[str, PaperRow]) -> Finding:
    holds = truth(evidence.test, {id_: row.ours for id_, row in rows.items()})
    supports = None if holds is None else holds == (evidence.means == "for")
    return Finding(evidence.what, supports, [_value(rows[id_]) for id_ in evidence.rows if id_ in rows])


def _value(row: PaperRow) -> str:
    ours = row.ours
    text = f"{ours:.4g}" if isinstance(ours, float) else as_written(ours)
    return f"{row.id} {text}{f' {row.unit}' if row.unit and not isinstance(ours, bool) else ''} ({row.role})"


def truth(test: str, ours: Ours) -> bool | None:
    """Tells whether a test holds; None where a row has no value that it can be held against."""
    match = _TEST.fullmatch(test.strip())
    if match is None or (match["order"] is None and not _ID.fullmatch(match["left"].strip())):
        raise ValueError(f"test '{test}': expected ID, or A < B or A > B")
    if match["order"] is None:
        value = ours.get(match["left"].strip())
        return value if isinstance(value, bool) else None
    left, right = _side(match["left"], ours), _side(match["right"], ours)
    if left is None or right is None:
        return None
    return left < right if match["order"] == "<" else left > right


def _side(text: str, ours: Ours) -> float | None:
    product, at = 1.0, 0
    while at < len(text):
        match = _FACTOR.match(text, at)
        if match is None or (match[1] == "") != (at == 0):
            raise ValueError(f"side '{text}': expected rows and numbers with * or / between")
        value = ours.get(match[2]) if _ID.fullmatch(match[2]) else float(match[2])
        if not is_number(value) or (match[1] == "/" and value == 0):
            return None
        product = product / value if match[1] == "/" else product * value
        at = match.end()
    return product
