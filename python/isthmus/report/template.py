"""The templates of this folder: what they are filled with is escaped, and what is missing is an error."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from isthmus.base.numbers import as_written, figure, grouped, percent, seconds
from isthmus.records.run import Part
from isthmus.reproduction.tables import as_text, score_line
from isthmus.show.tables import busiest_first, first_keys, under_way
from isthmus.show.verdict import flow_with, heading, kind_of, place_of, reason, said_of

FOLDER = Path(__file__).resolve().parent


def environment() -> Environment:
    """Finds the templates and knows how numbers are written."""
    found = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(
        score_line=lambda score: score_line("all papers", score),
        published=as_text,
        figure=figure,
        grouped=grouped,
        percent=percent,
        seconds=seconds,
        kind=kind_of,
        place=place_of,
        heading=heading,
        reason=reason,
        said=said_of,
        flow_with=flow_with,
        width=_width,
        text=as_written,
    )
    found.globals["style"] = (FOLDER / "style.css").read_text(encoding="utf-8")
    found.globals.update(parts=busiest_first, share=_share, under_way=under_way, first_keys=first_keys)
    return found


def _width(share: float | None) -> str:
    return f"{100 * min(1.0, max(0.0, share or 0.0)):.2f}%"


def _share(span_s: float, part: Part) -> float | None:
    return span_s / part.lifetime_s if part.lifetime_s > 0 else None
