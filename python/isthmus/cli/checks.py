"""The checks of `doctor`: each says what it found, and what to do if it found nothing."""

import platform
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from isthmus.base.errors import IsthmusError
from isthmus.base.files import data_folder
from isthmus.cli.version import mpi_launcher, opencl_loader
from isthmus.recording.layer import layer_path
from isthmus.records.listings import Check
from isthmus.running.targets import devices, platforms
from isthmus.running.tools import NAMES, tool_path

PHOTOGRAPHS = Path("/usr/share/backgrounds/mate/nature")
_DEBIAN = "on Debian: apt install"
_INSTALL = "install the wheel again"
_BUILD = f"run 'make build', or {_INSTALL}"


def all_checks() -> list[Check]:
    """Every look, in the order in which one depends on the other."""
    return [
        Check(name="python", found=True, needed=True, detail=platform.python_version()),
        *(_file(name, partial(tool_path, name), _BUILD) for name in NAMES),
        _named("models", platforms, _INSTALL),
        *(_file(name, partial(data_folder, name), _INSTALL) for name in ("papers", "schemas")),
        _check("OpenCL loader", opencl_loader(), f"{_DEBIAN} ocl-icd-libopencl1"),
        _named("OpenCL device", _devices, f"pip install 'isthmus[opencl]', or {_DEBIAN} pocl-opencl-icd"),
        _file("layer", layer_path, _BUILD, needed=False, purpose=", for isthmus record"),
        _photographs(),
        _program("mpirun", mpi_launcher(), "openmpi-bin", "to run on several ranks"),
        _program("g++", shutil.which("g++"), "g++", "to build from source"),
        _program("cmake", shutil.which("cmake"), "cmake", "to build from source"),
    ]


def _file(name: str, path: Callable[[], Path], advice: str, needed: bool = True, purpose: str = "") -> Check:
    """Something of the package itself."""
    try:
        return Check(name=name, found=True, needed=needed, detail=f"{path()}{purpose}")
    except IsthmusError as error:
        return _missing(name, error, advice)


def _named(name: str, names: Callable[[], Sequence[str]], advice: str) -> Check:
    """Checks for things that a machine may have several of."""
    try:
        return _check(name, ", ".join(names()) or None, advice, absent="none")
    except IsthmusError as error:
        return _missing(name, error, advice)


def _devices() -> list[str]:
    return [f"{device['target']} {device['name']}" for device in devices()]


def _photographs() -> Check:
    found = sorted(PHOTOGRAPHS.glob("*.jpg"))
    here = f"{len(found)} in {PHOTOGRAPHS}"
    advice = f"{_DEBIAN} mate-backgrounds, or name a folder of your own with --input"
    return _check("photographs", here if found else None, advice, needed=False, absent=here)


def _program(name: str, found: str | None, package: str, purpose: str) -> Check:
    return _check(name, found, f"{_DEBIAN} {package}, {purpose}", needed=False)


def _check(name: str, found: str | None, advice: str, needed: bool = True, absent: str = "not found") -> Check:
    """A check with what was found, or with what to do if nothing was."""
    is_there = found is not None
    return Check(name=name, found=is_there, needed=needed, detail=found or absent, advice=None if is_there else advice)


def _missing(name: str, error: IsthmusError, advice: str) -> Check:
    return Check(name=name, found=False, needed=True, detail=str(error).partition("; help:")[0], advice=advice)
