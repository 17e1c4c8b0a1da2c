"""b_eff between two ranks beside what moves the bytes, in pairs of runs. Adds its figures to bench.json.

On one processor, over device buffers beside MPI alone. On two devices with memories of their own (--on A,B, or --gpus
for the first two GPUs), at each size beside the slower of pinned copies both ways at once, which the run of ours
measures between its repetitions, and of MPI_Sendrecv. Where --gpus finds no two of them, or not what starts ranks,
there is a note and no figure.
"""

import argparse
import statistics
from pathlib import Path

import bench_json
from two_gpus import Records, records, two_gpus

PAIRS = 5


def ring(on: str, *words: str) -> Records:
    """The records of a run, by name."""
    return records("b_eff", on.split(","), 2, *words)


def pairs_of(on: str) -> list[tuple[Records, Records]]:
    """Ours and MPI alone, in turns."""
    return [(ring(on, "--optimized"), ring(on, "--scheme", "cpu")) for _ in range(PAIRS)]


def row(name: str, ratio: float, against: str) -> bench_json.Figure:
    """A figure, printed."""
    print(f"{name:<32} {ratio:.3f}  must 0.85, aim 0.95  {against}")
    return {"name": name, "value": ratio, "unit": "ratio", "against": against}


def beside_mpi(on: str) -> list[bench_json.Figure]:
    """The median of the ratios of the means over the sizes."""
    ratio = statistics.median(ours["b_eff"]["value"] / peer["b_eff"]["value"] for ours, peer in pairs_of(on))
    return [row("hpcc.b_eff.vs_mpi", ratio, "the same ring by MPI alone, 2 ranks, 21 sizes")]


def beside_host(on: str) -> list[bench_json.Figure]:
    """The median ratio of each size, the geometric mean of these, and the least."""
    pairs = pairs_of(on)
    sizes = [f"b_eff.{2**log}B" for log in range(21)]

    def ratio(name: str, ours: Records, peer: Records) -> float:
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


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, required=True, help="the file of [{name, value, unit, against}]")
    parser.add_argument("--on", default="opencl:0", help="opencl:N, or two with memories of their own")
    parser.add_argument("--gpus", action="store_true", help="the first two GPUs, where there are two")
    asked = parser.parse_args()
    gpus = two_gpus("hpcc.gpu.b_eff") if asked.gpus else [asked.on]
    if gpus is not None:
        on = ",".join(gpus)
        bench_json.add(asked.json, beside_host(on) if "," in on else beside_mpi(on))


if __name__ == "__main__":
    main()
