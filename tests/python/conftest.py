"""Tests drive the command as a person does, against stand-ins for the C++ tools that print records of the contract."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

FAKE = Path(__file__).parent / "fake_tools.py"
TREE = Path(__file__).parents[2]


@dataclass
class Isthmus:
    """The command in a folder of its own, with an environment of its own."""

    folder: Path
    environment: dict[str, str]

    def __call__(self, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "isthmus", *arguments],
            cwd=self.folder,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def json(self, *arguments: str, **environment: str) -> Any:
        """The JSON that the command prints; it must have ended well."""
        done = self(*arguments, "--json", "-", **environment)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="session")
def fake_bin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with stand-ins for the tools."""
    folder = tmp_path_factory.mktemp("bin")
    for tool in ("run", "devices", "platform", "probe"):
        script = folder / f"isthmus-{tool}"
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I "{FAKE}" {tool} "$@"\n')
        script.chmod(0o755)
    return folder


@pytest.fixture
def isthmus(tmp_path: Path, fake_bin: Path) -> Isthmus:
    """The command with the stand-ins, no settings of the person who runs the tests, and nothing of their home."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "ISTHMUS_BIN": str(fake_bin),
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "COLUMNS": "100",
    }
    return Isthmus(tmp_path, environment)


@pytest.fixture
def study_file(tmp_path: Path) -> Path:
    """A study of both boards and the OpenCL device."""
    path = tmp_path / "image-filter.toml"
    path.write_text(
        "[application]\n"
        'name = "image-filter"\n'
        "images = 20\n"
        "[study]\n"
        'targets = ["model:alpha-data-7v3", "model:aws-f1", "opencl:0"]\n'
        'flows = ["offload", "overlap", "stream"]\n'
    )
    return path
