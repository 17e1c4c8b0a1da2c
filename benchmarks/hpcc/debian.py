"""Debian's hpcc with a process a core: its single rates (one process works) and star rates (all at once), as they are.

Adds its figures to bench.json.
"""

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

import bench_json

SIZE = 6000  # of HPL; hpcc sizes the other tests by it
BLOCK = 192

# By lines (TUNING of hpcc 1.5.0).
INPUT = f"""HPLinpack benchmark input file
isthmus
HPL.out
8
1
{SIZE}
1
{BLOCK}
0
1
1
{{processes}}
16.0
1
2
1
4
1
2
1
1
1
0
1
1
2
64
0
0
1
8
#
0
1200
0
40
"""

# Our names, hpcc's names for one process and for all, and the unit.
RATES = {
    "stream_triad": ("SingleSTREAM_Triad", "StarSTREAM_Triad", "GB/s"),
    "random_access": ("SingleRandomAccess_GUPs", "StarRandomAccess_GUPs", "GUP/s"),
    "fft": ("SingleFFT_Gflops", "StarFFT_Gflops", "GFLOP/s"),
    "gemm": ("SingleDGEMM_Gflops", "StarDGEMM_Gflops", "GFLOP/s"),
}


def run(processes: int) -> dict[str, str]:
    """The NAME=VALUE lines of its summary."""
    words = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "hpccinf.txt").write_text(INPUT.format(processes=processes), encoding="ascii")
        command = ["mpirun", "--bind-to", "core", "-n", str(processes), "hpcc"]
        subprocess.run(command, check=True, cwd=folder, env={**os.environ, **words}, stdout=subprocess.DEVNULL)
        lines = (Path(folder) / "hpccoutf.txt").read_text(encoding="ascii").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def figures(summary: dict[str, str], processes: int) -> list[bench_json.Figure]:
    """The rates of one process, and those of each when all work."""
    rows: list[bench_json.Figure] = []
    for name, (single, star, unit) in RATES.items():
        for kind, key in (("single", single), ("star", star)):
            against = f"Debian's hpcc {summary['VersionMajor']}.{summary['VersionMinor']}, {key}, {processes} processes"
            rows.append(
                {"name": f"hpcc.debian.{name}.{kind}", "value": float(summary[key]), "unit": unit, "against": against}
            )
    return rows


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, required=True, help="the file of [{name, value, unit, against}]")
    path: Path = parser.parse_args().json
    processes = len(os.sched_getaffinity(0))
    rows = figures(run(processes), processes)
    for row in rows:
        print(f"{row['name']:<36} {row['value']:.4g} {row['unit']:<8} {row['against']}")
    bench_json.add(path, rows)


if __name__ == "__main__":
    main()
