"""Builds the site in build/site.

The documents are gathered in build/site-source, where they lie as in the repository, so that their links hold; with
them those that are generated, and the reference of the commands, which is made from their own help.
"""

import contextlib
import io
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from generated import generated_texts

from isthmus.base.files import write_atomically
from isthmus.cli.commands import COMMANDS
from isthmus.cli.main import run

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "build" / "site-source"
ROOMS = ("engine", "stream", "native", "fabric", "offload", "application", "flows", "apps")  # that pages link to
GATHERED = [
    *("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs"),
    *(f"benchmarks/{folder}README.md" for folder in ("", "hpcc/", "gpu/")),
    *(f":(glob)src/{room}/*.md" for room in ROOMS),
]
PAGE_WIDTH = 72  # characters of code beside the navigation
SHOWN = {".md", ".svg", ".png"}


def gather() -> None:
    """Copies the tracked documents and pictures to SOURCE, and nothing else."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *GATHERED]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        if Path(name).suffix in SHOWN and (ROOT / name).is_file():
            (SOURCE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, SOURCE / name)


def command_names() -> Iterator[list[str]]:
    """The words of each command, in the order of the overview."""
    for name, known in COMMANDS.items():
        yield from known.words(name)


def reference() -> str:
    """The help of every command as Markdown."""
    pages = [
        "# Commands\n",
        _page([]),
        *(f"## isthmus {' '.join(words)}\n\n{_page(words)}" for words in command_names()),
    ]
    return "\n".join(pages)


def _page(words: list[str]) -> str:
    os.environ["COLUMNS"] = str(PAGE_WIDTH)
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        if run([*words, "--help"]) != 0:
            raise SystemExit(f"isthmus {' '.join(words)} --help: expected exit code 0")
    return f"```text\n{text.getvalue()}```\n"


def main() -> int:
    """The exit code of mkdocs: 1 if the documents have a warning."""
    gather()
    for name, text in {"commands.md": reference(), **generated_texts()}.items():
        write_atomically(SOURCE / "docs" / name, text)
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}  # the theme's notice of its successor
    command = [sys.executable, "-m", "mkdocs", "build"]  # with --quiet its strict mode counts no warnings
    done = subprocess.run(command, cwd=ROOT, env=quiet, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        print(done.stderr, file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
