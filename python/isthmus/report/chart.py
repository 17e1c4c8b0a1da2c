"""The chart of a study: the rate of each target and flow, one SVG file that follows the reader's light or dark."""

import textwrap
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from isthmus.base.numbers import grouped
from isthmus.records.run import Row, StudyFile
from isthmus.report.template import environment
from isthmus.show.verdict import differing_values, flow_with, kind_of, limit_in_short, place_of, work

# Pixels. The picture is as wide as a telephone's page nearly, so that its letters stay readable on one.
_WIDTH, _MARGIN, _TITLE, _TOP = 440, 16, 26, 56
_BAR, _LINE, _HEAD, _GAP = 12, 40, 40, 14
_DEVICE, _LIMIT = 58, 30  # letters that fit


def render_chart(study: StudyFile) -> str:
    """The study as an SVG image; every text is escaped, and every rate says whether it is a model's.

    Each application has a title and a scale of its own.
    """
    works, y = [], 0
    for _, rows in groupby(study.rows, key=lambda row: row.application):
        of_one = list(rows)
        row = of_one[0]
        groups, below = _groups(of_one, y + _TOP)
        works.append({"y": y + _TITLE, "title": f"{row.application}: {work(row)}, {row.unit}", "groups": groups})
        y = below
    sizes = {"width": _WIDTH, "height": y, "margin": _MARGIN, "bar_height": _BAR}
    title = "; ".join(str(work["title"]) for work in works)
    return environment().get_template("chart.svg.j2").render(title=title, works=works, **sizes)


def _groups(of_one: Sequence[Row], y: int) -> tuple[list[dict[str, Any]], int]:
    """The targets of an application from `y` on, and the free space below them."""
    fastest = max((row.value for row in of_one if row.verified), default=0.0)
    groups = []
    for (target, device), rows in groupby(of_one, key=lambda row: (place_of(row), row.device)):
        of_target = list(rows)
        bars = [
            _bar(row, flow_with(row.flow, differing_values(row, of_one)), y + _HEAD + number * _LINE, fastest)
            for number, row in enumerate(of_target)
        ]
        name = textwrap.shorten(device, _DEVICE, placeholder=" ...")
        groups.append({"y": y, "target": target, "device": name, "kind": kind_of(of_target[0]), "bars": bars})
        y += len(of_target) * _LINE + _HEAD + _GAP
    return groups, y


def _bar(row: Row, how: str, y: int, fastest: float) -> dict[str, Any]:
    limit = limit_in_short(row) if row.verified else "none, its output differs"
    return {
        "y": y,
        "flow": how,
        "width": round((_WIDTH - 2 * _MARGIN) * row.value / fastest, 1) if row.verified and fastest else 0.0,
        "best": row.verified and row.value == fastest,
        "measured": row.kind == "measured",
        "value": grouped(row.value) if row.verified else "WRONG",
        "limit": textwrap.shorten(limit, _LIMIT, placeholder=" ..."),
    }
