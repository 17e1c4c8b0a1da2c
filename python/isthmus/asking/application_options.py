"""A person's options for applications: how much of what they count, with which parameters."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from isthmus.asking.applications import described_with
from isthmus.base.configuration import KNOWN, count_of, resolve
from isthmus.base.errors import IsthmusError
from isthmus.base.names import meant, nearest
from isthmus.base.numbers import as_written
from isthmus.running.application import Application, Parameter, is_app_key, is_parameter
from isthmus.running.tools import assignments, pairs_of


@dataclass(frozen=True)
class TypedOptions:
    """Options of applications on the command line, without their dashes, each with what follows it."""

    options: Sequence[tuple[str, str | None]] = ()
    known: Sequence[str] = ()  # options of the command itself, among which a misspelt one may be


@dataclass(frozen=True)
class ApplicationOptions:
    """The command line's options for all applications of a command, in place of what their files say."""

    count: str | None = None
    typed: TypedOptions = field(default_factory=TypedOptions)
    sets: Sequence[str] = ()  # NAME=VALUE; those with a dot are of platforms, or app.KEY=VALUE of descriptions

    def platform_sets(self) -> tuple[str, ...]:
        """Assignments to keys of platforms."""
        return tuple(one for one in self.sets if not is_parameter(one) and not is_app_key(one))

    def app_sets(self) -> tuple[str, ...]:
        """Assignments to keys of descriptions."""
        return tuple(one for one in self.sets if is_app_key(one))

    def refuse_app_sets(self, why: str) -> None:
        """Refuses those of descriptions where there is none."""
        for one in self.app_sets():
            key = one.partition("=")[0].strip()
            raise IsthmusError(f"--set {key}: only a description, FILE.toml, has keys app.*, and {why}")

    def check(self, applications: Sequence[Application]) -> None:
        """Refuses what no application takes, and what is given under two names; the last of one name holds."""
        given: dict[str, str] = {} if self.count is None else {"count": "--count"}
        for name, place in self._names():
            if not any(name in (one.counted, *one.parameters) for one in applications):
                raise self._unknown(name, place, applications)
            other = given.get(name) or (
                given.get("count") if any(name == one.counted for one in applications) else None
            )
            if other not in (None, place):
                raise IsthmusError(f"{place}: is given as {other} too")
            given[name] = place

    def _names(self) -> Iterable[tuple[str, str]]:
        for name, _ in self.typed.options:
            yield name, f"--{name}"
        for name, assigned, _ in (one.partition("=") for one in self.sets if is_parameter(one)):
            if not assigned:
                raise IsthmusError(f"--set: expected KEY=VALUE of a platform or NAME=VALUE, got '{name}'")
            yield name.strip(), f"--set {name.strip()}"

    def _unknown(self, name: str, place: str, applications: Sequence[Application]) -> IsthmusError:
        parameters = [known for one in applications for known in one.parameters]
        if place.startswith("--set "):
            known = ", ".join(dict.fromkeys(parameters)) or "none"
            hint = meant(name, parameters) or f"keys of platforms have a dot; parameters: {known}."
            return IsthmusError(f"{place}: no application here has the parameter '{name}'", hint=hint)
        options = [*parameters, *(one.counted for one in applications), *self.typed.known]
        guess = nearest(name, options)
        hint = f"did you mean '--{guess}'?" if guess else "'isthmus run APP --help' lists what an application takes."
        return IsthmusError(f"unknown option '{place}'", hint=hint)

    def of_application(self, application: Application) -> tuple[str | None, dict[str, str]]:
        """The count of what the application counts, if it is given, and its parameters."""
        count, parameters = self.count, {}
        for name, value in self.typed.options:
            if name == application.counted:
                count = str(count_of(value or "", f"--{name}"))
            elif parameter := application.parameters.get(name):
                parameters[name] = _value(value, parameter)
        for name, value in (map(str.strip, one.split("=", 1)) for one in self.sets if is_parameter(one)):
            if parameter := application.parameters.get(name):
                parameters[name] = value
        return count, parameters

    def places(self) -> dict[str, str]:
        """Where parameters were written that were not typed as --NAME."""
        typed = {f"--{name}" for name, _ in self.typed.options}
        return {f"--{name}": place for name, place in self._names() if f"--{name}" not in typed}


def run_count(
    application: Application, typed: str, parameters: Sequence[str], asked: str | None, in_file: int | None = None
) -> int:
    """The count of a run: as asked, as in a study's file, as set under either name, or the application's own.

    The last may depend on parameters, NAME=VALUE: a file has its own number of messages. `typed` names the application.
    """
    if asked is None and in_file is not None:
        return in_file
    names = ["count", *({application.counted} & KNOWN.keys())]
    found = resolve("count", asked).value or resolve(names[-1]).value
    return int(found or described_with(typed, application, parameters).count)


def parameters_of(application: Application, *given: Mapping[str, Any]) -> tuple[str, ...]:
    """NAME=VALUE of its parameters. The first of several values counts; one from the configuration comes last."""
    values: dict[str, Any] = {}
    for name in application.parameters:
        configured = {name: resolve(name).value} if name in KNOWN else {}
        value = next((one[name] for one in (*given, configured) if one.get(name) is not None), None)
        if value is not None:
            values[name] = as_written(value)
    return assignments(values)


def spread(application: Application, parameters: Sequence[str]) -> list[tuple[str, ...]]:
    """NAME=VALUE of each row: one of what a parameter that takes several is given, or is by default, in each."""
    given = pairs_of(parameters)
    rows = [given]
    for parameter in (one for one in application.parameters.values() if one.several):
        values = parameter.each(given.get(parameter.name, str(parameter.default)))
        rows = [row | {parameter.name: value} for row in rows for value in values]
    return [assignments(row) for row in rows]


def _value(value: str | None, parameter: Parameter) -> str:
    if value is None:
        raise IsthmusError(f"--{parameter.name}: expected {parameter.expected}")
    return value
