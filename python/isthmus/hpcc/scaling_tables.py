"""Scaling for people: a verdict, a table, and the curve that HPL's prediction comes from."""

from collections.abc import Sequence

from isthmus.base.numbers import counted, figure, percent
from isthmus.hpcc.benchmarks import rated
from isthmus.records import HpccScaleFile, ScaleRow
from isthmus.show.output import Table

COLUMNS = (
    "mode",
    "ranks",
    "quantity",
    "size",
    "all ranks",
    "unit",
    "speed-up",
    "efficiency",
    "predicted, model",
    "results",
    "devices",
)
NOT_JUDGED = "not to be judged"
NUMBERS = frozenset({"ranks", "size", "all ranks", "speed-up", "efficiency", "predicted, model"})


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
    """One of each benchmark."""
    names = dict.fromkeys(row.name.partition(".")[0] for row in rows)
    return [verdict(name, [row for row in rows if row.name.partition(".")[0] == name]) for name in names]


def table(rows: Sequence[ScaleRow]) -> Table:
    """A row for each quantity of each run."""
    cells = [
        (
            row.mode,
            str(row.ranks),
            row.name,
            ", ".join(f"{value}" for value in row.parameters.values()) or "-",
            figure(row.value if row.validated else None),
            row.unit,
            *_gained(row),
            figure(row.predicted),
            "validated" if row.validated else "WRONG",
            "shared" if row.shared else "own",
        )
        for row in rows
    ]
    return Table(COLUMNS, cells, numbers=NUMBERS)


def _gained(row: ScaleRow) -> tuple[str, str]:
    """Speed-up and efficiency, where results are right and the spread leaves something to say."""
    if not row.validated or row.speed_up is None:
        return ("-", "-")
    return (figure(row.speed_up), percent(row.efficiency)) if row.judged else (NOT_JUDGED, NOT_JUDGED)


def detail(file: HpccScaleFile) -> list[str]:
    """Where predictions come from, and what shared ranks mean."""
    lines = []
    if file.curve:
        points = ", ".join(f"{figure(point.value)} {point.unit} at {point.size}" for point in file.curve)
        lines.append(f"predicted: ranks times one rank alone at their local size (meyer2024 4.2.3): {points}")
    if any(not row.judged for row in file.rows):
        lines.append(f"{NOT_JUDGED}: within the spread of the fewest ranks; raise --repeat on a quiet machine")
    if any(row.shared for row in file.rows):
        lines.append("shared: more ranks than devices or cores; their rates are none of a device")
    return lines
