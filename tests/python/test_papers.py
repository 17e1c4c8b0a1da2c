"""The published numbers: complete, and what their rows say holds together."""

import re

import pytest

from isthmus.reproduction.counterparts import Claim, Formula
from isthmus.reproduction.published import Paper, PublishedRow

PLACE = re.compile(r"\([^()]*(?:\d|[IVX])")  # a section, table or figure
COUNTS = {"choi2019": ("S000", 93), "stacc": ("S001", 68), "gemieux2018": ("S003", 71), "min2019": ("S004", 29)}


@pytest.mark.parametrize("paper", COUNTS)
def test_every_published_number_is_there_once(papers: dict[str, Paper], paper: str) -> None:
    prefix, count = COUNTS[paper]
    assert [row.id for row in papers[paper].row] == [f"{prefix}-{number:03}" for number in range(1, count + 1)]


def test_each_row_says_where_it_stands_and_why_no_model_can_give_it(published: dict[str, PublishedRow]) -> None:
    assert [row.id for row in published.values() if not all(row.place) or row.value == ""] == []
    outside = {row.id for row in published.values() if row.kind == "outside"}
    assert outside == {row.id for row in published.values() if row.reason is not None}
    assert [name for name in outside if not published[name].reason or published[name].own] == []


def test_each_row_that_repeats_another_points_at_one_that_does_not(published: dict[str, PublishedRow]) -> None:
    repeats = [row for row in published.values() if row.same_as is not None]
    assert [row.id for row in repeats if published[str(row.same_as)].same_as or row.own] == []


def test_each_formula_and_claim_says_what_it_is_and_where_the_paper_states_it(
    published: dict[str, PublishedRow],
) -> None:
    own = [row.own for row in published.values()] + [one.own for row in published.values() for one in row.readings]
    functions = {one.function for one in own if isinstance(one, Formula | Claim)}
    assert len(functions) > 20
    assert [function.__name__ for function in functions if not PLACE.search(function.__doc__ or "")] == []


def test_what_concerns_the_modelled_boards_is_computed_or_says_why_not(published: dict[str, PublishedRow]) -> None:
    image = [row for row in published.values() if re.search(r"image processing|Table V\b", row.quantity)]
    assert len(image) == 9 and all(row.own for row in image)
    for row in published.values():
        if row.platform in {"Alpha Data", "AWS F1"} and row.kind in {"output", "check", "claim"}:
            assert row.counterpart, row.id
