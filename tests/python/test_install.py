"""The wheel in a fresh environment: the command works there, outside the tree and where there are no packages."""

import json
import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
from tests.python.bare_root import BareRoot, link_installed, needed_by

from isthmus.results.schemas import schema_texts

STUDY = """\
[application]
name = "suffix-sum"
count = 3

[study]
targets = ["model:aws-f1", "native"]
flows = ["stream"]
"""


@pytest.fixture(scope="module")
def wheel(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of what was built."""
    folder = tmp_path_factory.mktemp("wheel")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    words = [str(tree / "scripts" / "wheel"), str(folder)]
    done = subprocess.run(words, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def fresh(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of a new environment that has the wheel, its extra `opencl` and nothing else."""
    folder = tmp_path_factory.mktemp("fresh")
    folder.chmod(0o755)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    for package in needed_by("isthmus[opencl]") - {"isthmus"}:
        link_installed(package, folder)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install", "--quiet", "--no-index"]
    done = subprocess.run([*pip, f"{wheel}[opencl]"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "bin"


@pytest.fixture(scope="module")
def bare(fresh: Path, tmp_path_factory: pytest.TempPathFactory) -> BareRoot:
    """A machine that has that environment and no packages."""
    return BareRoot(tmp_path_factory.mktemp("root"), fresh.parent)


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


def test_it_brings_the_schemas_of_its_files(fresh: Path, tmp_path: Path) -> None:
    code = "from isthmus.base.files import data_folder; print(data_folder('schemas'), end='')"
    where = Path(typed(fresh, tmp_path, "python", "-c", code))
    assert {path.name: path.read_text() for path in where.iterdir()} == schema_texts()


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


def test_the_wheel_brings_few_libraries_and_neither_mpi_nor_those_of_the_system(wheel: Path) -> None:
    assert wheel.name.startswith("isthmus-") and "-py3-none-manylinux_" in wheel.name
    brought = {name.split("/")[1].split("-")[0] for name in ZipFile(wheel).namelist() if "isthmus.libs/lib" in name}
    assert brought <= {"libcrypto", "libfmt", "libjpeg", "libpng16", "libtomlplusplus", "libz"}


def test_it_works_for_an_ordinary_user_where_there_are_no_packages(bare: BareRoot) -> None:
    looked = bare("isthmus", "doctor", "--format", "csv")
    assert looked.returncode == 0, looked.stderr
    assert "isthmus/record/libOpenCL.so.1" in looked.stdout  # where there is no other loader
    assert "OpenCL device,true,true" in looked.stdout  # of the package; no driver of this machine is seen
    study = STUDY.replace('"native"', '"native", "opencl:0"').replace('"stream"', '"stream", "offload"')
    (bare.home / "sums.toml").write_text(study)
    studied = bare("isthmus", "study", "sums.toml", "--no-probes")
    assert studied.returncode == 0, studied.stderr
    rows = json.loads((bare.home / "out" / "sums" / "study.json").read_text())["rows"]
    assert {(row["target"], row["verified"]) for row in rows} == {
        ("model:aws-f1", True), ("native", True), ("opencl:0", True)
    }  # fmt: skip
    measured = bare("isthmus", "hpcc", "stream", "--size", "small", "--json", "-")
    assert measured.returncode == 0, measured.stderr
    assert all(record["validated"] for record in json.loads(measured.stdout)["records"])


def test_without_a_driver_or_mpi_it_says_in_one_line_what_is_missing(bare: BareRoot) -> None:
    none = bare("isthmus", "doctor", OCL_ICD_VENDORS="/none")
    assert none.returncode == 1
    assert none.stderr == "error: missing: OpenCL device\n"
    assert "pip install 'isthmus[opencl]'" in none.stdout
    ranks = bare("isthmus", "hpcc", "stream", OMPI_COMM_WORLD_SIZE="1")
    assert ranks.returncode == 2
    assert ranks.stderr.startswith("error: ranks: libmpi.so.40: cannot open shared object file")
    assert bare("isthmus", "run", "suffix-sum", "--on", "model:aws-f1", "--count", "3").returncode == 0
