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
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from isthmus.cli.main import run

FAKE = Path(__file__).parent / "fake_tools.py"
TREE = Path(__file__).parents[2]

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

    def json(self, *arguments: str, **environment: str) -> Any:
        """The JSON that the command prints; it must have ended well."""
        done = self(*arguments, "--json", "-", **environment)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="session")
def fake_bin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with stand-ins for the tools, compiled, and what they read of the repository."""
    folder = tmp_path_factory.mktemp("bin")
    compiled = py_compile.compile(str(FAKE), str(folder / "fake_tools.pyc"), doraise=True)
    read = {name: fake_tools.inputs_of(name) for name in fake_tools.NAMES}
    (folder / fake_tools.READ.name).write_text(json.dumps(read))
    for tool in ("run", "devices", "platform", "probe"):
        script = folder / f"isthmus-{tool}"
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I "{compiled}" {tool} "$@"\n')
        script.chmod(0o755)
    return folder


@pytest.fixture(scope="session")
def compiled_kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where PoCL keeps what it compiled: most of what a small run costs, and the same from test to test."""
    return tmp_path_factory.mktemp("kernels")


def real_in(folder: Path, compiled_kernels: Path) -> Isthmus:
    """The command in that folder, with no settings of the person who runs the tests, and nothing of their home."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder / "home"),
        "POCL_CACHE_DIR": str(compiled_kernels),
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "COLUMNS": "100",
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
    return Isthmus(tmp_path, {**real_in(tmp_path, compiled_kernels).environment, "ISTHMUS_BIN": str(fake_bin)})


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
def tree() -> Path:
    """The repository."""
    return TREE
