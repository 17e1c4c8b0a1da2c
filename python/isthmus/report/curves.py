"""Bandwidth against payload, log-log: a panel for each probe, a line for each target."""

from collections.abc import Sequence
from dataclasses import dataclass

from isthmus.numbers import figure
from isthmus.output import Table
from isthmus.probe_tables import name_of, over
from isthmus.probes import all_probes, is_curve
from isthmus.records import ProbeRecord
from isthmus.report.axes import LogAxis, Tick, decades
from isthmus.sizes import format_size
from isthmus.verdict import KIND_WORDS

HEIGHT = 220  # pixels of a plot
STYLES = 12  # colours with shapes of marks: six, then the same hollow

_NAMED_SIZES = 5


@dataclass(frozen=True)
class Point:
    """A record in a plot: percent from the left, pixels from the top."""

    x: float
    y: float
    title: str
    spread: tuple[float, float] | None = None
    """Pixels from the top, of where it lies with what repetitions differ by."""


@dataclass(frozen=True)
class Line:
    """The records of one target."""

    label: str
    style: int
    modelled: bool
    points: list[Point]


@dataclass(frozen=True)
class Panel:
    """A plot of one probe and the same as a table."""

    name: str
    meaning: str
    unit: str
    sizes: list[Tick]
    rates: list[Tick]
    lines: list[Line]
    table: Table


def curve_panels(records: Sequence[ProbeRecord]) -> list[Panel]:
    """A panel for each probe that was taken at several sizes."""
    curves = [record for record in records if is_curve(record.name) and record.value > 0]
    styles = {label: number % STYLES for number, label in enumerate(dict.fromkeys(map(label_of, curves)))}
    by_probe: dict[str, list[ProbeRecord]] = {}
    for record in curves:
        by_probe.setdefault(name_of(record), []).append(record)
    panels = [_panel(name, found, styles) for name, found in by_probe.items() if len(set(map(_size, found))) > 1]
    return sorted(panels, key=lambda panel: list(all_probes()).index(panel.name.partition(" ")[0]))


def best_copies(records: Sequence[ProbeRecord]) -> list[str]:
    """What each target's copies to the device reach at most, the fastest first: pinned memory, then pageable."""
    found = []
    for label in dict.fromkeys(map(label_of, records)):
        said = []
        for name, what in (("h2d-pinned", "from pinned memory"), ("h2d", "from pageable memory")):
            copies = [record for record in records if record.name == name and label_of(record) == label]
            best = max(copies, key=lambda record: record.value, default=None)
            if best is not None:
                said.append((best.value, f"{figure(best.value)} {best.unit} {what} at {format_size(_size(best))}"))
        if said:
            found.append((said[0][0], f"{label}: host to device {', '.join(text for _, text in said)}"))
    return [text for _, text in sorted(found, key=lambda one: -one[0])]


def label_of(record: ProbeRecord) -> str:
    """The target as it was typed with its link, the device, and whether the numbers are a model's."""
    return f"{record.target}{over(record)}, {record.device}, {KIND_WORDS[record.kind]}"


def _panel(name: str, records: Sequence[ProbeRecord], styles: dict[str, int]) -> Panel:
    sizes = sorted(set(map(_size, records)))
    values = [record.value for record in records]
    named = decades(min(values), max(values))
    x = LogAxis(sizes[0], sizes[-1], 100)
    y = LogAxis(named[0], named[-1], HEIGHT, backwards=True)
    lines = []
    for label, found in _by_label(records).items():
        points = [
            Point(
                x.at(size), y.at(record.value), f"{label}: {figure(record.value)} {record.unit} at {format_size(size)}"
            )
            for size, record in sorted(found.items())
        ]
        modelled = all(record.kind == "modelled" for record in found.values())
        lines.append(Line(label, styles[label], modelled, points))
    return Panel(
        name=name,
        meaning=all_probes()[records[0].name].meaning,
        unit=records[0].unit,
        sizes=[Tick(x.at(size), format_size(size)) for size in _some(sizes)],
        rates=[Tick(y.at(value), f"{value:g}") for value in named],
        lines=lines,
        table=_table(name, sizes, _by_label(records), records[0].unit),
    )


def _by_label(records: Sequence[ProbeRecord]) -> dict[str, dict[int, ProbeRecord]]:
    lines: dict[str, dict[int, ProbeRecord]] = {}
    for record in records:
        lines.setdefault(label_of(record), {})[_size(record)] = record
    return lines


def _table(name: str, sizes: Sequence[int], lines: dict[str, dict[int, ProbeRecord]], unit: str) -> Table:
    columns = ["size", *(f"{label}, {unit}" for label in lines)]
    rows = [
        [format_size(size), *(figure(found[size].value) if size in found else "-" for found in lines.values())]
        for size in sizes
    ]
    return Table(columns, rows, numbers=frozenset(columns), title=f"{name} by size")


def _size(record: ProbeRecord) -> int:
    return int(record.parameters["size"])


def _some(sizes: Sequence[int]) -> list[int]:
    """At most a few of the sizes, evenly, the first of them included."""
    stride = -(-len(sizes) // _NAMED_SIZES)
    return list(sizes[::stride])
