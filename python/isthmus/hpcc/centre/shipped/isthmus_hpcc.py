"""The benchmarks of Isthmus for ReFrame 4: results must be right, rates must be what the centre has seen before.

Write what your systems reach into REFERENCES, by system and partition as ReFrame names them; the numbers that a run
prints are a start. A benchmark without a reference is checked for right results alone.

    reframe -c isthmus_hpcc.py --run --performance-report
    reframe -c isthmus_hpcc.py --run -n 'IsthmusHpcc.*stream' -S IsthmusHpcc.size=small
"""

import json
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, run_after, run_before, sanity_function, variable

# "system:partition": {"record": (value, lowest as a share below 0, highest as a share above 0, unit)}, for example
#   "cluster:gpu": {"stream.triad": (4290, -0.05, 0.1, "GB/s"), "b_eff.latency": (4.1, None, 0.2, "us")},
REFERENCES = {}

BENCHMARKS = ["@BENCHMARKS@"]


@rfm.simple_test
class IsthmusHpcc(rfm.RunOnlyRegressionTest):
    """One benchmark of HPC Challenge for accelerators, one rank on each device."""

    benchmark = parameter(BENCHMARKS)
    size = variable(str, value="standard")  # small: at most 64 MiB and 10 s
    target = variable(str, value="opencl:0")  # several devices of a node with commas
    settings = variable(str, value="")  # NAME=VALUE of parameters, with blanks between
    optimized = variable(bool, value=True)
    repetitions = variable(int, value=10)

    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    # The command starts the ranks itself where ReFrame's launcher is `local`; see docs/hpc-centre.md.
    executable = "isthmus"

    @run_after("setup")
    def set_command(self):
        """The command line, one rank for each of ReFrame's tasks."""
        words = ["hpcc", self.benchmark, "--on", self.target, "--size", self.size, "--repeat", str(self.repetitions)]
        words += ["--ranks", str(self.num_tasks), "--json", "records.json", "--quiet"]
        words += [word for setting in self.settings.split() for word in ("--set", setting)]
        words += ["--optimized"] if self.optimized else []
        self.executable_opts = words
        self.keep_files = ["records.json"]

    @run_before("run")
    def start_ranks_by_srun(self):
        """In an allocation of Slurm the command starts its ranks by srun; ReFrame's own launcher is left out."""
        if self.current_partition.launcher_type.registered_name == "srun":
            self.executable_opts += ["--launcher", "srun"]
            self.job.launcher = rfm.core.backends.getlauncher("local")()

    @run_before("performance")
    def set_references(self):
        """Sets this centre's earlier values for this benchmark as references."""
        self.reference = {
            system: {name: value for name, value in records.items() if name.partition(".")[0] == self.benchmark}
            for system, records in REFERENCES.items()
        }
        self.perf_variables = {
            name: sn.make_performance_function(sn.defer(record["value"]), record["unit"])
            for name, record in self.records().items()
        }

    @sanity_function
    def results_are_right(self):
        """Every record was validated."""
        found = self.records()
        return sn.assert_true(
            bool(found) and all(record["validated"] for record in found.values()),
            f"{self.benchmark}: the results are wrong",
        )

    def records(self):
        """The records of the run by their names."""
        file = json.loads((Path(self.stagedir) / "records.json").read_text())
        return {record["name"]: record for record in file["records"]}
