"""How long a person waits for the command: its help, its models, the report. Adds its figures to bench.json."""

import argparse
import json
import os
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import bench_json

from isthmus.advising.curves import measure
from isthmus.running.tools import tool_path

HELP_RUNS = 21
MODEL_RUNS = 3
MODEL = "model:aws-f1"
REPORT_RUNS = 5

# The curves of min2019 figures 2 and 3 (its table II): probe, ports and what a core has done to the buffer before.
CURVES = (
    ("port-tx", "hp", "written"),
    ("port-tx", "hpc,acp", "written,flushed"),
    ("port-rx", "hp", "read"),
    ("port-rx", "hpc,acp", "read,flushed"),
)


def seconds(*command: str) -> float:
    """Wall time of a command that must end well."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def processor_time(*command: str) -> float:
    """What a command and its children spend of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds(*command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def resident(*command: str) -> int:
    """The most memory that a command had, in bytes."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_maxrss * 1024


def images(flow: str, count: int, grain: str) -> tuple[str, ...]:
    """A tool's run of the image filter, every image compared."""
    asked = {"APP": "image-filter", "on": MODEL, "flow": flow, "images": count, "grain": grain}
    return (str(tool_path("isthmus-run")), json.dumps(asked))


def models() -> list[bench_json.Figure]:
    """Coarse models by the clock, and beside fine ones."""
    figures: list[bench_json.Figure] = []
    for flow in ("offload", "stream"):
        took = statistics.median(seconds(*images(flow, 200, "coarse")) for _ in range(MODEL_RUNS))
        figures.append({"name": f"grain.{flow}200.wall", "value": took, "unit": "s", "against": "at most 6 s"})
        pairs = [
            (processor_time(*images(flow, 40, "fine")), processor_time(*images(flow, 40, "coarse"))) for _ in "123"
        ]
        ratio = statistics.median(fine / coarse for fine, coarse in pairs)
        figures.append({"name": f"grain.{flow}40.vs_fine", "value": ratio, "unit": "", "against": "processor time"})
    asked = {"TARGET": MODEL, "PROBE": "h2d", "sizes": 256 << 20, "grain": "coarse"}
    probe = (str(tool_path("isthmus-probe")), json.dumps(asked))
    took = statistics.median(seconds(*probe) for _ in range(MODEL_RUNS))
    figures.append({"name": "grain.probe256.wall", "value": took, "unit": "s", "against": "at most 2 s"})
    figures.append(
        {"name": "grain.probe256.resident", "value": resident(*probe) / 1e6, "unit": "MB", "against": "at most 640 MB"}
    )
    return figures


def ports() -> list[bench_json.Figure]:
    """All curves of the raw bandwidth of a processor's ports."""
    asked = {"TARGET": "model:zynq-ultrascale", "repeat": 1, "sizes": [4096 << power for power in range(14)]}
    took = sum(
        seconds(
            str(tool_path("isthmus-probe")),
            json.dumps({**asked, "PROBE": probe, "port": chosen.split(","), "state": states.split(",")}),
        )
        for probe, chosen, states in CURVES
    )
    return [{"name": "zynq.figures_2_3_s", "value": took, "unit": "s", "against": "at most 60 s, aim 20 s, on 2 cores"}]


def explanation(folder: Path) -> list[bench_json.Figure]:
    """Three numbers of a board whose models were asked before."""
    given = ("d2h 64MiB 1.7 GB/s", "d2h 4KiB 20 MB/s", "h2d 64MiB 1.8 GB/s")
    words = [word for number in given for word in ("--measured", number)]
    os.environ["XDG_CACHE_HOME"] = str(folder)
    cold = seconds("isthmus", "explain", MODEL, *words)
    warm = statistics.median(seconds("isthmus", "explain", MODEL, *words) for _ in range(MODEL_RUNS))
    return [
        {"name": "explain.warm_s", "value": warm, "unit": "s", "against": "at most 10 s"},
        {"name": "explain.cold_s", "value": cold, "unit": "s", "against": "no answer is kept yet"},
    ]


def sweep(folder: Path) -> list[bench_json.Figure]:
    """64 points on one core, and on two."""
    study = folder / "swept.toml"
    study.write_text(
        f'[application]\nname = "image-filter"\ncount = 20\n[study]\ntargets = ["{MODEL}"]\nflows = ["offload"]\n'
    )
    usable = sorted(os.sched_getaffinity(0))
    took: list[float] = []
    for cores in (usable[:1], usable[:2]):
        os.sched_setaffinity(0, cores)
        words = ("--set", "link.pcie.tags=1..64:+1", "--out", str(folder / f"on{len(cores)}"))
        took.append(seconds("isthmus", "sweep", str(study), *words))
    os.sched_setaffinity(0, usable)
    return [{"name": "sweep.vs_serial", "value": took[0] / took[1], "unit": "", "against": "at least 1.7, on 2 cores"}]


def advice() -> list[bench_json.Figure]:
    """Advice where curves are kept, runs of the best three included, and the curves of a board that has none."""
    warm = statistics.median(seconds("isthmus", "advise", "examples/my-app.toml", "-q") for _ in range(MODEL_RUNS))
    begun = time.perf_counter()
    measure(MODEL)
    board = time.perf_counter() - begun
    return [
        {"name": "advise.warm_s", "value": warm, "unit": "s", "against": "at most 3 s"},
        {"name": "curves.board_s", "value": board, "unit": "s", "against": "at most 60 s on 2 cores"},
    ]


def study(folder: Path) -> list[str]:
    """The records of the example's study: few images, for a report shows no more of two hundred."""
    subprocess.run(
        ["isthmus", "study", "examples/image-filter.toml", "--images", "8", "--out", str(folder), "-q"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return sorted(str(path) for path in (folder / "image-filter").glob("*.json"))


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, required=True, help="the file of [{name, value, unit, against}]")
    path: Path = parser.parse_args().json
    records = study(path.parent / "bench-study")
    page = path.parent / "bench-study" / "report.html"
    helped = statistics.median(seconds("isthmus", "--help") for _ in range(HELP_RUNS))
    written = statistics.median(seconds("isthmus", "report", *records, "-o", str(page)) for _ in range(REPORT_RUNS))
    figures: list[bench_json.Figure] = [
        {"name": "command.help.wall", "value": helped * 1e3, "unit": "ms", "against": "at most 150 ms"},
        {"name": "command.report.wall", "value": written, "unit": "s", "against": "at most 5 s"},
        {"name": "command.report.size", "value": page.stat().st_size / 1e6, "unit": "MB", "against": "at most 3 MB"},
    ]
    with tempfile.TemporaryDirectory() as folder:
        figures += [*models(), *ports(), *explanation(Path(folder)), *sweep(Path(folder)), *advice()]
    for figure in figures:
        print(f"{figure['name']:<24} {figure['value']:.3g} {figure['unit']:<3} {figure['against']}")
    bench_json.add(path, figures)


if __name__ == "__main__":
    main()
