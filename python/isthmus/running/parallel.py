"""Running work on models side by side: in virtual time it does not disturb each other."""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from functools import partial
from typing import TypeVar

from isthmus.running.tools import Event, Interrupt, stop_running

Work = TypeVar("Work")
Result = TypeVar("Result")
OnCount = Callable[[int, int], None]  # with how many are done, and how many there are


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))


def parallel_s(alone_s: Sequence[float]) -> float:
    """Seconds that runs take side by side which take `alone_s` by themselves."""
    return max([sum(alone_s) / cores(), *alone_s])


def run_in_parallel(
    work: Mapping[int, Work],
    on_event: Callable[[int, Event], None],
    on_result: Callable[[int, Result], None],
    run: Callable[[Work, Callable[[Event], None]], Result],
) -> None:
    """Runs each piece of work, as many at a time as there are cores; the callbacks take its number.

    `on_event` is called in several threads, `on_result` in this one as results are complete. The first piece that fails
    ends the others and is raised; after Ctrl-C the results that are still completed are handed on.
    """
    with Interrupt(), ThreadPoolExecutor(max_workers=cores()) as pool:
        runs = {pool.submit(run, piece, partial(on_event, number)): number for number, piece in work.items()}
        try:
            _collect(runs, on_result)
        except Exception:
            pool.shutdown(wait=False, cancel_futures=True)
            stop_running()
            raise
        if Interrupt.happened():
            raise KeyboardInterrupt


def _collect(runs: Mapping[Future[Result], int], on_result: Callable[[int, Result], None]) -> None:
    for run in as_completed(runs):
        if not isinstance(run.exception(), KeyboardInterrupt):
            on_result(runs[run], run.result())
