"""The command with the real tools: those of ISTHMUS_BIN if it is set, else those that were installed with it."""

from pathlib import Path

import pytest
from tests.python.conftest import EXPLAINED, Isthmus
from tests.python.test_schemas import check

FEW = ("--images", "4")


def test_the_opencl_device_of_this_machine_filters_images_right(real: Isthmus) -> None:
    check("devices", real.json("devices"))
    for flow in ("offload", "overlap"):
        file = real.json("run", "image-filter", "--on", "opencl:0", "--flow", flow, *FEW)
        check("run", file)
        (row,) = file["rows"]
        assert row["verified"] is True
        assert row["kind"] == "measured"
        assert row["images_per_s"] == pytest.approx(4 / row["elapsed_s"])


@pytest.mark.parametrize("target", ["model:aws-f1", "model:alpha-data-7v3"])
def test_every_number_of_a_board_has_source_and_role(real: Isthmus, target: str) -> None:
    file = real.json("platform", "show", target)
    check("platform", file)
    assert len(file["platform"]["inputs"]) > 50
    assert [item["key"] for item in file["platform"]["inputs"] if not item["source"] or not item["role"]] == []


def test_a_photograph_that_is_no_image_is_one_line(real: Isthmus, tmp_path: Path) -> None:
    (tmp_path / "photographs").mkdir()
    (tmp_path / "photographs" / "a.jpg").write_bytes(b"")
    assert "a.jpg" in real.refusal("run", "image-filter", "--on", "opencl:0", "--input", "photographs")


def test_equal_modelled_runs_write_equal_bytes_apart_from_the_context(real: Isthmus) -> None:
    arguments = ("run", "image-filter", "--on", "model:aws-f1", "--flow", "stream", *FEW, "--json", "-")
    first, second = (real(*arguments).stdout for _ in range(2))
    assert first[first.index('"rows"') :] == second[second.index('"rows"') :]


def test_the_study_of_the_examples_gives_one_verdict(real: Isthmus, tree: Path) -> None:
    real.well("study", str(tree / "examples" / "image-filter.toml"), *FEW, **EXPLAINED)
    file = real.read("out/image-filter/study.json")
    check("study", file)
    assert [(row["target"], row["flow"]) for row in file["rows"]][-1] == ("native", "stream")
    assert len(file["rows"]) == 9
    assert all(row["verified"] for row in file["rows"])
    fastest = max(file["rows"], key=lambda row: row["images_per_s"])
    assert (file["verdict"]["target"], file["verdict"]["flow"]) == (fastest["target"], fastest["flow"])
    assert (real.folder / "out" / "image-filter" / "report.html").stat().st_size > 10_000


def test_a_read_between_completion_boundaries_is_answered_in_more_packets(real: Isthmus) -> None:
    aligned = ("probe", "model:aws-f1", "device-latency", "--sizes", "512B")
    wide = ("--set", "link.pcie.read_completion_boundary=128B")
    reads = [
        [record["value"] for record in real.json(*words)["records"] if record["parameters"]["access"] == "read"]
        for words in (aligned, (*aligned, *wide), (*aligned, "--offset", "64B"), (*aligned, *wide, "--offset", "64B"))
    ]
    assert reads[0] == reads[1] == reads[2]
    assert reads[3][1] > reads[0][1], "where as many are under way as tags allow, packets are what counts"
    assert "from 64B of a page" in real(*aligned, "--offset", "64B").stdout
    assert real(*aligned, "--offset", "100B").returncode == 2


@pytest.mark.parametrize("board", ["model:aws-f1", "model:alpha-data-7v3"])
def test_what_a_stage_of_a_stream_and_its_part_did_is_one_figure(real: Isthmus, board: str) -> None:
    # One image: the set-up of the circuit is no small part of the run.
    (row,) = real.json("run", "image-filter", "--on", board, "--flow", "stream", "--images", "1", **EXPLAINED)["rows"]
    shares = {part["name"]: part["busy_s"] / part["lifetime_s"] for part in row["parts"]}
    stages = {stage["name"]: stage["share"] for stage in row["stages"]}
    assert stages["kernel"] == pytest.approx(shares["stencil"], rel=1e-9)
    for way in ("host to device", "device to host"):
        assert stages[way] == pytest.approx(shares[f"PCIe {way}"], rel=1e-9)
    assert {part["lifetime_s"] for part in row["parts"]} == {row["parts"][0]["lifetime_s"]}
    assert max(share for part, share in shares.items()) <= 1
    named = row["bottleneck"]
    if named["part"] is not None:
        assert named["busy_share"] == pytest.approx(shares[named["part"]], rel=1e-9)


@pytest.mark.parametrize(
    ("words", "left_out"),
    [
        (("device-latency", "--sizes", "32B,64B,8KiB"), "32B, 8KiB"),
        (("device-read", "--sizes", "1KiB,4KiB", "--burst", "2KiB"), "1KiB"),
        (("device-read", "--sizes", "1KiB,4KiB", "--burst", "1KiB,2KiB"), None),
        (("h2d", "launch", "--sizes", "1KiB,4KiB"), None),
    ],
)
def test_sizes_that_a_probe_does_not_take_are_named(
    real: Isthmus, words: tuple[str, ...], left_out: str | None
) -> None:
    said = real("probe", "model:aws-f1", *words).stderr
    assert (f"note: {words[0]}: left out {left_out}; it takes " in said) == (left_out is not None)
    assert left_out is not None or "left out" not in said
