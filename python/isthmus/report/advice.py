"""Advice as pictures: the application placed by its reuse and by its computation to communication, and the tree."""

from collections.abc import Sequence
from dataclasses import dataclass

from isthmus.advising.metrics import effective
from isthmus.advising.tables import choices_table, said_first, said_of_crossing, tree_table, way
from isthmus.base.numbers import figure, seconds
from isthmus.records.advising import AdviseFile, AdviseRow
from isthmus.report.axes import LogAxis, Tick, decades
from isthmus.report.curves import HEIGHT, STYLES, Line, Panel, Point
from isthmus.report.tree import Tree, trees
from isthmus.reproduction.insights import Finding
from isthmus.show.output import Table

REUSES = 24  # points of a curve over the reuse ratio
MARKED_EACH = 6  # of these points one has the mark of its board, another one for each board: lines lie close
BESIDE = 4.0  # times below and above the application and the thresholds that a chart goes on


@dataclass(frozen=True)
class AdviceSection:
    """The section of a page that shows advice."""

    file: AdviseFile
    said: list[str]
    crossing: str
    choices: Table
    panels: list[Panel]
    trees: list[Tree]
    costs: Table | None  # of methods on the model, where they were asked for


def advised(file: AdviseFile) -> AdviceSection:
    """The pictures of one; a chart of which nothing can be drawn is left out."""
    asked_costs = any(branch.costs_s for branch in file.tree)
    return AdviceSection(
        file=file,
        said=said_first(file.verdict, file.rows[0]),
        crossing=said_of_crossing(file.crossing, file.matters_below_s),
        choices=choices_table(file.rows),
        panels=[panel for panel in (reuse_panel(file), ctc_panel(file)) if panel is not None],
        trees=trees(file.tree),
        costs=tree_table(file.tree) if asked_costs else None,
    )


def insights_of(file: AdviseFile) -> dict[tuple[str, int], Finding]:
    """The findings of an advice on insights, by paper and number; it has no number for the other insights."""
    found: dict[tuple[str, int], Finding] = {}
    pairs = [(row.target, to, r) for row in _of_targets(file.rows) for to, r in row.r_threshold.items()]
    if pairs:
        crossed = [f"{one} ahead of {to} above r = {figure(r)}" for one, to, r in pairs if r is not None]
        what = f"{file.application}: private memory is ahead of shared memory from an r on, on some pair of boards"
        found["choi2019", 2] = Finding(what, bool(crossed), crossed or ["never ahead"])
    lines: dict[bool, float] = {}
    for row in file.rows:
        shared = row.flow == "shared"
        lines[shared] = min(row.line_latency_s, lines.get(shared, row.line_latency_s))
    if len(lines) == 2:
        told = [f"a line of 64 B: shared {seconds(lines[True])}, others {seconds(lines[False])}"]
        what = f"{file.application}: the least latency is that of shared memory"
        found["choi2019", 3] = Finding(what, lines[True] < lines[False], told)
    if len({row.target for row in file.rows}) > 1:
        below = file.matters_below_s
        told = ["whatever the kernel takes"] if below is None else [f"for kernels below {seconds(below)} a unit"]
        what = f"{file.application}: from some time of the kernel on the choice of board matters little"
        found["choi2019", 4] = Finding(what, below is not None, told)
    return found


def reuse_panel(file: AdviseFile) -> Panel | None:
    """Effective bandwidth by the reuse ratio r (choi2019 4.1): a curve for each private memory, which grows with r, a
    level for each shared one, and the application where its own r is.
    """
    private = _of_targets([row for row in file.rows if row.dma_gb_per_s and row.device_gb_per_s])
    shared = _of_targets([row for row in file.rows if row.flow == "shared"])
    r = file.rows[0].r
    if not private or r <= 0:
        return None
    thresholds = [found for row in private for found in row.r_threshold.values() if found]
    low, high = min([r, *thresholds]) / BESIDE, max([r, *thresholds]) * BESIDE
    reuses = [low * (high / low) ** (step / REUSES) for step in range(REUSES + 1)]
    values = {row.target: [_at(row, each) for each in reuses] for row in (*private, *shared)}
    named = decades(min(map(min, values.values())), max(map(max, values.values())))
    x, y = LogAxis(reuses[0], reuses[-1], 100), LogAxis(named[0], named[-1], HEIGHT, backwards=True)
    styles = _styles(file)
    lines = [
        Line(
            target,
            styles[target],
            True,
            [
                Point(x.at(each), y.at(value), f"{target}: {figure(value)} GB/s at r = {figure(each)}")
                for each, value in zip(reuses, found, strict=True)
            ],
            marks=(styles[target] % MARKED_EACH, MARKED_EACH),
        )
        for target, found in values.items()
    ]
    own = {row.target: _at(row, r) for row in (*private, *shared)}
    here = [
        Point(x.at(r), y.at(value), f"{target}: {figure(value)} GB/s at the application's r = {figure(r)}")
        for target, value in own.items()
    ]
    return Panel(
        name=f"{file.application}: reuse of the device's memory",
        meaning="effective bandwidth by bytes of memory touched for each that crosses, r (Choi et al., TRETS "
        f"2019, insight 2); marked: {file.application}, r = {figure(r)}",
        unit="GB/s",
        sizes=[Tick(x.at(each), f"{each:g}") for each in decades(reuses[0], reuses[-1]) if x.within(each)],
        rates=[Tick(y.at(value), f"{value:g}") for value in named],
        lines=[*lines, Line(f"{file.application}, r = {figure(r)}", _own_style(styles), False, here)],
        table=_reuse_table(private, shared, r),
    )


def ctc_panel(file: AdviseFile) -> Panel | None:
    """Each choice at its times of transfer and of computation; the line between them is where both are one (choi2019
    4.1, insight 4).
    """
    crossing = {(one.target, way(one)): one.crossing_s for one in file.crossing}
    times = {(row.target, way(row)): (crossing[row.target, way(row)], row.ctc) for row in file.rows}
    drawn = {key: (one, ctc * one) for key, (one, ctc) in times.items() if one > 0 and ctc > 0}
    if not drawn:
        return None
    ends = [time for both in drawn.values() for time in both]
    named = decades(min(ends), max(ends))
    x, y = LogAxis(named[0], named[-1], 100), LogAxis(named[0], named[-1], HEIGHT, backwards=True)
    styles = _styles(file)
    lines = [
        Line(
            target,
            styles[target],
            True,
            [
                Point(x.at(one), y.at(other), f"{target} {how}: CTC {figure(other / one)}")
                for (of, how), (one, other) in drawn.items()
                if of == target
            ],
            joined=False,
        )
        for target in dict.fromkeys(target for target, _ in drawn)
    ]
    middle = [Point(x.at(end), y.at(end), f"CTC 1 at {seconds(end)}") for end in (named[0], named[-1])]
    return Panel(
        name=f"{file.application}: computation to communication",
        meaning="time that a unit's kernel computes by time that a unit crosses, a mark for each flow of a board; "
        "above the line, where computation to communication (CTC) is 1, computation is the bound, below it "
        "communication (Choi et al., TRETS 2019, insight 4)",
        unit="seconds a unit",
        sizes=[Tick(x.at(time), seconds(time)) for time in named],
        rates=[Tick(y.at(time), seconds(time)) for time in named],
        lines=[Line("CTC 1", _own_style(styles), False, middle, marks=None), *lines],
        table=_ctc_table(file, times),
    )


def _of_targets(rows: Sequence[AdviseRow]) -> list[AdviseRow]:
    """The first of each target: its flows share their bandwidths."""
    return list({row.target: row for row in reversed(rows)}.values())[::-1]


def _styles(file: AdviseFile) -> dict[str, int]:
    targets = sorted({row.target for row in file.rows})
    return {target: number % (STYLES - 1) for number, target in enumerate(targets)}


def _own_style(styles: dict[str, int]) -> int:
    """A style that no board has."""
    return next(style for style in range(STYLES) if style not in styles.values())


def _at(row: AdviseRow, r: float) -> float:
    """GB/s of a board at a reuse ratio; that of shared memory is the same at each."""
    if row.dma_gb_per_s is None or row.device_gb_per_s is None:
        return row.effective_gb_per_s
    return effective(r, row.dma_gb_per_s, row.device_gb_per_s)


def _reuse_table(private: Sequence[AdviseRow], shared: Sequence[AdviseRow], r: float) -> Table:
    against = [row.target for row in shared]
    columns = (
        "target",
        "copies, GB/s",
        "memory, GB/s",
        f"at r = {figure(r)}, GB/s",
        *(f"ahead of {one}, r" for one in against),
    )
    rows = [
        (
            row.target,
            figure(row.dma_gb_per_s),
            figure(row.device_gb_per_s),
            figure(_at(row, r)),
            *(_threshold(row.r_threshold.get(one)) for one in against),
        )
        for row in private
    ]
    rows += [(row.target, "-", "-", figure(row.effective_gb_per_s), *("-" for _ in against)) for row in shared]
    return Table(
        columns, rows, numbers=frozenset(columns[1:]), title="Effective bandwidth, and the r from which it is ahead"
    )


def _threshold(found: float | None) -> str:
    return "never" if found is None else f"above {figure(found)}"


def _ctc_table(file: AdviseFile, times: dict[tuple[str, str], tuple[float, float]]) -> Table:
    columns = ("target", "flow", "crossing", "computation", "CTC")
    rows = []
    for row in file.rows:
        one, ctc = times[row.target, way(row)]
        rows.append((row.target, way(row), seconds(one), seconds(ctc * one), figure(ctc)))
    return Table(columns, rows, numbers=frozenset(columns[2:]), title="Computation to communication, a unit")
