"""The message for a run whose output differs from the reference: where it differs, and how much."""

from collections.abc import Sequence

from isthmus.base.numbers import counted
from isthmus.records.run import Difference, Row
from isthmus.show.verdict import place_of


def wrong_lines(rows: Sequence[Row]) -> list[str]:
    """A line for each row that is wrong; it is printed before everything else."""
    return [f"WRONG, {place_of(row)} {row.flow}: {_how(row)}" for row in rows if not row.verified]


def _how(row: Row) -> str:
    found = row.difference
    if found is None:
        return _missing(row) or "the output differs from the reference"
    what, element = row.counted.removesuffix("s"), "byte" if found.column is not None else "value"
    return (
        f"{what} {found.message} differs first at offset {found.offset}{_pixel(found)}: "
        f"expected {found.expected}, got {found.got}; "
        f"{found.elements:,} of {counted(found.of_elements, element, grouped=True)} "
        f"in {found.messages:,} of {counted(found.of_messages, what, grouped=True)} differ"
    )


def _missing(row: Row) -> str:
    """The number of lost and of reordered packets; each packet that came was right."""
    found = {"lost": row.lost, "out of order": row.reordered}
    counts = [f"{number:,} {what}" for what, number in found.items() if number]
    return f"of {counted(row.count, row.counted.removesuffix('s'), grouped=True)} {', '.join(counts)}" if counts else ""


def _pixel(found: Difference) -> str:
    if found.column is None:
        return ""
    channel = "" if found.channel is None else f", channel {found.channel}"
    return f" (column {found.column}, row {found.row}{channel})"
