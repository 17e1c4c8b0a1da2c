"""The start of a benchmark's ranks."""

import os
import shlex
import shutil
from pathlib import Path

from isthmus.base.errors import IsthmusError
from isthmus.base.ranks import launched_rank
from isthmus.hpcc.sight import VARIABLES
from isthmus.running.tools import Launch

# Launchers bind no rank: each binds itself, near its device.
MPIRUN = "mpirun --quiet --bind-to none --oversubscribe -n {ranks}"
SRUN = "srun --mpi=pmix --cpu-bind=none --overcommit -n {ranks}"
_BY_NAME = {"mpirun": MPIRUN, "srun": SRUN}
# The same on one node of several.
_ON_NODE = {
    "mpirun": MPIRUN + " --host {node}:{ranks}",
    "srun": SRUN + " --overlap --nodes 1 --nodelist {node}",
    "ssh": "ssh -o BatchMode=yes {node} " + MPIRUN,
}


def launch_of(ranks: int, launcher: str | None = None) -> Launch:
    """The command that starts ranks: a single one directly, several by mpirun, or by `launcher`.

    A launcher is mpirun, srun, or a command of one's own in which {ranks} stands for their number.
    """
    if launcher is None:
        return _here(ranks)
    return _launch(_BY_NAME.get(launcher, launcher), launcher, ranks, None)


def launch_on(node: str, ranks: int, launcher: str) -> Launch:
    """The command that starts ranks on one node: by mpirun, srun, ssh, or a command with {node} and {ranks} in it."""
    template = _ON_NODE.get(launcher, launcher)
    if "{node}" not in template:
        raise IsthmusError(f"--launcher '{launcher}': expected {{node}} in it, where the node's name is to stand")
    return _launch(template, launcher, ranks, node)


def _here(ranks: int) -> Launch:
    if ranks == 1:
        return Launch()
    if launched_rank() is not None:
        raise IsthmusError(f"-n {ranks}: an MPI launcher started this command already; leave -n out")
    return Launch([*_words(MPIRUN, f"-n {ranks}", ranks, None), *_sight()], _as_root())


def _launch(template: str, launcher: str, ranks: int, node: str | None) -> Launch:
    words = _words(template, f"--launcher '{launcher}'", ranks, node)
    if Path(words[0]).name == "ssh":
        return Launch(words, _as_root(), quoted=True)
    return Launch([*words, *_sight()], _as_root())


def _words(template: str, who: str, ranks: int, node: str | None) -> list[str]:
    try:
        words = [word.format(ranks=ranks, node=node or "") for word in shlex.split(template)]
    except (ValueError, KeyError, IndexError) as error:
        raise IsthmusError(f"{who}: expected words with {{ranks}} and {{node}} in them at most: {error}") from error
    if not words or shutil.which(words[0]) is None:
        hint = "install OpenMPI (Debian's openmpi-bin)." if words and words[0] == "mpirun" else None
        raise IsthmusError(f"{who}: {words[0] if words else 'a command'} not found", hint=hint)
    return words


def _sight() -> list[str]:
    """Words by which ranks see the devices that this command sees, whatever a launcher changes of its environment."""
    seen = [f"{name}={os.environ[name]}" for name in VARIABLES if name in os.environ]
    return ["env", *seen] if seen else []


def _as_root() -> dict[str, str]:
    """OpenMPI refuses root unless two variables allow it; containers run as root."""
    if os.geteuid() != 0:
        return {}
    return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
