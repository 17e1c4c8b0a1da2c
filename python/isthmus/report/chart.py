"""The chart of a study: images/s of each target and flow, one SVG file that follows the reader's light or dark."""

from itertools import groupby
from typing import Any

from isthmus.numbers import grouped
from isthmus.records import Row, StudyFile
from isthmus.report.template import environment
from isthmus.verdict import kind_of, limit_of, work

# Pixels.
_WIDTH, _MARGIN, _LEFT, _LONGEST_BAR = 820, 16, 88, 320
_TOP, _LINE, _GROUP = 60, 24, 38


def render_chart(study: StudyFile) -> str:
    """The study as an SVG image; every text is escaped, and every rate says whether it is a model's."""
    fastest = max((row.value for row in study.rows), default=0.0)
    groups, y = [], _TOP
    for (target, device), rows in groupby(study.rows, key=lambda row: (row.target, row.device)):
        of_target = list(rows)
        bars = [_bar(row, y + 10 + number * _LINE, fastest) for number, row in enumerate(of_target)]
        groups.append({"y": y, "target": target, "device": device, "kind": kind_of(of_target[0]), "bars": bars})
        y += len(of_target) * _LINE + _GROUP
    sizes = {"width": _WIDTH, "height": y - 12, "margin": _MARGIN, "left": _LEFT}
    return environment().get_template("chart.svg.j2").render(title=_title(study), groups=groups, **sizes)


def _title(study: StudyFile) -> str:
    first = study.rows[0]
    return f"{first.application}: {work(first)}, {first.unit}"


def _bar(row: Row, y: int, fastest: float) -> dict[str, Any]:
    limit = limit_of(row)
    return {
        "y": y,
        "flow": row.flow,
        "width": round(_LONGEST_BAR * row.value / fastest, 1),
        "best": row.verified and row.value == fastest,
        "value": grouped(row.value),
        "limit": limit.part if limit else "unknown",
    }
