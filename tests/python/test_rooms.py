"""The rooms of the C++: an include that climbs is found, by the one list of rooms."""

import subprocess
import sys
from pathlib import Path

import pytest


def lint(tree: Path, root: Path) -> "subprocess.CompletedProcess[str]":
    words = [sys.executable, str(tree / "scripts" / "check_rooms.py"), str(root)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def with_file(tree: Path, root: Path, name: str, text: str) -> "subprocess.CompletedProcess[str]":
    """Looks at a tree with the rooms of this one and that file alone."""
    for file, held in (("cmake/Options.cmake", (tree / "cmake" / "Options.cmake").read_text()), (name, text)):
        (root / file).parent.mkdir(parents=True)
        (root / file).write_text(held)
    return lint(tree, root)


def test_nothing_in_the_tree_includes_a_room_above_its_own(tree: Path) -> None:
    done = lint(tree, tree)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("file", "include", "complaint"),
    [
        ("src/engine/a.cpp", '"isthmus/stream.hpp"', "isthmus/stream.hpp is of room stream, above engine"),
        ("src/stream/a.cpp", '"native/b.hpp"', "native/b.hpp is of room native, above stream"),
        ("src/stream/sub/a.hpp", "<isthmus/native.hpp>", "isthmus/native.hpp is of room native, above stream"),
        (
            "include/isthmus/base/a.hpp",
            '"isthmus/fabric/b.hpp"',
            "isthmus/fabric/b.hpp is of room fabric, above base",
        ),
        ("include/isthmus/stream.hpp", '"isthmus/native.hpp"', "isthmus/native.hpp is of room native, above stream"),
        (
            "src/fabric/a.cpp",
            '"isthmus/engine/detail/b.hpp"',
            "isthmus/engine/detail/b.hpp is for engine and native alone",
        ),
        ("src/kitchen/a.cpp", '"isthmus/base/b.hpp"', "expected a file of a room: base, engine, "),
    ],
)
def test_an_include_that_climbs_is_told_with_its_line(
    tree: Path, tmp_path: Path, file: str, include: str, complaint: str
) -> None:
    done = with_file(tree, tmp_path, file, f"#include {include}\n")
    assert done.returncode == 1
    assert done.stdout.startswith(f"{file}:1: {complaint}")
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('#  include "native/b.hpp"', "native/b.hpp is of room native, above stream"),
        ("\t# include <isthmus/native.hpp>", "isthmus/native.hpp is of room native, above stream"),
        ('#include"native/b.hpp"', "native/b.hpp is of room native, above stream"),
        *(
            (f"#include <{path}>", f"{path} expected a path from the root, without . and ..")
            for path in ("../native/run.hpp", "isthmus/./native.hpp", "isthmus//native.hpp", "./pool.hpp")
        ),
    ],
)
def test_an_include_cannot_hide_its_room(tree: Path, tmp_path: Path, line: str, complaint: str) -> None:
    done = with_file(tree, tmp_path, "src/stream/a.cpp", f"{line}\n")
    assert done.stdout == f"src/stream/a.cpp:1: {complaint}\n"


def test_an_include_that_goes_down_or_stays_is_fine(tree: Path, tmp_path: Path) -> None:
    includes = ("<queue>", "<fmt/format.h>", '"isthmus/base/a.hpp"', '"native/a.hpp"', '"isthmus/engine/detail/a.hpp"')
    text = "".join(f"#include {include}\n" for include in includes)
    assert with_file(tree, tmp_path, "src/native/a.cpp", text).returncode == 0
