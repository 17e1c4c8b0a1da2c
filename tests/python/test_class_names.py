"""A class name is one thing in the C++, and one in Python, unless a list says why two rooms have it."""

import subprocess
import sys
from pathlib import Path

import pytest


def lint(tree: Path, root: Path) -> "subprocess.CompletedProcess[str]":
    words = [sys.executable, str(tree / "scripts" / "check_names.py"), str(root)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def test_the_names_that_rooms_share_are_those_of_the_list(tree: Path) -> None:
    done = lint(tree, tree)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("reasons", "engine", "stream", "complaint"),
    [
        (
            "",
            "struct Thing {\n};\n",
            "class Thing final : public Other {\n};\n",
            "class Thing: defined in engine, stream\n",
        ),
        ("", "struct Thing;\n", "struct Thing {\n};\n", ""),
        ("", "struct alignas(64) Thing {\n};\n", "struct Thing {\n};\n", "class Thing: defined in engine, stream\n"),
        ("", "enum class Thing : char { a };\n", "enum Thing { b };\n", "class Thing: defined in engine, stream\n"),
        ("", "struct [[nodiscard]] Thing {\n};\n", "union Thing {\n};\n", "class Thing: defined in engine, stream\n"),
        ("", "enum class Thing : char;\n", "struct Thing {\n};\n", ""),
        ('[cpp]\nThing = "why"\n', "struct Thing {\n};\n", "struct Thing {\n};\n", ""),
        (
            '[cpp]\nThing = "why"\n',
            "struct Thing {\n};\n",
            "",
            "scripts/shared_names.toml: cpp: Thing is shared no more\n",
        ),
    ],
)
def test_a_name_of_two_rooms_needs_a_reason(
    tree: Path, tmp_path: Path, reasons: str, engine: str, stream: str, complaint: str
) -> None:
    write(
        tmp_path,
        {
            "scripts/shared_names.toml": reasons,
            "include/isthmus/engine/a.hpp": engine,
            "src/stream/b.cpp": stream,
        },
    )
    done = lint(tree, tmp_path)
    assert (done.returncode, done.stdout) == (int(bool(complaint)), complaint)


@pytest.mark.parametrize(
    ("reasons", "complaint"),
    [("", "class Thing: defined in results, running\n"), ('[python]\nThing = "why"\n', "")],
)
def test_a_name_of_two_rooms_of_python_needs_a_reason_too(
    tree: Path, tmp_path: Path, reasons: str, complaint: str
) -> None:
    files = {f"python/isthmus/{room}/a.py": "class Thing:\n    pass\n" for room in ("running", "results")}
    write(tmp_path, {"scripts/shared_names.toml": reasons, **files})
    assert lint(tree, tmp_path).stdout == complaint
