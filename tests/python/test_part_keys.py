"""What stands behind a part of a model are keys of the board that was modelled, as --set takes them."""

from pathlib import Path

import pytest
from tests.python.conftest import EXPLAINED, TREE, Isthmus

from isthmus.asking.applications import applications, flows_of
from isthmus.asking.experiments import Experiment, run_experiment

BOARDS = [
    path
    for folder in ("platforms", "tests/boards")
    for path in sorted((TREE / folder).glob("*.toml"))
    if "[link" in path.read_text()
]

# Small sizes of applications that compute long at their usual one.
MATRICES = ("size=256", "iterations=2")
SMALL = {
    "matrix-multiply": MATRICES,
    "matrix-vector": MATRICES,
    "merkle-tree": ("handover=mmio", "size=4", "draws=1000"),
    "task-graph": ("scheme=prefetch", "tasks=32"),
}


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: str(Path(board).stem))
def test_the_keys_behind_each_part_are_whole_keys_of_its_board(board: Path) -> None:
    for application in applications():
        for flow in flows_of(application, str(board)):
            small = SMALL.get(application, ())
            asked = Experiment(application, str(board), flow, 2, parameters=small)
            row = run_experiment(asked, lambda event: None, remember=False)
            assert row.platform is not None
            known = {item.key for item in row.platform.inputs}
            assert any(part.keys for part in row.parts)
            assert [key for part in row.parts for key in part.keys if key not in known] == []


def test_the_hint_is_of_a_key_behind_the_part_that_the_reruns_name(real: Isthmus) -> None:
    words = ("run", "image-filter", "--on", "model:aws-f1", "--flow", "stream", "--images", "4")
    done = real(*words, "--json", "run.json", **EXPLAINED)
    (row,) = real.json("history", "1")["rows"]
    key, _, value = done.stderr.splitlines()[-1].rpartition("--set ")[2].partition("=")
    (effect,) = [one for one in row["bottleneck"]["effects"] if one["change"] == f"{key}={value}"]
    assert effect["raises"] > 0
    assert key in next(part["keys"] for part in row["parts"] if part["name"] == row["bottleneck"]["part"])
