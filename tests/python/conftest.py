"""Tests drive the command as a person does, against stand-ins for the C++ tools that print records of the contract."""

import contextlib
import importlib.util
import io
import json
import os
import py_compile
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from isthmus.cli.main import run

FAKE = Path(__file__).parent / "fake_tools.py"
TREE = Path(__file__).parents[2]
KNOWN = TREE / "build" / "release" / "tests" / "layer" / "known_calls"

# A shell starts what runs in the background deaf to Ctrl-C, and so would be every command that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files of few tests begin first: theirs take longest, and the last of all is to be a short one."""
    tests = Counter(item.path for item in items)
    items.sort(key=lambda item: tests[item.path])


_SPEC = importlib.util.spec_from_file_location("fake_tools", FAKE)
assert _SPEC is not None
assert _SPEC.loader is not None
fake_tools: Any = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(fake_tools)


@dataclass(frozen=True)
class Done:
    """What came of a command."""

    returncode: int
    stdout: str
    stderr: str


@dataclass
class Isthmus:
    """The command in a folder of its own, with an environment of its own."""

    folder: Path
    environment: dict[str, str]

    def __call__(self, *arguments: str, **environment: str) -> Done:
        """Runs the command in this process: a fresh one costs more than most commands."""
        out, err = io.StringIO(), io.StringIO()
        with (
            contextlib.chdir(self.folder),
            mock.patch.dict(os.environ, {**self.environment, **environment}, clear=True),
            mock.patch.object(sys, "argv", ["isthmus", *arguments]),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            code = run(arguments)
        return Done(code, out.getvalue(), err.getvalue())

    def start(self, *arguments: str, stdout: Any = subprocess.PIPE, **environment: str) -> "subprocess.Popen[str]":
        """Starts the command in a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "isthmus", *arguments],
            cwd=self.folder,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
        )

    def well(self, *arguments: str, **environment: str) -> Done:
        """Runs the command, which must end well."""
        done = self(*arguments, **environment)
        assert done.returncode == 0, done.stderr
        return done

    def json(self, *arguments: str, **environment: str) -> Any:
        """The JSON that the command prints; it must have ended well."""
        return json.loads(self.well(*arguments, "--json", "-", **environment).stdout)

    def read(self, name: str) -> Any:
        """The JSON of a file in the folder."""
        return json.loads((self.folder / name).read_text())

    def refusal(self, *arguments: str, **environment: str) -> str:
        """Why the command could not do it: one line of error is all that it may say."""
        done = self(*arguments, **environment)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
        assert done.stderr.startswith("error: ")
        return done.stderr.removeprefix("error: ").removesuffix("\n")


def program(path: Path, text: str) -> Path:
    """A shell script that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def python_program(path: Path, text: str) -> Path:
    """A program in Python that needs its standard library alone."""
    source = path.with_suffix(".py")
    program(path, f'exec "{sys.executable}" -I "{source}" "$@"')
    source.write_text(text)
    return path


@pytest.fixture(scope="session")
def fake_bin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with stand-ins for the tools, compiled, and what they read of the repository."""
    folder = tmp_path_factory.mktemp("bin")
    compiled = py_compile.compile(str(FAKE), str(folder / "fake_tools.pyc"), doraise=True)
    read = {name: fake_tools.inputs_of(name) for name in fake_tools.NAMES}
    (folder / fake_tools.READ.name).write_text(json.dumps(read))
    for tool in ("run", "devices", "platform", "probe"):
        command = f'"{sys.executable}" -I "{compiled}" {tool} "$@"'
        program(folder / f"isthmus-{tool}", REMEMBERING.format(place=folder / tool, command=command))
    return folder


# A stand-in says the same to the same words, so it is asked once: Python starts six times as slowly as a shell that
# looks up the answer. One that fails, or that FAKE_... makes another, is asked each time.
REMEMBERING = """case "$(export -p)" in *FAKE_*) exec {command};; esac
said="{place} $(printf '%s\\0' "$@" | md5sum)"
if [ -e "$said" ]; then exec cat "$said"; fi
{command} >"$said.$$" && mv "$said.$$" "$said" && exec cat "$said"
code=$?
cat "$said.$$"
exit $code
"""


@pytest.fixture(scope="session")
def compiled_kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where PoCL keeps what it compiled for all workers: most of what a small run costs, the same from test to test."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "kernels"
    folder.mkdir(exist_ok=True)
    return folder


def journal_known_calls(folder: Path, compiled_kernels: Path, *words: str) -> None:
    """Runs known_calls with the layer alone, which writes its journal into the folder."""
    layer = TREE / "build" / "release" / "src" / "layer" / "libisthmus-record-layer.so"
    added = {"OPENCL_LAYERS": str(layer), "ISTHMUS_RECORD_DIR": str(folder), "POCL_CACHE_DIR": str(compiled_kernels)}
    subprocess.run([KNOWN, *words], env={**os.environ, **added}, check=True, stdout=subprocess.DEVNULL)


EXPLAINED = {"ISTHMUS_REASONS": "fastest"}


def real_in(folder: Path, compiled_kernels: Path) -> Isthmus:
    """The command in that folder, with no settings of the person who runs the tests, and nothing of their home.

    Models run once: a test that looks at what limits them asks for it (`EXPLAINED`). What the tools offer is asked for
    once for all tests; what else is kept of former runs is the test's own.
    """
    shared, own = compiled_kernels.parent / "offers", folder / "home" / ".cache" / "isthmus" / "offers"
    shared.mkdir(exist_ok=True)
    own.parent.mkdir(parents=True, exist_ok=True)
    if not own.is_symlink():
        own.symlink_to(shared)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder / "home"),
        "POCL_CACHE_DIR": str(compiled_kernels),
        "OCL_ICD_VENDORS": "/etc/OpenCL/vendors",  # and not what is installed in this environment for some tests
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "COLUMNS": "100",
        "ISTHMUS_REASONS": "none",
    }
    outer = {"ISTHMUS_BIN": os.environ["ISTHMUS_BIN"]} if "ISTHMUS_BIN" in os.environ else {}
    return Isthmus(folder, {**environment, **outer})


@pytest.fixture
def real(tmp_path: Path, compiled_kernels: Path) -> Isthmus:
    """The command with the real tools."""
    return real_in(tmp_path, compiled_kernels)


@pytest.fixture
def isthmus(tmp_path: Path, fake_bin: Path, compiled_kernels: Path) -> Isthmus:
    """The command with the stand-ins."""
    environment = {**real_in(tmp_path, compiled_kernels).environment, **EXPLAINED, "ISTHMUS_BIN": str(fake_bin)}
    return Isthmus(tmp_path, environment)


@pytest.fixture(scope="module")
def papers() -> Any:
    """The installed papers by name."""
    from isthmus.reproduction.papers import read_papers

    return read_papers()


@pytest.fixture(scope="module")
def published(papers: Any) -> Any:
    """Their rows by id."""
    return {row.id: row for paper in papers.values() for row in paper.row}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Started once for the tests of a file."""
    from tests.python.browser import chromium

    with chromium() as started:
        yield started


def write_study(folder: Path) -> Path:
    """A study of both boards, the OpenCL device and native threads."""
    path = folder / "image-filter.toml"
    path.write_text(
        "[application]\n"
        'name = "image-filter"\n'
        "images = 20\n"
        "[study]\n"
        'targets = ["model:alpha-data-7v3", "model:aws-f1", "opencl:0", "native"]\n'
        'flows = ["offload", "overlap", "stream"]\n'
    )
    return path


@pytest.fixture
def study_file(tmp_path: Path) -> Path:
    return write_study(tmp_path)


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory, fake_bin: Path) -> dict[str, str]:
    """Records of every kind as JSON."""
    from tests.python.report_records import write_records

    folder = tmp_path_factory.mktemp("records")
    command = Isthmus(folder, {"ISTHMUS_BIN": str(fake_bin), "HOME": str(folder / "home")})
    return {path.stem: path.read_text() for path in write_records(command)}


@pytest.fixture
def records(written: dict[str, str]) -> dict[str, Any]:
    """The same, which a test may change."""
    return {name: json.loads(text) for name, text in written.items()}


@pytest.fixture(scope="session")
def tree() -> Path:
    """The repository."""
    return TREE
