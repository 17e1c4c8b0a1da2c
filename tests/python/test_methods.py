"""Runs and studies of applications whose buffers ports of an FPGA move: methods, rewrites and delays."""

from pathlib import Path

import pytest
from tests.python.conftest import TREE, Isthmus

FRAMES = ("run", "difference-of-gaussian", "--on", "model:zynq-ultrascale", "--size", "64x48")
METHODS = ("hp-nc", "hp-c", "hpc", "acp")


def test_a_row_says_by_which_method_its_buffers_were_kept_coherent_and_maintains_where_that_is_software(
    real: Isthmus,
) -> None:
    for method in METHODS:
        (row,) = real.json(*FRAMES, "--count", "1", "--method", method)["rows"]
        assert row["verified"] is True
        assert row["method"] == method
        assert row["methods"] == dict.fromkeys(("grey", "narrow", "wide"), method)
        stages = {stage["name"]: stage["time_s"] for stage in row["stages"]}
        assert list(stages) == ["grey", "filters", "subtract", "maintenance"]
        assert (stages["maintenance"] > 0) == (method == "hp-c")
        assert sum(stages.values()) == pytest.approx(row["elapsed_s"])


def test_each_buffer_has_the_method_that_is_named_for_it_and_by_default_that_of_the_tree(real: Isthmus) -> None:
    named = {"grey": "hpc", "narrow": "acp", "wide": "hp-c"}
    words = ",".join(f"{buffer}={method}" for buffer, method in named.items())
    (row,) = real.json(*FRAMES, "--count", "1", "--method", words)["rows"]
    assert row["verified"] is True and row["methods"] == named
    (by_tree,) = real.json(*FRAMES, "--count", "1")["rows"]
    assert by_tree["method"] == "tree"
    assert by_tree["methods"] == {"grey": "hp-nc", "narrow": "hpc", "wide": "hpc"}, "written in sequence; to the CPU"


def test_a_delay_stands_beside_the_run_without_it(real: Isthmus) -> None:
    done = real.well(*FRAMES, "--count", "4", "--method", "hpc", "--delay", "2", "--json", "delayed.json")
    rows = real.read("delayed.json")["rows"]
    assert [row.get("delay") for row in rows] == [None, 2]
    assert all(row["verified"] is True for row in rows)
    assert rows[1]["latency"]["p50_s"] > 2 * rows[0]["latency"]["p50_s"], "a frame comes out two frames later"
    assert "model:zynq-ultrascale by hpc, delay 2" in done.stdout


def test_a_rewrite_in_sequence_stands_beside_the_run_without_it_and_is_faster_where_nothing_is_cached(
    real: Isthmus,
) -> None:
    network = ("run", "alexnet", "--on", "model:zynq-ultrascale", "--layers", "1", "--count", "1")
    rows = real.json(*network, "--method", "hp-nc", "--rewrite", "sequential")["rows"]
    assert [row.get("rewrite") for row in rows] == [None, "sequential"]
    quantise = [next(stage["time_s"] for stage in row["stages"] if stage["name"] == "quantise") for row in rows]
    assert quantise[1] < 0.5 * quantise[0]


STUDY = """
[application]
name = "difference-of-gaussian"
count = 1
parameters = { size = "64x48" }
[study]
targets = ["model:zynq-ultrascale"]
flows = ["shared"]
methods = ["hp-nc", "tree", "hp-nc"]
"""


def test_a_study_has_a_row_for_each_of_its_methods_and_its_verdict_names_the_best(real: Isthmus) -> None:
    (real.folder / "ways.toml").write_text(STUDY)
    file = real.json("study", "ways.toml", "--no-probes")
    assert [row["method"] for row in file["rows"]] == ["hp-nc", "tree"]
    rates = {row["method"]: row["value"] for row in file["rows"]}
    assert file["verdict"]["method"] == max(rates, key=rates.__getitem__) == "tree"
    assert any("model:zynq-ultrascale by hp-nc shared: " in reason for reason in file["verdict"]["reasons"])
    page = (real.folder / "out" / "ways" / "report.html").read_text()
    for method in rates:
        assert f"model:zynq-ultrascale by {method}" in page


def test_the_example_has_each_method_and_the_tree_for_each_application(real: Isthmus) -> None:
    done = real.well("study", str(TREE / "examples" / "coherence.toml"), "--dry-run")
    lines = done.stdout.splitlines()
    for application in ("difference-of-gaussian", "sgemm"):
        assert sum(application in line for line in lines) == len(METHODS) + 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            (*FRAMES, "--method", "hpx"),
            "--method: unknown method 'hpx': expected hp-nc, hp-c, hpc, acp or tree; did you mean 'hpc'?",
        ),
        ((*FRAMES, "--method", "gray=hpc"), "--method: unknown buffer 'gray': expected grey, narrow or wide"),
        (
            (*FRAMES, "--method", "treee"),
            "--method: unknown method 'treee': expected hp-nc, hp-c, hpc, acp or tree; did",
        ),
        ((*FRAMES, "--method", "grey=hpc,acp"), "--method: expected one method, or BUFFER=METHOD of each, got 'acp'"),
        ((*FRAMES, "--method", "grey=hpc"), "--method: expected a method of buffer 'narrow' too"),
        ((*FRAMES, "--count", "4", "--delay", "4"), "--delay: expected less than the 4 frames of the run, got 4"),
        ((*FRAMES, "--delay", "-1"), "--delay: expected 0 or more, got -1"),
        ((*FRAMES, "--delay", "two"), "--delay: expected a whole number, got 'two'"),
        ((*FRAMES, "--rewrite", "random"), "--rewrite: unknown rewrite 'random'"),
        ((*FRAMES, "--rewrite", "sequential", "--method", "hpc"), "writes no buffer out of sequence"),
        ((*FRAMES, "--flow", "stream"), "application 'difference-of-gaussian' has no flow 'stream': expected shared"),
        ((*FRAMES[:-1], "0x5"), "--size: expected WIDTHxHEIGHT, of 8 to 8192 pixels each, got '0x5'"),
        ((*FRAMES[:3], "model:aws-f1", "--method", "hpc"), "flow 'shared': expected a board with cpu and l2"),
        (
            ("run", "sgemm", "--on", "model:zynq-ultrascale", "--size", "2048", "--set", "dram.capacity=16MiB"),
            "--count: expected what lies in a channel of the DRAM, 16777216 B, got ",
        ),
        (
            ("run", "image-filter", "--on", "model:aws-f1", "--method", "hpc"),
            "--method: application 'image-filter' has no buffers that ports move",
        ),
        (
            ("run", "image-filter", "--on", "model:aws-f1", "--delay", "1"),
            "--delay: the messages of application 'image-filter' do not follow each other",
        ),
    ],
)
def test_a_method_rewrite_or_delay_that_cannot_be_is_one_line(
    real: Isthmus, words: tuple[str, ...], message: str
) -> None:
    assert message in real.refusal(*words)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"tree"', '"treee"', "ways.toml:9: unknown method 'treee'; help: did you mean 'tree'?"),
        ('["hp-nc", "tree", "hp-nc"]', '"tree"', "ways.toml:9: key 'study.methods': expected a list of hp-nc, hp-c"),
        ("zynq-ultrascale", "aws-f1", "ways.toml:8: key 'study.flows': no target has any of these flows"),
        (
            'name = "difference-of-gaussian"\ncount = 1\nparameters = { size = "64x48" }',
            'name = "image-filter"\n\n',
            "ways.toml:9: key 'study.methods': no application of the study has buffers that ports move",
        ),
    ],
)
def test_methods_of_a_study_that_cannot_be_are_one_line_with_their_place(
    real: Isthmus, old: str, new: str, message: str
) -> None:
    assert old in STUDY
    (real.folder / "ways.toml").write_text(STUDY.replace(old, new))
    assert real.refusal("study", "ways.toml").startswith(message)
    assert not Path(real.folder / "out").exists()


@pytest.mark.parametrize(
    "words", [("hpc", "port.hpc.snoop=false"), ("hp-c", "cpu.maintenance.enabled=false")], ids=["hpc", "hp-c"]
)
def test_a_run_that_nothing_keeps_coherent_is_wrong_and_ends_with_1(real: Isthmus, words: tuple[str, str]) -> None:
    method, setting = words
    done = real(*FRAMES, "--method", method, "--set", setting)
    assert done.returncode == 1
    assert done.stdout.startswith(f"WRONG, model:zynq-ultrascale by {method} shared: frame 0 differs first at offset ")
    assert "None" not in done.stdout.splitlines()[0]
    right = real(*FRAMES, "--method", "acp", "--set", setting)
    assert right.returncode == 0, "it is kept by the cache"
