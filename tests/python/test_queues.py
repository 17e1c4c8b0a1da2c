"""Tasks and hashes on boards with shared memory, by the command with the real tools."""

import json

import pytest
from tests.python.conftest import Isthmus
from tests.python.test_schemas import check

BOARD = ("--on", "model:xeon-fpga-v2")
SMALL = ("--size", "4", "--draws", "2000", "--blocks", "2")


def test_each_hand_over_of_a_list_is_a_row_beside_the_core_alone(real: Isthmus) -> None:
    file = real.json("run", "merkle-tree", *BOARD, *SMALL, "--handover", "none,mmio")
    check("run", file)
    alone, ahead = file["rows"]
    assert [row["parameters"]["handover"] for row in file["rows"]] == ["none", "mmio"]
    assert all(row["verified"] for row in file["rows"])
    assert alone["speedup"] == {"mean": 1, "min": 1, "max": 1}
    assert ahead["speedup"]["mean"] == pytest.approx(ahead["value"] / alone["value"], rel=1e-3)
    assert alone["first_touch_share"] == ahead["first_touch_share"] > 0.9


def test_tasks_have_a_row_for_each_scheme_with_percentiles(real: Isthmus) -> None:
    done = real.well("run", "task-graph", *BOARD, "--tasks", "40", "--graphs", "1")
    rows = real.json("run", "task-graph", *BOARD, "--tasks", "40", "--graphs", "1")["rows"]
    assert [row["parameters"]["scheme"] for row in rows] == ["alone", "queues", "prefetch"]
    assert all(row["verified"] for row in rows)
    for row in rows:
        times = row["task_times"]
        assert 0 < times["p50_s"] <= times["p99_s"] <= times["max_s"]
    assert rows[2]["task_times"]["p50_s"] < rows[1]["task_times"]["p50_s"]
    for told in ("prefetch", "task p50, p99"):
        assert told in done.stdout


def test_a_graph_of_a_file_runs(real: Isthmus) -> None:
    tasks = [{"name": "a", "work_ns": 100}, {"name": "b", "work_ns": 200, "lines": 3, "after": ["a"]}]
    (real.folder / "graph.json").write_text(json.dumps({"tasks": tasks}), encoding="utf-8")
    (row,) = real.json(
        "run", "task-graph", *BOARD, "--input", "graph.json", "--scheme", "queues", "--count", "1", "--fine"
    )["rows"]
    assert (row["tasks"], row["bytes_each"], row["verified"]) == (2, 4 * 64, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("task-graph", "--input", "cycle.json"), "cycle.json: task 'a': expected a graph without cycles"),
        (("task-graph", "--set", "queue.depth=0"), "queue.depth"),
        (("task-graph", "--depth", "0"), "--depth: expected an integer of 1..12"),
        (
            ("task-graph", "--scheme", "queues,both"),
            "--scheme: unknown scheme 'both': expected alone, queues or prefetch",
        ),
        (("merkle-tree", "--handover", "pol"), "did you mean 'poll'?"),
        (("merkle-tree", "--handover", "none,none"), "expected each handover once, got 'none' again"),
        (("task-graph", "--tasks", "100000", "--work", "1e9"), "--tasks, --work: expected at most 1000000000000 ns"),
        (("merkle-tree", "--window", "30MiB", "--size", "4"), "--window: expected at most the tree's 4 MiB (--size 4)"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(real: Isthmus, words: tuple[str, ...], said: str) -> None:
    tasks = [{"name": "a", "work_ns": 1, "after": ["b"]}, {"name": "b", "work_ns": 1, "after": ["a"]}]
    (real.folder / "cycle.json").write_text(json.dumps({"tasks": tasks}), encoding="utf-8")
    assert said in real.refusal("run", *words, *BOARD)


def test_a_board_with_memory_of_its_own_has_no_such_flow(real: Isthmus) -> None:
    told = real.refusal("run", "merkle-tree", "--on", "model:aws-f1", "--handover", "mmio", "--flow", "shared")
    assert "flow 'shared'" in told
