"""The tables that show rows of applications."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from isthmus.base.numbers import figure, grouped, percent, seconds
from isthmus.records.base import KIND_WORDS
from isthmus.records.run import Latency, Part, Row
from isthmus.results.values import is_wrong, record_name, value_of
from isthmus.running.methods import TREE
from isthmus.show.output import SHOWN, Table
from isthmus.show.verdict import differing, differing_values, kind_of, place_of, time_shares


def rows_table(rows: Sequence[Row], titled: bool = False) -> Table:
    """One line for each target and flow of an application, with its name above if it is `titled`."""
    unit = rows[0].unit if rows else "images/s"
    chosen = differing(rows)
    more = {name: of for name, of in _MORE.items() if any(map(of, rows))}
    columns = (
        *("target", "flow", *chosen, unit, *more),
        *("input payload, GB/s", "where the time goes", "kind", "output"),
    )
    cells = [
        (
            place_of(row),
            row.flow,
            *(str(row.parameters.get(name, "-")) for name in chosen),
            _rates(row)[0],
            *(of(row) or "-" for of in more.values()),
            *_rates(row)[1:],
            kind_of(row),
            "right" if row.verified else "WRONG",
        )
        for row in rows
    ]
    return Table(
        columns,
        cells,
        numbers=frozenset({unit, "input payload, GB/s", *more}),
        below="where the time goes",
        title=rows[0].application if titled else "",
    )


def _speedup(row: Row) -> str | None:
    found = row.speedup
    return f"{found.mean:.3f} ({found.min:.3f}..{found.max:.3f})" if found else None


def _times(found: Latency | None) -> str | None:
    return f"{seconds(found.p50_s)}, {seconds(found.p99_s)}" if found else None


def _faults(row: Row) -> str | None:
    if row.faults is None:
        return None
    counts = [f"{count} {name}" for name, count in row.faults.model_dump().items() if count]
    return ", ".join(counts) or "none"


def _methods(row: Row) -> str | None:
    """The method of each buffer, where a tree chose it."""
    if row.methods is None or row.method != TREE:
        return None
    return ", ".join(f"{name} {method}" for name, method in row.methods.items())


# Columns that only rows of some applications have.
_MORE: Mapping[str, Callable[[Row], str | None]] = {
    "methods": _methods,
    "speed-up (least..most)": _speedup,
    "task p50, p99": lambda row: _times(row.task_times),
    "wait p50, p99": lambda row: _times(row.waiting_times),
    "faults": _faults,
}


def differing_parameters(row: Row, rows: Sequence[Row]) -> str:
    """A row's values of the parameters in which it differs from the others: `handover mmio`."""
    return ", ".join(f"{name} {value}" for name, value in differing_values(row, rows).items()) or place_of(row)


def _rates(row: Row) -> tuple[str, str, str]:
    """The rate of a row, and where its time went; nothing if its output is wrong."""
    if not row.verified:
        return ("-", "-", "-")
    spread = f" \u00b1{row.spread / 2:.0%}" if row.spread and row.spread >= SHOWN else ""
    return (f"{grouped(row.value)}{spread}", figure(row.gb_per_s), time_shares(row))


def workers_table(row: Row) -> Table | None:
    """The threads of the target native with their actors and cores; None if there are no threads."""
    if not row.workers:
        return None
    cells = [
        (str(number), "any" if worker.core is None else str(worker.core), ", ".join(worker.actors))
        for number, worker in enumerate(row.workers)
    ]
    units = row.compute_units or 1
    copies = f"--compute-units {units} " if units > 1 else ""
    return Table(("worker", "core", f"actors ({copies}--map ACTOR=WORKER moves one)"), cells)


def parts_table(row: Row) -> Table | None:
    """The stall table of a modelled row: times busy, starved and blocked, busiest first; None if it has no parts."""
    if not row.parts:
        return None
    columns = ("part, model", "busy", "starved", "blocked", "under way", "first keys")
    cells = [
        (
            part.name,
            *(
                percent(span / part.lifetime_s if part.lifetime_s > 0 else None)
                for span in (part.busy_s, part.starved_s, part.blocked_s)
            ),
            under_way(part),
            first_keys(part),
        )
        for part in busiest_first(row)
    ]
    return Table(columns, cells, numbers=frozenset({"busy", "starved", "blocked"}))


def busiest_first(row: Row) -> list[Part]:
    """The parts of a row."""
    return sorted(row.parts, key=lambda part: part.busy_s, reverse=True)


def under_way(part: Part) -> str:
    """How full a window was, and for how long: `31.8 of 32 tags, each for 20.1 us`."""
    if part.window is None:
        return ""
    window = part.window
    return f"{figure(part.under_way)} of {window.size} {window.unit}, each for {seconds(window.round_trip_s)}"


def first_keys(part: Part) -> str:
    """The keys that set the part's rate most directly."""
    return ", ".join(part.keys[:3])


def records_table(records: Sequence[Mapping[str, Any]]) -> Table:
    """One line for each record of whatever kind, as JSON files hold it."""
    cells = [
        (
            f"{record['id']} {record['quantity']}" if "id" in record else record_name(record),
            "WRONG" if is_wrong(record) else figure(value_of(record)),
            str(record.get("unit", "images/s")),
            # A number that is compared with a published one is always a model's.
            KIND_WORDS.get(str(record.get("kind")), "model" if "id" in record else "-"),
        )
        for record in records
    ]
    return Table(("what", "value", "unit", "kind"), cells, numbers=frozenset({"value"}))
