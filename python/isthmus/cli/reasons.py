"""`--reasons`: the modelled rows that run again for what limits them."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

from isthmus.asking.experiments import Experiment
from isthmus.cli.command import configured
from isthmus.running.tools import Event

if TYPE_CHECKING:
    from isthmus.records.run import Row

Reasons = Annotated[
    str | None,
    configured(
        "--reasons none|fastest|all", "Models to run again for what limits them: of each target the fastest, or all."
    ),
]


def with_limits(
    experiments: Iterable[Experiment], rows: "Sequence[Row]", reasons: str, on_event: Callable[[Event], None]
) -> "list[Row]":
    """The rows, those that `reasons` chooses with the bottleneck that reruns find; a wrong row has none."""
    from isthmus.judging.judge import judge_in_parallel
    from isthmus.judging.verdict import fastest_of_targets

    chosen = {"none": [], "fastest": fastest_of_targets(rows), "all": rows}[reasons]
    known = {id(row) for row in chosen}
    return [
        judge_in_parallel(experiment, row, on_event) if id(row) in known or not row.verified else row
        for experiment, row in zip(experiments, rows, strict=True)
    ]
