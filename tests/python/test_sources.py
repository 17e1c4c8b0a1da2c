"""Every `source` of a platform file is true: its place exists and holds the number, or its formula yields it."""

import ast
import functools
import operator
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from isthmus.base.numbers import rounds_to

TREE = Path(__file__).parents[2]
BOARDS = sorted(path for path in (TREE / "platforms").glob("*.toml"))
PAPER_BOARD = {
    "aws-f1": "AWS F1",
    "ibm-capi": "CAPI (POWER8)",
    "alpha-data-7v3": "Alpha Data",
    "xeon-fpga-v1": "Xeon+FPGA v1",
    "xeon-fpga-v2": "Xeon+FPGA v2",
    "stratix-v": "Altera Stratix V, OpenCL 16.1, 40 GbE",
    "agilex-7": "Agilex 7",
    "alveo-u250": "Alveo U250",
    "alveo-u55c": "Alveo U55C",
    "alveo-v80": "Alveo V80",
    "kv260": "KV260",
    "vck5000": "VCK5000",
    "zynq-ultrascale": "Zynq UltraScale+ (4x A53, L2 1 MB)",
}  # what the papers call them

SCALES = {
    "bit": 0.125, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30,
    "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1,
    "Gbps": 1e9 / 8, "Gbit/s": 1e9 / 8, "MHz": 1e6, "GHz": 1e9, "MT/s": 1e6, "GT/s": 1e9, "MB/s": 1e6, "GB/s": 1e9,
    "cycles": 1,
}  # fmt: skip
UNIT_CONSTANTS = {1.0, 8.0, 1000.0}  # reciprocals, bits a byte, M to G
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Held:
    """A number that a place holds; the unit is unknown where it stands in words."""

    value: float
    unit: str | None


@functools.cache
def read(path: Path, **options: Any) -> dict[str, Any]:
    """The tables of a file, for all who only look at them."""
    with path.open("rb") as file:
        return tomllib.load(file, **options)


def inputs(table: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """The keys of a platform file that carry a value, dotted."""
    for name, entry in table.items():
        if isinstance(entry, dict):
            if "value" in entry:
                yield prefix + name, entry
            else:
                yield from inputs(entry, f"{prefix}{name}.")


def in_words(text: str) -> list[Held]:
    return [Held(float(number), None) for number in NUMBER.findall(text)]


def of_row(row: dict[str, Any]) -> list[Held]:
    value = row["value"]
    numbers = in_words(value) if isinstance(value, str) else [Held(float(value), row.get("unit"))]
    return numbers + in_words(row.get("quote", ""))


def in_paper(path: Path, place: str, board: str) -> list[Held] | None:
    """The numbers that the rows of `place` hold, in a table those of the board's column; None if no row is there."""
    rows = [row for row in read(path)["row"] if any(f"{stated} ".startswith(f"{place} ") for stated in row["place"])]
    if place.startswith("table"):
        column = [row for row in rows if row["platform"] == PAPER_BOARD[board]]
        rows = column or [row for row in rows if row["platform"] not in PAPER_BOARD.values()]
    return [number for row in rows for number in of_row(row)] if rows else None


def in_document(document: dict[str, Any], place: str) -> list[Held] | None:
    for entry in document["places"]:
        if entry["place"] == place:
            return [Held(float(quote["value"]), quote.get("unit")) for quote in entry["quotes"]]
    return None


def held_at(citation: str, board: str) -> list[Held]:
    """The numbers of "DOCUMENT PLACE"; fails if there is no such place."""
    document, _, place = citation.strip().partition(" ")
    paper = TREE / "papers" / f"{document}.toml"
    sources = read(TREE / "platforms" / "about" / "sources.toml")
    if paper.exists():
        held = in_paper(paper, place, board)
    else:
        assert document in sources, f"unknown document '{document}'"
        held = in_document(sources[document], place)
    assert held is not None, f"{document} has no place '{place}'"
    return held


def evaluate(node: ast.AST) -> float:
    if isinstance(node, ast.Expression):
        return evaluate(node.body)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return float(OPERATORS[type(node.op)](evaluate(node.left), evaluate(node.right)))
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    raise SyntaxError("not a formula")


def formula(text: str) -> float | None:
    """The value of an arithmetic expression; None if `text` is words."""
    try:
        return evaluate(ast.parse(text.strip(), mode="eval"))
    except SyntaxError:
        return None


def base(value: float, unit: str | None) -> float:
    return value * SCALES[unit] if unit else value


def holds(held: list[Held], value: float, unit: str | None) -> bool:
    """Tells whether a place holds `value`: in its own unit in words, in any unit of the same kind in a table."""
    for number in held:
        if number.unit in SCALES and unit in SCALES:
            if base(number.value, number.unit) == pytest.approx(base(value, unit), rel=1e-9):
                return True
        elif number.value == value:
            return True
    return False


def check(entry: dict[str, Any], board: str) -> None:
    citations, _, derivation = entry["source"].partition(": ")
    if citations == "ours":
        assert entry["role"] == "assumed", "only an assumption may be ours"
        return
    held = [number for citation in citations.split(" & ") for number in held_at(citation, board)]
    for number in NUMBER.findall(derivation):
        assert float(number) in UNIT_CONSTANTS or any(held_one.value == float(number) for held_one in held), number
    if isinstance(entry["value"], bool | str):
        return
    value, unit = entry["value"], entry.get("unit")
    result = formula(derivation) if derivation else None
    if result is not None:
        assert rounds_to(result, value), f"{derivation} is {result}, not {value}"
    elif not (derivation and entry["role"] == "calibrated"):  # a result in words chose the value, and need not hold it
        candidates = [value, *entry.get("range", [])] if entry["role"] == "assumed" else [value]
        assert any(holds(held, float(candidate), unit) for candidate in candidates), f"does not hold {value}"


@pytest.mark.parametrize("path", BOARDS, ids=lambda path: path.stem)
def test_every_source_exists_and_holds_its_number(path: Path) -> None:
    wrong = []
    for key, entry in inputs(read(path, parse_float=Decimal)):
        try:
            check(entry, path.stem)
        except AssertionError as error:
            wrong.append(f"{key}: {entry['source']}: {error}".splitlines()[0])
    assert wrong == []


def f1_entry(**changes: Any) -> dict[str, Any]:
    entry = {"value": 16, "source": "choi2019 table 2", "role": "datasheet"}
    return {**entry, **changes}


@pytest.mark.parametrize(
    "changes",
    [
        {"value": 17},
        {"source": "choi2019 table 99"},
        {"source": "nobody2020 table 2"},
        {"source": "ours"},
        {"value": Decimal("5.7"), "source": "choi2019 fig. 5: 1/(1/2.7 - 1/5.2)"},
        {"value": Decimal("5.62"), "source": "choi2019 table 2: 1/(1/2.7 - 1/5.2)"},
        {"value": 200, "unit": "MHz"},  # table 2 says so of Alpha Data, not of F1
        {"value": 127, "unit": "ns", "source": "choi2019 table 5"},
    ],
)
def test_a_wrong_source_is_found(changes: dict[str, Any]) -> None:
    check(f1_entry(), "aws-f1")
    with pytest.raises(AssertionError):
        check(f1_entry(**changes), "aws-f1")


def test_a_number_is_held_in_any_unit_of_its_kind() -> None:
    check(f1_entry(value=Decimal("0.127"), unit="ms", source="choi2019 table 5"), "aws-f1")


def test_every_quoted_place_is_cited_by_a_platform() -> None:
    cited = {
        citation.strip()
        for path in BOARDS
        for _, entry in inputs(read(path))
        for citation in entry["source"].partition(": ")[0].split(" & ")
    }
    quoted = {
        f"{name} {place['place']}"
        for name, document in read(TREE / "platforms" / "about" / "sources.toml").items()
        for place in document["places"]
    }
    assert quoted - cited == set()


@pytest.mark.parametrize("paper", ["choi2019", "gemieux2018", "min2019", "stacc"])
def test_what_a_model_was_given_is_what_the_paper_says(paper: str) -> None:
    boards = {path.stem: dict(inputs(read(path))) for path in BOARDS}
    for row in read(TREE / "papers" / f"{paper}.toml")["row"]:
        name, _, body = row.get("experiment", "").partition(":")
        if name == "input" and not isinstance(row["value"], str):
            board, key = body.split(":")
            entry = boards[board][key]
            given, published = (base(one["value"], one.get("unit")) for one in (entry, row))
            assert given == pytest.approx(published), row["id"]
