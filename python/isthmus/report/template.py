"""The templates of this folder: what they are filled with is escaped, and what is missing is an error."""

from pathlib import Path
from typing import TYPE_CHECKING

from isthmus.numbers import figure, grouped, percent, seconds
from isthmus.records import Part, Row
from isthmus.verdict import kind_of, reason

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).resolve().parent


def environment() -> "Environment":
    """Finds the templates and knows how numbers are written."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(
        figure=figure,
        grouped=grouped,
        percent=percent,
        seconds=seconds,
        kind=kind_of,
        reason=reason,
        width=_width,
        text=_text,
    )
    found.globals.update(parts=_parts)
    return found


def _width(share: float) -> str:
    return f"{100 * min(1.0, max(0.0, share)):.2f}%"


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parts(row: Row) -> list[Part]:
    return sorted(row.parts, key=lambda part: part.busy_s, reverse=True)
