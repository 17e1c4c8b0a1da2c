"""The points of a sweep: experiments of a study, each with one value of every key."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path

from isthmus.applications import is_parameter, is_program
from isthmus.asked import Asked
from isthmus.build_info import build_info
from isthmus.errors import IsthmusError
from isthmus.experiments import Experiment
from isthmus.studies import Flags, experiments_of
from isthmus.study_file import StudyDescription
from isthmus.sweeping.values import MOST, Axis, points_of
from isthmus.targets import is_model, platform

Say = Callable[[str], None]


@dataclass(frozen=True)
class Point:
    """An experiment at values of keys, and what it is known by from run to run."""

    values: tuple[tuple[str, str], ...]
    experiment: Experiment
    key: str


def points(study: StudyDescription, path: Path, flags: Flags, axes: Sequence[Axis], say: Say) -> list[Point]:
    """Every combination of values, for each target and flow of the study; what is no model is left out, and said.

    Each value is checked by itself before anything runs. An IsthmusError where there are over a million points.
    """
    if points_of(axes) > MOST:
        raise _too_many()
    first = experiments_of(study, path, _with(flags, axes, [axis.values[0] for axis in axes]))
    models = _models(first, path, say)
    if points_of(axes) * len(models) > MOST:
        raise _too_many()
    for axis in axes:
        _check(axis, study, path, flags, axes, models)
    identify = _Identity()
    found = []
    for values in product(*(axis.values for axis in axes)):
        pairs = tuple((axis.key, value) for axis, value in zip(axes, values, strict=True))
        found += [Point(pairs, run, identify(run)) for run in (_at(model, pairs) for model in models)]
    return found


def point_of(experiment: Experiment, values: Sequence[tuple[str, str]]) -> Point:
    """One more, of the same kind."""
    run = _at(experiment, values)
    return Point(tuple(values), run, _Identity()(run))


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


def _with(flags: Flags, axes: Sequence[Axis], values: Sequence[str]) -> Flags:
    sets = [f"{axis.key}={value}" for axis, value in zip(axes, values, strict=True)]
    return replace(flags, asked=Asked(flags.asked.count, flags.asked.typed, sets))


def _check(
    axis: Axis, study: StudyDescription, path: Path, flags: Flags, axes: Sequence[Axis], models: Sequence[Experiment]
) -> None:
    """Refuses a value that no target takes, in the words of who refuses it."""
    at = list(axes).index(axis)
    for value in axis.values[1:] if is_parameter(axis.key) else ():
        chosen = [each.values[0] for each in axes]
        chosen[at] = value
        experiments_of(study, path, _with(flags, axes, chosen))
    for target in dict.fromkeys(run.target for run in models) if not is_parameter(axis.key) else ():
        for value in axis.values:
            platform(target, [f"{axis.key}={value}"])


def _at(experiment: Experiment, values: Sequence[tuple[str, str]]) -> Experiment:
    """The experiment with these in place of what else is set for the same keys."""
    sets = {**dict(_pairs(experiment.sets)), **{key: value for key, value in values if not is_parameter(key)}}
    parameters = {**dict(_pairs(experiment.parameters)), **{key: one for key, one in values if is_parameter(key)}}
    return replace(experiment, sets=_assigned(sets), parameters=_assigned(parameters))


def _pairs(assignments: Sequence[str]) -> Iterator[tuple[str, str]]:
    for one in assignments:
        key, _, value = one.partition("=")
        yield key, value


def _assigned(pairs: dict[str, str]) -> tuple[str, ...]:
    return tuple(f"{key}={value}" for key, value in pairs.items())


class _Identity:
    """What an experiment is known by."""

    def __call__(self, run: Experiment) -> str:
        """A hash of what its row follows from: version, platform and its settings, application, flow, count, seed."""
        words = [
            *(build_info().version, build_info().commit, _platform(run.target), sorted(run.sets), run.channel),
            *(run.application, _program(run.application), sorted(run.parameters), run.flow),
            *(run.count, run.seed, run.grain, run.faults, run.target),
        ]
        return hashlib.sha256(json.dumps(words).encode()).hexdigest()


@cache
def _platform(target: str) -> str:
    return str(platform(target)["sha256"])


@cache
def _program(application: str) -> str:
    return hashlib.sha256(Path(application).read_bytes()).hexdigest() if is_program(application) else ""
