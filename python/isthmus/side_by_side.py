"""Running experiments on models side by side: in virtual time they do not disturb each other."""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from functools import partial
from typing import TYPE_CHECKING

from isthmus.experiments import Experiment, run_experiment
from isthmus.tools import Event, Interrupt, stop_running

if TYPE_CHECKING:
    from isthmus.records import Row


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))


def side_by_side_s(alone_s: Sequence[float]) -> float:
    """Seconds that runs take side by side which take `alone_s` by themselves."""
    return max([sum(alone_s) / cores(), *alone_s])


def run_side_by_side(
    experiments: Mapping[int, Experiment], on_event: Callable[[int, Event], None], on_row: Callable[[int, "Row"], None]
) -> None:
    """Runs the experiments, as many at a time as there are cores; the callbacks take an experiment's number.

    `on_event` is called in several threads, `on_row` in this one as rows are complete. The first experiment that fails
    ends the others and is raised; after Ctrl-C the rows that are still completed are handed on.
    """
    with Interrupt(), ThreadPoolExecutor(max_workers=cores()) as pool:
        runs = {
            pool.submit(run_experiment, experiment, partial(on_event, number)): number
            for number, experiment in experiments.items()
        }
        try:
            _collect(runs, on_row)
        except Exception:
            pool.shutdown(wait=False, cancel_futures=True)
            stop_running()
            raise
        if Interrupt.happened():
            raise KeyboardInterrupt


def _collect(runs: "Mapping[Future[Row], int]", on_row: Callable[[int, "Row"], None]) -> None:
    for run in as_completed(runs):
        if not isinstance(run.exception(), KeyboardInterrupt):
            on_row(runs[run], run.result())
