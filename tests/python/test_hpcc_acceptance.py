"""`isthmus hpcc acceptance`: nodes against what a centre expects, and against each other."""

from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from tests.python.conftest import Isthmus, program
from tests.python.test_schemas import check

from isthmus.base.errors import IsthmusError
from isthmus.hpcc.centre.acceptance import against_fleet
from isthmus.hpcc.centre.expectations import read_expectations
from isthmus.hpcc.centre.junit import junit
from isthmus.records.hpcc import AcceptanceCheck

STREAM = """
[[benchmark]]
name = "stream"
size = "small"
repeat = 2
set = { ARRAY_SIZE = 65536, DEVICE_BUFFER_SIZE = 1024 }
"""


def expectations(folder: Path, expect: str) -> str:
    """A file that wants this of STREAM."""
    (folder / "expect.toml").write_text(f"{STREAM}{expect}")
    return "expect.toml"


def test_nodes_are_run_one_after_the_other_and_judged(real: Isthmus) -> None:
    file = expectations(real.folder, 'expect."stream.triad" = { least = 0.001, unit = "GB/s" }\n')
    program(real.folder / "on", 'echo "$1" >> seen; shift; exec "$@"')
    words = ("--nodes", "n1,n2", "--launcher", "./on {node}", "--junit", "x.xml")
    found = real.json("hpcc", "acceptance", "--expect", file, *words)
    check("acceptance", found)
    assert (real.folder / "seen").read_text() == "n1\nn2\n"
    assert found["accepted"] is True
    assert {one["node"] for one in found["checks"]} == {"n1", "n2"}
    (triad,) = [one for one in found["checks"] if one["name"] == "stream.triad" and one["node"] == "n1"]
    assert triad["value"] == triad["record"]["value"] >= triad["low"] == 0.001
    suites = ElementTree.parse(real.folder / "x.xml").getroot()
    assert [suite.get("name") for suite in suites] == ["n1", "n2"]
    assert suites.get("failures") == suites.get("errors") == "0"


def test_a_node_that_is_too_slow_or_does_not_answer_fails_the_others_are_still_run(real: Isthmus) -> None:
    file = expectations(real.folder, 'expect."stream.triad" = { value = 1e6, within = 0.1 }\n')
    program(real.folder / "on", 'test "$1" = dead && { echo no route to dead >&2; exit 255; }; shift; exec "$@"')
    words = ("--nodes", "dead,slow", "--launcher", "./on {node}", "--junit", "x.xml", "--json", "y.json")
    done = real("hpcc", "acceptance", "--expect", file, *words)
    assert done.returncode == 1
    by_node = {one["node"]: one for one in real.read("y.json")["checks"] if one["reason"]}
    assert by_node["dead"]["reason"].endswith("no route to dead")
    why = by_node["dead"]["reason"]
    assert done.stderr.splitlines()[-1] == f"error: not accepted: dead (stream), slow (stream.triad); dead: {why}"
    assert by_node["slow"]["reason"].endswith("GB/s is below 9e+05")
    suites = ElementTree.parse(real.folder / "x.xml").getroot()
    assert (suites.get("errors"), suites.get("failures")) == ("1", "1")


def test_this_host_is_the_node_where_none_is_named(real: Isthmus) -> None:
    file = expectations(real.folder, 'ranks = 2\nexpect."stream.triad" = { least = 1e6 }\n')
    done = real("hpcc", "acceptance", "--expect", file)
    assert done.returncode == 1
    assert "is below 1e+06" in done.stdout


@pytest.mark.parametrize(
    ("expect", "complaint"),
    [
        ('expect."stream.triad" = { value = 3 }', "expected 'value' and 'within', or 'least', 'most' or both"),
        ('expect."stream.triad" = { lest = 3 }', "lest"),
        ("ranks = 0", "benchmark.ranks"),
        ("rank = 2", "unknown key 'benchmark.rank'; help: did you mean 'benchmark.ranks'?"),
        (
            'expect."stream.quad" = { least = 1 }',
            ":7: unknown record of stream 'stream.quad'; help: did you mean 'stream.add'?",
        ),
        ("expect.ptrans = { least = 1 }", "unknown record of stream 'ptrans'"),
        (
            '[[benchmark]]\nname = "fft"\nset = { DATA_SIZ = 1024 }',
            ":9: unknown parameter of fft 'DATA_SIZ'; help: did you mean 'DATA_SIZE'?",
        ),
        ('variant = "gpu"', ":7: key 'benchmark.variant': expected 'single' or 'ndrange', got 'gpu'"),
        (
            '[[benchmark]]\nname = "fft"\nexpect."stream.quad" = { least = 1 }',
            ":9: unknown record of fft 'stream.quad'",
        ),
        ('[[benchmark]]\nname = "fft"\nranks = 0', ":9: key 'benchmark.ranks'"),
        (
            'expect."stream.triad" = { value = 4280, within = 0.05, unit = "GFLOP/s" }',
            ":7: stream.triad: expected in GB/s, got GFLOP/s\n",
        ),
        (
            '[[benchmark]]\nname = "b_eff"\nexpect."b_eff.latency" = { most = 12, unit = "ms" }',
            ":9: b_eff.latency: expected in us, got ms\n",
        ),
        ('scheme = "stage"', ":7: unknown scheme 'stage': expected "),
        ('scheme = "staged"', ":7: --scheme staged: ranks of benchmark 'stream' exchange nothing"),
        ('ranks = 4\ngrid = "2by2"', ":8: grid: expected PxQ such as 2x3, got '2by2'\n"),
        ('grid = "2x2"', ":7: grid 2x2: expected P * Q = 1, the number of ranks\n"),
        ('on = "model:aws-f1"', ":7: unknown target 'model:aws-f1': expected opencl:N or opencl:NAME\n"),
        ('on = "opencl:0,opencl:"', ":7: unknown target 'opencl:': expected opencl:N or opencl:NAME\n"),
        (
            '[[benchmark]]\nname = "gemm"\nset = { DATA_TYPE = "quad" }',
            ":9: DATA_TYPE: expected float, double or half, got 'quad'\n",
        ),
        (
            '[[benchmark]]\nname = "gemm"\nset = { MATRIX_SIZE = "4k" }',
            ":9: MATRIX_SIZE: expected a whole number from 1, got '4k'\n",
        ),
        (
            '[[benchmark]]\nname = "gemm"\nset = { MATRIX_SIZE = 100, BLOCK_SIZE = 64 }',
            ":9: MATRIX_SIZE: expected a multiple of BLOCK_SIZE=64, got '100'\n",
        ),
        (
            '[[benchmark]]\nname = "ptrans"\nvariant = "single"\nset = { BLOCK_SIZE = 72, CHANNEL_WIDTH = 16 }',
            ":10: BLOCK_SIZE: expected a multiple of CHANNEL_WIDTH=16, got '72'\n",
        ),
        (
            '[[benchmark]]\nname = "random_access"\nset.NUM_REPLICATIONS = 3',
            ":9: NUM_REPLICATIONS: expected a power of two from 1, got '3'\n",
        ),
        ('[[benchmark]]\nname = "strem"', ":8: unknown benchmark 'strem'; help: did you mean 'stream'?"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(real: Isthmus, expect: str, complaint: str) -> None:
    told = real.refusal("hpcc", "acceptance", "--expect", expectations(real.folder, expect + "\n"))
    assert told.startswith("expect.toml:")
    assert complaint in f"{told}\n"


def test_bounds_may_stand_on_each_side(tmp_path: Path) -> None:
    expectations(
        tmp_path,
        'expect."stream.copy" = { value = 10, within = 0.1 }\nexpect."stream.add" = { most = 3 }\n'
        'expect."stream.triad" = { least = 1 }\n',
    )
    wanted = read_expectations(tmp_path / "expect.toml").benchmark[0].expect
    assert (wanted["stream.copy"].low, wanted["stream.copy"].high) == (9, 11)
    assert (wanted["stream.add"].low, wanted["stream.add"].high) == (-float("inf"), 3)
    assert (wanted["stream.triad"].low, wanted["stream.triad"].high) == (1, float("inf"))
    with pytest.raises(IsthmusError, match="nowhere"):
        read_expectations(tmp_path / "nowhere.toml")


def fleet(values: list[float]) -> list[AcceptanceCheck]:
    """One record of so many nodes."""
    return [
        AcceptanceCheck(node=f"n{number}", benchmark="gemm", name="gemm", value=value, unit="GFLOP/s", passed=True)
        for number, value in enumerate(values)
    ]


def test_a_node_far_from_the_median_of_all_is_an_outlier() -> None:
    draw = Random(3)
    values = [draw.gauss(100, 1) for _ in range(50)]
    assert not any(one.outlier for one in against_fleet(fleet([*values[:20]])))
    marked = against_fleet(fleet([*values, 80.0, 130.0]))
    assert [one.value for one in marked if one.outlier] == [80.0, 130.0]
    assert all(one.fleet_median == pytest.approx(100, abs=1) for one in marked)
    slow = marked[-2].deviations
    assert slow is not None
    assert slow < -3.5


def test_half_a_fleet_cannot_hide_an_outlier_and_a_few_nodes_have_none() -> None:
    assert [one.outlier for one in against_fleet(fleet([100, 100, 100, 60]))] == [False, False, False, True]
    assert not any(one.outlier for one in against_fleet(fleet([100, 100, 100, 101])))
    assert not any(one.outlier for one in against_fleet(fleet([100, 100, 10])))


def test_junit_takes_any_text() -> None:
    bad = AcceptanceCheck(node='n<1>"', benchmark="a&b", name="x\x00", passed=False, reason="]]>\x1b[31m")
    root = ElementTree.fromstring(junit([bad]).partition("\n")[2])
    assert root[0].get("name") == 'n<1>"'
    assert root[0][0][0].get("message") == "]]>?[31m"
