"""The site of the documents: built as `make docs` does it, complete, and without anything from elsewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from isthmus.cli.commands import COMMANDS


@pytest.fixture(scope="module")
def site(tree: Path) -> Path:
    """The folder of the site, built now; a dead link or anchor ends the build."""
    done = subprocess.run(
        [sys.executable, tree / "scripts" / "build_docs.py"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return tree / "build" / "site"


@pytest.mark.parametrize("script", ["check_docs.py", "generated.py --check"])
def test_links_lead_somewhere_and_what_is_generated_is_what_was_reviewed(tree: Path, script: str) -> None:
    words = [sys.executable, *f"scripts/{script}".split()]
    done = subprocess.run(words, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("looked_for", "name"),
    [
        ("a timing of DRAM", "RCD("),
        ("the fit of", "def fit("),
        ("the rule of the verdict", "def ranked("),
        ("the kernel of FFT", "kernel void fft"),
    ],
)
def test_the_ways_to_what_a_stranger_looks_for_end_there(tree: Path, looked_for: str, name: str) -> None:
    (row,) = re.findall(rf"^\| {looked_for}.*$", (tree / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    (first, *_) = (path for path in re.findall(r"`(.*?)`", row) if "/" in path and (tree / path).is_file())
    assert name in (tree / first).read_text()


def test_the_reference_has_the_help_of_every_command(site: Path) -> None:
    text = (site / "docs" / "commands.html").read_text()
    for name, known in COMMANDS.items():
        for command in known.words(name):
            assert f"Usage: isthmus {' '.join(command)}" in text


def test_every_page_is_in_the_navigation(site: Path) -> None:
    start = (site / "index.html").read_text()
    for page in site.rglob("*.html"):
        if page.name not in ("index.html", "404.html"):
            assert f'href="{page.relative_to(site)}"' in start, page


def test_a_page_loads_nothing_from_elsewhere(site: Path) -> None:
    loaded = re.compile(
        r"""<(?:script|img|iframe|link)\b[^>]*?(?:src|href)=["']?([^"'\s>]+)|url\(\s*["']?([^"')\s]+)"""
    )
    for file in [*site.rglob("*.html"), *site.rglob("*.css")]:
        for found in loaded.finditer(file.read_text()):
            address = found[1] or found[2]
            assert not re.match(r"(https?:)?//", address), f"{file}: {address}"
