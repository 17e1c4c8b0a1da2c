"""Running a program with the layer."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from isthmus.base.errors import saying
from isthmus.recording.layer import layer_path
from isthmus.recording.loader import loader_environment
from isthmus.running.tools import SIGNALLED


@contextmanager
def journal_folder(parent: Path) -> Iterator[Path]:
    """A folder for journals, on the disk of the record; it stays where the record was not written."""
    with saying(f"{parent}: cannot write"):
        parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix="isthmus-record-", dir=parent)).resolve()
    try:
        yield folder
    except BaseException:
        if not any(folder.glob("*.journal")):
            shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)


def environment_of(program: str, folder: Path, loader: str | None) -> dict[str, str]:
    """The variables to add to the environment of a program that is to be recorded."""
    layers = [str(layer_path()), *filter(None, [os.environ.get("OPENCL_LAYERS")])]
    found = loader_environment(program, loader, folder / "loader")
    return {**found, "OPENCL_LAYERS": ":".join(layers), "ISTHMUS_RECORD_DIR": str(folder)}


def run_program(command: Sequence[str], environment: Mapping[str, str], stdout: Any = None) -> int:
    """Runs a program with this command's own input and output; its exit code, 128 and the signal if one ended it.

    What the terminal sends (Ctrl-C) reaches the program by itself; what is sent to this process is passed on.
    """
    with saying(f"{command[0]}: cannot start"):
        program = subprocess.Popen(list(command), env={**os.environ, **environment}, stdout=stdout)
    with _passing_on(program):
        status = program.wait()
    return status if status >= 0 else SIGNALLED - status


@contextmanager
def _passing_on(program: "subprocess.Popen[bytes]") -> Iterator[None]:
    def pass_on(number: int, frame: object) -> None:
        if number != signal.SIGINT:
            program.send_signal(number)

    before = {number: signal.signal(number, pass_on) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
