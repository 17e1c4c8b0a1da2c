"""The OpenCL loader that a program gets: its own if that knows layers, else one that does, put before it."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from isthmus.base.errors import IsthmusError
from isthmus.recording.layer import shipped_loader

_NAME = "libOpenCL.so.1"
_NAMES = ("libOpenCL.so", _NAME)
_KNOWS_LAYERS = b"OPENCL_LAYERS"  # the variable that a loader with layers reads (ocl-icd 2.3, Khronos's of 2020)


def loader_environment(program: str, wanted: str | None, folder: Path) -> dict[str, str]:
    """The variables that give `program` a loader with support for layers; none if it gets one anyway.

    `wanted` is a loader to use in any case. Links to the loader are made in `folder`, the first place where
    LD_LIBRARY_PATH then looks; a program that has a path of its own built in gets the loader by LD_PRELOAD.
    """
    executable = shutil.which(program)
    if wanted is not None:
        loader = _checked(Path(wanted))
    else:
        own = _loader_of(executable, os.environ)
        if own is not None and knows_layers(own):
            return {}
        loader = _capable(own)
    folder.mkdir(parents=True, exist_ok=True)
    for name in _NAMES:
        (folder / name).symlink_to(loader.resolve())
    paths = [str(folder), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    found = {"LD_LIBRARY_PATH": ":".join(paths)}
    now = _linked(executable, {**os.environ, **found}) if executable else None
    if now is not None and now.resolve() != loader.resolve():
        found["LD_PRELOAD"] = " ".join([str(folder / _NAME), *filter(None, [os.environ.get("LD_PRELOAD")])])
    return found


def knows_layers(loader: Path) -> bool:
    """Tells whether a loader reads OPENCL_LAYERS."""
    try:
        return _KNOWS_LAYERS in loader.read_bytes()
    except OSError:
        return False


def _checked(loader: Path) -> Path:
    if not loader.is_file():
        raise IsthmusError(f"--loader {loader}: expected the file of an OpenCL loader")
    if not knows_layers(loader):
        raise IsthmusError(f"--loader {loader}: knows no layers", hint="ocl-icd does from 2.3 on, Khronos's from 2021.")
    return loader


def _capable(own: Path | None) -> Path:
    for loader in [*shipped_loader(), *_installed()]:
        if knows_layers(loader):
            return loader
    has = f"{own}, which knows no layers" if own else "none"
    raise IsthmusError(
        f"no OpenCL loader with layers: the program would get {has}",
        hint="install Debian's ocl-icd-libopencl1, or name one with --loader FILE.",
    )


def _loader_of(executable: str | None, environment: Mapping[str, str]) -> Path | None:
    """What the dynamic linker gives the program; for a script, or one that loads it later, what it gives by default."""
    linked = _linked(executable, environment) if executable else None
    return linked or next(iter(_by_default(environment)), None)


def _linked(executable: str, environment: Mapping[str, str]) -> Path | None:
    """The loader among the libraries of an executable; None where there is none, as of a script."""
    for line in _lines(["ldd", executable], environment):
        name, arrow, rest = line.strip().partition(" => ")
        if arrow and name.startswith("libOpenCL.so") and rest.startswith("/"):
            return Path(rest.rpartition(" (")[0])
    return None


def _by_default(environment: Mapping[str, str]) -> Iterator[Path]:
    for folder in environment.get("LD_LIBRARY_PATH", "").split(":"):
        if folder and (Path(folder) / _NAME).is_file():
            yield Path(folder) / _NAME
    yield from _installed()


def _installed() -> Iterator[Path]:
    """Loaders that ldconfig knows, its favourite first."""
    ldconfig = shutil.which("ldconfig") or "/sbin/ldconfig"
    for line in _lines([ldconfig, "-p"], os.environ):
        name, _, rest = line.strip().partition(" ")
        if name == _NAME and "=>" in rest:
            yield Path(rest.rpartition("=> ")[2])


def _lines(command: list[str], environment: Mapping[str, str]) -> Iterable[str]:
    try:
        done = subprocess.run(
            command, env=dict(environment), capture_output=True, text=True, check=False, errors="replace"
        )
    except OSError:
        return []
    return done.stdout.splitlines()
