"""How the ranks of a benchmark are started."""

import os
import shutil

from isthmus.errors import IsthmusError
from isthmus.tools import Launch


def launch_of(ranks: int) -> Launch:
    """The way to start so many ranks on this host: mpirun, or nothing around a single one.

    Ranks are not bound by mpirun, which would leave a rank's device threads one core; PoCL binds its own threads, one
    a core. More ranks than cores share them and yield while they wait.
    """
    cores = len(os.sched_getaffinity(0))
    bound = {} if ranks > cores else {"POCL_AFFINITY": os.environ.get("POCL_AFFINITY", "1")}
    if ranks == 1:
        return Launch(environment=bound)
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        raise IsthmusError(f"-n {ranks}: mpirun not found", hint="install OpenMPI (Debian's openmpi-bin).")
    words = [mpirun, "--quiet", "--bind-to", "none", "--oversubscribe", "-n", str(ranks)]
    words += ["--mca", "mpi_yield_when_idle", "1"] if ranks > cores else []
    return Launch(words, {**bound, **_as_root()})


def _as_root() -> dict[str, str]:
    """OpenMPI refuses root unless it is told twice that this is meant, as it is in containers."""
    if os.geteuid() != 0:
        return {}
    return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
