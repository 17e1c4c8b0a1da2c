"""`isthmus --version`."""

import ctypes
import shutil
import subprocess

from isthmus.base.build_info import build_info


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
    """The name of the OpenCL loader library if there is one."""
    for name in ("libOpenCL.so.1", "libOpenCL.so"):
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
