"""Probe records as tables: bandwidth by size, and below it what is told one by one."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from isthmus.numbers import counted, figure
from isthmus.output import Table
from isthmus.probes import is_curve, meaning_of
from isthmus.records import ProbeRecord
from isthmus.sizes import format_size
from isthmus.tables import SHOWN
from isthmus.verdict import KIND_WORDS


def headline(records: Sequence[ProbeRecord]) -> str:
    """The largest bandwidth, or the least latency of a whole access where there is none."""
    records = [record for record in records if record.parameters.get("phase", "all") == "all"]
    rates = [record for record in records if record.quantity == "bandwidth" and record.time_s is not None]
    best = max(rates, key=lambda one: one.value) if rates else min(records, key=lambda one: one.value)
    return f"best: {best.name}{over(best)}, {_cell(best)} {best.unit} at {size_of(best)}, {KIND_WORDS[best.kind]}"


def probe_tables(records: Sequence[ProbeRecord]) -> list[Table]:
    """A row a size for the bandwidths of one size each and for the steps to them, a row for each of the others."""
    curves = [record for record in records if is_curve(record.name)]
    steps = [record for record in records if "step" in record.parameters]
    others = [record for record in records if record not in curves and record not in steps]
    tables = [_by_size(group) for group in (curves, steps) if group]
    limited = [record for record in records if "limit" in record.parameters]
    return [*tables, *([_one_by_one(others)] if others else []), *([_limits(limited)] if limited else [])]


def size_of(record: ProbeRecord) -> str:
    """The size of a record for people; `-` where nothing is moved."""
    size = int(record.parameters["size"])
    return format_size(size) if size else "-"


def spreads(records: Iterable[ProbeRecord]) -> list[tuple[str, float]]:
    """What each measures, and how far its samples spread."""
    return [(f"{record.name}{over(record)} at {size_of(record)}", record.spread) for record in records]


def _by_size(records: Sequence[ProbeRecord]) -> Table:
    heads = list(dict.fromkeys(_head(record) for record in records))
    sizes = list(dict.fromkeys(size_of(record) for record in records))
    by_place = {(size_of(record), _head(record)): _cell(record) for record in records}
    cells = [(size, *(by_place.get((size, head), "-") for head in heads)) for size in sizes]
    return Table(("size", *heads), cells, numbers=frozenset({"size", *heads}))


def _head(record: ProbeRecord) -> str:
    what = how(record) if "step" in record.parameters else f"{meaning_of(record.name)} ({column_of(record)})"
    return f"{what}, {record.unit}, {KIND_WORDS[record.kind]}"


def column_of(record: ProbeRecord) -> str:
    """The probe's name with its stretches and its link, where a board has several."""
    return f"{name_of(record)}{over(record)}"


def over(record: ProbeRecord) -> str:
    """` over vh0`: the link of a board with several; ` of 4 boards on n0`: those of a system that did it at once.

    With what caches held before, of shared memory. Empty where there is nothing to tell apart.
    """
    if "boards" in record.parameters:
        number = int(record.parameters["boards"])
        node = record.parameters.get("node")
        return f" of {counted(number, 'board')}{'' if node is None else f' on {node}'}"
    channel, start = record.parameters.get("channel"), record.parameters.get("start")
    return (f" over {channel}" if channel is not None else "") + (f", {start}" if start is not None else "")


def name_of(record: ProbeRecord) -> str:
    """The probe's name, with the stretches in which it went where these were not the whole size."""
    burst = int(record.parameters.get("burst", 0))
    whole = burst in (0, int(record.parameters["size"]))
    return record.name if whole else f"{record.name} by {format_size(burst)}"


def _limits(records: Sequence[ProbeRecord]) -> Table:
    """A row for each stretch of sizes that one part limits."""
    cells: list[tuple[str, ...]] = []
    for (column, limit), found in groupby(records, key=lambda record: (column_of(record), _limit(record))):
        sizes = [size_of(record) for record in found]
        cells.append((column, " to ".join(dict.fromkeys((sizes[0], sizes[-1]))), *limit))
    return Table(("probe", "sizes", "limited by", "key"), cells, numbers=frozenset())


def _limit(record: ProbeRecord) -> tuple[str, str]:
    """The part that a trial found to limit a system's boards, and its key."""
    return str(record.parameters["limit"]), str(record.parameters.get("limit_key", "-"))


def details_table(records: Sequence[ProbeRecord]) -> Table:
    """A row for each record, of whatever targets."""
    table = _one_by_one(records)
    cells = [(record.target, *cells) for record, cells in zip(records, table.rows, strict=True)]
    return Table(("target", *table.columns), cells, numbers=table.numbers)


def _one_by_one(records: Sequence[ProbeRecord]) -> Table:
    cells = [
        (record.name, size_of(record), _cell(record), record.unit, KIND_WORDS[record.kind], how(record))
        for record in records
    ]
    return Table(("probe", "size", "value", "unit", "kind", "how"), cells, numbers=frozenset({"size", "value"}))


def how(record: ProbeRecord) -> str:
    """What tells a record from others of its probe and size."""
    return f"{_how(record)}{over(record)}"


def _how(record: ProbeRecord) -> str:
    if "step" in record.parameters:
        return f"step {record.parameters['step']}: {record.parameters['what']}"
    if "write_combining" in record.parameters:
        return "write combining" if record.parameters["write_combining"] else "each by itself"
    if "phase" in record.parameters:
        return f"{record.parameters['access']}, {record.parameters['phase']}"
    if "in_flight" in record.parameters:
        offset = int(record.parameters.get("offset", 0))
        start = f", from {format_size(offset)} of a page" if offset else ""
        return f"{record.parameters['access']}, {record.parameters['in_flight']} in flight{start}"
    return meaning_of(record.name)


def _cell(record: ProbeRecord) -> str:
    spread = f" ±{record.spread / 2:.0%}" if record.spread >= SHOWN else ""
    return f"{figure(record.value)}{spread}"
