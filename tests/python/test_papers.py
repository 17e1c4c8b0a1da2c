"""The published numbers: complete, and what their rows say holds together."""

import re

import pytest
from tests.python.conftest import TREE

from isthmus.reproduction.published import Paper, PublishedRow

COUNTS = {"choi2019": ("S000", 93), "stacc": ("S001", 68), "gemieux2018": ("S003", 71), "min2019": ("S004", 29)}


@pytest.mark.parametrize("paper", COUNTS)
def test_every_published_number_is_there_once(papers: dict[str, Paper], paper: str) -> None:
    prefix, count = COUNTS[paper]
    assert [row.id for row in papers[paper].row] == [f"{prefix}-{number:03}" for number in range(1, count + 1)]


def test_each_row_says_where_it_stands_and_why_no_model_can_give_it(published: dict[str, PublishedRow]) -> None:
    assert [row.id for row in published.values() if not all(row.place) or row.value == ""] == []
    outside = {row.id for row in published.values() if row.kind == "outside"}
    assert outside == {row.id for row in published.values() if row.reason is not None}
    assert [name for name in outside if not published[name].reason or published[name].experiment] == []


def test_each_row_that_repeats_another_points_at_one_that_does_not(published: dict[str, PublishedRow]) -> None:
    repeats = [row for row in published.values() if row.same_as is not None]
    assert [row.id for row in repeats if published[str(row.same_as)].same_as or row.experiment] == []


def test_each_formula_and_claim_is_in_a_table_of_the_readme(published: dict[str, PublishedRow]) -> None:
    text = (TREE / "papers" / "README.md").read_text(encoding="utf-8")
    experiments = [row.experiment or "" for row in published.values()]
    experiments += [reading.experiment or "" for row in published.values() for reading in row.readings]
    named = {name for one in experiments for name in re.findall(r"\b(?:formula|claim):([^:@ ]+)", one)}
    assert len(named) > 20
    assert [name for name in sorted(named) if f"`{name}" not in text] == []


def test_what_concerns_the_modelled_boards_is_computed_or_says_why_not(published: dict[str, PublishedRow]) -> None:
    image = [row for row in published.values() if re.search(r"image processing|Table V\b", row.quantity)]
    assert len(image) == 9 and all(row.experiment for row in image)
    for row in published.values():
        if row.platform in {"Alpha Data", "AWS F1"} and row.kind in {"output", "check", "claim"}:
            assert row.experiment or row.same_as, row.id
