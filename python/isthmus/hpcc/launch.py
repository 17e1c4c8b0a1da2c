"""How the ranks of a benchmark are started."""

import os
import shlex
import shutil
from pathlib import Path

from isthmus.errors import IsthmusError
from isthmus.tools import Launch

# Ranks are bound by no launcher, which would leave a rank's device threads one core: the tool binds its own, near its
# device, and PoCL binds one a core.
MPIRUN = "mpirun --quiet --bind-to none --oversubscribe -n {ranks}"
SRUN = "srun --mpi=pmix --cpu-bind=none -n {ranks}"
_BY_NAME = {"mpirun": MPIRUN, "srun": SRUN}
# The same on one node of several.
_ON_NODE = {
    "mpirun": MPIRUN + " --host {node}:{ranks}",
    "srun": SRUN + " --overlap --nodes 1 --nodelist {node}",
    "ssh": "ssh -o BatchMode=yes {node} " + MPIRUN,
}


def launch_of(ranks: int, launcher: str | None = None) -> Launch:
    """The way to start so many ranks: nothing around a single one, else mpirun, or `launcher`.

    A launcher is mpirun, srun, or a command of one's own in which {ranks} stands for their number. More ranks than
    cores share them and yield while they wait.
    """
    if launcher is None:
        return _here(ranks)
    return _launch(_BY_NAME.get(launcher, launcher), launcher, ranks, None)


def launch_on(node: str, ranks: int, launcher: str) -> Launch:
    """The way to start so many ranks on one node: by mpirun, srun, ssh, or a command with {node} and {ranks} in it."""
    template = _ON_NODE.get(launcher, launcher)
    if "{node}" not in template:
        raise IsthmusError(f"--launcher '{launcher}': expected {{node}} in it, where the node's name is to stand")
    return _launch(template, launcher, ranks, node)


def _here(ranks: int) -> Launch:
    cores = len(os.sched_getaffinity(0))
    bound = {} if ranks > cores else {"POCL_AFFINITY": os.environ.get("POCL_AFFINITY", "1")}
    if ranks == 1:
        return Launch(environment=bound)
    yielding = " --mca mpi_yield_when_idle 1" if ranks > cores else ""
    return Launch(_words(MPIRUN + yielding, f"-n {ranks}", ranks, None), {**bound, **_as_root()})


def _launch(template: str, launcher: str, ranks: int, node: str | None) -> Launch:
    words = _words(template, f"--launcher '{launcher}'", ranks, node)
    # Not every launcher hands its environment on to other nodes.
    affinity = os.environ.get("POCL_AFFINITY", "1")
    remote = Path(words[0]).name == "ssh"
    return Launch([*words, "env", f"POCL_AFFINITY={affinity}"], _as_root(), quoted=remote)


def _words(template: str, who: str, ranks: int, node: str | None) -> list[str]:
    try:
        words = [word.format(ranks=ranks, node=node or "") for word in shlex.split(template)]
    except (ValueError, KeyError, IndexError) as error:
        raise IsthmusError(f"{who}: expected words with {{ranks}} and {{node}} in them at most: {error}") from error
    if not words or shutil.which(words[0]) is None:
        hint = "install OpenMPI (Debian's openmpi-bin)." if words and words[0] == "mpirun" else None
        raise IsthmusError(f"{who}: {words[0] if words else 'a command'} not found", hint=hint)
    return words


def _as_root() -> dict[str, str]:
    """OpenMPI refuses root unless it is told twice that this is meant, as it is in containers."""
    if os.geteuid() != 0:
        return {}
    return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
