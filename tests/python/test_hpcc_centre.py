"""What HPC centres use around the benchmarks: job scripts, ReFrame, acceptance of nodes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.python.conftest import Isthmus, program

STREAM = ("--size", "small", "--repeat", "2", "--set", "DEVICE_BUFFER_SIZE=1024", "--set", "ARRAY_SIZE=65536")


def test_a_job_script_asks_for_what_was_said_and_starts_a_rank_for_each_device(isthmus: Isthmus) -> None:
    words = ("--nodes", "4", "--ranks-per-node", "2", "--gpus-per-node", "2", "--partition", "gpu", "--time", "1:00:00")
    done = isthmus("hpcc", "job", *words, "--out", "job.sh", "--", "hpl", "--set", "MATRIX_SIZE=4000", "--optimized")
    assert done.returncode == 0
    assert done.stderr == "next: sbatch job.sh\n"
    lines = (isthmus.folder / "job.sh").read_text().splitlines()
    assert lines[0] == "#!/bin/sh"
    asked = {line.removeprefix("#SBATCH --") for line in lines if line.startswith("#SBATCH ")}
    assert {"nodes=4", "ntasks-per-node=2", "gpus-per-node=2", "partition=gpu", "time=1:00:00"} < asked
    assert lines[-1] == (
        'isthmus hpcc hpl --set MATRIX_SIZE=4000 --optimized --ranks 8 --launcher srun --json "hpl-$SLURM_JOB_ID.json"'
    )


def test_a_job_script_is_a_shell_script(isthmus: Isthmus) -> None:
    script = isthmus("hpcc", "job", "--", "stream", "--on", "opencl:A device's name").stdout
    subprocess.run(["sh", "-n"], input=script, text=True, check=True)
    assert """--on 'opencl:A device'"'"'s name'""" in script


def test_an_unknown_batch_system_gets_the_nearest(isthmus: Isthmus) -> None:
    told = isthmus.refusal("hpcc", "job", "--scheduler", "slrum", "stream")
    assert told == "unknown scheduler 'slrum'; help: did you mean 'slurm'?"


def test_a_job_of_no_benchmark_gets_the_nearest(isthmus: Isthmus) -> None:
    told = isthmus.refusal("hpcc", "job", "--out", "job.sh", "--", "strem", "--size", "small")
    assert told == "unknown benchmark 'strem'; help: did you mean 'stream'?"
    assert not (isthmus.folder / "job.sh").exists()


def reframe(real: Isthmus, references: dict[str, object], *options: str) -> "subprocess.CompletedProcess[str]":
    """A run of the shipped file with these references of the local system."""
    assert real("hpcc", "reframe", "--out", "centre.py").returncode == 0
    file = real.folder / "centre.py"
    text = file.read_text().replace("REFERENCES = {}", f"REFERENCES = {{'generic:default': {references!r}}}")
    file.write_text(text)
    program(real.folder / "isthmus", f'exec "{sys.executable}" -m isthmus "$@"')
    settings = "IsthmusHpcc.settings=DEVICE_BUFFER_SIZE=1024 ARRAY_SIZE=65536"
    command = [str(Path(sys.executable).parent / "reframe"), "-c", str(file), "--run", "--nocolor"]
    command += ["-n", "%benchmark=stream", "-S", "IsthmusHpcc.size=small", "-S", settings]
    command += ["-S", "IsthmusHpcc.repetitions=2", *options]
    # An editable package is found by its path; an installed one is beside the interpreter.
    path = os.pathsep.join([str(real.folder), real.environment["PATH"]])
    return subprocess.run(
        command, cwd=real.folder, env={**real.environment, "PATH": path}, text=True, capture_output=True, check=False
    )


def test_reframe_passes_what_is_as_fast_as_its_reference(real: Isthmus) -> None:
    done = reframe(real, {"stream.triad": (1e-3, -0.5, None, "GB/s")})
    assert done.returncode == 0, done.stdout
    assert "P: stream.triad: " in done.stdout
    assert "Ran 1/1 test case(s) from 1 check(s) (0 failure(s)" in done.stdout


def test_reframe_fails_what_is_slower_than_its_reference(real: Isthmus) -> None:
    done = reframe(real, {"stream.triad": (1e6, -0.5, None, "GB/s")})
    assert done.returncode == 1, done.stdout
    assert "stream.triad" in done.stdout
    assert "expected 1000000" in done.stdout


def test_the_launcher_of_ranks_can_be_chosen(real: Isthmus) -> None:
    program(
        real.folder / "start", 'echo "$1" > seen; n=$1; shift; exec mpirun --bind-to none --oversubscribe -n $n "$@"'
    )
    (first, *_) = real.json("hpcc", "stream", "-n", "2", "--launcher", "./start {ranks}", *STREAM)["records"]
    assert first["ranks"] == 2
    assert (real.folder / "seen").read_text() == "2\n"


@pytest.mark.parametrize(
    ("launcher", "complaint"),
    [
        ("nosuchlauncher -n {ranks}", "nosuchlauncher not found"),
        ("mpirun -n {cores}", "expected words with {ranks} and {node} in them at most: 'cores'"),
        ("false", "isthmus-hpcc ended with code 1 and no reason"),
    ],
)
def test_a_launcher_that_starts_nothing_is_one_line(real: Isthmus, launcher: str, complaint: str) -> None:
    assert complaint in real.refusal("hpcc", "stream", "-n", "2", "--launcher", launcher, *STREAM)


def test_runs_are_kept_for_the_history(real: Isthmus) -> None:
    file = real.json("hpcc", "stream", *STREAM)
    (run,) = real.json("history")["runs"]
    assert (run["kind"], run["records"]) == ("hpcc", len(file["records"]))
    assert real.json("history", "1") == file
    for _ in range(3):
        real("hpcc", "stream", *STREAM)
    series = real.json("history", "--regressions")["regressions"]
    assert {one["name"].split()[0] for one in series} == {record["name"] for record in file["records"]}
