import json
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from tests.python.conftest import Isthmus

from isthmus.base.flows import FLOWS
from isthmus.base.names import listed

RUN = ("run", "image-filter", "--on", "model:aws-f1")


def test_json_on_stdout_is_one_clean_object_with_schema_and_context(isthmus: Isthmus) -> None:
    done = isthmus(*RUN, "--flow", "stream", "--json", "-")
    file = json.loads(done.stdout)
    assert list(file) == ["schema", "context", "rows"]
    assert file["schema"] == "isthmus.run/1"
    assert file["context"]["argv"] == ["isthmus", *RUN, "--flow", "stream", "--json", "-"]
    assert file["rows"][0]["target"] == "model:aws-f1"
    assert file["rows"][0]["kind"] == "modelled"


def test_the_bottleneck_comes_before_the_table_and_says_model(isthmus: Isthmus) -> None:
    done = isthmus.well(*RUN, "--flow", "overlap")
    first, *rest = done.stdout.splitlines()
    assert first.startswith("bottleneck, model: host to device copy, 100 % busy; link.pcie.lanes=32 raises the rate by")
    assert any(line.startswith("model:aws-f1") and " model " in line for line in rest)


def test_the_next_command_is_the_same_run_with_the_change_that_a_rerun_has_shown(isthmus: Isthmus) -> None:
    done = isthmus(*RUN, "--flow", "overlap", "--images", "4", "--set", "link.pcie.lanes=8")
    (again,) = (line.removeprefix("next: ") for line in done.stderr.splitlines() if line.startswith("next: "))
    assert again == "isthmus run image-filter --on model:aws-f1 --flow overlap --count 4 --set link.pcie.lanes=16"
    before = isthmus.json(*RUN, "--flow", "overlap", "--images", "4", "--set", "link.pcie.lanes=8")["rows"][0]
    after = isthmus.json(*again.split()[1:])["rows"][0]
    relief = before["bottleneck"]["effects"][0]
    assert after["value"] / before["value"] - 1 == pytest.approx(relief["raises"])


def test_equal_modelled_runs_write_equal_bytes_apart_from_the_context(isthmus: Isthmus) -> None:
    first, second = (isthmus(*RUN, "--seed", "7", "--json", "-").stdout for _ in range(2))
    assert first[first.index('"rows"') :] == second[second.index('"rows"') :]


def test_files_are_written_beside_the_table(isthmus: Isthmus) -> None:
    done = isthmus(*RUN, "--json", "a/run.json", "--csv", "run.csv", "--jsonl", "run.jsonl")
    row = isthmus.read("a/run.json")["rows"][0]
    assert isthmus.read("run.jsonl") == row
    head, line = (isthmus.folder / "run.csv").read_text().splitlines()
    cells = dict(zip(head.split(","), line.split(","), strict=True))
    assert cells["bottleneck.part"] == row["bottleneck"]["part"]
    assert cells["verified"] == "true"
    assert "images/s" in done.stdout


@pytest.mark.parametrize("format_", ["json", "csv", "md", "table"])
def test_every_format_keeps_stderr_apart(isthmus: Isthmus, format_: str) -> None:
    done = isthmus(*RUN, "--format", format_)
    assert "next:" in done.stderr
    assert "next:" not in done.stdout
    assert "aws-f1" in done.stdout


@pytest.mark.parametrize(
    ("target", "flow"), [("native", "stream"), ("opencl:0", "offload"), ("model:aws-f1", "offload")]
)
def test_without_a_flow_it_is_the_first_that_the_target_has(isthmus: Isthmus, target: str, flow: str) -> None:
    assert [row["flow"] for row in isthmus.json("run", "image-filter", "--on", target)["rows"]] == [flow]


def test_quiet_says_nothing_on_stderr(isthmus: Isthmus) -> None:
    assert isthmus(*RUN, "-q").stderr == ""


@pytest.mark.parametrize(("word", "meant"), [("aws-f2", "model:aws-f1"), ("nativ", "native"), ("lab", "./lab.toml")])
def test_a_word_that_is_no_target_gets_the_one_that_was_meant(real: Isthmus, word: str, meant: str) -> None:
    (real.folder / "lab.toml").write_text("")
    assert real.refusal("probe", word, "h2d").endswith(f"; did you mean '{meant}'?")


def test_a_key_that_is_set_twice_is_noted_and_the_last_holds(isthmus: Isthmus) -> None:
    done = isthmus(*RUN, "--set", "link.pcie.lanes=4", "--set", "kernel.clock=100", "--set", "link.pcie.lanes=8")
    assert "note: --set link.pcie.lanes: given more than once, 8 holds\n" in done.stderr
    assert done.stderr.count("given more than once") == 1
    last, only = (
        isthmus.json(*RUN, *(word for lanes in each for word in ("--set", f"link.pcie.lanes={lanes}")))["rows"][0]
        for each in ((4, 8), (8,))
    )
    assert last["elapsed_s"] == only["elapsed_s"]


def test_set_reaches_the_model(isthmus: Isthmus) -> None:
    slow, fast = (
        isthmus.json(*RUN, "--flow", "overlap", "--set", f"host.copy.rate={rate}")["rows"][0]["elapsed_s"]
        for rate in (1, 2)
    )
    assert slow - fast == pytest.approx(200 * 1920 * 1080 * 4 * (1 / 1e9 - 1 / 2e9))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("run",), "APP: expected an application, one of image-filter"),
        (("run", "image-filtre", "--on", "model:aws-f1"), "unknown application 'image-filtre'; help: did you mean"),
        (("run", "image-filter"), "--on: expected a target"),
        (
            (*RUN, "--flow", "streams"),
            f"--flow: expected {listed(FLOWS, 'or')}, got 'streams'; help: did you mean 'stream'?",
        ),
        ((*RUN, "--images", "0"), "--images: expected a whole number from 1 to 2147483647, got '0'"),
        (
            (*RUN, "--images", "99999999999999999999"),
            "--images: expected a whole number from 1 to 2147483647, got '99999999999999999999'",
        ),
        ((*RUN, "--set", "link.pcie.lane=1"), "--set link.pcie.lane=1: key 'link.pcie.lane': unknown"),
        ((*RUN, "--sets", "a=1"), "unknown option '--sets'; help: did you mean '--set'?"),
        ((*RUN, "--json", "-", "--csv", "-"), "--json, --csv and --jsonl: only one of them can be '-'"),
        ((*RUN, "--format", "xml"), "--format: expected one of table, json, csv, md, got 'xml'"),
    ],
)
def test_what_cannot_run_is_one_line_and_exit_code_2(
    isthmus: Isthmus, arguments: tuple[str, ...], complaint: str
) -> None:
    assert isthmus.refusal(*arguments).startswith(complaint)


ON = ("run", "image-filter", "--on")
ON_DEVICE = (*ON, "opencl:0")
ON_THREADS = ("run", "suffix-sum", "--on", "native")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((*ON, "model:aws-f2"), "unknown target 'model:aws-f2': expected model:agilex-7, "),
        ((*ON, "model:aws-f2"), "; did you mean 'model:aws-f1'?"),
        ((*ON, "opencl:9"), "unknown target 'opencl:9'; help: the devices here are opencl:0 ("),
        (
            (*ON, "aws-f1"),
            "unknown target 'aws-f1': expected model:NAME, FILE.toml, opencl:N, opencl:NAME or native; did",
        ),
        ((*ON, "aws-f1"), "; did you mean 'model:aws-f1'?"),
        (
            (*ON, "natve"),
            "unknown target 'natve': expected model:NAME, FILE.toml, opencl:N, opencl:NAME or native; did",
        ),
        ((*ON, "gpu"), "unknown target 'gpu': expected model:NAME, FILE.toml, opencl:N, opencl:NAME or native"),
        ((*ON, "missing.toml"), "missing.toml: no such platform file"),
        (
            (*ON_DEVICE, "--set", "link.pcie.lanes=4"),
            "--set link.pcie.lanes=4: target 'opencl:0' is a real device, only",
        ),
        (
            (*ON_DEVICE, "--channel", "pcie"),
            "--channel pcie: target 'opencl:0' is no model, and only models have links",
        ),
        ((*ON_DEVICE, "--flow", "stream"), "' has no flow 'stream' of 'image-filter': expected offload or overlap"),
        ((*ON_THREADS, "--flow", "offload"), "' has no flow 'offload' of 'suffix-sum': expected stream"),
        ((*ON_DEVICE, "--workers", "2"), "--workers: expected "),
        ((*ON_DEVICE, "--map", "stencil=0"), "--map: expected the target native, got 'opencl:0'"),
        ((*ON_DEVICE, "--compute-units", "2"), "--compute-units: expected the target native, got 'opencl:0'"),
        ((*ON_THREADS, "--workers", "0"), "--workers: expected 1.."),
        ((*ON_THREADS, "--workers", "two"), "--workers: expected a whole number, got 'two'"),
        ((*ON_THREADS, "--compute-units", "0"), "--compute-units: expected 1..1024, got 0"),
        ((*ON_THREADS, "--map", "consumer"), "--map: expected ACTOR=WORKER,..., got 'consumer'"),
        ((*ON_THREADS, "--values", "15"), "--values: expected an integer of 16..16777216, got '15'"),
        ((*ON_THREADS, "--set", "values=15"), "--set values: expected an integer of 16..16777216, got '15'"),
        ((*ON_THREADS, "--trace-limit", "1MiB"), "--trace-limit: expected --trace FILE with it"),
    ],
)
@pytest.mark.parametrize("dry", [(), ("--dry-run",)], ids=["run", "plan"])
def test_what_the_tool_refuses_is_its_own_line_and_exit_code_2(
    real: Isthmus, arguments: tuple[str, ...], complaint: str, dry: tuple[str, ...]
) -> None:
    assert complaint in real.refusal(*arguments, *dry)


@pytest.mark.parametrize(
    ("trouble", "complaint"),
    [
        ("error", "photograph a.jpg: expected an image, got 0 bytes"),
        ("garbage", "isthmus-run printed a line that is not JSON: 'not a record'"),
        ("crash", "isthmus-run was ended by SIGSEGV"),
    ],
)
def test_a_tool_that_fails_is_one_line(isthmus: Isthmus, trouble: str, complaint: str) -> None:
    assert isthmus.refusal(*RUN, FAKE_RUN=trouble) == complaint


def test_a_missing_tool_says_where_it_was_looked_for(isthmus: Isthmus, tmp_path: Path) -> None:
    told = isthmus.refusal(*RUN, ISTHMUS_BIN=str(tmp_path))
    assert told.startswith(f"tool 'isthmus-run' not found in {tmp_path}; help: ")


def test_no_opencl_device_is_one_line_with_what_to_do(real: Isthmus) -> None:
    told = real.refusal(*ON_DEVICE, OCL_ICD_VENDORS="/nonexistent")
    assert told.startswith("no OpenCL device: expected a driver, such as Python's isthmus[opencl] or Debian's ")


def test_a_wrong_output_is_shown_and_the_answer_is_no(isthmus: Isthmus) -> None:
    done = isthmus(*RUN, FAKE_RUN="wrong")
    assert done.returncode == 1
    assert done.stdout.splitlines()[0].startswith("WRONG, model:aws-f1 offload: ")
    assert "bottleneck" not in done.stdout
    (line,) = [line for line in done.stdout.splitlines() if line.lstrip().startswith("model:aws-f1")]
    assert line.split()[:6] == ["model:aws-f1", "offload", "-", "-", "-", "model"]
    assert done.stderr == "error: verification failed: the output differs from the reference on model:aws-f1 offload\n"


def test_a_dry_run_runs_nothing_and_learns_its_estimate_from_the_last_run(isthmus: Isthmus) -> None:
    done = isthmus.well(*RUN, "--dry-run", FAKE_RUN="crash")
    assert done.stdout.splitlines()[0] == "1 run, about 21 s in all", "200 images of 8.3 MB at 80 MB/s"
    assert "0.1 s each assumed" in done.stdout
    isthmus(*RUN)
    assert "as the last run here" in isthmus(*RUN, "--dry-run").stdout


def test_an_estimate_is_of_a_run_with_the_same_parameters(real: Isthmus) -> None:
    words = ("run", "matrix-vector", "--on", "model:aws-f1", "--iterations", "2", "--size")
    assert real(*words, "64").returncode == 0
    assert "as the last run here" in real(*words, "64", "--dry-run").stdout
    assert "not run here yet" in real(*words, "128", "--dry-run").stdout


def test_list_names_applications_targets_and_flows(isthmus: Isthmus) -> None:
    lines = isthmus("run", "--list").stdout.splitlines()
    assert "application  image-filter" in lines
    assert "target       model:aws-f1" in lines
    assert "target       opencl:0  (Fake CPU)" in lines
    assert "flow         stream" in lines


def test_a_file_that_cannot_be_written_does_not_hide_the_result(isthmus: Isthmus) -> None:
    done = isthmus(*RUN, "-q", "--json", "/dev/full")
    assert (done.returncode, done.stderr) == (2, "error: /dev/full: cannot write: No space left on device\n")
    assert done.stdout == isthmus(*RUN, "-q").stdout


def test_a_full_disk_under_stdout_is_one_line(isthmus: Isthmus) -> None:
    with Path("/dev/full").open("w") as full:
        process = isthmus.start(*RUN, "--flow", "stream", "-q", stdout=full)
    _, complaint = process.communicate()
    assert (process.returncode, complaint) == (2, "error: standard output: cannot write: No space left on device\n")


def test_a_file_that_does_not_fit_leaves_nothing_behind(isthmus: Isthmus) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))

    # The stand-ins keep what they said in files too: they say all of it before files are limited.
    assert isthmus(*RUN, "-q", XDG_CACHE_HOME=str(isthmus.folder / "before")).returncode == 0
    done = subprocess.run(
        [sys.executable, "-B", "-m", "isthmus", *RUN, "--json", "run.json"],
        cwd=isthmus.folder,
        env={**isthmus.environment, "XDG_CACHE_HOME": str(isthmus.folder / "empty")},
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.endswith("run.json: cannot write: File too large\n")
    offers, store, file = done.stderr.splitlines()
    assert offers.startswith("warning: nothing is kept for later commands: ")
    assert store.startswith("warning: this run is not kept: ")
    assert file.startswith("error: ")
    assert [path.name for path in isthmus.folder.glob("**/*run.json*")] == []


def test_a_reader_that_closes_early_is_no_error(isthmus: Isthmus) -> None:
    process = isthmus.start(*RUN, "-q", "--json", "-")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert process.wait() == 0


def test_the_threads_of_a_run_on_this_machine_are_shown(isthmus: Isthmus) -> None:
    arguments = ("run", "image-filter", "--on", "native", "--flow", "stream", "--map", "consumer=0,producer=1")
    assert isthmus.json(*arguments)["rows"][0]["workers"] == [
        {"core": 0, "actors": ["consumer"]},
        {"core": None, "actors": ["producer"]},
    ]
    shown = isthmus(*arguments).stdout
    assert re.search(r"^ *0 +0 +consumer$", shown, re.MULTILINE)
    assert re.search(r"^ *1 +any +producer$", shown, re.MULTILINE)
