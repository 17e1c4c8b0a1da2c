"""The comparison with the papers as tables."""

import re
from collections.abc import Mapping, Sequence

from isthmus.numbers import figure
from isthmus.output import Table
from isthmus.records import HeldOut, PaperRow, PaperScore

# Where a note goes on to its next piece (comparison.py puts them together).
_PIECES = re.compile(r"; (?=reading |structure alone|same as )")


def score_line(name: str, found: PaperScore) -> str:
    """How what is predicted fares, in one line."""
    predicted = found.roles.get("predicted")
    if predicted is None or predicted.mean_error is None or predicted.largest_error is None:
        return f"{name}: nothing predicted; {found.compared} of {found.published} numbers compared, {found.open} open"
    return (
        f"{name}: {predicted.rows} predicted, {predicted.agree} of them within 15 %, mean error "
        f"{predicted.mean_error:.1%}, largest {predicted.largest_error:.1%}; "
        f"{found.compared} of {found.published} numbers compared, {found.open} open"
    )


def rows_table(rows: Sequence[PaperRow]) -> Table:
    """A line for each published number."""
    columns = ("id", "place", "quantity", "unit", "published", "ours, model", "error", "role", "note")
    cells = [
        (
            row.id,
            row.place,
            row.quantity,
            row.unit,
            _as_printed(row.published),
            as_text(row.ours),
            "-" if row.error is None else f"{row.error:+.1%}",
            row.role,
            _PIECES.sub(";\n", row.note),
        )
        for row in rows
    ]
    return Table(columns, cells, numbers=frozenset({"published", "ours, model", "error"}), below="note", key_columns=1)


def score_table(scores: Mapping[str, PaperScore]) -> Table:
    """A line for each paper and role."""
    columns = ("paper", "role", "rows", "agree", "mean error", "largest error")
    cells = [
        (
            name,
            role,
            str(part.rows),
            "-" if part.agree is None else str(part.agree),
            "-" if part.mean_error is None else f"{part.mean_error:.1%}",
            "-" if part.largest_error is None else f"{part.largest_error:.1%}",
        )
        for name, found in scores.items()
        for role, part in found.roles.items()
    ]
    return Table(columns, cells, numbers=frozenset(columns[2:]), title="score, duplicates once")


def held_out_table(rows: Sequence[HeldOut]) -> Table:
    """A line for each number whose experiment the model was not given."""
    columns = ("id", "board", "quantity", "unit", "published", "with it, model", "without it, model", "error")
    cells = [
        (
            row.id,
            row.board,
            row.quantity,
            row.unit,
            _as_printed(row.published),
            figure(row.calibrated),
            figure(row.held_out),
            f"{row.error:+.1%}",
        )
        for row in rows
    ]
    return Table(columns, cells, numbers=frozenset({"published", "with it, model", "without it, model", "error"}))


def _as_printed(value: bool | int | float | str) -> str:
    return f"{value:.15g}" if isinstance(value, float) else as_text(value) if isinstance(value, bool) else str(value)


def as_text(value: bool | int | float | str | None) -> str:
    """A value of ours: a number in few digits, a claim as true or false, a dash for none."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else figure(float(value))
