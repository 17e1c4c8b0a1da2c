"""What a paper publishes as a result is no source of a datasheet, assumed or configured number of a platform file."""

import re
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from tests.python.test_sources import BOARDS, NUMBER, SCALES, TREE, holds, inputs, of_row, read

from isthmus.records.run import Input
from isthmus.reproduction.published import PublishedRow
from isthmus.reproduction.roles import rests_on

RESULTS = frozenset({"output", "claim"})
PAPERS = sorted(path.stem for path in (TREE / "papers").glob("*.toml"))
ROWS = {paper: read(TREE / "papers" / f"{paper}.toml")["row"] for paper in PAPERS}
PLACE = re.compile(
    r"(?:(?P<kind>tables?|figures?|figs?\.?|footnotes?|insights?|steps?|sections?|sec\.|§) ?)?"
    r"(?P<names>[\w.-]*\w(?:(?:, | and | or | to )(?=\d|[IVX]+\b)[\w.-]*\w)*)",
    re.IGNORECASE,
)
WHERE = PLACE.pattern.replace("?P<kind>", "").replace("?P<names>", "")
PAPER = f"(?P<paper>{'|'.join(PAPERS)})"
CITATIONS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (rf"{PAPER}(?:'s|,)? (?P<place>{WHERE})", rf"(?P<place>{WHERE}),? (?:of|in|from|by) {PAPER}")
]
SHORT = {"figure": "fig.", "fig": "fig.", "section": "", "sec": "", "§": ""}  # as papers/*.toml write it
MEASURES = (  # what is measured in them can be compared
    ("bit", "B", "KiB", "MiB", "GiB"),
    ("ns", "us", "ms", "s"),
    ("MHz", "GHz", "MT/s", "GT/s", "KOPS", "MOPS", "thousand", "million", "billion"),
    ("MB/s", "GB/s"),
)
MULTIPLES = {**SCALES, "thousand": 1e3, "KOPS": 1e3, "million": 1e6, "MOPS": 1e6, "billion": 1e9}
TELLING = 100  # a whole number from here on is no coincidence


def result(row: dict[str, Any]) -> list[float]:
    """The numbers of a published result; its quote may hold what it was worked out from."""
    return [number.value for number in of_row({"value": row["value"]})]


def comparable(value: float, unit: str, other: str) -> bool:
    """Tells whether a number can be told in another unit; one digit is chance: a 1 KiB page is no 1024 B request."""
    return unit == other or (value >= 10 and any(unit in kind and other in kind for kind in MEASURES))


def same(value: float, unit: str, published: float, published_unit: str) -> bool:
    """Tells whether a number in words is a published one, or is it in another unit of its kind."""
    if unit and unit != published_unit and comparable(value, unit, published_unit):
        return value * MULTIPLES[unit] == pytest.approx(published * MULTIPLES[published_unit], rel=1e-9)
    return value == published


def results_quoted(text: str) -> list[str]:
    """The published results whose number stands in words: with its unit, or so long that it is no coincidence."""
    words = reduce(lambda left, citation: citation.sub(" ", left), CITATIONS, text)
    found = []
    for match in NUMBER.finditer(words):
        unit = re.match(r"(?:,? (?:and|or|to) [\d.]+)* ?([A-Za-z%/]*)", words[match.end() :])
        written, value = unit[1] if unit else "", float(match[0])
        for row in (row for rows in ROWS.values() for row in rows if row["kind"] in RESULTS):
            named = written and comparable(value, written, row.get("unit", ""))
            known = "." in match[0] or value >= TELLING or named
            if known and any(same(value, written, each, row.get("unit", "")) for each in result(row)):
                found.append(f"{match[0]} of {row['id']}")
    return found


def cited_in(text: str) -> Iterator[tuple[str, str]]:
    """Papers and places that words name, in the spelling of papers/*.toml."""
    for match in (match for citation in CITATIONS for match in citation.finditer(text)):
        place = PLACE.fullmatch(match["place"])
        assert place is not None
        kind = (place["kind"] or "").lower().rstrip(".").removesuffix("s")
        for name in re.split(r", | and | or | to ", place["names"]):
            yield match["paper"].lower(), f"{SHORT.get(kind, kind)} {name}".strip()


def results_cited(entry: dict[str, Any]) -> list[str]:
    """What a datasheet or assumed value rests on that the papers publish as a result."""
    found = results_quoted(entry.get("why", ""))
    for paper, place in cited_in(entry.get("why", "")):
        kinds = {row["kind"] for row in ROWS[paper] if place in row["place"]}
        found += [f"{paper} {place} of the reason"] if kinds & RESULTS else []
    citations, _, derivation = entry["source"].partition(": ")
    numbers = [float(number) for number in NUMBER.findall(derivation) or [entry["value"]]]
    for citation in citations.split(" & "):
        paper, _, place = citation.partition(" ")
        there = [row for row in ROWS.get(paper, []) if any(f"{at} ".startswith(f"{place} ") for at in row["place"])]
        given = [number.value for row in there if row["kind"] not in RESULTS for number in of_row(row)]
        # A section may hold both: then the number is of what was given, and of no result.
        results = [row for row in there if row["kind"] in RESULTS]
        told = {number for row in results for number in result(row)}
        if results and (told & set(numbers) or not set(given) & set(numbers)):
            found.append(citation)
    return found


@pytest.mark.parametrize("path", BOARDS, ids=lambda path: path.stem)
def test_no_datasheet_or_assumed_value_rests_on_a_published_result(path: Path) -> None:
    held = {
        key: entry
        for key, entry in inputs(read(path))
        if entry["role"] in ("datasheet", "assumed") and not isinstance(entry["value"], str)
    }
    assert {key: found for key, entry in held.items() if (found := results_cited(entry))} == {}


@pytest.mark.parametrize(
    "entry",
    [
        {"value": 2.7, "source": "choi2019 fig. 5", "why": ""},
        {"value": 1, "source": "ours", "why": "the plateaus of choi2019 fig. 4 lie below one channel"},
        {"value": 1, "source": "ours", "why": "9.5 and 8.9 GB/s lie below the 12.8 GB/s of one channel"},
        {"value": 16, "source": "ours", "why": "13 requests are the least that hold 11.89 GB/s"},
        {"value": 1024, "source": "stacc V-C", "why": ""},
        {"value": 90, "source": "stacc III-D", "why": ""},
        {"value": 4, "source": "ours", "why": "then one access takes 542 ns"},
        {"value": 3.31, "source": "choi2019 5.3: 1/(1/2.59 - 1/11.89)", "why": ""},
        {"value": False, "source": "choi2019 3.2.5", "why": ""},
        *(
            {"value": 1, "source": "ours", "why": why}
            for why in (
                "gives 1370 images a second as published",
                "78 million accesses a second",
                "F1's link carries 11890 MB/s",
                "an image takes 146 ms",
                "as choi2019's figure 4 shows",
                "as figures 3 and 4 of choi2019 show",
                "figure 7 of stacc: saturates there",
                "table IV of stacc",
                "Table IV in stacc",
                "choi2019 section 5.3",
                "VI-A of stacc",
                "the plateaus, choi2019, fig. 4",
                "saturates at 1024 bytes",
            )
        ),
    ],
)
def test_a_value_that_rests_on_a_published_result_is_found(entry: dict[str, Any]) -> None:
    assert results_cited(entry)
    assert not results_cited({"value": 30, "source": "stacc III-D", "why": "64 B, 8 KiB and 20 ns are nobody's result"})


# How the measured system was set up, where no row of kind `input` holds it: what is a switch, or stands with a result.
SET_UP = {
    ("alpha-data-7v3", "host.copy.enabled"): "choi2019 3.2.1 describes the copy into pinned memory in words",
    ("alpha-data-7v3", "host.alloc.enabled"): "choi2019 3.2.1 describes the allocation of pinned memory in words",
    ("alpha-data-7v3", "hypervisor.enabled"): "choi2019 3.1 names the machine that its authors set up themselves",
    ("aws-f1", "host.copy.enabled"): "stacc III-D describes the copies of SDAccel in words",
    (
        "alpha-data-7v3",
        "stream.request_size",
    ): "stacc V-C: a request is split in 1024-byte granularity, as the rate wants",
    ("alpha-data-7v3", "host.runtime.staging"): "choi2019 3.2.1 describes the steps of a transfer in words",
    ("aws-f1", "host.runtime.staging"): "choi2019 3.2.1 describes the steps of a transfer in words",
    ("xeon-fpga-v2", "translation.enabled"): "choi2019 2.1 describes unified addresses in words, as the user's choice",
    ("zynq-ultrascale", "cpu.maintenance.enabled"): "min2019 III describes what drivers do for coherence in words",
    ("zynq-ultrascale", "port.hpc.snoop"): "min2019 table I names HPC as the port that snoops",
    ("aws-f1", "stream.request_size"): "stacc V-C: a request is split in 1024-byte granularity, as the rate wants",
}


def calibrates(paper: str, row: dict[str, Any]) -> bool:
    """Tells whether a calibrated number of a board was taken from a row: then it was measured.

    An input by which a formula converts what was measured, such as a clock, stays one.
    """
    published = PublishedRow.model_validate(row)
    return any(
        rests_on(Input(key=key, value=entry["value"], role="calibrated", source=entry["source"]), paper, published)
        for path in BOARDS
        for key, entry in inputs(read(path))
        if entry["role"] == "calibrated" and (row["kind"] != "input" or " & " not in entry["source"])
    )


def set_up_in_paper(entry: dict[str, Any]) -> bool:
    """Tells whether a row at the place of a source gives the value, and no result or calibration there does."""
    paper, _, place = entry["source"].partition(": ")[0].partition(" ")
    there = [row for row in ROWS.get(paper, []) if any(f"{at} ".startswith(f"{place} ") for at in row["place"])]
    given = [number for row in there if row["kind"] == "input" for number in of_row(row)]
    results = [row for row in there if row["kind"] in RESULTS or calibrates(paper, row)]
    told = [number for row in results for number in of_row({**row, "quote": ""})]
    value, unit = entry["value"], entry.get("unit")
    return not isinstance(value, bool | str) and holds(given, value, unit) and not holds(told, value, unit)


@pytest.mark.parametrize("path", BOARDS, ids=lambda path: path.stem)
def test_a_configuration_is_an_input_of_a_paper_or_an_exception_with_its_reason(path: Path) -> None:
    held = {key: entry for key, entry in inputs(read(path)) if entry["role"] == "configuration"}
    exceptions = {key for board, key in SET_UP if board == path.stem}
    assert {key for key, entry in held.items() if not set_up_in_paper(entry)} == exceptions
    assert {key: found for key, entry in held.items() if (found := results_quoted(entry.get("why", "")))} == {}


@pytest.mark.parametrize(
    ("value", "unit", "source"),
    [
        (11.89, "GB/s", "choi2019 5.3"),
        (5.2, "GB/s", "choi2019 fig. 5"),
        (160, "us", "choi2019 table 5"),
        (2, "GB/s", "stacc V-C"),
        (1024, "B", "stacc V-C"),
        (4, "MiB", "ours"),
        (True, None, "stacc III-D"),
    ],
)
def test_a_result_is_no_configuration(value: float, unit: str | None, source: str) -> None:
    assert not set_up_in_paper({"value": value, "unit": unit, "source": source})
    assert set_up_in_paper({"value": 4, "unit": "MiB", "source": "stacc V-C"})
