"""Job scripts for batch systems."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from isthmus.base.files import read_text
from isthmus.base.names import unknown
from isthmus.hpcc.benchmarks import BENCHMARKS
from isthmus.hpcc.centre import SHIPPED

SCHEDULERS = ("slurm",)
WORK = (*BENCHMARKS, "tune", "scale", "acceptance")  # what a job may be


@dataclass(frozen=True)
class JobScript:
    """A job that runs `isthmus hpcc` with `words` on some nodes; `options` are further options of the batch system."""

    words: tuple[str, ...]
    nodes: int = 1
    ranks_per_node: int = 1
    time: str = "00:30:00"
    options: Mapping[str, str] = field(default_factory=dict)

    def text(self, scheduler: str) -> str:
        """The script for a batch system, which SCHEDULERS names."""
        if scheduler not in SCHEDULERS:
            raise unknown("scheduler", scheduler, SCHEDULERS)
        if self.words[0] not in WORK:
            raise unknown("benchmark", self.words[0], WORK)
        lines = [f"#SBATCH --{name}={value}\n" for name, value in self.options.items()]
        template = read_text(SHIPPED / f"{scheduler}.sh").replace("{options}\n", "".join(lines))
        return template.format(
            name=self.words[0],
            nodes=self.nodes,
            ranks_per_node=self.ranks_per_node,
            time=self.time,
            command=self._command(),
        )

    def _command(self) -> str:
        """Acceptance goes to its nodes by itself; a benchmark is one job over all of them."""
        words = ["isthmus", "hpcc", *self.words]
        if self.words[0] == "acceptance":
            words += ["--launcher", "srun", "--ranks", str(self.ranks_per_node)]
        else:
            words += ["--ranks", str(self.nodes * self.ranks_per_node), "--launcher", "srun"]
        return f'{shlex.join(words)} --json "{self.words[0]}-$SLURM_JOB_ID.json"'
