"""What `doctor` looks at: each look says what it found and what to do if it found nothing."""

import platform
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from isthmus.base.errors import IsthmusError
from isthmus.base.files import data_folder
from isthmus.cli.version import mpi_launcher, opencl_loader
from isthmus.recording.layer import layer_path
from isthmus.records import Check
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
        _models(),
        *(_file(name, partial(data_folder, name), _INSTALL) for name in ("papers", "schemas")),
        _loader(),
        _devices(),
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


def _models() -> Check:
    try:
        names = platforms()
    except IsthmusError as error:
        return _missing("models", error, _INSTALL)
    return Check(name="models", found=bool(names), needed=True, detail=", ".join(names) or "none")


def _loader() -> Check:
    name = opencl_loader()
    advice = None if name else f"{_DEBIAN} ocl-icd-libopencl1"
    return Check(name="OpenCL loader", found=name is not None, needed=True, detail=name or "not found", advice=advice)


def _devices() -> Check:
    try:
        found = devices()
    except IsthmusError as error:
        return _missing("OpenCL device", error, f"{_DEBIAN} pocl-opencl-icd")
    names = ", ".join(f"{device['target']} {device['name']}" for device in found)
    advice = None if found else f"{_DEBIAN} pocl-opencl-icd"
    return Check(name="OpenCL device", found=bool(found), needed=True, detail=names or "none", advice=advice)


def _photographs() -> Check:
    found = sorted(PHOTOGRAPHS.glob("*.jpg"))
    return Check(
        name="photographs",
        found=bool(found),
        needed=True,
        detail=f"{len(found)} in {PHOTOGRAPHS}",
        advice=None if found else f"{_DEBIAN} mate-backgrounds, or name a folder of your own with --input",
    )


def _program(name: str, found: str | None, package: str, purpose: str) -> Check:
    advice = None if found else f"{_DEBIAN} {package}, {purpose}"
    return Check(name=name, found=found is not None, needed=False, detail=found or "not found", advice=advice)


def _missing(name: str, error: IsthmusError, advice: str) -> Check:
    return Check(name=name, found=False, needed=True, detail=str(error).partition("; help:")[0], advice=advice)
