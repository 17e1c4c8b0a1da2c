"""What `isthmus record` costs: a call, by a program with the layer and without, in pairs; and what comes after it.

Adds to bench.json.
"""

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import bench_json

PAIRS = 9
KINDS = {"launch": "launches", "launch-wait": "launches and waits for each", "write": "blocking writes of 64 B"}
MILLIONS = 1  # of launches; ten take ten times as long and have ten times the journal
KERNELS = (1, 3)  # one, and three in turn
RUNS = 3
BUILD = Path("build/bench")
PROGRAM = BUILD / "benchmarks" / "record" / "bench_record_calls"
LAYER = BUILD / "src" / "layer" / "libisthmus-record-layer.so"


def recorded(journals: str) -> dict[str, str]:
    """The environment of a program whose calls go into journals in this folder."""
    return {**os.environ, "OPENCL_LAYERS": str(LAYER.resolve()), "ISTHMUS_RECORD_DIR": journals}


def nanoseconds(kind: str, layer: bool) -> tuple[float, float]:
    """A call's own time and that by the wall, of one run."""
    with tempfile.TemporaryDirectory(dir="build") as journals:
        environment = recorded(journals) if layer else dict(os.environ)
        done = subprocess.run([PROGRAM, kind], env=environment, check=True, capture_output=True, text=True).stdout
        own, wall = map(float, done.split())
        return own, wall


def figures(kind: str) -> list[bench_json.Figure]:
    """Two figures of a kind of call: the layer's own time, and how much longer all of it takes."""
    pairs = [(nanoseconds(kind, True), nanoseconds(kind, False)) for _ in range(PAIRS)]
    added = sorted(with_layer[0] - alone[0] for with_layer, alone in pairs)
    longer = sorted(with_layer[1] / alone[1] for with_layer, alone in pairs)
    name = kind.replace("-", "_")
    bare = statistics.median(alone[0] for _, alone in pairs)
    print(
        f"record.{name}: {statistics.median(added):.0f} ns a call ({added[0]:.0f} to {added[-1]:.0f}) beside the "
        f"calling thread's {bare:.0f} ns; wall time over that without the layer {statistics.median(longer):.2f} "
        f"({longer[0]:.2f} to {longer[-1]:.2f})"
    )
    what = f"{KINDS[kind]}: processor time of the calling thread with the layer minus without, pairs of runs"
    return [
        {"name": f"record.{name}.overhead_ns", "value": statistics.median(added), "unit": "ns", "against": what},
        {
            "name": f"record.{name}.vs_alone",
            "value": statistics.median(longer),
            "unit": "ratio",
            "against": f"{KINDS[kind]}: wall time with the layer over without, pairs of runs",
        },
    ]


def after(kernels: int) -> tuple[float, float, float]:
    """Seconds from the end of a program of so many kernels to its record, its memory and its file in MB; a million."""
    with tempfile.TemporaryDirectory(dir="build") as folder:
        program = [PROGRAM, "launches", str(MILLIONS * 10**6), str(kernels)]
        subprocess.run(program, env=recorded(folder), check=True)
        file = Path(folder) / "a.record.json"
        took, memory = [], []
        for _ in range(RUNS):
            begin = time.monotonic()
            process = subprocess.Popen(
                ["isthmus", "record", "--recover", folder, "-q", "-o", str(file)], stdout=subprocess.DEVNULL
            )
            _, status, usage = os.wait4(process.pid, 0)
            took.append(time.monotonic() - begin)
            memory.append(usage.ru_maxrss / 1e3)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                raise subprocess.CalledProcessError(process.returncode, process.args)
        return statistics.median(took) / MILLIONS, max(memory) / MILLIONS, file.stat().st_size / 1e6


def figures_after() -> list[bench_json.Figure]:
    """What a record takes once the program has ended: the more of one kernel and of several in turn."""
    found = [after(kernels) for kernels in KERNELS]
    for kernels, (took, memory, size) in zip(KERNELS, found, strict=True):
        print(f"record.after, {kernels} kernels: {took:.2f} s, {memory:.0f} MB of memory, {size:.0f} MB of file")
    what = f"from journals of {MILLIONS} million launches to the record"
    return [
        {
            "name": "record.after.s_per_million",
            "value": max(took for took, _, _ in found),
            "unit": "s",
            "against": f"{what}: at most 6",
        }
    ]


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, required=True, help="the file of [{name, value, unit, against}]")
    path: Path = parser.parse_args().json
    found = [figure for kind in KINDS for figure in figures(kind)] + figures_after()
    bench_json.add(path, found)


if __name__ == "__main__":
    main()
