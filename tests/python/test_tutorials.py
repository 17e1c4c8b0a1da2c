"""Every command of the tutorials and of the README's first screen runs as it stands there, in a folder of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.python.tutorials import Command, Excerpt, File, agrees, differences, steps

TREE = Path(__file__).parents[2]
DOCUMENTS = [TREE / "README.md", *sorted((TREE / "docs" / "tutorials").glob("*.md"))]
SHOWN = TREE / "src" / "apps" / "suffix_sum"  # what the README shows a part of


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.stem)
def test_a_document_does_what_it_says(document: Path, tmp_path: Path, compiled_kernels: Path) -> None:
    reader = Reader(tmp_path, compiled_kernels)
    for step in steps(document.read_text(encoding="utf-8")):
        if isinstance(step, Command):
            reader.types(step)
        elif isinstance(step, File):
            (reader.folder / step.name).write_text(step.text)
        else:
            reader.finds(step)


class Reader:
    """Someone who follows a tutorial, on a machine on which nothing but kernels was compiled before."""

    def __init__(self, folder: Path, compiled_kernels: Path) -> None:
        self.folder = folder
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("ISTHMUS_")},
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder),
            "POCL_CACHE_DIR": str(compiled_kernels),
            "OCL_ICD_VENDORS": "/etc/OpenCL/vendors",  # and not what is installed in this environment for some tests
            "COLUMNS": "100",
            "LC_ALL": "C.UTF-8",
        }
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
            self.environment.pop(name, None)

    def types(self, command: Command) -> None:
        """Runs it and compares what it prints."""
        if command.words.startswith("cd "):
            self.folder /= command.words[3:]
            return
        done = subprocess.run(
            command.words,
            shell=True,
            executable="/bin/bash",
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"$ {command.words}\n{done.stdout}"
        problem = differences(command, done.stdout)
        assert problem is None, f"$ {command.words}\n{problem}\n\n{done.stdout}"

    def finds(self, excerpt: Excerpt) -> None:
        """Looks for the code among the files here, and those of which the README shows some."""
        files = [path for folder in (self.folder, SHOWN) for path in folder.iterdir() if path.is_file()]
        assert any(excerpt.text in path.read_text() for path in files), f"no file holds:\n{excerpt.text}"


def test_numbers_of_models_are_compared_and_measured_ones_are_not() -> None:
    assert agrees("rate 1,350 images/s, model", "rate   1,400 images/s, model", modelled=False)
    assert not agrees("rate 1,350 images/s, model", "rate 1,500 images/s, model", modelled=False)
    assert agrees("rate 5.5 GB/s, measured", "rate 41.25 GB/s, measured", modelled=False)
    assert agrees("4KiB 0.161", "4KiB  0.02 ±5%", modelled=False)
    assert not agrees("4KiB 0.161", "4KiB  0.02", modelled=True)
    assert not agrees("rate 5.5 GB/s, measured", "rate 5.5 MB/s, measured", modelled=False)


def test_lines_that_are_missing_or_too_many_are_told() -> None:
    printed = "one\ntwo\n\nthree\n"
    assert differences(Command("c", ["one", "two", "three"]), printed) is None
    assert differences(Command("c", ["one", "...", "three"]), printed) is None
    assert differences(Command("c", ["..."]), printed) is None
    assert differences(Command("c", ["one", "three"]), printed) == "expected 'three', got 'two'"
    assert differences(Command("c", ["one", "two"]), printed) == "not in the document: 'three'"
    assert differences(Command("c", ["...", "four"]), printed) == "missing: 'four'"
    busy = (
        "runs: 3 of 9, 2 min left\nwarning: other programs used 45 % of the cores during h2d; it is slower for that\n"
    )
    assert differences(Command("c", ["one", "two", "three"]), busy + printed) is None
    assert differences(Command("c", ["one", "two", "three"]), "warning: this is wrong\n" + printed) is not None
