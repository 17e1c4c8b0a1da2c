"""What benchmarks between two GPUs share."""

import json
import shutil
import subprocess
from typing import Any

Records = dict[str, dict[str, Any]]


def two_gpus(figure: str) -> list[str] | None:
    """The targets of the first two; none, with a note, where they or the programs that use them are not here."""
    for program in ("isthmus", "mpirun"):
        if shutil.which(program) is None:
            print(f"note: {figure}: left out, {program} not found")
            return None
    listed = subprocess.run(["isthmus", "devices", "--json", "-", "-q"], check=True, capture_output=True, text=True)
    gpus = [each["target"] for each in json.loads(listed.stdout)["devices"] if each["type"] == "gpu"]
    if len(gpus) < 2:
        print(f"note: {figure}: left out, {len(gpus)} of 2 GPUs found")
        return None
    return gpus[:2]


def records(benchmark: str, targets: list[str], ranks: int, *words: str) -> Records:
    """The records of a run, by name."""
    command = ["isthmus", "hpcc", benchmark, "-n", str(ranks), "--on", ",".join(targets), *words]
    done = subprocess.run([*command, "--no-power", "--json", "-", "-q"], check=True, capture_output=True, text=True)
    return {record["name"]: record for record in json.loads(done.stdout)["records"]}
