"""Studies: applications on several targets in several flows, spread into runs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from isthmus.asking.application_options import ApplicationOptions, parameters_of, run_count, spread
from isthmus.asking.applications import ask, describe, described_with, flows_of
from isthmus.asking.experiments import Experiment, split
from isthmus.asking.study_file import StudyApplication, StudyDescription
from isthmus.base.configuration import resolve
from isthmus.base.errors import IsthmusError
from isthmus.base.grain import DEFAULT, Grain
from isthmus.base.names import meant
from isthmus.base.toml_files import TomlFile
from isthmus.descriptions.application import (
    DescribedApplication,
    background_sets,
    flows_on,
    read_described,
)
from isthmus.running.application import PATHS, Application, is_program
from isthmus.running.boards import is_chip
from isthmus.running.methods import TREE, check_method
from isthmus.running.targets import is_model, platform, read_platform, system
from isthmus.running.tools import placed


@dataclass(frozen=True)
class Flags:
    """The command line's options in place of the study file's."""

    asked: ApplicationOptions = field(default_factory=ApplicationOptions)
    repeat: str | None = None
    warmup: str | None = None
    grain: Grain | None = None


def experiments_of(study: StudyDescription, path: Path, flags: Flags) -> list[Experiment]:
    """Every run of the study that its targets allow; names that do not exist are refused here, before anything runs.

    `flags` come from the command line and win.
    """
    file = TomlFile.at(path)
    works = [_StudyApplication(work, file, number) for number, work in enumerate(study.application)]
    _refuse_twice(works)
    flags.asked.check([one.application for one in works])
    if not any(work.work.description for work in works):
        flags.asked.refuse_app_sets(f"{path} names none")
    sets = flags.asked.platform_sets()
    places = list(dict.fromkeys((place.target, place.channel) for place in study.study.targets))
    for target, channel in places:
        place = file.place("study", "targets", item=target)
        with placed({"unknown": f"{place}: unknown", target: f"{place}: {target}"}):
            if system(target) is not None:
                raise IsthmusError(f"{place}: target '{target}': expected one board, got a system of boards")
            platform(target) if is_model(target) else ask(works[0].typed, {"on": target})
        if channel is not None:
            links = read_platform(target, sets).links if is_model(target) else None
            _check_channel(channel, links, file.place("study", "targets", item=channel), target)
    if study.study.methods and not any(one.application.shares_buffers or one.work.description for one in works):
        raise IsthmusError(
            f"{file.of_key('study', 'methods')}: no application of the study has buffers that ports move"
        )
    for method in study.study.methods:
        check_method(method, file.place("study", "methods", item=method))
    flows = list(dict.fromkeys(study.study.flows))
    methods = list(dict.fromkeys(study.study.methods))
    runs = [run for work in works for run in _by_method(work, _runs(work, places, flows, flags), methods)]
    repeat, warmup = resolve("repeat", flags.repeat).value, resolve("warmup", flags.warmup).value
    grain = flags.grain or study.study.grain or DEFAULT
    faults = study.study.faults
    written = {"--faults": file.of_key("study", "faults")} if faults else {}
    runs = [
        replace(run, repeat=repeat, warmup=warmup, grain=grain, faults=faults, places={**run.places, **written})
        for run in runs
    ]
    if faults:
        with placed(written):
            ask(runs[0].application, {"faults": split("--faults", [faults], "NAME=VALUE,...")})
    return runs


@dataclass(frozen=True)
class _StudyApplication:
    """A table [application] of a study, and what its application says of itself."""

    work: StudyApplication
    file: TomlFile
    number: int  # among the tables

    @cached_property
    def typed(self) -> str:
        """The name, or the path of the program or of the description."""
        given = [key for key in ("name", "program", "description") if getattr(self.work, key) is not None]
        if len(given) != 1:
            what = "not more of them" if given else "the path of a program or of a description"
            place = self.place(given[-1] if given else None)
            keys = "key 'application.name', 'application.program' or 'application.description'"
            raise IsthmusError(f"{place}: {keys}: expected the name of an application, {what}")
        if self.work.description is not None:
            return str(self._folder / self.work.description)
        program = str(self._folder / str(self.work.program))
        return self.work.name or (program if is_program(program) else f"./{program}")

    @property
    def key(self) -> str:
        """The key that names the application."""
        return next(key for key in ("name", "program", "description") if getattr(self.work, key) is not None)

    def described(self, sets: Sequence[str]) -> DescribedApplication | None:
        """Reads the description with app.KEY=VALUE of `sets`; None for any other application."""
        return read_described(self.typed, sets) if self.work.description is not None else None

    @cached_property
    def application(self) -> Application:
        """The application of this entry; an IsthmusError if a key of its table does not fit it."""
        found = describe(self.typed, self.place(self.key))
        for key in ("images", "messages"):
            if getattr(self.work, key) is not None and key != found.counted:
                raise IsthmusError(
                    f"{self.at(key)}: '{found.name}' counts {found.counted}, expected 'application.count'"
                )
        for name in self._given():
            if name not in found.parameters:
                key = self._key(name)
                known = ", ".join(found.parameters) or "none"
                hint = meant(name, found.parameters) or f"its parameters: {known}."
                raise IsthmusError(f"{self.at(key)}: '{found.name}' has no such parameter", hint=hint)
        return found

    def place(self, key: str | None) -> str:
        """FILE:LINE of a key of the table, or of the table."""
        return self.file.place("application", *([key] if key else []), entry=self.number)

    def at(self, key: str) -> str:
        """What an error of a key of the table begins with."""
        return self.file.of_key("application", *key.split("."), entry=self.number)

    @property
    def _folder(self) -> Path:
        return Path(self.file.path).parent

    def count(self) -> int | None:
        """The count of a run, if the table has one under any name; an IsthmusError if it has two."""
        given = {
            key: value for key in ("count", "images", "messages") if (value := getattr(self.work, key)) is not None
        }
        if len(given) > 1:
            first, second = list(given)[:2]
            raise IsthmusError(f"{self.at(second)}: is another name of 'application.{first}'")
        return next(iter(given.values()), None)

    def parameters(self) -> dict[str, object]:
        """The parameters of the table; paths are from its file's folder."""
        values = {}
        for name, value in self._given().items():
            parameter = self.application.parameters[name]
            values[name] = str(self._folder / str(value)) if parameter.kind in PATHS else value
        return values

    def places(self, typed: Collection[str]) -> dict[str, str]:
        """Where its parameters are written that are not `typed`: here, or in the configuration."""
        keys = {name: self._key(name) for name in self._given() if name not in typed}
        return {f"--{name}": self.at(key) for name, key in keys.items()}

    def check(self, parameters: Sequence[str], places: Mapping[str, str]) -> None:
        """Has the application check NAME=VALUE of its parameters."""
        with placed(places):
            described_with(self.typed, self.application, parameters)

    def _key(self, name: str) -> str:
        """The key of a parameter in the table."""
        return "input" if name == "input" and self.work.input is not None else f"parameters.{name}"

    def _given(self) -> dict[str, object]:
        if self.work.input is None:
            return dict(self.work.parameters)
        if "input" in self.work.parameters:
            raise IsthmusError(f"{self.at('input')}: is another name of 'application.parameters.input'")
        return {**self.work.parameters, "input": self.work.input}


def _refuse_twice(works: Sequence[_StudyApplication]) -> None:
    """Two applications of one name could not be told apart in the results."""
    names: set[str] = set()
    for work in works:
        name = work.application.name
        if name in names:
            raise IsthmusError(
                f"{work.at(work.key)}: a second application '{name}'; expected a name each, or a study each"
            )
        names.add(name)


def _runs(
    work: _StudyApplication, places: Sequence[tuple[str, str | None]], flows: Sequence[str], flags: Flags
) -> list[Experiment]:
    """The runs of one application; an IsthmusError where no target has any of the flows."""
    base = _experiment(work, flags)
    runs = []
    flows_of_targets: dict[str, Sequence[str]] = {}
    for target, channel in places:
        described = base.described
        sets = flags.asked.platform_sets() if is_model(target) else ()
        more = background_sets(described.description, target, sets) if described else ()
        offered = flows_on(described, target, sets) if described else flows_of(work.typed, target, sets)
        flows_of_targets[target] = offered
        runs += [
            replace(base, target=target, channel=channel, flow=flow, parameters=parameters, sets=(*more, *sets))
            for flow in flows
            if flow in offered
            for parameters in spread(work.application, base.parameters)
        ]
    if not runs:
        raise IsthmusError(
            f"{work.file.of_key('study', 'flows')}: no target has any of these flows of '{work.application.name}'; "
            + "; ".join(f"{target} has {' and '.join(has) or 'none'}" for target, has in flows_of_targets.items())
        )
    return runs


def _by_method(work: _StudyApplication, runs: list[Experiment], methods: list[str]) -> list[Experiment]:
    """One experiment for each method, if ports move the application's buffers; the tree's if the study names none."""

    def shares(run: Experiment) -> bool:
        return work.application.shares_buffers or (run.described is not None and is_chip(run.target, run.sets))

    return [replace(run, method=method) for run in runs for method in (methods or [TREE] if shares(run) else [None])]


def _experiment(work: _StudyApplication, flags: Flags) -> Experiment:
    """An experiment with the application, without target and flow."""
    application = work.application
    count, given = flags.asked.of_application(application)
    parameters = parameters_of(application, given, work.parameters())
    places = {**work.places(given), **flags.asked.places()}
    work.check(parameters, places)
    return Experiment(
        application=work.typed,
        target="",
        flow="",
        count=run_count(application, work.typed, parameters, count, work.count()),
        counted=application.counted,
        bytes_each=application.bytes_each,
        parameters=parameters,
        seed=work.work.seed if work.work.seed is not None else resolve("seed").value,
        described=work.described(flags.asked.app_sets()),
        places=places,
    )


def _check_channel(channel: str, links: list[str] | None, place: str, target: str) -> None:
    """Refuses a link that the target's board does not have; `links` are None for a target that is no model."""
    key = f"{place}: key 'study.targets.channel'"
    if links is None:
        raise IsthmusError(f"{key}: '{target}' is no model, and only models have links to choose")
    if channel not in links:
        known = " or ".join(links) or f"none, '{target}' has no link"
        raise IsthmusError(f"{key}: expected {known}, got '{channel}'")
