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

from isthmus.base.errors import IsthmusError
from isthmus.recording.layer import layer_path
from isthmus.recording.loader import loader_environment
from isthmus.running.tools import SIGNALLED


@contextmanager
def journal_folder(beside: Path) -> Iterator[Path]:
    """A folder for journals, on the disk of the record; it stays where the record was not written."""
    try:
        beside.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix="isthmus-record-", dir=beside)).resolve()
    except OSError as error:
        raise IsthmusError(f"{beside}: cannot write: {error.strerror}") from error
    try:
        yield folder
    except BaseException:
        if not any(folder.glob("*.journal")):
            shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)


def environment_of(program: str, folder: Path, loader: str | None) -> dict[str, str]:
    """What is added to the environment of a program that is to be recorded."""
    layers = [str(layer_path()), *filter(None, [os.environ.get("OPENCL_LAYERS")])]
    found = loader_environment(program, loader, folder / "loader")
    return {**found, "OPENCL_LAYERS": ":".join(layers), "ISTHMUS_RECORD_DIR": str(folder)}


def run_program(command: Sequence[str], environment: Mapping[str, str], stdout: Any = None) -> int:
    """Runs a program with this command's own input and output; its exit code, 128 and the signal if one ended it.

    What the terminal sends (Ctrl-C) reaches the program by itself; what is sent to this process is passed on.
    """
    try:
        program = subprocess.Popen(list(command), env={**os.environ, **environment}, stdout=stdout)
    except OSError as error:
        raise IsthmusError(f"{command[0]}: cannot start: {error.strerror}") from error
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
