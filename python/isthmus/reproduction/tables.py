"""The comparison with the papers as tables."""

import re
from collections.abc import Mapping, Sequence

from isthmus.base.numbers import as_written, counted, figure, is_number
from isthmus.records.papers import HeldOutNumber, PaperRow, PaperScore, RoleScore
from isthmus.show.output import Table, table_of

# The ends of a note's pieces (comparison.py puts them together).
_PIECES = re.compile(r"; (?=reading |span of |determined by |same as |\d\S* \S+ here)")


def score_line(name: str, found: PaperScore) -> str:
    """Says in one line how well predictions agree, and which claims are false."""
    count = len(found.false_claims)
    said = f"{count} claim{'s are' if count > 1 else ' is'} false here: {', '.join(found.false_claims)}"
    return "; ".join(
        [
            f"{name}: {_predictions(found.roles.get('predicted'))}",
            *([said] if count else []),
            f"{found.compared} of {found.published} numbers compared, {found.open} open",
        ]
    )


def _predictions(found: RoleScore | None) -> str:
    if found is None:
        return "nothing predicted"
    names = found.without_error
    left = f"no error can be told of {', '.join(names)} (published as 0 or in words)" if names else ""
    if found.mean_error is None or found.median_error is None:
        return f"{counted(found.rows, 'independent prediction')}, {left}"
    spans = f", {found.in_span} in the span of the assumed ranges" if found.in_span is not None else ""
    return (
        f"{counted(found.rows, 'independent prediction')}, {found.agree} within 15 %, "
        f"error {found.mean_error:.1%} in the mean, {found.median_error:.1%} in the median{spans}"
        f"{f'; {left}' if left else ''}"
    )


def rows_table(rows: Sequence[PaperRow], title: str) -> Table:
    """A line for each published number."""
    return table_of(
        rows,
        {
            "id": lambda row: row.id,
            "place": lambda row: row.place,
            "quantity": lambda row: row.quantity,
            "unit": lambda row: row.unit,
            "published": lambda row: _as_printed(row.published),
            "ours, model": lambda row: as_text(row.ours),
            "error": lambda row: "-" if row.error is None else f"{row.error:+.1%}",
            "role": lambda row: row.role,
            "note": lambda row: _PIECES.sub(";\n", row.note),
        },
        numbers={"published", "ours, model", "error"},
        title=title,
        below="note",
        key_columns=1,
    )


def score_table(scores: Mapping[str, PaperScore]) -> Table:
    """A line for each paper and role."""
    columns = ("paper", "role", "rows", "agree", "mean error", "median error", "largest error", "in span")
    cells = [
        (
            name,
            role,
            str(part.rows),
            "-" if part.agree is None else str(part.agree),
            *("-" if error is None else f"{error:.1%}" for error in (part.mean_error, part.median_error)),
            "-" if part.largest_error is None else f"{part.largest_error:.1%}",
            "-" if part.in_span is None else str(part.in_span),
        )
        for name, found in scores.items()
        for role, part in found.roles.items()
    ]
    return Table(columns, cells, numbers=frozenset(columns[2:]), title="score, duplicates once")


def held_out_table(rows: Sequence[HeldOutNumber]) -> Table:
    """A line for each number whose experiment the model was not given."""
    return table_of(
        rows,
        {
            "id": lambda row: row.id,
            "board": lambda row: row.board,
            "quantity": lambda row: row.quantity,
            "unit": lambda row: row.unit,
            "published": lambda row: _as_printed(row.published),
            "with it, model": lambda row: figure(row.calibrated),
            "without it, model": lambda row: figure(row.held_out),
            "error": lambda row: f"{row.error:+.1%}",
        },
        numbers={"published", "with it, model", "without it, model", "error"},
    )


def _as_printed(value: bool | int | float | str) -> str:
    return f"{value:.15g}" if isinstance(value, float) else as_written(value)


def as_text(value: bool | int | float | str | None) -> str:
    """A value of ours: a number in few digits, a claim as true or false, a dash for none."""
    if value is None:
        return "-"
    return figure(float(value)) if is_number(value) else as_written(value)
