"""Finding the parameters that a benchmark is best run with on a device, and finding them again for later runs."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from isthmus.base.errors import IsthmusError
from isthmus.hpcc.benchmarks import rated, space_of
from isthmus.hpcc.build import compilation_of
from isthmus.hpcc.tuning.search import Candidate, Search
from isthmus.hpcc.tuning.trials import Trials
from isthmus.hpcc.tuning.tuned import Best, Task, best_for, file_of, hash_of_kernels, keep, locked, tuned_folder
from isthmus.records.hpcc import HpccTrial, HpccTuningResult
from isthmus.running.tools import Launch, Request, as_options, as_sets, assignments, request_of


@dataclass(frozen=True)
class TuningRequest:
    """A person's request: a benchmark with the options that decide which parameters are best."""

    benchmark: str
    on: str
    size: str
    variant: str | None
    shape: str | None
    optimized: bool
    ranks: int
    grid: str | None
    scheme: str | None
    sets: tuple[str, ...]

    def request(self) -> Request:
        """The request to `isthmus-hpcc`."""
        return request_of({"BENCH": self.benchmark, **self._options(), "set": as_sets(self.sets)})

    def request_of_ranks(self) -> Request:
        """The part of it that belongs to the ranks and their devices."""
        return request_of(self._of_ranks())

    def words(self) -> list[str]:
        """The words behind `isthmus hpcc`."""
        return [self.benchmark, *as_options({**self._options(), "set": self.sets, **self._of_ranks()})]

    def _options(self) -> dict[str, object]:
        options = {"size": self.size, "variant": self.variant, "shape": self.shape}
        return {**options, "optimized": self.optimized}

    def _of_ranks(self) -> dict[str, object]:
        return {"on": self.on, "grid": self.grid, "scheme": self.scheme}


@dataclass(frozen=True)
class TuningResult:
    """The best parameters of a run, and the file that holds them."""

    file: Path
    candidate: Candidate

    def request(self) -> Request:
        """The part of a request to `isthmus-hpcc`."""
        return request_of({"parameters-from": str(self.file), "set": self.candidate})

    def line(self) -> str:
        """The result in a line for people."""
        return f"tuned for this device: {' '.join(assignments(self.candidate)) or 'the defaults'} ({self.file})"


class DevicesDifferError(IsthmusError):
    """The devices differ, so that no parameters are best for all of them."""


@dataclass(frozen=True)
class DeviceRun:
    """A run on its device: which it is, what is tuned there, where it is kept."""

    task: Task
    device: str
    driver: str
    parameters: dict[str, Any]
    file: Path

    @property
    def form(self) -> str:
        """The form of the kernels: single, cpu or gpu."""
        return self.task.shape or self.task.variant

    @property
    def trials(self) -> Path:
        """The file of the search's trials."""
        name = hashlib.sha256(json.dumps([self.device, self.driver, asdict(self.task)]).encode()).hexdigest()[:16]
        return tuned_folder() / "trials" / f"{self.task.benchmark}-{name}.jsonl"


def known(run: TuningRequest, launch: Launch | None = None) -> DeviceRun:
    """What a run means on its device, here or where `launch` starts one rank; DevicesDifferError where they differ."""
    made = [compilation_of({**run.request(), "parameters": True, "on": target}, launch) for target in run.on.split(",")]
    devices = {(one["device_info"]["name"], one["device_info"]["driver"]) for one in made}
    if len(devices) != 1:
        raise DevicesDifferError(f"--on {run.on}: expected devices that are all the same")
    ((device, driver),) = devices
    first = made[0]
    task = Task(
        benchmark=run.benchmark,
        size=run.size,
        variant=first["variant"],
        shape=first["shape"],
        run="optimized" if run.optimized else "base",
        ranks=run.ranks,
        grid=run.grid,
        scheme=run.scheme,
        fixed=tuple(sorted(run.sets)),
        kernels=hash_of_kernels(),
    )
    return DeviceRun(task, device, driver, first["parameters"], file_of(device, driver))


def tuned_before(run: TuningRequest, launch: Launch | None = None) -> TuningResult | None:
    """The best parameters found for exactly this run on its device, here or where `launch` starts one rank."""
    if not any(tuned_folder().glob("*.json")):
        return None
    try:
        here = known(run, launch)
    except DevicesDifferError:
        return None
    best = best_for(here.file, here.task)
    return None if best is None else TuningResult(here.file, best.settings)


def tune(
    run: TuningRequest,
    budget_s: float,
    again: bool,
    on_trial: Callable[[HpccTrial], None],
    on_better: Callable[[Candidate], None],
) -> HpccTuningResult:
    """Searches until nothing gets better or the budget is spent; what a search before has tried is not tried again."""
    here = known(run)
    fixed = {override.partition("=")[0] for override in run.sets}
    space = {name: values for name, values in space_of(run.benchmark, here.form).items() if name not in fixed}
    if not space:
        raise IsthmusError(f"{run.benchmark}: every parameter that could be tuned is set by hand")
    with locked(here.trials.with_suffix(".lock"), wait=False):
        if again:
            here.trials.unlink(missing_ok=True)
        request = {**run.request(), **run.request_of_ranks()}
        trials = Trials(here.trials, request, run.ranks, rated(run.benchmark), budget_s, on_trial)

        def better(candidate: Candidate) -> None:
            keep(here.file, here.task, _best(run.benchmark, trials.done, candidate))
            on_better(candidate)

        defaults = {name: int(here.parameters[name]) for name in space}
        search = Search(space, defaults, trials.answer, better)
        complete = search.run()
        best = _best(run.benchmark, trials.done, search.best)
        keep(here.file, here.task, best)
    return _result(run, here, best, trials.done, complete)


def _best(benchmark: str, trials: Sequence[HpccTrial], candidate: Candidate) -> Best:
    value = _value_of(trials, candidate)
    if value is None:
        why = next((trial.reason for trial in trials if trial.reason), "the budget ended before the first trial")
        raise IsthmusError(f"{benchmark}: no configuration is known to run here: {why}")
    unit = next(trial.unit for trial in trials if trial.value is not None)
    return Best(candidate, value, _value_of(trials, {}), unit)


def _value_of(trials: Sequence[HpccTrial], candidate: Candidate) -> float | None:
    return max(
        (trial.value for trial in trials if trial.settings == candidate and trial.value is not None), default=None
    )


def _result(
    run: TuningRequest, here: DeviceRun, best: Best, trials: list[HpccTrial], complete: bool
) -> HpccTuningResult:
    task = {name: value for name, value in asdict(here.task).items() if name in HpccTuningResult.model_fields}
    found = {"device": here.device, "driver": here.driver, "file": str(here.file), "trials": trials}
    return HpccTuningResult.model_validate({**task, **asdict(best), **found, "complete": complete})
