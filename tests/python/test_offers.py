"""What the tools offer is asked once and kept, and how many tools a command starts."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from unittest import mock

import pytest
from tests.python.conftest import TREE, Isthmus, program

from isthmus.running.offers import offered
from isthmus.running.targets import platforms
from isthmus.running.tools import NAMES, tool_path

PROBE = ("probe", "model:aws-f1", "latency")


@pytest.fixture
def counted(real: Isthmus) -> Isthmus:
    """The command whose tools write a line to the file `starts` each time that they start."""
    folder = real.folder / "counted"
    for name in NAMES:
        program(folder / name, f'echo "{name} $1" >> "{real.folder / "starts"}"\nexec "{tool_path(name)}" "$@"')
    return Isthmus(real.folder, {**real.environment, "ISTHMUS_BIN": str(folder)})


def starts(command: Isthmus, *words: str, **environment: str) -> list[str]:
    """The tools that a command starts, in order."""
    log = command.folder / "starts"
    log.write_text("")
    command.well(*words, **environment)
    return log.read_text().splitlines()


def test_a_probe_starts_two_tools_at_most(counted: Isthmus) -> None:
    cold = starts(counted, *PROBE)
    assert sum(line.endswith("--describe") for line in cold) <= 3
    assert len(starts(counted, *PROBE)) <= 2
    assert len(starts(counted, "probe", "model:aws-f1", "h2d*", "--sizes", "4KiB")) <= 3


def test_advice_starts_ten_tools_at_most(counted: Isthmus) -> None:
    words = ("advise", str(TREE / "examples" / "my-app.toml"))
    assert len(starts(counted, *words)) <= 10
    assert len(starts(counted, *words)) <= 9


def kept(folder: Path, tool: str) -> Path:
    """The file that holds what a tool offers."""
    (found,) = (folder / "isthmus" / "offers").glob(f"{tool}-*.json")
    return found


def test_half_a_file_in_the_cache_is_one_warning_and_written_anew(real: Isthmus) -> None:
    cache = real.folder / "cache"
    environment = {"XDG_CACHE_HOME": str(cache)}
    words = ("probe", "--list")
    whole = real(*words, **environment).stdout
    file = kept(cache, "isthmus-probe")
    text = file.read_text()
    for spoiled in (text[: len(text) // 2], "", "[]", '{"stamp": [], "offers": {}}', "[" * 100000):
        file.write_text(spoiled)
        out, err = real.start(*words, **environment).communicate()
        assert out == whole
        (line,) = err.splitlines()
        assert line.startswith(f"warning: {file}: cannot be used, and is written anew: ")
        assert file.read_text() == text
    assert real.start(*words, **environment).communicate() == (whole, "")


def test_a_cache_that_cannot_be_written_is_one_warning(real: Isthmus) -> None:
    (real.folder / "file").write_text("")
    process = real.start(*PROBE, "-q", XDG_CACHE_HOME=str(real.folder / "file"))
    out, err = process.communicate()
    assert process.returncode == 0
    assert "at 64B, model" in out
    (line,) = err.splitlines()
    assert line.startswith("warning: ")
    assert "Not a directory" in line


def test_another_tool_is_asked_anew(tmp_path: Path) -> None:
    tool, log = tmp_path / "program", tmp_path / "log"

    def written(name: str) -> None:
        offers = json.dumps({"event": "description", "applications": [{"name": name}]})
        program(tool, f"echo asked >> {log}\necho '{offers}'")

    with mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(tmp_path / "cache")}):
        for name in ("one", "two"):
            written(name)
            for _ in range(3):
                assert offered(str(tool))["applications"] == [{"name": name}]
    assert log.read_text() == "asked\nasked\n"


def test_a_board_that_is_added_or_changed_is_seen(tmp_path: Path) -> None:
    boards = tmp_path / "boards"
    shutil.copytree(TREE / "platforms", boards)
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "ISTHMUS_PLATFORMS": str(boards)}
    with mock.patch.dict(os.environ, environment):
        before = platforms()
        text = (boards / "aws-f1.toml").read_text()
        (boards / "mine.toml").write_text(text)
        assert sorted([*before, "model:mine"]) == platforms()
        (boards / "mine.toml").write_text(text.replace('name = "', 'name = "My own ', 1))
        assert offered("isthmus-platform")["platforms"]["model:mine"]["name"].startswith("My own ")


@pytest.mark.parametrize("tool", NAMES)
@pytest.mark.parametrize(
    ("request_", "complaint"),
    [
        ("no JSON", "request: expected a JSON object such as "),
        ("[1]", "request: expected a JSON object such as "),
        ('{"nosuch": 1}', "unknown option '--nosuch'"),
        ('{"nosuch": 1, "nosuch": 2}', "request: 'nosuch' is given twice"),
    ],
)
def test_each_tool_refuses_what_is_no_request_of_it(tool: str, request_: str, complaint: str) -> None:
    if tool == "isthmus-run" and "unknown" in complaint:
        request_ = '{"APP": "suffix-sum", "nosuch": 1}'
    done = subprocess.run([tool_path(tool), request_], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {complaint}")
    assert done.stderr.count("\n") == 1
