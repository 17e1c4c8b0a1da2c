"""`--dry-run`: what would be done, and how long it would take."""

from collections.abc import Sequence

from isthmus.asking.experiments import Experiment, assumed_s, estimate_s
from isthmus.base.numbers import counted
from isthmus.running.parallel import parallel_s
from isthmus.running.targets import is_model
from isthmus.show.progress import duration
from isthmus.show.session import Session


def show_plan(session: Session, experiments: Sequence[Experiment]) -> None:
    """Prints each run with the estimate of its wall time, and the estimate of all runs, with models in parallel."""
    models: list[float] = []
    devices: list[float] = []
    lines = []
    for experiment in experiments:
        wall_s, known = estimate_s(experiment)
        (models if is_model(experiment.target) else devices).append(wall_s)
        each = f"{assumed_s(experiment.bytes_each):.2g} s each assumed"
        basis = "as the last run here" if known else f"not run here yet: {each}"
        changed = "".join(f" --set {assignment}" for assignment in (*experiment.parameters, *experiment.sets))
        changed += f" --channel {experiment.channel}" if experiment.channel else ""
        work = f"{experiment.count} {experiment.counted}{changed}"
        lines.append(
            f"{experiment.application} on {experiment.target}, {experiment.flow}, {work}: "
            f"about {duration(wall_s)} ({basis})"
        )
    total = parallel_s(models) + sum(devices)
    session.lines([f"{counted(len(experiments), 'run')}, about {duration(total)} in all", *lines])
