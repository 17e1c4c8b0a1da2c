"""The published numbers: complete, of known kinds, and each experiment names things that exist."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

TREE = Path(__file__).parents[2]
PAPERS = {"choi2019": ("S000", 93), "stacc": ("S001", 68), "gemieux2018": ("S003", 71), "min2019": ("S004", 29)}
KINDS = {"input", "output", "claim", "check", "outside"}
FLOWS = {"offload", "overlap", "stream"}
FIELDS = {"elapsed_s", "images_per_s", "images", "size", "bytes_per_pixel", "stencil"}
STAGES = {"host to device copy", "kernel", "device to host copy"}
OF_PORTS = {"port-tx", "port-rx", "memcpy", "transpose"}
OF_SHARED = {"cache-hit", "cache-miss", "shared-read", "shared-write"}
PROBES = {"h2d", "d2h", "device-read", "device-write", "mmio-load", *OF_SHARED, *OF_PORTS}
OPTIONS = {"channel", "start", "access", "phase", "port", "state", "from", "to"}


def rows(paper: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads((TREE / "papers" / f"{paper}.toml").read_text(encoding="utf-8"))["row"]
    return found


def keys(table: dict[str, Any], prefix: str = "") -> set[str]:
    """The dotted keys of a platform file that carry a value."""
    found = {prefix + name for name, entry in table.items() if isinstance(entry, dict) and "value" in entry}
    for name, entry in table.items():
        if isinstance(entry, dict) and "value" not in entry:
            found |= keys(entry, f"{prefix}{name}.")
    return found


ROWS = {row["id"]: row for paper in PAPERS for row in rows(paper)}
BOARDS = {
    path.stem: keys(tomllib.loads(path.read_text(encoding="utf-8")))
    for path in (TREE / "platforms").glob("*.toml")
    if path.stem != "sources"
}


def is_size(text: str) -> bool:
    return re.fullmatch(r"\d+(B|KiB|MiB)", text) is not None


def is_probe(body: str) -> bool:
    measured, _, settings = body.partition("@")
    board, probe, size = measured.split(":")[:3]
    wanted = [setting.partition("=")[0] for setting in settings.split(",")] if settings else []
    known = BOARDS[board] | OPTIONS
    return board in BOARDS and probe in PROBES and is_size(size) and known.issuperset(wanted)


def is_of_channels(body: str) -> bool:
    measured, _, settings = body.partition("@")
    board, probe, *channels = measured.split(":")
    links = {key.split(".")[1] for key in BOARDS[board] if key.startswith("link.")} | {"vl0"}
    return board in BOARDS and probe in OF_SHARED and links.issuperset(channels[:2]) and settings == "start=cold"


def is_run(body: str) -> bool:
    board, flow, *what = body.split(":")
    known = what[0] in FIELDS if len(what) == 1 else what[0] == "stage" and what[1] in STAGES
    return board in BOARDS and flow in FLOWS and known


def is_rate(body: str) -> bool:
    board, flow, stage = body.split(":")
    return board in BOARDS and flow in FLOWS and stage in STAGES


def is_saturation(body: str) -> bool:
    board, flow, key = body.split(":")
    return board in BOARDS and flow in FLOWS and key in BOARDS[board]


def is_input(body: str) -> bool:
    board, key = body.split(":")
    return key in BOARDS[board]


def is_ratio(body: str) -> bool:
    return all(operand in ROWS or is_experiment(operand) for operand in body.split(" / "))


def is_listed(body: str) -> bool:
    """Formulas and claims are those of the README's tables."""
    return f"`{body.partition(':')[0]}" in (TREE / "papers" / "README.md").read_text(encoding="utf-8")


KNOWN = {
    "input": is_input, "run": is_run, "rate": is_rate, "probe": is_probe, "probe-time": is_probe, "accesses": is_probe,
    "probe-cycles": is_probe, "requests": is_probe, "crossing": is_of_channels, "lead": is_of_channels,
    "overtakes": lambda body: set(body.split(":")[:2]) <= BOARDS.keys(),
    "maintained": lambda body: body.partition(":")[0] in BOARDS,
    "reduction": lambda body: body.partition(":")[0] in BOARDS,
    "application": lambda body: body.partition(":")[0] in BOARDS,
    "saturation": is_saturation, "ratio": is_ratio, "sum": is_ratio, "mean": is_ratio, "loss": is_ratio,
    "row": lambda body: body in ROWS, "formula": is_listed, "claim": is_listed,
}  # fmt: skip


def is_experiment(text: str) -> bool:
    name, _, body = text.partition(":")
    return name in KNOWN and KNOWN[name](body)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_published_number_is_there_once(paper: str) -> None:
    prefix, count = PAPERS[paper]
    assert [row["id"] for row in rows(paper)] == [f"{prefix}-{number:03}" for number in range(1, count + 1)]


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_row_says_where_it_stands_and_what_it_is(row: dict[str, Any]) -> None:
    assert row["place"] and all(row["place"])
    assert row["kind"] in KINDS
    assert ("reason" in row) == (row["kind"] == "outside")
    assert isinstance(row["value"], int | float | str) and row["value"] != ""
    assert set(row) <= {
        "id", "place", "platform", "quantity", "unit", "value", "quote", "kind", "experiment", "same_as", "readings",
        "note", "reason",
    }  # fmt: skip


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_row_that_repeats_another_points_at_one_that_does_not(row: dict[str, Any]) -> None:
    if "same_as" in row:
        assert "same_as" not in ROWS[row["same_as"]] and "experiment" not in row


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_an_experiment_names_things_that_exist(row: dict[str, Any]) -> None:
    texts = [row.get("experiment"), *(reading.get("experiment") for reading in row.get("readings", []))]
    assert [text for text in texts if text and not is_experiment(text)] == []
    assert not (texts[0] and row["kind"] == "outside")


def test_what_concerns_the_modelled_boards_is_computed_or_says_why_not() -> None:
    image = [row for row in ROWS.values() if re.search(r"image processing|Table V\b", row["quantity"])]
    assert len(image) == 9 and all("experiment" in row for row in image)
    for row in ROWS.values():
        if row["platform"] in {"Alpha Data", "AWS F1"} and row["kind"] in {"output", "check", "claim"}:
            assert "experiment" in row or "same_as" in row, row["id"]
