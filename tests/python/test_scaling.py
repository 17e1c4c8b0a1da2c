"""`isthmus hpcc scale`: sizes of the runs, speed-up, prediction; some with the real tool."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.python.conftest import Isthmus, program
from tests.python.hpcc_records import hpcc_record
from tests.python.test_schemas import check

from isthmus.hpcc.scaling import local_size, predicted, rows_of, size_at
from isthmus.hpcc.scaling_tables import table, verdict
from isthmus.records.hpcc import HpccRecord, ScaleRow

PARAMETERS = {
    "stream": {"ARRAY_SIZE": 1 << 20, "DEVICE_BUFFER_SIZE": 1024, "NUM_REPLICATIONS": 2, "GLOBAL_MEM_UNROLL": 1},
    "fft": {"DATA_SIZE": 1 << 20, "LOG_FFT_SIZE": 9, "NUM_REPLICATIONS": 1},
    "random_access": {"TABLE_SIZE_LOG": 20},
    "ptrans": {"MATRIX_SIZE": 1024, "BLOCK_SIZE": 64},
    "hpl": {"MATRIX_SIZE": 1024, "LOCAL_MEM_BLOCK_LOG": 5},
}


def values_of(benchmark: str, parameters: dict[str, int], ranks: int) -> float:
    """The values of the whole problem."""
    if benchmark in ("stream", "fft"):
        return ranks * parameters["ARRAY_SIZE" if benchmark == "stream" else "DATA_SIZE"]
    return 2.0 ** parameters["TABLE_SIZE_LOG"] if benchmark == "random_access" else parameters["MATRIX_SIZE"] ** 2


@pytest.mark.parametrize("benchmark", list(PARAMETERS))
@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_weak_scaling_keeps_the_values_of_a_rank_and_strong_those_of_all(benchmark: str, ranks: int) -> None:
    first = PARAMETERS[benchmark]
    one = values_of(benchmark, first, 1)
    weak = {**first, **size_at(benchmark, "weak", first, ranks)}
    strong = {**first, **size_at(benchmark, "strong", first, ranks)}
    assert values_of(benchmark, weak, ranks) / ranks == pytest.approx(one, rel=0.05), "to whole blocks"
    assert values_of(benchmark, strong, ranks) == pytest.approx(one)


def test_sizes_are_whole_blocks() -> None:
    assert size_at("ptrans", "weak", PARAMETERS["ptrans"], 2)["MATRIX_SIZE"] % 64 == 0
    assert size_at("stream", "strong", PARAMETERS["stream"], 3)["ARRAY_SIZE"] % 2048 == 0


def records(**values: Any) -> list[HpccRecord]:
    return [HpccRecord.model_validate(hpcc_record(**values))]


def test_speed_up_is_of_all_ranks_together_over_the_fewest() -> None:
    averages = [records(name="stream.copy", value=value, ranks=ranks) for ranks, value in ((2, 40.0), (4, 30.0))]
    first, second = rows_of("weak", averages)
    assert (first.value, first.speed_up, first.efficiency) == (80, 1, 1)
    assert (second.value, second.speed_up, second.efficiency) == (120, 1.5, 0.75)
    size = {"MATRIX_SIZE": 64}
    totals = [
        records(name="hpl", value=value, ranks=ranks, across="total", parameters=size)
        for ranks, value in ((1, 50.0), (4, 150.0))
    ]
    assert [(row.speed_up, row.efficiency) for row in rows_of("strong", totals)] == [(1, 1), (3, 0.75)]
    latency = [records(name="b_eff.latency", quantity="latency", ranks=ranks) for ranks in (1, 2)]
    assert {row.speed_up for row in rows_of("weak", latency)} == {None}


def test_hpl_is_predicted_by_the_curve_at_the_local_size_where_ranks_have_devices() -> None:
    row = ScaleRow(
        mode="strong",
        name="hpl",
        ranks=4,
        grid="2x2",
        unit="GFLOP/s",
        value=300,
        speed_up=3,
        efficiency=0.75,
        validated=True,
        shared=False,
        parameters={"MATRIX_SIZE": 2048},
    )
    rows = [row, row.model_copy(update={"shared": True}), row.model_copy(update={"mode": "weak"})]
    assert [one.predicted for one in predicted(rows, {1024: 80.0})] == [320, None, None]
    assert local_size(2048, 2) ** 2 * 2 == pytest.approx(2048**2, rel=1e-3)


def test_each_run_is_made_once_and_its_records_are_kept(real: Isthmus) -> None:
    words = ("--ranks", "2,1", "--size", "small", "--repeat", "2", "--set", "MATRIX_SIZE=384", "--set", "BLOCK_SIZE=64")
    file = real.json("hpcc", "scale", "ptrans", *words, "-q")
    check("hpcc-scale", file)
    assert [(row["mode"], row["ranks"]) for row in file["rows"] if row["name"] == "ptrans"] == [
        (mode, ranks) for mode in ("weak", "strong") for ranks in (1, 2)
    ]
    assert len(file["records"]) == 3 * 3, "three quantities of three runs"
    for row in file["rows"]:
        assert row["validated"]
        assert row["efficiency"] == pytest.approx(row["speed_up"] / row["ranks"])
    folder = real.folder / "out" / "hpcc-ptrans"
    assert json.loads((folder / "scale.json").read_text())["rows"] == file["rows"]
    page = (folder / "report.html").read_text()
    assert "Speed-up over ranks" in page
    assert "ptrans: validated, measured; parallel efficiency weak" in page


def test_hpl_beside_its_prediction_and_shared_ranks_without(real: Isthmus) -> None:
    sizes = ("--size", "small", "--set", "MATRIX_SIZE=512", "--set", "LOCAL_MEM_BLOCK_LOG=5")
    words = (*sizes, "--repeat", "2", "--no-power", "-q")
    whole = real.json("hpcc", "hpl", *words)
    cores = whole["records"][0]["device_info"]["compute_units"]
    counts = f"1,{cores},{cores + 1}"
    file = real.json("hpcc", "scale", "hpl", "--ranks", counts, "--mode", "strong", *words)
    check("hpcc-scale", file)
    curve = {point["size"]: point["value"] for point in file["curve"]}
    for row in file["rows"]:
        assert row["shared"] == (row["ranks"] > cores)
        if row["shared"]:
            assert row["predicted"] is None
        else:
            assert row["predicted"] == row["ranks"] * curve[round(512 / math.sqrt(row["ranks"]))]
    parts = {record["places"][0]["parts"] for record in file["records"] if not record["shared"]}
    assert parts == {cores}, "one rank has no more of the processor than one of many"


def test_the_verdict_names_what_stands_for_the_benchmark() -> None:
    names = ("stream.write", "stream.triad", "stream.read")
    runs = [[record for name in names for record in records(name=name, value=40.0, ranks=ranks)] for ranks in (1, 2)]
    assert verdict("stream", rows_of("weak", runs)).endswith("weak 100 % on 2 ranks (stream.triad)")


def test_a_speed_up_within_the_spread_is_not_to_be_judged() -> None:
    first = records(name="b_eff", value=40.0, samples=[36.0, 38.0, 40.0], ranks=1, across="total")
    for best, judged in ((41.0, False), (80.0, True)):
        more = records(name="b_eff", value=best, samples=[best - 3, best - 1, best], ranks=2, across="total")
        rows = rows_of("weak", [first, more])
        assert [row.judged for row in rows] == [True, judged]
        (cells,) = [cells for cells in table(rows).rows if cells[1] == "2"]
        assert ("not to be judged" in cells) == (not judged)
        assert verdict("b_eff", rows).endswith("weak 100 % on 2 ranks (b_eff)") == judged


def test_a_row_tells_where_the_median_of_its_repetitions_lies() -> None:
    more = records(name="stream.copy", value=50.0, samples=[30.0, 40.0, 50.0], ranks=2)
    (row,) = rows_of("weak", [more])
    assert (row.value, row.low, row.high) == (100, 60, 100), "of both ranks together"


def test_a_finished_scaling_is_whole_in_the_history_and_can_be_compared(tmp_path: Path, isthmus: Isthmus) -> None:
    lines = [json.dumps({"event": "record", **hpcc_record(name=name)}) for name in ("b_eff", "b_eff.min")]
    text = "\n".join(lines)
    tool = program(tmp_path / "bin" / "isthmus-hpcc", f"cat << 'END'\n{text}\nEND")
    for _ in range(2):
        words = ("hpcc", "scale", "b_eff", "--ranks", "1", "--json", "scale.json")
        assert isthmus(*words, ISTHMUS_BIN=str(tool.parent)).returncode == 0
    runs = isthmus.json("history")["runs"]
    assert [(run["kind"], run["complete"]) for run in runs] == [("hpcc-scale", True)] * 2
    assert "ended early" not in isthmus("history").stdout
    assert isthmus("history", "1").returncode == 0
    for command in (("compare", "scale.json", "scale.json"), ("history", "1", "2")):
        found = isthmus.json(*command)["comparisons"]
        assert [item["ratio"] for item in found] == [1.0, 1.0]


def test_the_plan_is_shown_and_nothing_runs(real: Isthmus) -> None:
    done = real("hpcc", "scale", "stream", "--ranks", "1,2", "--dry-run", ISTHMUS_BIN="/nonexistent")
    planned = [f"stream, {mode}: {ranks}" for mode in ("weak", "strong") for ranks in ("1 rank", "2 ranks")]
    assert done.stdout.splitlines() == planned


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("gemm", "--mode", "strong"), "--mode strong: expected weak for gemm, whose ranks have problems of their own"),
        (("hpl", "--mode", "fast"), "--mode: expected weak or strong, got 'fast'"),
        (("hpl", "--ranks", "1,two"), "--ranks: expected numbers of ranks such as 1,2,4, got '1,two'"),
        (("hpl", "--ranks", "0,1"), "--ranks: expected numbers of ranks such as 1,2,4, got '0,1'"),
        (("hlp",), "unknown benchmark 'hlp'; help: did you mean 'hpl'?"),
    ],
)
def test_what_cannot_scale_is_one_line(isthmus: Isthmus, words: tuple[str, ...], complaint: str) -> None:
    assert isthmus.refusal("hpcc", "scale", *words) == complaint


def test_what_was_measured_before_a_run_fails_is_kept(real: Isthmus) -> None:
    words = ("--ranks", "1,3", "--size", "small", "--repeat", "1", "--json", "-", "-q")
    done = real("hpcc", "scale", "random_access", *words)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "error: 3 ranks: expected a power of two, by which the table is split"
    file = json.loads(done.stdout)
    assert [row["ranks"] for row in file["rows"]] == [1, 1]
    assert file["context"]["complete"] is False


def test_wrong_results_are_shown_and_are_exit_code_one(tmp_path: Path, isthmus: Isthmus) -> None:
    line = json.dumps({"event": "record", **hpcc_record(name="b_eff", validated=False)})
    tool = program(tmp_path / "bin" / "isthmus-hpcc", f"cat << 'END'\n{line}\nEND\nexit 1")
    done = isthmus("hpcc", "scale", "b_eff", "--ranks", "1", ISTHMUS_BIN=str(tool.parent))
    assert done.returncode == 1
    assert "WRONG" in done.stdout
    assert "error: b_eff: wrong results on 1 rank\n" in done.stderr
