"""Scaling for people: a verdict, a table, and the curve that HPL's prediction comes from."""

from collections.abc import Callable, Sequence

from isthmus.base.numbers import counted, figure, percent
from isthmus.hpcc.benchmarks import rated
from isthmus.records.hpcc import HpccScaleFile, ScaleRow
from isthmus.show.output import Table, table_of

NOT_JUDGED = "not to be judged"


def verdict(benchmark: str, rows: Sequence[ScaleRow]) -> str:
    """The efficiency on the most ranks that have devices of their own, in each mode."""
    said = []
    for mode in dict.fromkeys(row.mode for row in rows):
        of_mode = [row for row in rows if row.mode == mode and row.validated]
        own = [row for row in of_mode if not row.shared and row.efficiency is not None]
        if own:
            most = max(own, key=lambda row: row.ranks)
            headline = next((row for row in own if (row.ranks, row.name) == (most.ranks, rated(benchmark))), most)
            reached = percent(headline.efficiency) if headline.judged else NOT_JUDGED
            said.append(f"{mode} {reached} on {counted(headline.ranks, 'rank')} ({headline.name})")
    right = "validated" if all(row.validated for row in rows) else "WRONG"
    efficiency = ", ".join(said) or "no ranks with devices of their own"
    return f"{benchmark}: {right}, measured; parallel efficiency {efficiency}"


def verdicts(rows: Sequence[ScaleRow]) -> list[str]:
    """The verdicts, one for each benchmark."""
    names = dict.fromkeys(row.name.partition(".")[0] for row in rows)
    return [verdict(name, [row for row in rows if row.name.partition(".")[0] == name]) for name in names]


def table(rows: Sequence[ScaleRow]) -> Table:
    """A row for each quantity of each run."""
    columns: dict[str, Callable[[ScaleRow], str]] = {
        "mode": lambda row: row.mode,
        "ranks": lambda row: str(row.ranks),
        "quantity": lambda row: row.name,
        "size": lambda row: ", ".join(map(str, row.parameters.values())) or "-",
        "all ranks": lambda row: figure(row.value if row.validated else None),
        "unit": lambda row: row.unit,
        "speed-up": lambda row: _gained(row, figure(row.speed_up)),
        "efficiency": lambda row: _gained(row, percent(row.efficiency)),
        "predicted, model": lambda row: figure(row.predicted),
        "results": lambda row: "validated" if row.validated else "WRONG",
        "devices": lambda row: "shared" if row.shared else "own",
    }
    return table_of(rows, columns, numbers=columns.keys() - {"mode", "quantity", "unit", "results", "devices"})


def _gained(row: ScaleRow, text: str) -> str:
    """The text if results are right and the spread allows a judgement."""
    if not row.validated or row.speed_up is None:
        return "-"
    return text if row.judged else NOT_JUDGED


def detail(file: HpccScaleFile) -> list[str]:
    """Says where predictions come from, and what shared ranks mean."""
    lines = []
    if file.curve:
        points = ", ".join(f"{figure(point.value)} {point.unit} at {point.size}" for point in file.curve)
        lines.append(f"predicted: ranks times one rank alone at their local size (meyer2024 4.2.3): {points}")
    if any(not row.judged for row in file.rows):
        lines.append(f"{NOT_JUDGED}: within the spread of the fewest ranks; raise --repeat on a quiet machine")
    if any(row.shared for row in file.rows):
        lines.append("shared: more ranks than devices or cores; their rates are none of a device")
    return lines
