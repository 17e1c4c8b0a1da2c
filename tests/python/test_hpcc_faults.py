"""HPC Challenge where things go wrong: devices taken away in the middle, what does not fit, what is not supported."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.python.conftest import Isthmus
from tests.python.hpcc_records import errors_of
from tests.python.test_hpcc import sets

from isthmus.hpcc.benchmarks import BENCHMARKS

SMALL = ("--size", "small", "--repeat", "3")
WITH_KERNELS = [name for name, row in BENCHMARKS.items() if row.design]


@pytest.fixture(scope="module")
def failing_device(tmp_path_factory: pytest.TempPathFactory, tree: Path) -> str:
    """A library for LD_PRELOAD that takes the device away."""
    compiler = shutil.which("cc")
    assert compiler is not None
    library = tmp_path_factory.mktemp("failing") / "failing_device.so"
    source = tree / "tests" / "python" / "failing_device.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return str(library)


def assert_one_line(real: Isthmus, arguments: tuple[str, ...], complaint: str, **environment: str) -> None:
    """The command could not run, and said so in one line."""
    done = real("hpcc", *arguments, "-q", "--no-power", **environment)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    (line,) = errors_of(done.stderr)
    assert complaint in line


@pytest.mark.parametrize("benchmark", WITH_KERNELS)
def test_a_device_that_is_taken_away_is_one_line(real: Isthmus, failing_device: str, benchmark: str) -> None:
    words = (benchmark, *SMALL, *sets(benchmark))
    gone = {"LD_PRELOAD": failing_device, "FAILING_AFTER": "3"}
    assert_one_line(real, words, "CL_DEVICE_NOT_AVAILABLE (-2)", **gone)


@pytest.mark.parametrize("benchmark", WITH_KERNELS)
def test_a_device_of_one_rank_that_is_taken_away_ends_the_other(
    real: Isthmus, failing_device: str, benchmark: str
) -> None:
    words = (benchmark, "-n", "2", *SMALL, *sets(benchmark))
    gone = {"LD_PRELOAD": failing_device, "FAILING_AFTER": "3", "FAILING_RANK": "1"}
    assert_one_line(real, words, "CL_DEVICE_NOT_AVAILABLE (-2)", **gone)


def test_a_device_that_is_gone_between_messages_ends_the_ring(real: Isthmus, failing_device: str) -> None:
    words = ("b_eff", "-n", "2", *SMALL, *sets("b_eff"))
    gone = {"LD_PRELOAD": failing_device, "FAILING_AFTER": "-1", "FAILING_RANK": "0"}
    assert_one_line(real, words, "CL_DEVICE_NOT_AVAILABLE (-2)", **gone)


REFUSED_QUEUE = "clCreateCommandQueue"
REFUSED_MEMORY = "clCreateBuffer"
REFUSALS = {
    REFUSED_QUEUE: "CL_OUT_OF_RESOURCES (-5)",
    REFUSED_MEMORY: "has no room for a",
    "shm_open": "shm_open: no",
    "posix_fallocate": "of memory that ranks share: No space left on device",
}


@pytest.mark.parametrize(
    ("benchmark", "scheme", "call", "after", "rank"),
    [
        ("ptrans", "staged", REFUSED_QUEUE, 2, 1),
        ("ptrans", "pipelined", REFUSED_MEMORY, 3, 1),
        ("ptrans", "shared", REFUSED_MEMORY, 0, 0),
        ("ptrans", "shared", "posix_fallocate", 0, 0),
        ("ptrans", "mapped", REFUSED_QUEUE, 2, 1),
        ("b_eff", "pipelined", REFUSED_MEMORY, 8, 1),
        ("b_eff", "mapped", REFUSED_QUEUE, 5, 1),
        ("hpl", "pipelined", REFUSED_MEMORY, 0, 1),
        ("hpl", "shared", "shm_open", 0, 1),
    ],
)
def test_a_rank_that_fails_while_ranks_connect_ends_the_others(
    real: Isthmus, failing_device: str, benchmark: str, scheme: str, call: str, after: int, rank: int
) -> None:
    words = (benchmark, "-n", "2", "--optimized", "--scheme", scheme, *SMALL, *sets(benchmark))
    refused = {"FAILING_CALL": call, "FAILING_AFTER": str(after), "FAILING_RANK": str(rank)}
    assert_one_line(real, words, REFUSALS[call], LD_PRELOAD=failing_device, **refused)


def test_a_build_that_fails_without_a_reason_is_made_again(real: Isthmus, failing_device: str) -> None:
    words = ("hpcc", "stream", *SMALL, *sets("stream"))
    records = real.json(*words, LD_PRELOAD=failing_device, FAILING_BUILDS="1")["records"]
    assert records
    assert all(record["validated"] for record in records)


def test_a_program_that_no_build_makes_is_one_line(real: Isthmus, failing_device: str) -> None:
    words = ("stream", *SMALL, *sets("stream"))
    assert_one_line(real, words, "CL_BUILD_PROGRAM_FAILURE (-11)", LD_PRELOAD=failing_device, FAILING_BUILDS="2")


def test_ranks_of_one_row_that_fail_end_those_of_the_others(real: Isthmus, failing_device: str) -> None:
    words = ("hpl", "-n", "4", "--grid", "2x2", "--scheme", "shared", *SMALL, *sets("hpl"))
    refused = {"FAILING_CALL": REFUSED_MEMORY, "FAILING_AFTER": "0", "FAILING_RANK": "3"}
    assert_one_line(real, words, REFUSALS[REFUSED_MEMORY], LD_PRELOAD=failing_device, **refused)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("stream", "--set", "ARRAY_SIZE=274877906944"), "needs 7696581394432 bytes of memory"),
        (("gemm", "--set", "MATRIX_SIZE=1048576"), "MATRIX_SIZE=1048576: needs"),
        (("hpl", "--set", "MATRIX_SIZE=1048576"), "MATRIX_SIZE=1048576: needs"),
        (("ptrans", "--set", "MATRIX_SIZE=1048576"), "MATRIX_SIZE=1048576: needs"),
        (("random_access", "--set", "TABLE_SIZE_LOG=40"), "TABLE_SIZE_LOG=40"),
        (("gemm", "--set", "MATRIX_SIZE=500", "--variant", "single"), "MATRIX_SIZE=500: expected a multiple of"),
        (("ptrans", "--set", "MATRIX_SIZE=100"), "MATRIX_SIZE=100: expected a multiple of BLOCK_SIZE="),
        (("fft", "--set", "LOG_FFT_SIZE=40"), "LOG_FFT_SIZE"),
        (("hpl", "--set", "DATA_TYPE=half"), "DATA_TYPE=half: expected float or double"),
        (("gemm", "--set", "DATA_TYPE=half"), "DATA_TYPE=half"),
        (("gemm", "--set", "DATA_TYPE=quad"), "DATA_TYPE: expected float, double or half, got 'quad'"),
        (("ptrans", "--grid", "4x4"), "--grid 4x4: expected P * Q ="),
        (("hpl", "--set", "MATRX_SIZE=64"), "did you mean 'MATRIX_SIZE'?"),
        (("hpl", "--set", "NUM_REPLICATIONS=0"), "NUM_REPLICATIONS"),
    ],
)
def test_what_does_not_fit_is_one_line(real: Isthmus, arguments: tuple[str, ...], complaint: str) -> None:
    assert_one_line(real, (*arguments, "--size", "small"), complaint)


def test_what_does_not_fit_is_said_by_one_rank(real: Isthmus) -> None:
    assert_one_line(real, ("hpl", "-n", "2", "--set", "MATRIX_SIZE=1048576"), "MATRIX_SIZE=1048576: needs")
