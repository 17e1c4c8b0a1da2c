"""The figures of papers, drawn again: what is computed for them, and how a report shows it."""

import re
from collections.abc import Callable, Sequence

import pytest
from tests.python.fake_answers import FakeAnswers, quietly

from isthmus.base.errors import IsthmusError
from isthmus.base.numbers import figure as shown
from isthmus.records.papers import PaperFigure, PaperRow
from isthmus.report.axes import decades
from isthmus.report.contents import ReportContents
from isthmus.report.curves import Panel
from isthmus.report.figures import figure_panels, tables_of
from isthmus.report.page import render_report
from isthmus.report.timeline import TimelineChart
from isthmus.reproduction.counterparts import Counterpart, Probed, Published
from isthmus.reproduction.figures import draw
from isthmus.reproduction.model_runs import ModelRuns
from isthmus.reproduction.published import Paper, Place, PublishedFigure

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


Series = Callable[[Place], Counterpart] | Sequence[Counterpart | None]


def paper(**series: Series) -> Paper:
    """A paper with one figure over two sizes."""
    figure = PublishedFigure("fig. 1", "copies", ("size", ""), ["64KiB", "1MiB"], ("rate", "GB/s"), series)
    read = Paper.model_validate({"title": "T", "authors": "A", "published": "P", "row": [ROW, WORDS]})
    return read.with_figures([figure])


def drawn(one: Paper) -> PaperFigure:
    published = {row.id: row for row in one.row}
    (figure,) = draw({"own": one}, ["own"], ModelRuns(FakeAnswers(), 1, 1, published=published), quietly)
    return figure


def copy(size: Place) -> Probed:
    return Probed("aws-f1", "h2d", str(size))


def test_a_curve_is_computed_at_each_place_and_published_points_are_their_rows_in_the_figures_unit() -> None:
    figure = drawn(paper(ours=copy, theirs=[None, Published("R")]))
    by_hand = [FakeAnswers().probe("model:aws-f1", "h2d", [size], ())[0]["value"] for size in (65536, 1 << 20)]
    assert [(one.name, one.kind) for one in figure.series] == [("ours", "modelled"), ("theirs", "published")]
    assert figure.series[0].values == pytest.approx(by_hand)
    assert figure.series[1].values == [None, pytest.approx(1.5)]


@pytest.mark.parametrize(
    ("series", "complaint"),
    [
        ([Published("R")], "expected 2 values, got 1"),
        ([Published("R"), Published("none")], "unknown row 'none'"),
        ([Published("R"), Published("W")], "row 'W': expected a published number, got 'figure only'"),
        ([copy("64KiB"), Probed("aws-f1", "h2d", "1MiB", tell="time")], "measures the same as 'GB/s', got 's'"),
    ],
)
def test_a_figure_of_which_a_value_cannot_be_had_is_refused_by_name(series: Series, complaint: str) -> None:
    with pytest.raises(IsthmusError, match=re.escape(complaint)) as refused:
        drawn(paper(s=series))
    assert "figure 'fig. 1': series 's': " in str(refused.value)


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
    assert isinstance(sizes, Panel)
    assert [tick.at for tick in sizes.sizes] == [0, pytest.approx(50), 100]
    (line,) = sizes.lines
    assert line.joined
    tops = [point.y for point in line.points]
    assert tops[0] > tops[2] > tops[1], "more lies higher"
    (names,) = figure_panels([figure_of(["before", "after"], [1.0, 3.0])])
    assert isinstance(names, Panel)
    assert not names.lines[0].joined
    assert names.sizes[0].at == pytest.approx(100 - names.sizes[1].at)


def test_a_report_shows_each_value_of_a_figure_and_says_which_are_published() -> None:
    figure = figure_of(["before", "after"], [1.25, 3.5], [None, 2.75])
    page = render_report(ReportContents("a page", figures=[figure]))
    assert "own, fig. 1: copies &lt;fast&gt;" in page
    for value in (1.25, 3.5, 2.75):
        assert shown(value) in page
    assert "line 0, model" in page
    assert "line 1, published" in page
    assert "line 0, model: " + shown(3.5) + " GB/s at after" in page


def test_the_parts_of_a_stacked_figure_lie_one_behind_the_other_and_add_up_in_its_table() -> None:
    figure = figure_of(["cut", "wait", "multiply"], [1.0, None, 3.0], [2.0, 5.0, 1.0])
    (bars,) = figure_panels([figure.model_copy(update={"stacked": True})])
    assert isinstance(bars, TimelineChart)
    assert [lane.name for lane in bars.lanes] == ["line 0", "line 1"]
    ends = [[(bar.begin, round(bar.begin + bar.width, 3)) for bar in lane.bars] for lane in bars.lanes]
    assert ends == [[(0, 12.5), (12.5, 50)], [(0, 25), (25, 87.5), (87.5, 100)]]
    assert [bar.style for bar in bars.lanes[0].bars] == [0, 2], "a part has one colour in all bars"
    assert bars.table.rows[-1] == ["in all", shown(4.0), shown(8.0)]
    page = render_report(ReportContents("a page", figures=[figure.model_copy(update={"stacked": True})]))
    assert "line 1, published, wait: " + shown(5.0) + " GB/s" in page


def test_names_below_a_figure_are_left_out_evenly_where_they_would_touch() -> None:
    many: list[int | str] = [f"{1 << power}KiB" for power in range(14)]
    (curve,) = figure_panels([figure_of(many, [float(place + 1) for place in range(14)])])
    assert isinstance(curve, Panel)
    assert [tick.label for tick in curve.sizes] == many[::2]
    assert len(curve.lines[0].points) == 14


@pytest.mark.parametrize(
    ("low", "high", "named"),
    [
        (0.82, 4.8, [0.5, 1, 2, 5]),
        (1, 10, [1, 2, 5, 10]),
        (3, 3, [2, 5]),
        (0.5, 20, [0.5, 1, 2, 5, 10, 20]),
        (0.1, 30, [0.1, 1, 10, 100]),
        (37, 40100, [10, 100, 1000, 10000, 100000]),
    ],
)
def test_an_axis_names_twos_and_fives_too_where_few_are_between(low: float, high: float, named: list[float]) -> None:
    assert decades(low, high) == pytest.approx(named)


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
