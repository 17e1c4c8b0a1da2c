"""Probe records as tables: bandwidth by size, and below it the records that are listed one by one."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from isthmus.base.numbers import counted, figure
from isthmus.base.sizes import format_size
from isthmus.records.base import KIND_WORDS
from isthmus.records.probe import ProbeRecord
from isthmus.running.probes import is_curve, meaning_of
from isthmus.show.output import SHOWN, Table


def headline(records: Sequence[ProbeRecord]) -> str:
    """The largest bandwidth, or the least latency of a whole access where there is none."""
    records = [record for record in records if record.parameters.get("phase", "all") == "all"]
    rates = [record for record in records if record.quantity == "bandwidth" and record.time_s is not None]
    best = max(rates, key=lambda one: one.value) if rates else min(records, key=lambda one: one.value)
    return f"best: {best.name}{over(best)}, {_cell(best)} {best.unit} at {size_of(best)}, {KIND_WORDS[best.kind]}"


def wrong_lines(records: Sequence[ProbeRecord]) -> list[str]:
    """A line for each record whose bytes did not arrive as they were sent."""
    wrong = (record for record in records if record.verified is False)
    return [
        f"WRONG, {record.name}{over(record)} at {size_of(record)}: expected the bytes that were sent, got older ones"
        for record in wrong
    ]


def probe_tables(records: Sequence[ProbeRecord]) -> list[Table]:
    """A row a size for the bandwidths of one size each and for the steps to them, a row for each of the others."""
    walks = [record for record in records if "structure" in record.parameters]
    curves = [record for record in records if is_curve(record.name) and record not in walks]
    steps = [record for record in records if "step" in record.parameters]
    others = [record for record in records if record not in curves and record not in steps and record not in walks]
    tables = [table for group in (curves, steps) if group for table in _by_sizes(group)]
    limited = [record for record in records if "limit" in record.parameters]
    if walks:
        tables.append(_walks(walks))
    return [*tables, *([_one_by_one(others)] if others else []), *([_limits(limited)] if limited else [])]


def size_of(record: ProbeRecord) -> str:
    """The size of a record for people; `-` where nothing is moved."""
    size = int(record.parameters["size"])
    return format_size(size) if size else "-"


def spreads(records: Iterable[ProbeRecord]) -> list[tuple[str, float]]:
    """The name of each record's quantity, and the spread of its samples."""
    return [(f"{record.name}{over(record)} at {size_of(record)}", record.spread) for record in records]


def _by_sizes(records: Sequence[ProbeRecord]) -> list[Table]:
    """One table, or one a probe where its columns would be too many to read; their heads are then short."""
    most = 6
    if len({_head(record) for record in records}) <= most:
        return [_by_size(records, _head)]
    by_name = groupby(sorted(records, key=lambda record: record.name), key=lambda record: record.name)
    return [_by_size(list(found), _short_head) for _, found in by_name]


def _by_size(records: Sequence[ProbeRecord], head_of: Callable[[ProbeRecord], str]) -> Table:
    heads = list(dict.fromkeys(head_of(record) for record in records))
    sizes = list(dict.fromkeys(size_of(record) for record in records))
    by_place = {(size_of(record), head_of(record)): _cell(record) for record in records}
    cells = [(size, *(by_place.get((size, head), "-") for head in heads)) for size in sizes]
    return Table(("size", *heads), cells, numbers=frozenset({"size", *heads}))


def _head(record: ProbeRecord) -> str:
    what = how(record) if "step" in record.parameters else f"{meaning_of(record.name)} ({column_of(record)})"
    return f"{what}, {record.unit}, {KIND_WORDS[record.kind]}"


def _short_head(record: ProbeRecord) -> str:
    return f"{column_of(record)}, {record.unit}, {KIND_WORDS[record.kind]}"


def column_of(record: ProbeRecord) -> str:
    """The probe's name with its burst and its link, where a board has several."""
    return f"{name_of(record)}{over(record)}"


def over(record: ProbeRecord) -> str:
    """` over vh0`: the link of a board with several; ` of 4 boards on n0`: those of a system that copied at once.

    For shared memory also the state of the caches and who began. Empty where nothing differs.
    """
    if "boards" in record.parameters:
        number = int(record.parameters["boards"])
        node = record.parameters.get("node")
        return f" of {counted(number, 'board')}{'' if node is None else f' on {node}'}"
    words = (
        ("structure", " of a {}"),
        ("channel", " over {}"),
        ("port", " over {}"),
        ("state", ", {}"),
        ("from", " from {}"),
        ("to", " to {} memory"),
        ("op", " by {}"),
        ("buffers", " of {} buffers"),
        ("load", ", load {}"),
        ("start", ", {}"),
        ("started_by", ", started by {}"),
        ("walks", ", {} at once"),
    )
    found = [(text, record.parameters.get(name)) for name, text in words]
    return "".join(text.format(value) for text, value in found if value is not None)


def name_of(record: ProbeRecord) -> str:
    """The probe's name, with the size of its bursts where that is not the whole size."""
    burst = int(record.parameters.get("burst", 0))
    requests = "start" in record.parameters  # of a circuit: named whatever their size is
    whole = burst == 0 or (burst == int(record.parameters["size"]) and not requests)
    return record.name if whole else f"{record.name} by {format_size(burst)}"


def _walks(records: Sequence[ProbeRecord]) -> Table:
    """A row for each walk of nodes, with the median and the 99th percentile of its times."""
    cells: list[tuple[str, ...]] = []
    for record in records:
        walked = [str(record.parameters[name]) for name in ("structure", "channel", "start", "walks")]
        late = None if record.percentiles is None else record.percentiles.p99
        cells.append((size_of(record), *walked, figure(record.value), "-" if late is None else figure(late)))
    head = f"ns a node, {KIND_WORDS[records[0].kind]}"
    columns = ("size", "structure", "channel", "start", "walks", f"median, {head}", f"p99, {head}")
    return Table(columns, cells, numbers=frozenset({"size", "walks", *columns[-2:]}))


def _limits(records: Sequence[ProbeRecord]) -> Table:
    """A row for each range of sizes that one part limits."""
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
    """The parameters that distinguish a record from others of its probe and size."""
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
    differ = "structure" in record.parameters  # nodes, of which each sample is another
    spread = f" ±{record.spread / 2:.0%}" if record.spread >= SHOWN and not differ else ""
    return f"{figure(record.value)}{spread}"
