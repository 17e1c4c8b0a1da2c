"""`pip install .` in a fresh environment: the command works there, outside the tree."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

STUDY = """\
[application]
name = "suffix-sum"
count = 3

[study]
targets = ["model:aws-f1", "native"]
flows = ["stream"]
"""


@pytest.fixture(scope="module")
def fresh(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of a new environment, with a wheel of what was built."""
    folder = tmp_path_factory.mktemp("fresh")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    release = [
        "-C",
        f"build-dir={tree / 'build' / 'release'}",
        "-C",
        "cmake.define.ISTHMUS_TESTS=ON",
    ]  # as `make build`
    built = ["--no-build-isolation", *release]
    wheels = folder / "wheels"
    for words in (
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", *built, "--wheel-dir", str(wheels), str(tree)],
        [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--find-links", str(wheels), "isthmus"],
    ):
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return folder / "bin"


def typed(fresh: Path, folder: Path, *words: str) -> str:
    """What the command of that environment prints, in a folder that is no part of the tree."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("ISTHMUS_", "PYTHON", "VIRTUAL"))},
        "PATH": f"{fresh}{os.pathsep}/usr/bin{os.pathsep}/bin",
        "HOME": str(folder),
    }
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_help_is_that_of_the_new_environment(fresh: Path, tmp_path: Path) -> None:
    assert "Usage: isthmus COMMAND" in typed(fresh, tmp_path, "isthmus", "--help")
    where = typed(fresh, tmp_path, "python", "-c", "import isthmus; print(isthmus.__file__)")
    assert Path(where).is_relative_to(fresh.parent)


def test_it_runs_and_studies_an_application(fresh: Path, tmp_path: Path) -> None:
    words = ("isthmus", "run", "suffix-sum", "--on", "model:aws-f1", "--flow", "stream", "--count", "3", "--json", "-")
    (row,) = json.loads(typed(fresh, tmp_path, *words))["rows"]
    assert (row["verified"], row["count"], row["kind"]) == (True, 3, "modelled")
    (tmp_path / "sums.toml").write_text(STUDY)
    typed(fresh, tmp_path, "isthmus", "study", "sums.toml", "--no-probes")
    study = json.loads((tmp_path / "out" / "sums" / "study.json").read_text())
    assert {(row["target"], row["verified"]) for row in study["rows"]} == {("model:aws-f1", True), ("native", True)}


def test_it_makes_a_project_that_finds_its_libraries(fresh: Path, tmp_path: Path) -> None:
    typed(fresh, tmp_path, "isthmus", "new", "my-app")
    typed(fresh, tmp_path, "cmake", "-S", "my-app", "-B", "build")
    cache = (tmp_path / "build" / "CMakeCache.txt").read_text()
    assert f"Isthmus_DIR:PATH={fresh.parent}" in cache


def test_it_records_a_program(fresh: Path, tmp_path: Path) -> None:
    typed(fresh, tmp_path, "isthmus", "record", "--json", "clinfo.json", "--", "clinfo")
    assert json.loads((tmp_path / "clinfo.json").read_text())["records"]
