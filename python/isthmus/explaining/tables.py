"""An explanation as records and tables."""

import math
from collections.abc import Sequence

from isthmus.base.numbers import figure, percent
from isthmus.base.sizes import format_size
from isthmus.explaining.asking import NextMeasurement
from isthmus.explaining.explain import Explanation
from isthmus.explaining.measurement import Measurement
from isthmus.explaining.ranking import NEAR, Fit
from isthmus.records.base import KIND_WORDS
from isthmus.records.explained import Expectation, ExplainAsk, ExplainRow, ExplainVerdict, Quantity, WaterfallStep
from isthmus.running.probes import all_probes
from isthmus.show.output import Table, without

_CHANGE = "change of the model"
_LARGE = 0.5  # from here on e to the error is over a tenth more than 1 and the error


def quantity(number: Measurement, seconds: float) -> Quantity:
    """A number, had it taken so long."""
    return Quantity(probe=number.probe, size=number.size, value=number.value_of(seconds), unit=number.unit)


def rows_of(found: Explanation) -> list[ExplainRow]:
    """A row for each cause, best first."""
    return [_row(found, fit, rank) for rank, place in enumerate(found.places, 1) for fit in place]


def _row(found: Explanation, fit: Fit, rank: int) -> ExplainRow:
    return ExplainRow(
        cause=_named(fit),
        set=found.change_of(fit).told,
        error=fit.error,
        rank=rank,
        together=fit.together,
        ruled_out=fit.ruled_out,
        predicted=[quantity(one, took) for one, took in zip(found.numbers, fit.trial.seconds, strict=True)],
        host_busy=fit.trial.busy,
        look=found.looks_of(fit),
    )


def _named(fit: Fit) -> str:
    return " and ".join(fit.causes)


def ask_of(question: NextMeasurement | None, found: Explanation) -> ExplainAsk | None:
    """The next measurement as a record; None if one cause is left."""
    if question is None:
        return None
    number = question.number
    values = [number.value_of(took) if number else None for took in question.seconds or [0.0] * len(question.fits)]
    return ExplainAsk(
        probe=number.probe if number else None,
        size=number.size if number else None,
        command=_command(number) if number else None,
        expected=[
            Expectation(cause=_named(fit), value=value, unit=number.unit if number else None, look=found.looks_of(fit))
            for fit, value in zip(question.fits, values, strict=True)
        ],
    )


def _command(number: Measurement) -> str | None:
    """The command that measures it on the first OpenCL device; None if only models have the probe."""
    if all_probes()[number.probe].on_models_alone:
        return None
    sizes = f" --sizes {format_size(number.size)}" if number.size else ""
    return f"isthmus probe opencl:0 {number.probe}{sizes}"


def verdict_of(found: Explanation) -> ExplainVerdict:
    """The first place in words."""
    error = found.base_error
    first = [] if error < NEAR else found.fitting
    causes = [_named(fit) for fit in first]
    if error < NEAR:
        says = f"the model as it is gives this within {percent(NEAR)}: nothing to explain"
    elif not causes and all(one.seconds < base.seconds for one, base in zip(found.numbers, found.base, strict=True)):
        says = f"the board is faster than its model, {_off(error)} off: a cause here only makes it slower"
    elif not causes:
        says = f"no cause here gives this: the unchanged model is {_off(error)} off, and no change comes near"
    else:
        change = " ".join(found.change_of(first[0]).told)
        or_else = f", or as well {', '.join(causes[1:])}" if causes[1:] else ""
        says = f"{causes[0]} ({change}) fits best, {_off(first[0].error)} off{or_else}"
    return ExplainVerdict(causes=causes, as_modelled=error < NEAR, base_error=error, says=says)


def _off(error: float) -> str:
    """An error as a share; a large one, which is no share of either number, as the factor between both."""
    return percent(error) if error < _LARGE else f"{figure(math.exp(error), 2)}x"


def causes_table(rows: Sequence[ExplainRow], numbers: Sequence[Measurement]) -> Table:
    """A line for each cause."""
    heads = [f"{one.what}, {one.unit}, model" for one in numbers]
    cells = [
        (
            "-" if row.ruled_out else str(row.rank),
            row.cause,
            "-" if row.ruled_out else " ".join(row.set),
            *(figure(one.value) for one in row.predicted),
            _off(row.error),
            "ruled out" if row.ruled_out else "",
        )
        for row in rows
    ]
    columns = ("place", "cause", _CHANGE, *heads, "error", "")
    numeric = frozenset({"place", "error", *heads})
    table = Table(columns, cells, numbers=numeric, below=_CHANGE)
    return without(table, _CHANGE) if all(row.ruled_out for row in rows) else table  # no change is worth a column


def waterfall_table(steps: Sequence[WaterfallStep]) -> Table:
    """The table of steps from advertised to measured."""
    unit = steps[0].unit
    column = f"{steps[0].number}, {unit}"
    cells = [(step.what, figure(step.value), KIND_WORDS[step.kind], step.pays) for step in steps]
    return Table(("left after", column, "kind", "pays for"), cells, numbers=frozenset({column}))


def asked_lines(ask: ExplainAsk | None) -> list[str]:
    """The next measurement in words."""
    if ask is None:
        return []
    if ask.probe is None:
        return [f"{one.cause}: {'; '.join(one.look)}" for one in ask.expected]
    expected = ", ".join(f"{figure(one.value)} {one.unit} if {one.cause}" for one in ask.expected)
    size = f" {format_size(ask.size)}" if ask.size else ""
    return [f"to distinguish these measure {ask.probe}{size}: {expected}"]
