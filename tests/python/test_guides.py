"""The numbers of the guides are those of runs and of papers (docs/guides.toml)."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def guides(tree: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    words = [sys.executable, str(tree / "scripts" / "guides.py"), *options]
    return subprocess.run(words, cwd=tree, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tree: Path, tmp_path: Path) -> Path:
    """The guides, to be changed."""
    for file in [*(tree / "docs").glob("*.md"), *(tree / "docs").glob("guides.*")]:
        shutil.copy(file, tmp_path)
    return tmp_path


def test_the_guides_have_the_numbers_of_their_runs_and_some_runs_give_them_again(tree: Path) -> None:
    done = guides(tree, "--check", "--again")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_number_changed_in_a_guide_alone_is_named_and_mended(tree: Path, copy: Path) -> None:
    guide = copy / "applications.md"
    before = guide.read_text(encoding="utf-8")
    guide.write_text(before.replace("| 77.1 |", "| 87.1 |"), encoding="utf-8")
    done = guides(tree, "--docs", str(copy), "--check")
    assert (done.returncode, done.stdout) == (
        1,
        "docs/applications.md: its numbers are not those of docs/guides.json\n",
    )
    guides(tree, "--docs", str(copy))
    assert guide.read_text(encoding="utf-8") == before


def test_a_text_that_its_guide_has_no_more_is_refused(tree: Path, copy: Path) -> None:
    guide = copy / "applications.md"
    guide.write_text(guide.read_text(encoding="utf-8").replace("| stream: model |", "| a stream |"), encoding="utf-8")
    done = guides(tree, "--docs", str(copy), "--check")
    assert done.returncode == 1
    assert "expected a text that its page has once, got 0 of: | stream: model" in " ".join(done.stderr.split())
