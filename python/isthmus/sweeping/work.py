"""Running the points of a sweep on all cores of this machine."""

from collections.abc import Callable, Mapping, Sequence

from isthmus.asking.answers import ask_all
from isthmus.asking.experiments import Experiment, run_experiment
from isthmus.base.errors import IsthmusError
from isthmus.records.swept import SweepRow
from isthmus.running.tools import ignore
from isthmus.sweeping.points import Point

# What a point gave: numbers of its row, or why there is none.
Outcome = Mapping[str, object]
OnResult = Callable[[int, Outcome], None]


def outcome(experiment: Experiment) -> Outcome:
    """The numbers of one point; one that its target refuses says why."""
    try:
        row = run_experiment(experiment, ignore, remember=False)
    except IsthmusError as error:
        return {"error": str(error)}
    return {
        "value": row.value if row.verified else None,
        "unit": row.unit,
        "gb_per_s": row.gb_per_s if row.verified else None,
        "p99_s": row.latency.p99_s if row.latency is not None and row.verified else None,
        "verified": row.verified,
        "application": row.application,
    }


def run_here(points: Sequence[Point], done: OnResult) -> None:
    """Runs as many points at a time as there are cores."""
    ask_all([point.experiment for point in points], lambda run, _on_event: outcome(run), done)


def row_of(point: Point, found: Outcome) -> SweepRow:
    """The row of a point."""
    run = point.experiment
    nothing = {"unit": "", "verified": None, "value": None, "gb_per_s": None, "p99_s": None}
    return SweepRow.model_validate(
        {
            **nothing,
            "application": run.application,
            **found,
            "point": dict(point.values),
            "target": run.target,
            "channel": run.channel,
            "flow": run.flow,
            "key": point.key,
        }
    )
