"""The nodes of an acceptance run, and the start of ranks on each."""

import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path

from isthmus.base.errors import IsthmusError
from isthmus.base.files import read_text
from isthmus.hpcc.launch import launch_of, launch_on
from isthmus.running.tools import Launch


@dataclass(frozen=True)
class Fleet:
    """The nodes, and what starts ranks on one of them; without a launcher they are started here."""

    nodes: tuple[str, ...]
    launcher: str | None

    def launch(self, node: str, ranks: int) -> Launch:
        """The command that starts a number of ranks on a node."""
        return launch_of(ranks) if self.launcher is None else launch_on(node, ranks, self.launcher)


def fleet_of(listed: str | None, hosts: str | None, expected: list[str], launcher: str | None) -> Fleet:
    """The nodes that were listed, those of a hosts file, of the expectations, of Slurm's allocation, or this host.

    Ranks are started by Slurm in an allocation of it, else by ssh, on this host alone by mpirun.
    """
    slurm = os.environ.get("SLURM_JOB_NODELIST")
    nodes = listed.split(",") if listed else _of_file(Path(hosts)) if hosts else expected
    if not nodes and slurm:
        nodes = _of_slurm(slurm)
    if not nodes:
        return Fleet((platform.node(),), launcher)
    if "" in nodes or len(set(nodes)) != len(nodes):
        raise IsthmusError(f"nodes: expected names, each once, got '{','.join(nodes)}'")
    return Fleet(tuple(nodes), launcher or ("srun" if slurm else "ssh"))


def _of_file(path: Path) -> list[str]:
    """The first word of each line, as in the hosts files of MPI; '#' begins a comment."""
    lines = [line.partition("#")[0].split() for line in read_text(path).splitlines()]
    nodes = list(dict.fromkeys(words[0].partition(":")[0] for words in lines if words))
    if not nodes:
        raise IsthmusError(f"{path}: expected a node's name on each line")
    return nodes


def _of_slurm(nodes: str) -> list[str]:
    try:
        command = ["scontrol", "show", "hostnames", nodes]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise IsthmusError(f"SLURM_JOB_NODELIST={nodes}: scontrol does not list its nodes: {error}") from error
    return done.stdout.split()
