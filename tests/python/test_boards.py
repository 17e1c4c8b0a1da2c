"""Boards of any set of parts, as files alone: with two links, three, none, without memory, with 32 channels."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.python.conftest import TREE, Isthmus

from isthmus.reproduction.counterparts import Counterpart, Given, Probed
from isthmus.reproduction.model_runs import ModelRuns, ToolAnswers
from isthmus.results.values import record_name

BOARDS = {path.stem: str(path) for path in sorted((TREE / "tests" / "boards").glob("*.toml"))}
LINKS = {"many-channels": ["pcie"], "no-link": [], "no-memory": ["pcie"],
         "three-links": ["vh0", "vh1", "vh2"], "two-links": ["vh0", "narrow"]}  # fmt: skip
SMALL = ("--sizes", "4KiB", "-q")


def channels(records: list[dict[str, object]]) -> set[object]:
    return {record["parameters"].get("channel") for record in records}  # type: ignore[attr-defined]


@pytest.mark.parametrize("board", BOARDS)
def test_a_board_is_probed_with_what_its_parts_serve(real: Isthmus, board: str) -> None:
    records = real.json("probe", BOARDS[board], *SMALL)["records"]
    of_links = {record["name"] for record in records} - {"device-read", "device-write"}
    links = LINKS[board]
    if len(links) > 1:
        for name in of_links:
            assert channels([one for one in records if one["name"] == name]) == set(links)
    else:
        assert channels(records) == {None}
    listed = real("probe", BOARDS[board], "--dry-run").stdout
    assert all(name in listed for name in of_links)


@pytest.mark.parametrize("board", BOARDS)
def test_a_board_is_shown_reported_and_copied(real: Isthmus, board: str) -> None:
    shown = real.json("platform", "show", BOARDS[board])["platform"]
    assert [part["channel"] for part in shown["parts"] if part["channel"] is not None] == LINKS[board]
    assert real("probe", BOARDS[board], *SMALL, "--json", "probe.json").returncode == 0
    assert real("report", "probe.json", "--output", "report.html").returncode == 0
    page = (real.folder / "report.html").read_text()
    assert all(f"over {link}" in page for link in LINKS[board] if len(LINKS[board]) > 1)
    assert real("platform", "new", "mine", "--like", BOARDS[board], "-q").returncode == 0
    copied = real.json("platform", "show", "mine.toml")["platform"]
    assert copied["parts"] == shown["parts"]
    own = {item["key"]: (item["value"], item["unit"]) for item in shown["inputs"]}
    assert own.items() <= {item["key"]: (item["value"], item["unit"]) for item in copied["inputs"]}.items()


def test_one_link_of_several_is_probed_where_it_is_named(real: Isthmus) -> None:
    records = real.json("probe", BOARDS["two-links"], "h2d", "--channel", "narrow", *SMALL)["records"]
    assert channels(records) == {"narrow"}
    (shown,) = records
    every = real.json("probe", BOARDS["two-links"], "h2d", *SMALL)["records"]
    assert shown in [{**one, "target": shown["target"]} for one in every]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ("probe", "no-link", "h2d"),
            "probe 'h2d': expected a board with pcie and memory and dma, got one of host.cores",
        ),
        (("probe", "two-links", "h2d", "--channel", "wide"), "unknown channel 'wide': expected vh0 or narrow"),
        (("probe", "no-link", "--channel", "vh0"), "unknown channel 'vh0': there is none to choose from"),
        (
            ("probe", "two-links", "--set", "link.vh2.lanes=4"),
            "key 'link.vh2.lanes': expected a key of the board's parts",
        ),
        (
            ("probe", "three-links", "--set", "dma.rate=4"),
            "key 'dma.rate': expected a key of the board's parts (link.vh0,",
        ),
        (
            ("run", "image-filter", "--on", "no-memory", "--flow", "offload"),
            "flow 'offload': expected a board with dma",
        ),
        (("run", "image-filter", "--on", "three-links"), "flow 'offload': expected a board with"),
    ],
)
def test_what_a_board_lacks_is_told_in_one_line(real: Isthmus, words: tuple[str, ...], expected: str) -> None:
    assert expected in real.refusal(*(BOARDS.get(word, word) for word in words))


def test_the_channel_of_a_real_device_is_not_for_us_to_choose(real: Isthmus) -> None:
    told = real.refusal("probe", "opencl:0", "--channel", "vh0")
    assert "--channel vh0: target 'opencl:0' is a real device, only models are told their link" in told


def links_of(row: dict[str, Any]) -> set[str]:
    """The links whose keys the parts of a row name."""
    return {key.rpartition(".")[0] for part in row["parts"] for key in part["keys"] if key.startswith("link.")}


@pytest.mark.parametrize("grain", ["--fine", "--coarse"])
@pytest.mark.parametrize(
    ("flow", "channel", "links"),
    [
        ("offload", None, {"link.vh0", "link.vh1"}),
        ("overlap", None, {"link.vh0", "link.vh1"}),
        ("stream", "vh0", {"link.vh0"}),
    ],
)
def test_transfers_go_over_all_links_of_a_board_and_a_stream_over_the_first(
    real: Isthmus, flow: str, channel: str | None, links: set[str], grain: str
) -> None:
    words = ("run", "image-filter", "--flow", flow, "--images", "2", "-q", grain, "--on")
    (row,) = real.json(*words, BOARDS["two-links"])["rows"]
    assert row["verified"]
    assert row["channel"] == channel
    assert links_of(row) == links
    (only,) = real.json(*words, "model:aws-f1")["rows"]
    assert only["channel"] is None
    assert row["value"] == pytest.approx(only["value"], rel=0.001), "the first link is F1's, and the second narrower"


def test_a_run_goes_over_the_link_that_is_named(real: Isthmus) -> None:
    words = ("run", "image-filter", "--flow", "offload", "--images", "2", "-q", "--on")
    (row,) = real.json(*words, BOARDS["two-links"], "--channel", "narrow")["rows"]
    assert row["channel"] == "narrow"
    assert links_of(row) == {"link.vh1"}
    (only,) = real.json(*words, "model:aws-f1", "--set", "link.pcie.lanes=8")["rows"]
    assert row["value"] == only["value"], "the second link is F1's with 8 lanes"
    done = real(*words, BOARDS["two-links"], "--channel", "narrow", "--dry-run")
    assert "2 images --channel narrow" in done.stdout


@pytest.mark.parametrize(
    ("target", "channel", "expected"),
    [
        (BOARDS["two-links"], "vh7", "two-links.toml: unknown channel 'vh7': expected vh0 or narrow"),
        ("model:xeon-fpga-v2", "vh9", "unknown channel 'vh9': expected vh0, vh1, vl0 or va; did you mean 'vh0'?"),
        ("opencl:0", "vh0", "--channel vh0: target 'opencl:0' is no model, and only models have links to choose"),
        ("native", "vh0", "--channel vh0: target 'native' is no model, and only models have links to choose"),
    ],
)
def test_a_link_that_a_run_cannot_go_over_is_refused_in_one_line(
    real: Isthmus, target: str, channel: str, expected: str
) -> None:
    assert expected in real.refusal("run", "image-filter", "--on", target, "--channel", channel, "--images", "1")


def test_a_study_runs_over_the_links_that_its_targets_name(real: Isthmus) -> None:
    (real.folder / "links.toml").write_text(
        '[application]\nname = "image-filter"\nimages = 2\n[study]\nflows = ["offload", "stream"]\n'
        f'targets = [{{target = "{BOARDS["two-links"]}", channel = "narrow"}}, "{BOARDS["two-links"]}"]\n'
    )
    real.well("study", "links.toml", "-q", "--no-probes")
    folder = real.folder / "out" / "links"
    rows = json.loads((folder / "study.json").read_text())["rows"]
    told = [(row["flow"], row["channel"]) for row in rows]
    assert told == [("offload", "narrow"), ("stream", "narrow"), ("offload", None), ("stream", "vh0")]
    words = ("run", "image-filter", "--on", BOARDS["two-links"], "--images", "2", "-q")
    for row in rows[:2]:
        (alone,) = real.json(*words, "--flow", row["flow"], "--channel", "narrow")["rows"]
        assert (row["value"], row["channel"]) == (alone["value"], alone["channel"])
    assert "two-links.toml over narrow" in (folder / "report.html").read_text()
    assert len({record_name(row) for row in rows}) == len(rows), "isthmus compare tells them apart"


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (
            '{target = "BOARD", channel = "wide"}',
            "6: key 'study.targets.channel': expected vh0 or narrow, got 'wide'",
        ),
        (
            '{target = "native", channel = "vh0"}',
            "6: key 'study.targets.channel': 'native' is no model, and only models have links to choose",
        ),
        ('{target = "BOARD", channel = 3}', "5: key 'study.targets.channel': expected the name of a link"),
        ('{target = "BOARD", link = "vh0"}', "5: unknown key 'study.targets.link'"),
        ('{channel = "vh0"}', "5: key 'study.targets.target': missing, expected a target"),
        ("3", "5: key 'study.targets': expected"),
    ],
)
def test_a_target_of_a_study_that_is_wrong_is_refused_in_one_line(real: Isthmus, entry: str, expected: str) -> None:
    entry = entry.replace("BOARD", BOARDS["two-links"])
    (real.folder / "wrong.toml").write_text(
        '[application]\nname = "image-filter"\nimages = 4\n[study]\n'
        f'targets = ["model:aws-f1",\n  {entry},\n]\nflows = ["offload"]\n'
    )
    assert f"wrong.toml:{expected}" in real.refusal("study", "wrong.toml")


def test_a_study_leaves_out_flows_that_a_board_has_no_parts_for(real: Isthmus) -> None:
    (real.folder / "boards.toml").write_text(
        f'[application]\nname = "image-filter"\nimages = 2\n[study]\n'
        f'targets = ["{BOARDS["no-memory"]}", "model:aws-f1"]\nflows = ["offload", "stream"]\n'
    )
    assert real("study", "boards.toml", "-q").returncode == 0
    study = real.read("out/boards/study.json")
    told = {(Path(row["target"]).stem, row["flow"]) for row in study["rows"]}
    assert told == {("no-memory", "stream"), ("model:aws-f1", "offload"), ("model:aws-f1", "stream")}


def test_a_link_of_several_is_calibrated_from_its_own_records(real: Isthmus) -> None:
    board = real.folder / "board.toml"
    text = Path(BOARDS["two-links"]).read_text()
    calibrated = 'rate = { value = 4, unit = "GB/s", source = "ours", role = "assumed", range = [1, 100], why = "x" }'
    board.write_text(
        text.replace('rate = { value = 16, unit = "GB/s", source = "tests", role = "configuration" }', calibrated)
    )
    words = ("--sizes", "1MiB,4MiB", "-q", "--set", "dma.rate=2", "--channel", "narrow", "--json", "records.json")
    assert real("probe", "board.toml", "h2d-pinned", "d2h-pinned", *words).returncode == 0
    (key,) = real.json("calibrate", "board.toml", "--from", "records.json")["keys"]
    assert key["key"] == "dma.rate"
    assert key["new"] == pytest.approx(2, rel=0.05)
    records = real.read("records.json")
    for record in records["records"]:
        del record["parameters"]["channel"]
    (real.folder / "records.json").write_text(json.dumps(records))
    told = real.refusal("calibrate", "board.toml", "--from", "records.json")
    assert "the board has the links vh0, narrow, and the records do not say which" in told


@pytest.mark.parametrize(
    ("board", "assignment", "accepted"),
    [
        ("two-links", "link.vh1.lanes=4", True),
        ("two-links", "link.vh1.round_trip=0.35", False),
        ("two-links", "link.vh0.round_trip=0.35", False),
        ("three-links", "link.vh2.tags=4", True),
        ("three-links", "dma.rate=4", False),
        ("no-link", "kernel.clock=100", True),
        ("no-link", "host.call.transfer=1", False),
    ],
)
def test_a_board_with_changed_numbers_is_tried_over_each_of_its_links(
    board: str, assignment: str, accepted: bool
) -> None:
    assert ToolAnswers().accepts(BOARDS[board], (assignment,)) == accepted


TWO_LINKS = BOARDS["two-links"]


def write_paper(folder: Path, counterpart: str, unit: str = "") -> None:
    """A paper of one row with what computes it, on a board of two links."""
    (folder / "mine.toml").write_text(
        'title = "mine"\nauthors = "we"\npublished = "here"\n[[row]]\nid = "A"\nplace = ["table 1"]\n'
        f'platform = "mine"\nquantity = "something"\nvalue = 2\nkind = "output"\nunit = "{unit}"\n'
    )
    (folder / "mine.py").write_text(
        "from isthmus.reproduction.counterparts import Formula, Given, Probed\n\n\n"
        'def lanes(models, board):\n    return models.number(board, "pcie.lanes")\n\n\n'
        f'BOARD = "{TWO_LINKS}"\nROWS = {{"A": {counterpart}}}\n'
    )


def test_numbers_of_a_paper_are_compared_with_those_of_a_board_of_two_links(real: Isthmus) -> None:
    write_paper(real.folder, 'Probed(BOARD, "h2d", "1MiB", "channel=narrow")', "GB/s")
    (row,) = real.json("reproduce", "mine.py", "-q")["rows"]
    assert row["ours"] == pytest.approx(1.72, rel=0.01)


@pytest.mark.parametrize(
    ("counterpart", "expected"),
    [
        (Given(TWO_LINKS, "link.vh1.lanes"), 8),
        (Probed(TWO_LINKS, "h2d", "1MiB", "channel=vh0,link.vh0.lanes=8"), 1.72),
        (Probed(TWO_LINKS, "device-read", "4KiB"), 4.66),
    ],
)
def test_a_board_of_two_links_is_asked_for_a_number_of_each(counterpart: Counterpart, expected: float) -> None:
    assert ModelRuns(ToolAnswers(), 4, 4).of(counterpart) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    ("counterpart", "unit", "expected"),
    [
        ('Given(BOARD, "link.pcie.lanes")', "", "two-links.toml: unknown key 'link.pcie.lanes'"),
        ('Probed(BOARD, "h2d", "1MiB", "channel=wide")', "GB/s", "unknown channel 'wide'"),
        ('Probed(BOARD, "h2d", "1MiB")', "GB/s", "expected 'channel=NAME' of one of its links vh0, narrow"),
        ("Formula(lanes, BOARD)", "", "expected one key pcie.lanes, got several: link.vh0.lanes, link.vh1.lanes"),
    ],
)
def test_what_a_paper_asks_of_parts_that_a_board_has_not_is_one_line(
    real: Isthmus, counterpart: str, unit: str, expected: str
) -> None:
    write_paper(real.folder, counterpart, unit)
    assert expected in real.refusal("reproduce", "mine.py", "-q")
