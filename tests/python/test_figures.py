"""The figures of papers, drawn again: what is computed for them, and how a report shows it."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.python.fake_bench import FakeBench, quietly

from isthmus.errors import IsthmusError
from isthmus.numbers import figure as shown
from isthmus.records import PaperFigure, PaperRow
from isthmus.report.figures import figure_panels, tables_of
from isthmus.report.material import Material
from isthmus.report.page import render_report
from isthmus.reproduction.expressions import Evaluator
from isthmus.reproduction.figures import check_figures, draw
from isthmus.reproduction.laboratory import Laboratory
from isthmus.reproduction.published import Paper, PublishedRow

ROW = {
    "id": "R",
    "place": ["fig. 1"],
    "platform": "F1",
    "quantity": "rate",
    "unit": "MB/s",
    "value": 1500,
    "kind": "output",
}
WORDS = {**ROW, "id": "W", "value": "figure only", "kind": "outside", "unit": ""}


def paper(*series: dict[str, Any], x: tuple[int | str, ...] = ("64KiB", "1MiB")) -> Paper:
    """A paper with one figure over two sizes."""
    figure = {
        "name": "fig. 1",
        "title": "copies",
        "x": {"label": "size", "values": list(x)},
        "y": {"label": "rate", "unit": "GB/s"},
        "series": list(series),
    }
    return Paper.model_validate(
        {"title": "T", "authors": "A", "published": "P", "row": [ROW, WORDS], "figure": [figure]}
    )


def drawn(one: Paper) -> PaperFigure:
    published = {row.id: row for row in one.row}
    (figure,) = draw({"own": one}, ["own"], Evaluator(Laboratory(FakeBench(), 1, 1), published), quietly)
    return figure


def test_a_curve_is_its_experiment_at_each_place_and_published_points_are_their_rows_in_the_figures_unit() -> None:
    figure = drawn(paper({"name": "ours", "experiment": "probe:aws-f1:h2d:{x}"}, {"name": "theirs", "rows": ["", "R"]}))
    by_hand = [FakeBench().probe("model:aws-f1", "h2d", [size], ())[0]["value"] for size in (65536, 1 << 20)]
    assert [(one.name, one.kind) for one in figure.series] == [("ours", "modelled"), ("theirs", "published")]
    assert figure.series[0].values == pytest.approx(by_hand)
    assert figure.series[1].values == [None, pytest.approx(1.5)]


@pytest.mark.parametrize(
    ("series", "complaint"),
    [
        ({"name": "s", "rows": ["R"]}, "series 's': expected 2 values, got 1"),
        ({"name": "s", "rows": ["R", "none"]}, "expected a row with a number, got 'none'"),
        ({"name": "s", "rows": ["R", "W"]}, "expected a row with a number, got 'W'"),
        ({"name": "s", "experiments": ["probe:x", "bad"]}, "not this one: bad"),
    ],
)
def test_a_figure_of_which_a_value_cannot_be_had_is_refused_by_name(series: dict[str, Any], complaint: str) -> None:
    one = paper(series)

    def check(expression: str, unit: str) -> None:
        if expression == "bad":
            raise IsthmusError(f"not this one: {expression}")

    published = {row.id: row for row in map(PublishedRow.model_validate, (ROW, WORDS))}
    with pytest.raises(IsthmusError, match=re.escape(complaint)) as refused:
        check_figures(Path("own.toml"), one, check, published)
    assert str(refused.value).startswith("own.toml: figure 'fig. 1': ")


def test_a_series_has_one_way_to_its_values() -> None:
    with pytest.raises(ValueError, match="expected one of experiment, experiments and rows"):
        paper({"name": "s", "experiment": "probe:aws-f1:h2d:{x}", "rows": ["R", "R"]})


def figure_of(x: list[int | str], *values: list[float | None]) -> PaperFigure:
    return PaperFigure.model_validate(
        {
            "paper": "own",
            "name": "fig. 1",
            "title": "copies <fast>",
            "x_label": "size",
            "x_unit": "",
            "x": x,
            "y_label": "rate",
            "y_unit": "GB/s",
            "series": [
                {"name": f"line {n}", "kind": "modelled" if n == 0 else "published", "values": line}
                for n, line in enumerate(values)
            ],
        }
    )


def test_sizes_lie_by_their_logarithm_and_names_side_by_side_with_nothing_between() -> None:
    (sizes,) = figure_panels([figure_of(["1KiB", "32KiB", "1MiB"], [1.0, 3.0, 2.0])])
    assert [tick.at for tick in sizes.sizes] == [0, pytest.approx(50), 100]
    (line,) = sizes.lines
    assert line.joined
    tops = [point.y for point in line.points]
    assert tops[0] > tops[2] > tops[1], "more lies higher"
    (names,) = figure_panels([figure_of(["before", "after"], [1.0, 3.0])])
    assert not names.lines[0].joined
    assert names.sizes[0].at == pytest.approx(100 - names.sizes[1].at)


def test_a_report_shows_each_value_of_a_figure_and_says_which_are_published() -> None:
    figure = figure_of(["before", "after"], [1.25, 3.5], [None, 2.75])
    page = render_report(Material("a page", figures=[figure]))
    assert "own, fig. 1: copies &lt;fast&gt;" in page
    for value in (1.25, 3.5, 2.75):
        assert shown(value) in page
    assert "line 0, model" in page
    assert "line 1, published" in page
    assert "line 0, model: " + shown(3.5) + " GB/s at after" in page


def test_a_figure_without_a_value_is_not_drawn() -> None:
    assert figure_panels([figure_of(["before", "after"], [None, None])]) == []


def test_the_numbers_of_a_papers_table_stand_together_where_any_is_ours() -> None:
    def row(number: int, place: str, ours: float | None) -> PaperRow:
        return PaperRow.model_validate(
            {"id": f"R-{number}", "paper": "own", "place": place, "quantity": "q", "unit": "s", "published": 1.0,
             "ours": ours, "error": None, "role": "predicted", "note": ""}
        )  # fmt: skip

    rows = [row(1, "VI-A, table IV", 1.0), row(2, "table IV", None), row(3, "table V", None), row(4, "fig. 2", 1.0)]
    assert {name: [one.id for one in found] for name, found in tables_of(rows).items()} == {
        "own, table IV": ["R-1", "R-2"]
    }
