"""What an application is and what a word for one names: one of Isthmus, a program, or a description."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from isthmus.base.names import listed
from isthmus.running.tools import Request

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


def application_of(typed: str) -> Request:
    """The part of a request that names an application, where its tool has several."""
    return {"APP": typed} if tool_of(typed) == RUN_TOOL else {}


def is_parameter(assignment: str) -> bool:
    """Tells whether NAME=VALUE is of an application's parameter: keys of platforms have a dot."""
    return "." not in assignment.partition("=")[0]


def is_app_key(assignment: str) -> bool:
    """Tells whether KEY=VALUE is of a description: `app.KEY`, a name that no part of a board has."""
    return assignment.strip().startswith(APP)
