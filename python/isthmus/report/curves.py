"""Bandwidth against payload, log-log: a panel for each probe, a line for each target."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from isthmus.base.groups import grouped_by
from isthmus.base.numbers import figure
from isthmus.base.sizes import format_size
from isthmus.records.base import KIND_WORDS
from isthmus.records.probe import ProbeRecord
from isthmus.report.axes import LogAxis, Tick, decades
from isthmus.running.probes import all_probes, is_curve
from isthmus.show.output import Table
from isthmus.show.probe_tables import column_of, name_of, over

HEIGHT = 220  # pixels of a plot
STYLES = 72  # shapes of marks, six, with a colour each; then the same hollow; then both with the next colour

OF_PRIVATE = ("h2d", "device-read", "device-write")
OF_SHARED = ("shared-read", "shared-write")

_NAMED_SIZES = 5  # at most, evenly spaced, with the first of all


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
    joined: bool = True
    """Tells whether what lies between the points says something."""
    marks: tuple[int, int] | None = (0, 1)
    """The first point that has a mark, and each how manieth from there on; None where a formula alone is drawn."""


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


def legend(panels: Sequence[Panel]) -> list[Line]:
    """A line for each label of the panels' lines."""
    return list({line.label: line for panel in panels for line in panel.lines}.values())


def curve_panels(records: Sequence[ProbeRecord]) -> list[Panel]:
    """A panel for each probe that was taken at several sizes."""
    curves = [record for record in records if is_curve(record.name) and record.value > 0]
    styles = {label: number % STYLES for number, label in enumerate(dict.fromkeys(map(label_of, curves)))}
    panels = [
        panel(name, all_probes()[found[0].name].meaning, found, styles)
        for name, found in grouped_by(name_of, curves).items()
        if len(set(map(_size, found))) > 1
    ]
    return sorted(panels, key=lambda one: list(all_probes()).index(one.name.partition(" ")[0]))


def effective_panel(records: Sequence[ProbeRecord]) -> Panel | None:
    """The bandwidth of circuits with private and with shared memory (choi2019 fig. 4); None if one is missing."""
    found = [record for record in records if record.name in (*OF_PRIVATE, *OF_SHARED) and record.value > 0]
    names = {record.name for record in found}
    if names.isdisjoint(OF_PRIVATE) or names.isdisjoint(OF_SHARED) or len(set(map(_size, found))) == 1:
        return None
    labels = list(dict.fromkeys(map(_effective_label, found)))
    styles = {label: number % STYLES for number, label in enumerate(labels)}
    meaning = "copies to the board's memory, its kernels' accesses, and accesses to shared memory"
    return panel("effective bandwidth", meaning, found, styles, _effective_label)


def best_copies(records: Sequence[ProbeRecord]) -> list[str]:
    """The highest rate of each target's copies to the device, the fastest first: pinned memory, then pageable."""
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


def _effective_label(record: ProbeRecord) -> str:
    return f"{column_of(record)}, {record.target}, {KIND_WORDS[record.kind]}"


def panel(
    name: str,
    meaning: str,
    records: Sequence[ProbeRecord],
    styles: Mapping[str, int],
    label: Callable[[ProbeRecord], str] = label_of,
) -> Panel:
    """A line for each label of the records."""
    lines_of: dict[str, dict[int, ProbeRecord]] = {}
    for record in records:
        lines_of.setdefault(label(record), {})[_size(record)] = record
    sizes = sorted(set(map(_size, records)))
    values = [record.value for record in records]
    named = decades(min(values), max(values))
    x = LogAxis(sizes[0], sizes[-1], 100)
    y = LogAxis(named[0], named[-1], HEIGHT, backwards=True)
    lines = []
    for what, found in lines_of.items():
        points = [
            Point(
                x.at(size), y.at(record.value), f"{what}: {figure(record.value)} {record.unit} at {format_size(size)}"
            )
            for size, record in sorted(found.items())
        ]
        modelled = all(record.kind == "modelled" for record in found.values())
        lines.append(Line(what, styles[what], modelled, points))
    return Panel(
        name=name,
        meaning=meaning,
        unit=records[0].unit,
        sizes=[Tick(x.at(size), format_size(size)) for size in sizes[:: -(-len(sizes) // _NAMED_SIZES)]],
        rates=[Tick(y.at(value), f"{value:g}") for value in named],
        lines=lines,
        table=_table(name, sizes, lines_of, records[0].unit),
    )


def _table(name: str, sizes: Sequence[int], lines: dict[str, dict[int, ProbeRecord]], unit: str) -> Table:
    columns = ["size", *(f"{label}, {unit}" for label in lines)]
    rows = [
        [format_size(size), *(figure(found[size].value) if size in found else "-" for found in lines.values())]
        for size in sizes
    ]
    return Table(columns, rows, numbers=frozenset(columns), title=f"{name} by size")


def _size(record: ProbeRecord) -> int:
    return int(record.parameters["size"])
