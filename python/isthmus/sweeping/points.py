"""The points of a sweep: experiments of a study, each with one value of every key."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path

from isthmus.asking.application_options import ApplicationOptions
from isthmus.asking.experiments import Experiment
from isthmus.asking.studies import Flags, experiments_of
from isthmus.asking.study_file import StudyDescription
from isthmus.base.build_info import build_info
from isthmus.base.errors import IsthmusError
from isthmus.judging.coherence import kept_coherent
from isthmus.running.application import is_app_key, is_parameter, is_program
from isthmus.running.targets import is_model, platform
from isthmus.running.tools import assignments, pairs_of
from isthmus.sweeping.values import MOST, Axis, points_of

Say = Callable[[str], None]


@dataclass(frozen=True)
class Point:
    """An experiment at values of keys, and the name by which later runs know it."""

    values: tuple[tuple[str, str], ...]
    experiment: Experiment
    key: str


def points(study: StudyDescription, path: Path, flags: Flags, axes: Sequence[Axis], say: Say) -> list[Point]:
    """Every combination of values, for each target and flow of the study; what is no model is left out, and said.

    Each value is checked by itself before anything runs. An IsthmusError where there are over a million points.
    """
    if points_of(axes) > MOST:
        raise _too_many()
    experiments = _Experiments(study, path, flags, axes)
    models = _models(experiments.at({}), path, say)
    if points_of(axes) * len(models) > MOST:
        raise _too_many()
    for axis in axes:
        _check(axis, experiments, models)
    found = []
    for values in product(*(axis.values for axis in axes)):
        pairs = tuple((axis.key, value) for axis, value in zip(axes, values, strict=True))
        of_description = {key: value for key, value in pairs if is_app_key(key)}
        runs = experiments.at(of_description) if of_description else models
        found += [point_of(run, pairs) for run in runs if is_model(run.target)]
    return found


class _Experiments:
    """The experiments of the study at values of some keys, the others at their first; made once for each."""

    def __init__(self, study: StudyDescription, path: Path, flags: Flags, axes: Sequence[Axis]) -> None:
        self._study, self._path, self._flags = study, path, flags
        self._first = {axis.key: axis.values[0] for axis in axes}
        self._known: dict[tuple[str, ...], list[Experiment]] = {}

    def at(self, values: Mapping[str, str]) -> list[Experiment]:
        """An IsthmusError where the study takes no such value."""
        sets = assignments({**self._first, **values})
        if sets not in self._known:
            asked = ApplicationOptions(self._flags.asked.count, self._flags.asked.typed, sets)
            runs = experiments_of(self._study, self._path, replace(self._flags, asked=asked))
            self._known[sets] = [kept_coherent(run) for run in runs]
        return self._known[sets]


def point_of(experiment: Experiment, values: Sequence[tuple[str, str]]) -> Point:
    """An experiment with these values in place of its own."""
    run = _at(experiment, values)
    return Point(tuple(values), run, _identity(run))


def _too_many() -> IsthmusError:
    return IsthmusError(f"--set: a sweep of over {MOST:,} points; expected fewer values")


def _models(experiments: Sequence[Experiment], path: Path, say: Say) -> list[Experiment]:
    models = [run for run in experiments if is_model(run.target)]
    others = list(dict.fromkeys(run.target for run in experiments if not is_model(run.target)))
    if not models:
        raise IsthmusError(f"{path}: key 'study.targets': expected a model, which a sweep can change, got {others[0]}")
    if others:
        say(f"left out {', '.join(others)}: a sweep is of models")
    return models


def _check(axis: Axis, experiments: _Experiments, models: Sequence[Experiment]) -> None:
    """Refuses a value that no target takes, with the message of the target."""
    if is_parameter(axis.key) or is_app_key(axis.key):
        for value in axis.values:
            experiments.at({axis.key: value})
        return
    for target in dict.fromkeys(run.target for run in models):
        for value in axis.values:
            platform(target, [f"{axis.key}={value}"])


def _at(experiment: Experiment, values: Sequence[tuple[str, str]]) -> Experiment:
    """The experiment with these in place of what else is set for the same keys."""
    own = [(key, value) for key, value in values if not is_app_key(key)]
    sets, parameters = (pairs_of(given) for given in (experiment.sets, experiment.parameters))
    sets |= {key: value for key, value in own if not is_parameter(key)}
    parameters |= {key: value for key, value in own if is_parameter(key)}
    return replace(experiment, sets=assignments(sets), parameters=assignments(parameters))


def _identity(run: Experiment) -> str:
    """A hash of what its row follows from: version, platform and its overrides, application, flow, count, seed."""
    words = [build_info().version, build_info().commit, _platform(run.target), _program(run.application)]
    return hashlib.sha256(json.dumps([*words, run.tool, run.request()]).encode()).hexdigest()


@cache
def _platform(target: str) -> str:
    return str(platform(target)["sha256"])


@cache
def _program(application: str) -> str:
    return hashlib.sha256(Path(application).read_bytes()).hexdigest() if is_program(application) else ""
