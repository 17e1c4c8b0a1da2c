"""Applications: those that come with Isthmus, by name, and programs of one's own, by path."""

import os
from pathlib import Path

from isthmus.errors import IsthmusError
from isthmus.files import meant_file
from isthmus.names import unknown
from isthmus.tools import collect


def applications() -> list[str]:
    """The names of the applications that come with Isthmus."""
    return [str(event["name"]) for event in collect("isthmus-run", ["--list"], "application")]


def is_program(application: str) -> bool:
    """Whether it is the path of a program (see include/isthmus/program): as in a shell, a path has a slash."""
    return "/" in application


def counted(application: str) -> str:
    """What a run of it is counted in."""
    return "messages" if is_program(application) else "images"


def check_application(application: str, place: str | None = None) -> None:
    """Refuses an application that does not exist, with the nearest; `place` is where it is written, as FILE:LINE."""
    if not is_program(application):
        known = applications()
        if application not in known:
            raise unknown("application", application, known, place)
        return
    prefix = f"{place}: " if place else ""
    if not Path(application).is_file():
        hint = meant_file(Path(application)) or "build it first."
        raise IsthmusError(f"{prefix}program '{application}': no such file", hint=hint)
    if not os.access(application, os.X_OK):
        raise IsthmusError(f"{prefix}program '{application}': cannot be run, it is not executable")
    if not collect(application, ["--list"], "application"):
        raise IsthmusError(f"{prefix}program '{application}': does not say which application it is (--list)")
