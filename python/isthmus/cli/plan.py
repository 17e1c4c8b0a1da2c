"""`--dry-run`: what would be done, and how long it would take."""

from collections.abc import Sequence

from isthmus.cli.session import Session
from isthmus.experiments import ASSUMED_S_PER_IMAGE, Experiment, estimate_s
from isthmus.progress import duration


def show_plan(session: Session, experiments: Sequence[Experiment]) -> None:
    """Prints each run and the estimate of its wall time, then the sum."""
    total = 0.0
    lines = []
    for experiment in experiments:
        wall_s, known = estimate_s(experiment)
        total += wall_s
        basis = "as the last run here" if known else f"not run here yet: {ASSUMED_S_PER_IMAGE} s an image assumed"
        changed = "".join(f" --set {assignment}" for assignment in experiment.sets)
        lines.append(
            f"{experiment.application} on {experiment.target}, {experiment.flow}, {experiment.images} images{changed}: "
            f"about {duration(wall_s)} ({basis})"
        )
    session.lines(
        [f"{len(experiments)} {'run' if len(experiments) == 1 else 'runs'}, about {duration(total)} in all", *lines]
    )
