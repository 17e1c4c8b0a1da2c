"""`isthmus --version`."""

import ctypes
import shutil
import subprocess

from isthmus.base.build_info import build_info
from isthmus.recording.layer import shipped_loader


def version_lines() -> list[str]:
    """Version, commit, compiler, and the OpenCL and MPI that are found on this machine."""
    build = build_info()
    return [
        f"isthmus {build.version}",
        f"commit {build.commit}",
        f"compiler {build.compiler}",
        f"OpenCL {opencl_loader() or 'not found'}",
        f"MPI {mpi_launcher() or 'not found'}",
    ]


def opencl_loader() -> str | None:
    """The OpenCL loader that devices are found with: this machine's, else the one of the package."""
    for name in ("libOpenCL.so.1", *map(str, shipped_loader())):
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return name
    return None


def mpi_launcher() -> str | None:
    """The first line of `mpirun --version`, if there is an mpirun."""
    launcher = shutil.which("mpirun")
    if launcher is None:
        return None
    try:
        answer = subprocess.run([launcher, "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return launcher
    return answer.stdout.strip().splitlines()[0] if answer.stdout.strip() else launcher
