"""The tables of benchmarks/README.md are made from its data file."""

import shutil
import subprocess
import sys
from pathlib import Path


def check(folder: Path) -> int:
    """0 if the tables in the folder are those of its data."""
    words = [sys.executable, "tables.py", "--check"]
    return subprocess.run(words, cwd=folder, capture_output=True, check=False).returncode


def test_the_tables_are_those_of_the_data(tree: Path) -> None:
    assert check(tree / "benchmarks") == 0


def test_a_figure_changed_in_one_place_alone_is_named(tree: Path, tmp_path: Path) -> None:
    for name in ("README.md", "figures.toml", "tables.py"):
        shutil.copy(tree / "benchmarks" / name, tmp_path)
    data = tmp_path / "figures.toml"
    data.write_text(data.read_text().replace("123 M", "124 M"))
    assert check(tmp_path) == 1
    subprocess.run([sys.executable, "tables.py"], cwd=tmp_path, check=True)
    assert check(tmp_path) == 0
    assert "| 124 M" in (tmp_path / "README.md").read_text()
