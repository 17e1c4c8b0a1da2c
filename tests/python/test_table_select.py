"""Rows of a drive, by the command with the real tools: what a database selects, what limits, what bad input gets."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from tests.python.conftest import EXPLAINED, Isthmus
from tests.python.test_schemas import check

RUN = ("run", "table-select")
ROW = np.dtype([("key", "<i8"), ("a", "<i8"), ("b", "<i8", (6,))])


def write_table(path: Path, rows: int, seed: int) -> np.ndarray:
    """A file of rows, each with its number, and keys of which some are equal."""
    draw = np.random.default_rng(seed)
    table = np.zeros(rows, ROW)
    table["key"] = draw.integers(-(2**40), 2**40, rows)
    table["key"][::97] = table["key"][0]
    table["a"] = np.arange(rows)
    table["b"] = draw.integers(-(2**62), 2**62, (rows, 6))
    table.tofile(path)
    return table


@pytest.mark.parametrize(
    ("target", "flow"), [("model:aws-f1", "stream"), ("model:aws-f1", "offload"), ("native", "stream")]
)
def test_what_is_selected_is_what_a_database_selects(real: Isthmus, target: str, flow: str) -> None:
    table = write_table(real.folder / "rows", 20_011, seed=7)
    bound = int(np.sort(table["key"])[round(0.35 * len(table))])
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute("CREATE TABLE t (key INTEGER, number INTEGER)")
        base.executemany("INSERT INTO t VALUES (?, ?)", table[["key", "a"]].tolist())
        rows = base.execute(f"SELECT number FROM t WHERE key < {bound} ORDER BY number").fetchall()
    answer = np.array(rows)[:, 0]
    (row,) = real.json(*RUN, "--on", target, "--flow", flow, "--input", "rows", "--set", "output=kept",
                       "--set", "selectivity=0.35")["rows"]  # fmt: skip
    kept = np.fromfile(real.folder / "kept", ROW)
    np.testing.assert_array_equal(kept["a"], answer)
    np.testing.assert_array_equal(kept, table[answer])
    assert row["verified"] is True
    assert row["selected_share"] == pytest.approx(0.35, abs=0.02)


def test_the_drive_is_the_limit_until_it_is_faster_and_then_the_kernels_clock_is(real: Isthmus) -> None:
    stream = (*RUN, "--on", "model:aws-f1", "--flow", "stream", "--count", "400000")
    file = real.json(*stream, **EXPLAINED)
    check("run", file)
    (row,) = file["rows"]
    assert (row["counted"], row["bytes_each"], row["unit"]) == ("rows", 64, "rows/s")
    assert row["bottleneck"]["relief"].startswith("storage.read_rate=")
    (row,) = real.json(*stream, "--set", "storage.queue_depth=2", **EXPLAINED)["rows"]
    assert row["bottleneck"]["relief"].split("=")[0] in ("storage.queue_depth", "storage.read_size")
    faster = ("--set", "storage.read_rate=100GB/s", "--set", "storage.queue_depth=256")
    (row,) = real.json(*stream, *faster, **EXPLAINED)["rows"]
    assert row["bottleneck"]["relief"].startswith("kernel.clock=")


def test_past_the_host_more_rows_are_looked_at_than_through_it(real: Isthmus) -> None:
    rates = {
        flow: real.json(*RUN, "--on", "model:aws-f1", "--flow", flow, "--count", "100000")["rows"][0]["value"]
        for flow in ("offload", "stream")
    }
    assert rates["stream"] > 3 * rates["offload"]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--set", "selectivity=1.5"), "selectivity"),
        (("--set", "selectivity=half"), "selectivity"),
        (("--set", "batch=0"), "batch"),
        (("--input", "none"), "none"),
        (("--input", "half"), "half: expected rows of 64 B, got 1 B behind row 2"),
        (("--input", "empty"), "empty"),
        (("--set", "output=no/such/folder"), "no/such/folder"),
        (("--on", "model:alpha-data-7v3"), "storage"),
        (("--flow", "overlap"), "overlap"),
    ],
)
def test_bad_input_gets_one_line_and_leaves_no_file(real: Isthmus, words: tuple[str, ...], named: str) -> None:
    (real.folder / "half").write_bytes(bytes(129))
    (real.folder / "empty").write_bytes(b"")
    before = sorted(real.folder.iterdir())
    on = () if "--on" in words else ("--on", "model:aws-f1")
    flow = () if "--flow" in words else ("--flow", "stream")
    assert named in real.refusal(*RUN, *on, *flow, "--count", "10", *words)
    assert sorted(real.folder.iterdir()) == before
