"""What the layer of `isthmus record` costs a call: a program with it and without, in pairs. Adds to bench.json."""

import argparse
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

import bench_json

PAIRS = 9
KINDS = {"launch": "launches", "launch-wait": "launches and waits for each", "write": "blocking writes of 64 B"}
BUILD = Path("build/bench")
PROGRAM = BUILD / "benchmarks" / "record" / "bench_record_calls"
LAYER = BUILD / "src" / "layer" / "libisthmus-record-layer.so"


def nanoseconds(kind: str, layer: bool) -> tuple[float, float]:
    """A call's own time and that by the wall, of one run."""
    with tempfile.TemporaryDirectory(dir="build") as journals:
        added = {"OPENCL_LAYERS": str(LAYER.resolve()), "ISTHMUS_RECORD_DIR": journals} if layer else {}
        done = subprocess.run(
            [PROGRAM, kind], env={**os.environ, **added}, check=True, capture_output=True, text=True
        ).stdout
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


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, required=True, help="the file of [{name, value, unit, against}]")
    path: Path = parser.parse_args().json
    found = [figure for kind in KINDS for figure in figures(kind)]
    bench_json.add(path, found)


if __name__ == "__main__":
    main()
