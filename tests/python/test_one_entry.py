"""A flow, a benchmark, a probe, a kind of file: one entry each, which help, run, store, history, compare, report know.

Each is added in a process of its own, before the command is loaded there, as if it stood in its table.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.python.conftest import Done, Isthmus, python_program
from tests.python.samples import sample

KIND = """
import sys, types
from isthmus.results import kinds
from isthmus.records.base import File, Record
class FakeRecord(Record):
    name: str
    value: float
    unit: str
    kind: str
class FakeFile(File, kind="fake"):
    records: list[FakeRecord]
sys.modules["isthmus.records.fake"] = types.ModuleType("isthmus.records.fake")
sys.modules["isthmus.records.fake"].__dict__.update(FakeFile=FakeFile, FakeRecord=FakeRecord)
kinds.KINDS["fake"] = kinds.Kind("fake.FakeFile", "fake.FakeRecord", ("records",), True, True, True)
"""
WRITE_KIND = """
from isthmus.show.session import Session
from isthmus.show.output import Result
session = Session("table", "never", True, False, json="fake.json")
record = FakeRecord(name="of a kind", value=2.5, unit="GB/s", kind="measured")
session.stream(record)
session.emit(Result(FakeFile(context=session.context(), records=[record]), [record]))
"""
FLOW = 'from isthmus.base import flows\nflows.FLOWS += ("zigzag",)\n'
BENCHMARK = """
from isthmus.hpcc.benchmarks import BENCHMARKS, Benchmark
BENCHMARKS["knapsack"] = Benchmark(spaces={"cpu": {"SACKS": [1, 2]}})
"""
HPCC = """
import json, sys
if sys.argv[1] == "--describe":
    benchmarks = [{"name": "knapsack", "meaning": "sacks that are filled"}]
    print(json.dumps({"event": "description", "benchmarks": benchmarks}))
else:
    print(json.dumps({"event": "record", **json.loads(RECORD)}))
"""
PROBE = {
    "name": "zero-copy",
    "meaning": "mapped memory, no copy",
    "crosses": "pinned copies",
    "on_models_alone": False,
    "quantity": "bandwidth",
    "curve": True,
    "in_study": True,
    "fitted": False,
    "compared": False,
    "sizes": None,
}

Run = Callable[..., Done]


def with_entry(isthmus: Isthmus, entry: str, **more: str) -> Run:
    """The command with the entry in its table."""

    def run(*arguments: str, then: str = "from isthmus.cli.main import main; main()") -> Done:
        done = subprocess.run(
            [sys.executable, "-c", f"{entry}\n{then}", *arguments],
            cwd=isthmus.folder,
            env={**isthmus.environment, **more},
            capture_output=True,
            text=True,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run


def check_kept(run: Run, isthmus: Isthmus, shown: str, file: str) -> None:
    """What was run is in the history, whole, and can be compared and reported."""
    assert "(ended early)" not in run("history").stdout
    assert shown in run("history", "1").stdout
    assert shown in run("compare", file, file).stdout
    assert shown in run("history", "1", "1").stdout
    assert run("report", file, "-q").returncode == 0
    assert shown.partition(" ")[0] in (isthmus.folder / "report.html").read_text()


def test_a_kind_of_file(isthmus: Isthmus) -> None:
    run = with_entry(isthmus, KIND)
    assert "fake" in run("--help").stdout
    for command in ("report", "compare", "history"):
        assert "fake" in run(command, "--help").stdout
    assert run(then=WRITE_KIND).returncode == 0
    assert [one["kind"] for one in json.loads(run("history", "--json", "-").stdout)["runs"]] == ["fake"]
    check_kept(run, isthmus, "of a kind", "fake.json")
    assert isthmus("compare", "fake.json", "fake.json").returncode == 2, "without the entry"


def test_a_flow(isthmus: Isthmus) -> None:
    run = with_entry(isthmus, FLOW, FAKE_FLOWS="zigzag")
    words = ("run", "image-filter", "--on", "opencl:0", "--flow", "zigzag", "--images", "3", "--json", "run.json")
    assert "shared or zigzag" in run("run", "--help").stdout
    assert run(*words).returncode == 0
    check_kept(run, isthmus, "image-filter opencl:0 zigzag", "run.json")
    assert "zigzag" in (isthmus.folder / "report.html").read_text()
    assert run(*words[:5], "zigzac").stderr.endswith("did you mean 'zigzag'?\n")
    assert isthmus(*words).returncode == 2, "without the entry"


def test_a_probe(isthmus: Isthmus) -> None:
    own = str(isthmus.folder / "cache")  # what other tests keep of the tool has no such probe
    run = with_entry(isthmus, "", FAKE_MORE_PROBES=json.dumps([PROBE]), XDG_CACHE_HOME=own)
    words = ("probe", "opencl:0", "zero-copy", "--sizes", "4KiB,64KiB", "--json", "probe.json")
    assert "zero-copy  mapped memory, no copy" in run("probe", "--list").stdout
    assert "mapped memory (zero-copy)" in run(*words).stdout
    check_kept(run, isthmus, "zero-copy opencl:0 size=4096", "probe.json")
    assert "mapped memory, no copy" in (isthmus.folder / "report.html").read_text()
    (isthmus.folder / "a.toml").write_text(
        '[application]\nname = "image-filter"\nimages = 2\n[study]\ntargets = ["opencl:0"]\n'
    )
    assert run("study", "a.toml", "-q").returncode == 0
    probes = isthmus.read("out/a/probes.json")["records"]
    assert "zero-copy" in {record["name"] for record in probes}
    assert isthmus(*words).returncode == 2, "without the entry"


@pytest.fixture
def hpcc(isthmus: Isthmus) -> Path:
    """A folder with a tool that knows one benchmark."""
    record = {**sample("hpcc")["records"][0], "name": "knapsack", "benchmark": "knapsack", "validated": True}
    text = f"RECORD = {json.dumps(json.dumps(record))}\n{HPCC}"
    return python_program(isthmus.folder / "bin" / "isthmus-hpcc", text).parent


def test_a_benchmark(isthmus: Isthmus, hpcc: Path) -> None:
    run = with_entry(isthmus, BENCHMARK, ISTHMUS_BIN=str(hpcc))
    assert "knapsack  sacks that are filled" in run("hpcc", "--list").stdout
    assert "knapsack, cpu  SACKS: 1, 2" in run("hpcc", "tune", "--list").stdout
    assert run("hpcc", "scale", "knapsack", "--ranks", "1", "--dry-run").stdout == "knapsack, weak: 1 rank\n"
    assert "knapsack" in run("hpcc", "reframe").stdout
    done = run("hpcc", "knapsack", "--no-power", "--no-tuned", "--json", "hpcc.json", "-q")
    assert done.returncode == 0, done.stderr
    check_kept(run, isthmus, "knapsack", "hpcc.json")
    assert isthmus("hpcc", "scale", "knapsack", "--dry-run").returncode == 2, "without the entry"
