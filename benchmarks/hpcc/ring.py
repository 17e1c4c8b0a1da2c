"""b_eff between two ranks beside what moves the bytes, in pairs of runs. Adds its figures to bench.json.

On one processor, over device buffers beside MPI alone. On two devices with memories of their own (--on A,B, or --gpus
for the first two GPUs), at each size beside the slower of pinned copies both ways at once, which the run of ours
measures between its repetitions, and of MPI_Sendrecv. Where --gpus finds no two of them, or not what starts ranks,
there is a note and no figure.
"""

import argparse
import json
import shutil
import statistics
import subprocess
from pathlib import Path
from typing import Any

import bench_json

PAIRS = 5
Ring = dict[str, dict[str, Any]]


def ring(on: str, *words: str) -> Ring:
    """The records of a run, by name."""
    command = ["isthmus", "hpcc", "b_eff", "-n", "2", "--on", on, *words, "--no-power", "--json", "-", "-q"]
    file = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {record["name"]: record for record in file["records"]}


def pairs_of(on: str) -> list[tuple[Ring, Ring]]:
    """Ours and MPI alone, in turns."""
    return [(ring(on, "--optimized"), ring(on, "--scheme", "cpu")) for _ in range(PAIRS)]


def row(name: str, ratio: float, against: str) -> bench_json.Figure:
    """A figure, printed."""
    print(f"{name:<32} {ratio:.3f}  must 0.85, aim 0.95  {against}")
    return {"name": name, "value": ratio, "unit": "ratio", "against": against}


def beside_mpi(on: str) -> list[bench_json.Figure]:
    """Of the means over the sizes."""
    ratio = statistics.median(ours["b_eff"]["value"] / peer["b_eff"]["value"] for ours, peer in pairs_of(on))
    return [row("hpcc.b_eff.vs_mpi", ratio, "the same ring by MPI alone, 2 ranks, 21 sizes")]


def beside_host(on: str) -> list[bench_json.Figure]:
    """Of each size, its median; their geometric mean, and the least."""
    pairs = pairs_of(on)
    sizes = [f"b_eff.{2**log}B" for log in range(21)]

    def ratio(name: str, ours: Ring, peer: Ring) -> float:
        return float(ours[name]["value"] / min(ours[name]["expected"], peer[name]["value"]))

    found = {name: statistics.median(ratio(name, *pair) for pair in pairs) for name in sizes}
    for name, value in found.items():
        ours, peer = pairs[-1]
        copies, mpi = ours[name]["expected"], peer[name]["value"]
        print(f"{name:<16} {value:.3f}  {ours[name]['value']:.3g} GB/s, pinned copies {copies:.3g}, MPI {mpi:.3g}")
    device = pairs[0][0]["b_eff"]["device"]
    what = f"the slower of pinned copies both ways and MPI_Sendrecv, 2 ranks, 21 sizes; {device}"
    return [
        row("hpcc.gpu.b_eff.vs_host", statistics.geometric_mean(found.values()), f"{what}, geometric mean"),
        row("hpcc.gpu.b_eff.vs_host.least", min(found.values()), f"{what}, the worst size"),
    ]


def two_gpus() -> str | None:
    """The first two, for --on; none, with a note, where they or the programs that use them are not here."""
    for program in ("isthmus", "mpirun"):
        if shutil.which(program) is None:
            print(f"note: hpcc.gpu.b_eff: left out, {program} not found")
            return None
    listed = subprocess.run(["isthmus", "devices", "--json", "-", "-q"], check=True, capture_output=True, text=True)
    gpus = [each["target"] for each in json.loads(listed.stdout)["devices"] if each["type"] == "gpu"]
    if len(gpus) < 2:
        print(f"note: hpcc.gpu.b_eff: left out, {len(gpus)} of 2 GPUs found")
        return None
    return ",".join(gpus[:2])


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, required=True, help="the file of [{name, value, unit, against}]")
    parser.add_argument("--on", default="opencl:0", help="opencl:N, or two with memories of their own")
    parser.add_argument("--gpus", action="store_true", help="the first two GPUs, where there are two")
    asked = parser.parse_args()
    on = two_gpus() if asked.gpus else asked.on
    if on is not None:
        bench_json.add(asked.json, beside_host(on) if "," in on else beside_mpi(on))


if __name__ == "__main__":
    main()
