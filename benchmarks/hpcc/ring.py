"""b_eff between two ranks over device buffers beside MPI alone, in pairs of runs. Adds its figure to bench.json."""

import argparse
import json
import statistics
import subprocess
from pathlib import Path

import bench_json

PAIRS = 5
NAME = "hpcc.b_eff.vs_mpi"


def effective_bandwidth(*words: str) -> float:
    """The mean over the 21 sizes, GB/s."""
    command = ["isthmus", "hpcc", "b_eff", "-n", "2", *words, "--json", "-", "-q"]
    file = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return float(next(record["value"] for record in file["records"] if record["name"] == "b_eff"))


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, required=True, help="the file of [{name, value, unit, against}]")
    path: Path = parser.parse_args().json
    pairs = [(effective_bandwidth("--optimized"), effective_bandwidth("--scheme", "cpu")) for _ in range(PAIRS)]
    ratio = statistics.median(ours / peer for ours, peer in pairs)
    figure: bench_json.Figure = {
        "name": NAME,
        "value": ratio,
        "unit": "ratio",
        "against": "the same ring by MPI alone, 2 ranks, 21 sizes",
    }
    print(f"{NAME:<32} {ratio:.3f}  must 0.85, aim 0.95  {figure['against']}")
    bench_json.add(path, [figure])


if __name__ == "__main__":
    main()
