"""Questions about changed models: all are answered, in their order, and no model runs twice for one answer."""

from pathlib import Path

import pytest
from tests.python.conftest import program

from isthmus.asking.answers import Answers, ask_all, counting, probed_once
from isthmus.base.errors import IsthmusError
from isthmus.running.tools import Event

FIELDS = ("name", "time_s")


def squared(number: int, _on_event: object) -> int:
    return number * number


def test_answers_come_in_the_order_of_the_questions_and_are_counted() -> None:
    counts: list[tuple[int, int]] = []
    assert ask_all(range(9), squared, counting(lambda done, total: counts.append((done, total)), 9)) == [
        number * number for number in range(9)
    ]
    assert counts == [(done, 9) for done in range(1, 10)]


def test_an_error_ends_all_questions() -> None:
    def refuse(number: int, _on_event: object) -> int:
        raise IsthmusError(f"no {number}")

    with pytest.raises(IsthmusError, match="no 3"):
        ask_all([3], refuse)


def test_answers_are_kept_as_they_are(tmp_path: Path) -> None:
    kept = Answers(tmp_path / "answers.sqlite")
    kept.write({"one": [1.1, None], "two": {"a": "b"}})
    assert Answers(tmp_path / "answers.sqlite").read(["two", "one", "three"]) == {"one": [1.1, None], "two": {"a": "b"}}


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A board of tools that note each probe in `probed`."""
    file = tmp_path / "board.toml"
    file.write_text("a = 1\n")
    record = '{"event": "record", "name": "h2d", "time_s": 1.5, "value": 2}'
    program(tmp_path / "isthmus-probe", f"echo once >>{tmp_path}/probed; echo '{record}'")
    shown = '{\\"event\\": \\"platform\\", \\"platforms\\": {}, \\"sha256\\": '
    program(tmp_path / "isthmus-platform", f'echo "{shown}\\"$(md5sum <{file})\\"}}"')
    monkeypatch.setenv("ISTHMUS_BIN", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return file


def test_a_probe_of_a_changed_model_runs_again_only_if_change_platform_or_tool_is_another(board: Path) -> None:
    def probed(lanes: int) -> tuple[list[Event], int]:
        records = probed_once(str(board), {"PROBE": "h2d", "set": {"lanes": lanes}}, FIELDS)
        return records, len((board.parent / "probed").read_text().splitlines())

    told = [{"name": "h2d", "time_s": 1.5}]
    assert [probed(8), probed(8), probed(4)] == [(told, 1), (told, 1), (told, 2)]
    board.write_text("a = 22\n")
    assert [probed(8), probed(8)] == [(told, 3), (told, 3)]
    tool = board.parent / "isthmus-probe"
    tool.write_text(tool.read_text() + "\n")
    assert [probed(8), probed(8)] == [(told, 4), (told, 4)]
