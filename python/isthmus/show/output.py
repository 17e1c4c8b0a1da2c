"""Results as a table for people, Markdown, CSV or JSON."""

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console

Record = dict[str, Any]
Item = TypeVar("Item")

PIPE_WIDTH = 180  # of a table that is read from a pipe or a file
PROSE_WIDTH = 120


SHOWN = 0.01  # of a spread, below which it is none


@dataclass(frozen=True)
class Table:
    """Cells as texts; a column whose name is in `numbers` is aligned to the right.

    Where a row would be wider than the page, the column `below` goes under the table, named by the first `key_columns`.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Set[str] = frozenset()
    title: str = ""
    below: str = ""
    key_columns: int = 2


def table_of(rows: Iterable[Item], columns: Mapping[str, Callable[[Item], str]], **more: Any) -> Table:
    """A line for each row, with a cell of each named column; `more` belongs to the table."""
    return Table(tuple(columns), [[say(row) for say in columns.values()] for row in rows], **more)


@dataclass(frozen=True)
class Result:
    """The result of a command: verdict, tables, detail, in this order; `file` and `records` are the same as data."""

    file: "BaseModel"
    records: Sequence["BaseModel"]
    verdict: Sequence[str] = ()
    tables: Sequence[Table] = ()
    detail: Sequence[str] = field(default_factory=list)


def to_markdown(result: Result) -> str:
    """The verdict, the tables and the detail as Markdown."""
    blocks = ["\n".join(_md(line) for line in result.verdict)]
    for table in result.tables:
        rule = ["---:" if column in table.numbers else "---" for column in table.columns]
        lines = [_md_row(map(_md, table.columns)), _md_row(rule), *(_md_row(map(_md, row)) for row in table.rows)]
        blocks.append("\n".join(([f"**{_md(table.title)}**", ""] if table.title else []) + lines))
    blocks.append("\n".join(f"- {_md(line)}" for line in result.detail))
    return "\n\n".join(block for block in blocks if block) + "\n"


def print_tables(result: Result, console: "Console") -> None:
    """The verdict, the tables and the detail on a terminal or in a pipe, as plain text with colour at most."""
    from rich.text import Text

    # In a pipe a sentence stays one line, for whoever looks for its words there.
    piped = not console.is_terminal
    for line in result.verdict:
        console.print(Text(line, style="bold"), soft_wrap=piped)
    for table in result.tables:
        console.print()
        fitting = table if _natural_width(table) <= console.width else without(table, table.below)
        _print_table(fitting, console)
        if fitting is not table:
            _print_below(table, console)
    if result.detail:
        console.print()
    for line in result.detail:
        console.print(Text(line), soft_wrap=piped)


def _print_below(table: Table, console: "Console") -> None:
    from rich.text import Text

    at = list(table.columns).index(table.below)
    width = min(console.width, PROSE_WIDTH)
    for row in (row for row in table.rows if row[at].strip("- ")):
        first, *more = row[at].splitlines()
        lines = [f"{' '.join(row[: table.key_columns])}: {first}", *(f"  {line}" for line in more)]
        for line in lines:
            wrapped = textwrap.wrap(line, width, subsequent_indent="    ", break_on_hyphens=False)
            console.print(Text("\n".join(wrapped)))


def _print_table(table: Table, console: "Console") -> None:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, title=Text(table.title) if table.title else None
    )
    drawn.title_justify = "left"
    for column in table.columns:
        drawn.add_column(Text(column), justify="right" if column in table.numbers else "left", overflow="fold")
    for row in table.rows:
        drawn.add_row(*(Text(cell) for cell in row))
    console.print(drawn)


def _natural_width(table: Table) -> int:
    cells = [table.columns, *table.rows]
    return sum(max(len(line) for row in cells for line in row[at].split("\n")) + 3 for at in range(len(table.columns)))


def without(table: Table, column: str) -> Table:
    """The table without a column, if it has that."""
    if column not in table.columns:
        return table
    at = list(table.columns).index(column)
    rows = [[*row[:at], *row[at + 1 :]] for row in table.rows]
    return replace(table, columns=[*table.columns[:at], *table.columns[at + 1 :]], rows=rows)


def _md_row(cells: Any) -> str:
    return "| " + " | ".join(cells) + " |"


def _md(text: str) -> str:
    for character in "\\|*_<>`[]":
        text = text.replace(character, "\\" + character)
    return " ".join(text.split())
