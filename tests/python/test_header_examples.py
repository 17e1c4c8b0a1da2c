"""The examples of headers are code: each compiles, in a function of its own."""

import re
import subprocess
from pathlib import Path

import pytest

# What a user meets first. Each begins with what it is, and says which mistakes are told.
OPENED = {
    "In": "engine/port.hpp",
    "Out": "engine/port.hpp",
    "Graph": "engine/graph.hpp",
    "Application": "application/application.hpp",
    "Device": "offload/device.hpp",
    "Board": "platform/board.hpp",
}
INCLUDES = (
    "algorithm",
    *(f"isthmus/{name}.hpp" for name in ("fabric/device_memory", "native", "offload/open", "platform/board")),
    *("isthmus/program.hpp", "isthmus/stream.hpp"),
)


def comment_of(tree: Path, name: str) -> str:
    """What stands before a class, without its slashes."""
    text = (tree / "include" / "isthmus" / OPENED[name]).read_text()
    found = re.search(rf"((?:^///.*\n)+)(?:template <.*>\n)?(?:class|struct) {name} ", text, re.MULTILINE)
    assert found is not None, name
    return re.sub(r"^/// ?", "", found[1], flags=re.MULTILINE)


def example_of(comment: str) -> str:
    """Its indented lines."""
    return "\n".join(line for line in comment.splitlines() if line.startswith("    "))


@pytest.mark.parametrize("name", OPENED)
def test_what_a_user_meets_first_says_what_it_is_and_which_mistakes_are_told(tree: Path, name: str) -> None:
    comment = comment_of(tree, name)
    assert re.match(rf"{name} is ", comment)
    assert "Mistakes that are told" in comment
    assert example_of(comment)


def test_the_examples_of_headers_compile(tree: Path, tmp_path: Path) -> None:
    source = "".join(f"#include <{header}>\n" for header in INCLUDES)
    for name in OPENED:
        source += f"void example_of_{name.lower()}() {{\n{example_of(comment_of(tree, name))}\n}}\n"
    assert compiled(tree, tmp_path, source) == ""
    broken = source.replace("left.read()", "left.reed()")
    assert "reed" in compiled(tree, tmp_path, broken)


def compiled(tree: Path, folder: Path, source: str) -> str:
    """What the compiler says of it."""
    file = folder / "examples.cpp"
    file.write_text(source)
    words = ["g++", "-std=c++20", "-fsyntax-only", f"-I{tree / 'include'}", str(file)]
    return subprocess.run(words, capture_output=True, text=True, check=False).stderr
