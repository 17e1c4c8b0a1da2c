"""Applications: those that come with Isthmus, by name, and programs and descriptions of one's own, by path."""

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isthmus.base.errors import IsthmusError
from isthmus.base.files import meant_file
from isthmus.base.names import listed, meant, unknown
from isthmus.running.tools import Event, as_options, collect

APP = "app."  # what keys of a description begin with where they stand among those of platforms
NUMBERS = ("integer", "number")
PATHS = ("folder", "file")
RUN_TOOL, DESCRIBED_TOOL = "isthmus-run", "isthmus-described"


@dataclass(frozen=True)
class Parameter:
    """Something that an application lets its user choose, as it declares it."""

    name: str
    kind: str  # integer, number, text, choice, folder or file
    help: str
    unit: str | None = None
    default: Any = None
    min: float | None = None
    max: float | None = None
    choices: tuple[str, ...] = ()
    several: bool = False  # a list of choices, with commas between, is a row each

    def each(self, value: str) -> list[str]:
        """The values for which a list stands; each of them gets a row."""
        return value.split(",") if self.several else [value]

    @property
    def metavar(self) -> str:
        """The word for a value in help."""
        return {"integer": "N", "number": "X", "folder": "DIR", "file": "FILE"}.get(self.kind, "TEXT")

    @property
    def expected(self) -> str:
        """Says what a value should be."""
        if self.kind == "choice":
            return f"{'a list of ' if self.several else ''}{' or '.join(self.choices)}"
        what = {"integer": "a whole number", "number": "a number", "folder": "a folder", "file": "a file"}
        return " ".join(part for part in (what.get(self.kind, "text"), self._span(), self.unit or "") if part)

    @property
    def told(self) -> str:
        """Says for help what it means, what it should be and what it is by default."""
        default = "" if self.default is None else f" [default: {self.default}]"
        allowed = f" ({self._allowed})" if self._allowed else ""
        return f"{self.help.rstrip('.')}{allowed}.{default}"

    @property
    def _allowed(self) -> str:
        """The values that it takes, for help; of a text or a path, whose metavar says it, the unit alone."""
        if self.kind == "choice":
            choices = listed(self.choices, "or")
            return f"{choices}; several with commas between" if self.several else choices
        return self.expected if self.kind in NUMBERS else self.unit or ""

    def check(self, value: object, place: str) -> None:
        """Refuses a text that is no value of the parameter, by an IsthmusError that names `place`."""
        if not self._admits(str(value)):
            hint = meant(str(value), self.choices)
            raise IsthmusError(f"{place}: expected {self.expected}, got '{value}'", hint=hint)
        each = self.each(str(value))
        again = next((one for one in each if each.count(one) > 1), None)
        if again is not None:
            raise IsthmusError(f"{place}: expected each {self.name} once, got '{again}' again")

    def _admits(self, text: str) -> bool:
        if self.kind == "choice":
            return all(one in self.choices for one in self.each(text))
        if self.kind in PATHS:
            return Path(text).is_dir() if self.kind == "folder" else Path(text).is_file()
        if self.kind not in NUMBERS:
            return True
        try:
            number = int(text) if self.kind == "integer" else float(text)
        except ValueError:
            return False
        least, most = (-math.inf if self.min is None else self.min), (math.inf if self.max is None else self.max)
        return math.isfinite(number) and least <= number <= most

    def _span(self) -> str:
        if self.min is not None and self.max is not None:
            return f"from {self.min:.12g} to {self.max:.12g}"
        if self.min is not None:
            return f"of {self.min:.12g} or more"
        return "" if self.max is None else f"of {self.max:.12g} or less"


@dataclass(frozen=True)
class Application:
    """The description that an application gives of itself."""

    name: str
    counted: str  # images, messages, ...
    count: int  # that a run takes where none is asked for
    bytes_each: int  # of one that is counted, with its parameters as they are by default
    flows: tuple[str, ...]
    parameters: Mapping[str, Parameter]
    shares_buffers: bool = False  # that ports of an FPGA move of a processor's memory


def applications() -> list[str]:
    """The names of the applications that come with Isthmus."""
    return [str(event["name"]) for event in collect("isthmus-run", ["--list"], "application")]


def is_description(application: str) -> bool:
    """Tells whether it is the file of a description (docs/advise.md)."""
    return application.endswith(".toml")


def is_program(application: str) -> bool:
    """Tells whether it is the path of a program (see include/isthmus/program): as in a shell, a path has a slash."""
    return "/" in application and not is_description(application)


def tool_of(application: str) -> str:
    """The tool that runs an application: `isthmus-run`, the program itself, or the tool for descriptions."""
    if is_description(application):
        return DESCRIBED_TOOL
    return application if is_program(application) else RUN_TOOL


def describe(application: str, place: str | None = None) -> Application:
    """Asks an application for its description; an IsthmusError, with the nearest name, if there is none.

    `place` is where it is written, as FILE:LINE.
    """
    if is_description(application):
        return _of_description(application, f"{place}: " if place else "")
    if is_program(application):
        return _program(application, f"{place}: " if place else "")
    told = {str(event["name"]): event for event in collect("isthmus-run", ["--list"], "application")}
    if application not in told:
        raise unknown("application", application, list(told), place)
    return _described(told[application])


def described_with(typed: str, application: Application, parameters: Sequence[str]) -> Application:
    """Asks again with NAME=VALUE of its parameters: a file may hold another number of what is counted."""
    return _described(_told(typed, parameters)) if parameters else application


def buffers_of(typed: str, parameters: Sequence[str]) -> list[dict[str, Any]]:
    """Asks an application about its buffers that ports of an FPGA move."""
    return list(_told(typed, parameters).get("buffers", []))


def _told(typed: str, parameters: Sequence[str]) -> Event:
    """The tool's answer about an application with NAME=VALUE of its parameters."""
    tool = tool_of(typed)
    words = as_options({"app": typed if tool == RUN_TOOL else None, "list": True, "set": tuple(parameters)})
    (told,) = collect(tool, words, "application")
    return told


def _of_description(path: str, prefix: str) -> Application:
    from isthmus.running.descriptions.application import as_application
    from isthmus.running.descriptions.description import read_description

    if not Path(path).is_file():
        raise IsthmusError(f"{prefix}description '{path}': no such file", hint=meant_file(Path(path), "*.toml"))
    return as_application(read_description(Path(path)))


def _program(path: str, prefix: str) -> Application:
    if not Path(path).is_file():
        hint = meant_file(Path(path)) or "build it first."
        raise IsthmusError(f"{prefix}program '{path}': no such file", hint=hint)
    if not os.access(path, os.X_OK):
        raise IsthmusError(f"{prefix}program '{path}': cannot be run, it is not executable")
    told = collect(path, ["--list"], "application")
    if not told:
        raise IsthmusError(f"{prefix}program '{path}': does not say which application it is (--list)")
    return _described(told[0])


def _described(event: Event) -> Application:
    try:
        parameters = [Parameter(**{**one, "choices": tuple(one.get("choices", ()))}) for one in event["parameters"]]
        return Application(
            name=event["name"],
            counted=event["counted"],
            count=event["count"],
            bytes_each=event["bytes_each"],
            flows=tuple(event["flows"]),
            parameters={one.name: one for one in parameters},
            shares_buffers=bool(event.get("buffers")),
        )
    except (KeyError, TypeError) as error:
        raise IsthmusError(
            f"application '{event.get('name')}': its program does not say {error}", hint="build it with this version."
        ) from None


def is_parameter(assignment: str) -> bool:
    """Tells whether NAME=VALUE is of an application's parameter: keys of platforms have a dot."""
    return "." not in assignment.partition("=")[0]


def is_app_key(assignment: str) -> bool:
    """Tells whether KEY=VALUE is of a description: `app.KEY`, a name that no part of a board has."""
    return assignment.strip().startswith(APP)
