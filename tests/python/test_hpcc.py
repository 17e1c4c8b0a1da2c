"""HPC Challenge through the command, with the real tool, on the OpenCL device that is always there."""

import json
import os
import platform
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.python.conftest import Isthmus
from tests.python.hpcc_records import errors_of
from tests.python.test_schemas import check

from isthmus.hpcc.benchmarks import BENCHMARKS

SMALL = ("--size", "small", "--repeat", "2")
ONCE = ("--size", "small", "--repeat", "1")
SMALLEST = {
    "stream": ("DEVICE_BUFFER_SIZE=1024", "ARRAY_SIZE=65536"),
    "fft": ("DATA_SIZE=65536",),
    "gemm": ("MATRIX_SIZE=512",),
    "hpl": ("MATRIX_SIZE=512",),
    "random_access": ("TABLE_SIZE_LOG=16",),
    "ptrans": ("MATRIX_SIZE=384",),
    "b_eff": ("MESSAGES=2",),
}
SCHEMES = ("staged", "pipelined", "shared", "mapped", "cpu")


def sets(benchmark: str) -> list[str]:
    """The parameters that make a benchmark as small as it can be."""
    return [word for setting in SMALLEST.get(benchmark, ()) for word in ("--set", setting)]


@pytest.mark.parametrize("ranks", ["1", "2"])
@pytest.mark.parametrize("benchmark", list(BENCHMARKS))
def test_every_benchmark_is_right_on_one_rank_and_on_two(real: Isthmus, benchmark: str, ranks: str) -> None:
    file = real.json("hpcc", benchmark, "-n", ranks, *SMALL, *sets(benchmark))
    check("hpcc", file)
    assert {record["name"]: record["unit"] for record in file["records"]} == BENCHMARKS[benchmark].records
    for record in file["records"]:
        assert record["validated"] is True
        assert record["benchmark"] == benchmark
        assert record["ranks"] == int(ranks) == len(record["places"])
        assert record["kind"] == "measured"
        assert record["error"] is not None
        assert len(record["samples"]) == 2
        assert all(place["host"] == platform.node() for place in record["places"])
        assert record["device_info"]["driver"]
        assert (record["power"]["average_w"] is None) == (record["power"]["reason"] is not None)
        assert len(record["sensors"]["before"]) == len(record["sensors"]["after"]) == 1


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_carries_every_byte_between_three_ranks(real: Isthmus, scheme: str) -> None:
    file = real.json("hpcc", "b_eff", "-n", "3", "--scheme", scheme, *SMALL, *sets("b_eff"))
    by_name = {record["name"]: record for record in file["records"]}
    assert all(record["validated"] and record["error"] == 0 for record in by_name.values())
    assert all(record["scheme"] == scheme for record in by_name.values())
    sizes = [by_name[f"b_eff.{2**log}B"]["value"] for log in range(21)]
    assert by_name["b_eff"]["value"] == pytest.approx(sum(sizes) / 21)
    alone = by_name["b_eff.latency"]
    assert alone["value"] == pytest.approx(min(alone["seconds"]) * 1e6 / (2 * 2)), "us, of two messages to either side"


@pytest.mark.parametrize(("grid", "size"), [("1x4", 288), ("2x2", 300), ("4x1", 259)])
def test_hpl_is_right_on_any_grid_whether_blocks_divide_it_or_not(real: Isthmus, grid: str, size: int) -> None:
    settings = ("--set", f"MATRIX_SIZE={size}", "--set", "LOCAL_MEM_BLOCK_LOG=5", "--set", "DATA_TYPE=double")
    (record,) = real.json("hpcc", "hpl", "-n", "4", "--grid", grid, *SMALL, *settings)["records"]
    assert (record["validated"], record["grid"]) == (True, grid)
    assert record["across"] == "total"


@pytest.mark.parametrize(
    ("scheme", "grid"), [("staged", "2x2"), ("pipelined", "2x2"), ("shared", "2x2"), ("mapped", "1x3")]
)
def test_hpl_is_right_by_any_scheme(real: Isthmus, scheme: str, grid: str) -> None:
    rows, columns = map(int, grid.split("x"))
    settings = ("--grid", grid, "--scheme", scheme, "--set", "MATRIX_SIZE=1500")
    (record,) = real.json("hpcc", "hpl", "-n", str(rows * columns), *SMALL, *settings)["records"]
    assert (record["validated"], record["scheme"]) == (True, scheme)


def test_ranks_of_hpl_begin_a_communication_phase_while_the_update_before_is_under_way(real: Isthmus) -> None:
    sizes = ("--set", "MATRIX_SIZE=1024", "--set", "LOCAL_MEM_BLOCK_LOG=5")
    (record,) = real.json("hpcc", "hpl", "-n", "2", "--grid", "1x2", *SMALL, *sizes)["records"]
    assert record["validated"] is True
    spans = {(one["rank"], one["phase"], one["step"]): one for one in record["launches"]}
    assert {phase for _, phase, _ in spans} == {"communication", "update"}
    # Of two neighbouring steps one begins on this rank's own diagonal block, with no wait for the other's.
    for rank in range(2):
        begun = [
            spans[rank, "communication", step + 1]["start_s"] < spans[rank, "update", step]["end_s"]
            for step in range(1024 // 32 - 1)
            if (rank, "communication", step + 1) in spans and (rank, "update", step) in spans
        ]
        assert any(begun)


def test_hpl_needs_the_devices(real: Isthmus) -> None:
    told = real.refusal("hpcc", "hpl", "-n", "2", "--scheme", "cpu", *SMALL, "-q", *sets("hpl"))
    assert told == "--scheme cpu: no device takes part in it, expected another scheme here"


def test_a_grid_with_more_rows_than_there_are_blocks_is_refused(real: Isthmus) -> None:
    settings = ("--set", "MATRIX_SIZE=64", "--set", "LOCAL_MEM_BLOCK_LOG=5")
    done = real("hpcc", "hpl", "-n", "4", "--grid", "4x1", "--size", "small", "-q", *settings)
    assert done.returncode == 2
    (line,) = errors_of(done.stderr)
    assert "MATRIX_SIZE=64: expected at least 97" in line


@pytest.mark.parametrize("grid", ["1x4", "2x2", "4x1", "3x1"])
@pytest.mark.parametrize("scheme", SCHEMES[:-1])
def test_matrices_are_transposed_on_any_grid_by_any_scheme(real: Isthmus, grid: str, scheme: str) -> None:
    rows, columns = map(int, grid.split("x"))
    words = ("--grid", grid, "--scheme", scheme, "--set", "MATRIX_SIZE=320", "--set", "BLOCK_SIZE=64", *ONCE)
    for record in real.json("hpcc", "ptrans", "-n", str(rows * columns), *words)["records"]:
        assert record["validated"] is True
        assert (record["grid"], record["scheme"], record["across"]) == (grid, scheme, "total")


def test_a_table_is_split_among_powers_of_two_alone(real: Isthmus) -> None:
    done = real("hpcc", "random_access", "-n", "3", "--size", "small", "-q")
    assert (done.returncode, done.stdout) == (2, "")
    assert errors_of(done.stderr) == ["error: 3 ranks: expected a power of two, by which the table is split"]
    file = real.json("hpcc", "random_access", "-n", "4", *SMALL, *sets("random_access"))
    assert file["records"][0]["error"] == 0


def test_the_base_run_is_staged(real: Isthmus) -> None:
    for words, scheme in (((), "staged"), (("--optimized",), "mapped")):
        record = real.json("hpcc", "b_eff", *words, *SMALL, *sets("b_eff"))["records"][0]
        assert (record["run"], record["scheme"]) == ("optimized" if words else "base", scheme)


def test_two_ranks_share_the_processor_as_two_devices(real: Isthmus) -> None:
    done = real("hpcc", "stream", "-n", "2", *SMALL, *sets("stream"), "--json", "-")
    assert "rank 0: " in done.stderr
    assert "part 2 of 2" in done.stderr
    (first, second) = json.loads(done.stdout)["records"][0]["places"]
    assert (first["part"], second["part"]) == (0, 1)
    assert first["shared"] is False


def test_more_ranks_than_cores_are_said_to_share_them(real: Isthmus) -> None:
    whole = real.json("hpcc", "stream", *SMALL, *sets("stream"))["records"][0]["device_info"]["compute_units"]
    ranks = str(whole + 1)
    done = real("hpcc", "stream", "-n", ranks, *ONCE, *sets("stream"), "--json", "-")
    first = done.stderr.splitlines()[0]
    assert first.startswith(f"warning: {ranks} ranks take turns on {len(os.sched_getaffinity(0))} core")
    file = json.loads(done.stdout)
    assert all(record["shared"] for record in file["records"])
    assert not any(record["judged"] for record in file["records"])
    assert "the rate was not judged: at what is expected the work lasts " in done.stderr
    assert all(place["shared"] for place in file["records"][0]["places"])


def test_the_value_is_the_best_repetition(real: Isthmus) -> None:
    for record in real.json("hpcc", "stream", *SMALL, *sets("stream"))["records"]:
        assert record["value"] == max(record["samples"])
        assert record["efficiency"] == pytest.approx(record["value"] / record["expected"])


@pytest.mark.parametrize("ranks", ["1", "2"])
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("strem",), "unknown benchmark 'strem'; help: did you mean 'stream'?"),
        (("tun",), "unknown benchmark 'tun'; help: did you mean 'tune'?"),
        (("reframee",), "unknown benchmark 'reframee'; help: did you mean 'reframe'?"),
        (("scal", "hpl"), "unknown benchmark 'scal'; help: did you mean 'scale'?"),
        (("stream", "--set", "ARRAY_SIZE=3"), "ARRAY_SIZE=3: expected a multiple of"),
        (("stream", "--set", "ARAY_SIZE=3"), "did you mean 'ARRAY_SIZE'?"),
        (("stream", "--grid", "3x5"), "--grid 3x5: expected P * Q ="),
        (("stream", "--variant", "other"), "--variant: unknown variant 'other': expected single or ndrange"),
        (("stream", "--shape", "cpuu"), "expected cpu or gpu; did you mean 'cpu'?"),
        (("b_eff", "--scheme", "stagd"), "did you mean 'staged'?"),
        (("stream", "--on", "opencl:77"), "unknown target 'opencl:77'"),
        (("stream", "--kernel", "nowhere.cl"), "nowhere.cl: cannot read the kernel's source"),
        (("b_eff", "--kernel", "my.cl"), "--kernel my.cl: benchmark 'b_eff' has no kernel"),
        (("fft", "--scheme", "staged"), "--scheme staged: ranks of benchmark 'fft' exchange nothing"),
        (("stream", "--binary", "nowhere.aocx"), "nowhere.aocx: cannot read the device binary"),
    ],
)
def test_what_cannot_run_is_one_line_from_one_rank(
    real: Isthmus, ranks: str, arguments: tuple[str, ...], complaint: str
) -> None:
    assert complaint in real.refusal("hpcc", *arguments, "-n", ranks, "--size", "small", "-q")


def test_wrong_results_are_shown_as_wrong_and_are_exit_code_one(real: Isthmus, tmp_path: Path, tree: Path) -> None:
    kernel = (tree / "kernels" / "hpcc" / "stream_ndrange_cpu.cl").read_text()
    (tmp_path / "spoiled.cl").write_text(kernel.replace("factor * in1[k] + in2[k]", "factor * in1[k] - in2[k]"))
    done = real("hpcc", "stream", "--kernel", "spoiled.cl", *SMALL, *sets("stream"), "--json", "-")
    assert done.returncode == 1
    assert not any(record["validated"] for record in json.loads(done.stdout)["records"])
    assert "WRONG" in done.stderr


def test_a_rate_that_no_probe_allows_is_refused_though_the_results_are_right(
    real: Isthmus, tmp_path: Path, tree: Path
) -> None:
    kernel = (tree / "kernels" / "hpcc" / "gemm_ndrange_cpu.cl").read_text()
    loop = "  for (size_t k = 0; k < size; k += DEPTH)"
    # A tile that was computed once is kept where C was read, with a first value that no data have; from then on it is
    # copied: the results are right.
    lazy = """
  __global DATA_TYPE* memory = (__global DATA_TYPE*)c;
  const DATA_TYPE mark = 1000;
  const bool known = c[row * size + column] > mark / 2;
  for (int turn = known ? 1 : 0; turn < 2; ++turn)
    if (turn == 1) {
      for (size_t i = row; i < row + BLOCK_SIZE; ++i)
        for (size_t j = column; j < column + BLOCK_SIZE; ++j)
          if (known) c_out[i * size + j] = c[i * size + j]; else memory[i * size + j] = c_out[i * size + j];
      if (known) c_out[row * size + column] -= mark; else memory[row * size + column] += mark;
    } else
"""
    (tmp_path / "lazy.cl").write_text(kernel.replace(loop, lazy + loop))
    sizes = ("--set", "MATRIX_SIZE=4096", "--set", "BLOCK_SIZE=256", "--repeat", "3")
    told = real.refusal("hpcc", "gemm", "--kernel", "lazy.cl", *sizes, "-q")
    assert told.startswith("gemm: ")
    assert "that this device's own probes allow" in told


def test_a_rate_of_so_little_work_that_no_clock_tells_is_said_to_be_unjudged(real: Isthmus) -> None:
    for size, judged in ((128, False), (2048, True)):
        sets = ("--set", f"MATRIX_SIZE={size}", "--set", "BLOCK_SIZE=64")
        done = real("hpcc", "gemm", *ONCE, *sets, "--json", "-")
        (record,) = json.loads(done.stdout)["records"]
        assert record["expected_s"] == pytest.approx(2e-9 * size**3 / record["expected"])
        assert record["judged"] is judged
        assert record["expected_s"] >= 0.02 if judged else record["expected_s"] < 0.001
        assert ("note: gemm: the rate was not judged" in done.stderr) is not judged


def test_work_that_caches_hold_is_said_to_be_in_them(real: Isthmus) -> None:
    cache = real.json("hpcc", "gemm", *SMALL, *sets("gemm"))["records"][0]["cache_bytes"]
    values = 2 ** (cache.bit_length() - 1)  # three arrays of them are six to twelve times the caches
    for count, in_cache in ((65536, True), (values, False)):
        done = real("hpcc", "stream", *ONCE, "--set", f"ARRAY_SIZE={count}", "--json", "-")
        assert done.returncode == 0, done.stderr
        record = json.loads(done.stdout)["records"][0]
        assert record["working_set_bytes"] == 3 * 4 * count
        assert (record["working_set_bytes"] < 4 * cache) is in_cache
        assert ("last-level caches of" in done.stderr) is in_cache
    assert "last-level caches" not in real("hpcc", "gemm", *SMALL, *sets("gemm")).stderr


@pytest.mark.parametrize("run", [(), ("--optimized",)])
def test_a_latency_above_what_is_expected_is_less_than_all_of_it(real: Isthmus, run: tuple[str, ...]) -> None:
    file = real.json("hpcc", "b_eff", *run, *SMALL, *sets("b_eff"))
    by_name = {record["name"]: record for record in file["records"]}
    latency = by_name["b_eff.latency"]
    assert latency["efficiency"] == pytest.approx(latency["expected"] / latency["value"])


def test_the_start_and_end_of_every_replication_are_in_the_record_of_its_kernel(real: Isthmus) -> None:
    settings = (*sets("stream"), "--set", "NUM_REPLICATIONS=2")
    records = real.json("hpcc", "stream", "-n", "2", "--variant", "single", *SMALL, *settings)["records"]
    for record in records:
        seen = {(launch["rank"], launch["replication"]) for launch in record["launches"]}
        copied = record["name"] in ("stream.write", "stream.read")
        assert seen == (set() if copied else {(0, 0), (0, 1), (1, 0), (1, 1)})
        assert all(launch["start_s"] < launch["end_s"] < record["seconds"][-1] for launch in record["launches"])


def test_the_summary_has_one_value_a_line(real: Isthmus) -> None:
    done = real("hpcc", "stream", *SMALL, *sets("stream"), "--summary", "-")
    lines = done.stdout.splitlines()
    assert (lines[0], lines[-1]) == ("Begin of Summary section.", "End of Summary section.")
    values = dict(line.split("=", 1) for line in lines[1:-1])
    assert values["Success"] == "1"
    assert float(values["Stream_Triad_GBps"]) > 0
    assert float(values["Stream_Triad_Expected"]) > 0
    assert values["Hostname"] == platform.node()
    assert float(values["Largest_Relative_Error"]) < float(values["ErrorLimit"])
    assert values["ARRAY_SIZE"] == "65536"


def test_the_summary_stands_beside_the_other_forms_and_the_run_is_kept(real: Isthmus) -> None:
    done = real("hpcc", "stream", *SMALL, *sets("stream"), "--summary", "-", "--json", "stream.json")
    (triad,) = [record for record in read(real, "stream.json") if record["name"] == "stream.triad"]
    assert f"Stream_Triad_GBps={triad['value']:.6g}" in done.stdout.splitlines()
    assert "(ended early)" not in real("history").stdout
    real("hpcc", "stream", *SMALL, *sets("stream"), "--summary", "summary.txt", "--json", "stream.json")
    (triad,) = [record for record in read(real, "stream.json") if record["name"] == "stream.triad"]
    assert f"Stream_Triad_GBps={triad['value']:.6g}" in (real.folder / "summary.txt").read_text()
    both = real("hpcc", "stream", "--summary", "-", "--json", "-")
    assert (both.returncode, both.stdout) == (2, "")
    assert "only one of them can be '-'" in both.stderr


def read(real: Isthmus, name: str) -> Any:
    """The records of a file."""
    return real.read(name)["records"]


def test_the_list_names_every_benchmark(real: Isthmus) -> None:
    listed = [line.split()[0] for line in real("hpcc", "--list").stdout.splitlines()]
    assert listed == list(BENCHMARKS)


def ranks_below(pid: int) -> list[int]:
    """The processes of isthmus-hpcc that descend from a process."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*"):
        for child in map(int, (task / "children").read_text().split()):
            name = Path(f"/proc/{child}/comm").read_text().strip()
            found += [child] if name == "isthmus-hpcc" else ranks_below(child)
    return found


def test_a_rank_that_dies_ends_the_others_with_one_line(real: Isthmus) -> None:
    command = real.start("hpcc", "stream", "-n", "2", "--size", "small", "--repeat", "100000", "-q")
    while len(ranks := ranks_below(command.pid)) < 2:
        assert command.poll() is None
    os.kill(ranks[1], signal.SIGKILL)
    out, complaint = command.communicate(timeout=240)
    assert command.returncode == 2
    assert out == ""
    assert complaint == "error: a rank of isthmus-hpcc was ended by SIGKILL\n"


def test_each_rank_runs_on_the_cores_of_its_part_of_the_processor(real: Isthmus) -> None:
    units = len(os.sched_getaffinity(0))
    assert units >= 2
    done = real("hpcc", "stream", "-n", "2", *ONCE, *sets("stream"), "--json", "-")
    places = json.loads(done.stdout)["records"][0]["places"]
    ends = [[int(end) for end in place["cores"].split("-")] for place in places]
    assert [(end[0], end[-1]) for end in ends] == [(0, units // 2 - 1), (units // 2, 2 * (units // 2) - 1)]
    for place in places:
        assert f"{place['device']}, core" in done.stderr


@pytest.mark.parametrize(("words", "code"), [(("stream",), 0), (("stream", "--set", "ARAY_SIZE=3"), 2)])
def test_a_launcher_may_start_the_command_itself(real: Isthmus, words: tuple[str, ...], code: int) -> None:
    command = ["mpirun", "--quiet", "--bind-to", "none", "--oversubscribe", "-n", "2"]
    command += [sys.executable, "-m", "isthmus", "hpcc", *words, *SMALL, *sets("stream"), "--json", "-"]
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(
        command, cwd=real.folder, env={**real.environment, **root}, text=True, capture_output=True, check=False
    )
    assert done.returncode == code, done.stderr
    if code == 0:
        assert json.loads(done.stdout)["records"][0]["ranks"] == 2
    else:
        (complaint,) = [line for line in done.stderr.splitlines() if "error:" in line]
        assert complaint.endswith("did you mean 'ARRAY_SIZE'?")


def test_what_ranks_print_goes_into_a_file_as_plain_text(real: Isthmus) -> None:
    command = ["mpirun", "--quiet", "--bind-to", "none", "--oversubscribe", "-n", "2", sys.executable, "-m", "isthmus"]
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    with (real.folder / "log").open("w") as log:
        subprocess.run(
            [*command, "hpcc", "stream", *SMALL, *sets("stream")],
            cwd=real.folder,
            env={**real.environment, **root},
            stdout=log,
            check=True,
        )
    text = (real.folder / "log").read_text()
    assert "\x1b" not in text
    assert text.splitlines()[0].startswith("stream: validated")
    assert "measured on" in text.splitlines()[0]


def test_tasks_of_slurm_that_know_nothing_of_each_other_are_refused(real: Isthmus) -> None:
    told = real.refusal("hpcc", "stream", *SMALL, SLURM_STEP_NUM_TASKS="2")
    assert told == "srun started 2 tasks without MPI: expected srun --mpi=pmix"
