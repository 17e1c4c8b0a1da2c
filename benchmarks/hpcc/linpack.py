"""HPL on two GPUs of one host over the same on one of them, in pairs of runs. Adds its figure to bench.json.

What overlaps with the update (meyer2024 figure 4.5) shows here: what does not takes from the second GPU. Where there
are no two of them, or not what starts ranks, there is a note and no figure.
"""

import argparse
import statistics
from pathlib import Path

import bench_json
from two_gpus import records, two_gpus

FIGURE = "hpcc.gpu.hpl_float_2.vs_1"
PAIRS = 3
MUST, AIM = 1.75, 1.9


def rate(targets: list[str], size: int) -> float:
    """GFLOP/s of a rank on each target; wrong results end the run of the command, and so this one."""
    words = ("--optimized", "--repeat", "3", "--set", f"MATRIX_SIZE={size}", "--set", "DATA_TYPE=float")
    return float(records("hpl", targets, len(targets), *words)["hpl"]["value"])


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, required=True, help="the file of [{name, value, unit, against}]")
    parser.add_argument("--on", help="two targets with a comma; by default the first two GPUs")
    parser.add_argument("--matrix-size", type=int, default=32768, help="n of the n x n matrix")
    asked = parser.parse_args()
    targets = asked.on.split(",") if asked.on else two_gpus(FIGURE)
    if targets is None:
        return
    ratios = []
    for _ in range(PAIRS):
        two, one = rate(targets, asked.matrix_size), rate(targets[:1], asked.matrix_size)
        print(f"{two:.4g} GFLOP/s on two, {one:.4g} on one")
        ratios.append(two / one)
    against = f"the same on one of the two GPUs, n = {asked.matrix_size}"
    ratio = statistics.median(ratios)
    print(f"{FIGURE:<32} {ratio:.3f}  must {MUST}, aim {AIM}  {against}")
    bench_json.add(asked.json, [{"name": FIGURE, "value": ratio, "unit": "ratio", "against": against}])


if __name__ == "__main__":
    main()
