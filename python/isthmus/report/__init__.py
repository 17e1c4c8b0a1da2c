"""The report of a study: one self-contained HTML file."""

from pathlib import Path
from typing import TYPE_CHECKING

from isthmus.numbers import figure, grouped, percent, seconds
from isthmus.records import Part, Row, StudyFile
from isthmus.verdict import kind_of, reason

if TYPE_CHECKING:
    from jinja2 import Environment

_FOLDER = Path(__file__).resolve().parent


def render_study(study: StudyFile, name: str) -> str:
    """The report of a study called `name` as HTML; every text of the study is escaped."""
    fastest = max((row.images_per_s for row in study.rows), default=0.0)
    platforms = {row.platform.sha256: row for row in study.rows if row.platform is not None}
    return (
        _environment()
        .get_template("study.html.j2")
        .render(
            name=name,
            study=study,
            ranked=sorted(study.rows, key=lambda row: row.images_per_s, reverse=True),
            fastest=fastest,
            described=list(platforms.values()),
            style=(_FOLDER / "style.css").read_text(encoding="utf-8"),
        )
    )


def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        figure=figure,
        grouped=grouped,
        percent=percent,
        seconds=seconds,
        kind=kind_of,
        reason=reason,
        width=_width,
        text=_text,
    )
    environment.globals.update(parts=_parts)
    return environment


def _width(share: float) -> str:
    return f"{100 * min(1.0, max(0.0, share)):.2f}%"


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parts(row: Row) -> list[Part]:
    return sorted(row.parts, key=lambda part: part.busy_s, reverse=True)
