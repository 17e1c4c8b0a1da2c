"""`isthmus hpcc job` and `isthmus hpcc reframe`: files for the batch systems and the test harness of HPC centres."""

from pathlib import Path
from typing import Annotated

from isthmus.base.files import read_text, write_atomically
from isthmus.base.stdout import write_out
from isthmus.cli.command import argument, counting, plain, written
from isthmus.hpcc.benchmarks import BENCHMARKS
from isthmus.hpcc.centre import SHIPPED
from isthmus.hpcc.centre.job_script import JobScript
from isthmus.show.session import Session

JOB_EXAMPLES = [
    "isthmus hpcc job stream --out stream.sh",
    "isthmus hpcc job --nodes 4 --ranks-per-node 2 --gpus-per-node 2 -- hpl --optimized",
    "isthmus hpcc job --nodes 16 -- acceptance --expect expect.toml --junit acceptance.xml",
]
REFRAME_EXAMPLES = [
    "isthmus hpcc reframe --out isthmus_hpcc.py",
    "reframe -c isthmus_hpcc.py --run -S 'IsthmusHpcc.size=small'",
]

Out = Annotated[str | None, written("--out FILE", "File to write. [default: stdout]")]


def job(
    session: Session,
    words: Annotated[list[str], argument("WORD", "Words after 'isthmus hpcc'; put '--' before its options.")],
    scheduler: Annotated[
        str, plain("--scheduler slurm", "Batch system to write the script for. [default: slurm]")
    ] = "slurm",
    nodes: Annotated[int, counting("--nodes N", "Number of nodes. [default: 1]")] = 1,
    ranks_per_node: Annotated[
        int, counting("--ranks-per-node R", "MPI ranks on a node, one for each device. [default: 1]")
    ] = 1,
    gpus_per_node: Annotated[
        int | None, counting("--gpus-per-node G", "GPUs to request on each node. [default: none]")
    ] = None,
    time: Annotated[str, plain("--time H:M:S", "Time limit of the job. [default: 00:30:00]")] = "00:30:00",
    partition: Annotated[
        str | None, plain("--partition NAME", "Partition to run in. [default: the batch system's]")
    ] = None,
    account: Annotated[str | None, plain("--account NAME", "Account to charge. [default: the batch system's]")] = None,
    out: Out = None,
) -> None:
    """Write a job script for a batch system.

    The script runs 'isthmus hpcc WORD...' on one node or many, a rank on each device, and keeps the records as JSON
    in the folder of its log.
    """
    options = {"partition": partition, "account": account, "gpus-per-node": gpus_per_node}
    script = JobScript(
        words=tuple(words),
        nodes=nodes,
        ranks_per_node=ranks_per_node,
        time=time,
        options={name: str(value) for name, value in options.items() if value is not None},
    )
    _write(session, script.text(scheduler), out, "sbatch")


def reframe(session: Session, out: Out = None) -> None:
    """Write tests for ReFrame, the regression test framework of HPC centres.

    The file runs the benchmarks, checks that their results are right, and compares what they reach with the
    references that a centre writes into it, by system and partition. It needs ReFrame 4 (PyPI's reframe-hpc).
    """
    text = read_text(SHIPPED / "isthmus_hpcc.py").replace("@BENCHMARKS@", '", "'.join(BENCHMARKS))
    _write(session, text, out, "reframe --run -c")


def _write(session: Session, text: str, out: str | None, command: str) -> None:
    if out is None or out == "-":
        write_out(text)
        return
    write_atomically(Path(out), text)
    session.next(f"{command} {out}")
