"""Advice as tables and sentences."""

from collections.abc import Callable, Sequence

from isthmus.base.numbers import figure, percent, scaled, seconds
from isthmus.records.advising import AdviseBranch, AdviseCrossing, AdviseRow, AdviseVerdict
from isthmus.running.integration import NO_MEASUREMENT
from isthmus.show.output import Table, table_of


def said_first(verdict: AdviseVerdict, first: AdviseRow) -> list[str]:
    """The verdict in a line, or two."""
    what = f"{board(first)}, {way(first)}: {scaled(first.value)} {first.unit}, model"
    span = f"{scaled(first.low)} to {scaled(first.high)}"
    head = f"best: {what} ({span})" if verdict.clear else f"no clear winner; first {what} ({span})"
    return [f"{head}, the best in {percent(verdict.wins)} of the draws", *verdict.reasons]


def way(one: AdviseRow | AdviseCrossing) -> str:
    """The flow, and the method that keeps buffers coherent where there is a choice."""
    return f"{one.flow} by {one.method}" if one.method else one.flow


def board(row: AdviseRow) -> str:
    """The target of a row, and whether its model was held against a measurement."""
    return row.target if row.calibrated else f"{row.target} ({NO_MEASUREMENT})"


def said_of_crossing(crossing: Sequence[AdviseCrossing], below_s: float | None) -> str:
    """The facts that depend on no kernel: the time to cross, and the kernel time below which the board matters."""
    least: dict[str, AdviseCrossing] = {}
    for one in sorted(crossing, key=lambda each: each.crossing_s):
        least.setdefault(one.target, one)
    times = ", ".join(f"{one.target} {way(one)} {seconds(one.crossing_s)}" for one in least.values())
    if len(least) == 1:
        return f"crossing alone, a unit: {times}"
    if below_s is None:
        return f"crossing alone, a unit: {times}; the choice matters whatever the kernel takes"
    if below_s == 0:
        return f"crossing alone, a unit: {times}; the two best boards are within a tenth whatever the kernel takes"
    return f"crossing alone, a unit: {times}; the choice matters for kernels below {seconds(below_s)} a unit"


def choices_table(rows: Sequence[AdviseRow]) -> Table:
    """One line for each choice."""
    columns: dict[str, Callable[[AdviseRow], str]] = {
        "target": board,
        "flow": way,
        rows[0].unit: lambda row: scaled(row.value),
        "from": lambda row: scaled(row.low),
        "to": lambda row: scaled(row.high),
        "formula": lambda row: scaled(row.formula),
        "run": lambda row: scaled(row.run),
        "wins": lambda row: percent(row.wins),
        "r": lambda row: figure(row.r),
        "GB/s": lambda row: figure(row.effective_gb_per_s),
        "CTC": lambda row: figure(row.ctc),
        "latency": lambda row: seconds(row.latency_s),
        "price/unit": lambda row: scaled(row.cost),
        "J/unit": lambda row: scaled(row.joules),
    }
    return table_of(rows, columns, numbers=columns.keys() - {"target", "flow"})


def _method(branch: AdviseBranch) -> str:
    """The paper's, and the model's where that is another."""
    if branch.costs_s is None or branch.least in (None, branch.method):
        return branch.method
    costs = ", ".join(f"{method} {seconds(cost)}" for method, cost in branch.costs_s.items())
    return f"{branch.method}; model: {branch.least} ({costs})"


def tree_table(branches: Sequence[AdviseBranch]) -> Table:
    """The method of each transfer where the FPGA reaches a processor's memory."""
    cells = [
        (str(one.transfer), one.direction, one.cpu, one.order, _method(one), "; ".join(one.path)) for one in branches
    ]
    return Table(
        ("transfer", "direction", "cores", "order", "method", "path (min2019, figure 5)"),
        cells,
        below="path (min2019, figure 5)",
    )
