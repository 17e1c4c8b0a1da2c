"""`isthmus new DIR`: a project of one's own."""

import shlex
from pathlib import Path
from typing import Annotated

from isthmus.cli.command import argument
from isthmus.project.new import write_project
from isthmus.show.session import Session

EXAMPLES = ["isthmus new my-app", "cmake -S my-app -B my-app/build && cmake --build my-app/build"]


def new(
    session: Session,
    folder: Annotated[str, argument("DIR", "The folder; it must not be there, or be empty.")],
) -> None:
    """A project of one's own: an actor, its program, a test and a study, ready to build.

    The program runs on this machine's threads and on modelled boards; 'isthmus run DIR/build/NAME' and the study
    run it. CMake finds the installed package by itself where 'isthmus' is on the PATH, else by
    -DCMAKE_PREFIX_PATH=$(isthmus --cmake-prefix).
    """
    written = write_project(Path(folder))
    session.lines([str(file) for file in written])
    session.next(f"cd {shlex.quote(folder)} && cmake -B build && cmake --build build && isthmus study study.toml")
