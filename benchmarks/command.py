"""How long a person waits for the command: its help, and the report of the main job. Adds its figures to bench.json."""

import argparse
import statistics
import subprocess
import time
from pathlib import Path

import bench_json

HELP_RUNS = 21
REPORT_RUNS = 5


def seconds(*command: str) -> float:
    """Wall time of a command that must end well."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


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
    for figure in figures:
        print(f"{figure['name']:<24} {figure['value']:.3g} {figure['unit']:<3} {figure['against']}")
    bench_json.add(path, figures)


if __name__ == "__main__":
    main()
