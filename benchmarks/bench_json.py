"""The file that benchmarks add their figures to."""

import json
from pathlib import Path
from typing import TypedDict


class Figure(TypedDict):
    """A line of bench.json: `against` says what the value is over, or what it must reach."""

    name: str
    value: float
    unit: str
    against: str


def add(path: Path, figures: list[Figure]) -> None:
    """Writes `figures` in the place of those of the same names, beside the others of the file."""
    names = {figure["name"] for figure in figures}
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    kept = [figure for figure in known if figure["name"] not in names]
    path.write_text(json.dumps([*kept, *figures], indent=2) + "\n", encoding="utf-8")
