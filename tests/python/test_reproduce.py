"""`reproduce`, on the stand-in for the tools: what matters here is which role, error and note a row gets."""

import itertools
import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from tests.python.conftest import fake_tools
from tests.python.fake_answers import FakeAnswers, quietly

from isthmus.base.errors import IsthmusError
from isthmus.base.files import data_folder
from isthmus.base.numbers import figure
from isthmus.records.papers import PaperRow
from isthmus.records.run import Input
from isthmus.reproduction.comparison import paper_rows, score
from isthmus.reproduction.counterparts import (
    Claim,
    Counterpart,
    Formula,
    Given,
    Model,
    Probed,
    Run,
    Same,
    ratio,
)
from isthmus.reproduction.evaluation import Evaluation
from isthmus.reproduction.model_runs import ModelRuns, ToolAnswers
from isthmus.reproduction.papers import run
from isthmus.reproduction.published import Paper, PublishedRow
from isthmus.reproduction.roles import ends, moved, perturbations
from isthmus.reproduction.units import Amount, Between, convert
from isthmus.running.tools import as_sets

COPY = Probed("aws-f1", "h2d", "1MiB")


@pytest.fixture(scope="module")
def evaluation(papers: dict[str, Paper], published: dict[str, PublishedRow]) -> Evaluation:
    paper_of = {row.id: name for name, paper in papers.items() for row in paper.row}
    done = Evaluation(published, list(published), FakeAnswers(), images=4, paper_of=paper_of)
    done.run(quietly)
    return done


@pytest.fixture(scope="module")
def rows(evaluation: Evaluation, papers: dict[str, Paper]) -> dict[str, PaperRow]:
    return {row.id: row for row in paper_rows(evaluation, papers)}


def test_the_chain_of_copies_follows_its_calibrated_rates(rows: dict[str, PaperRow]) -> None:
    assert rows["S000-035"].role == "derived"
    assert rows["S000-034"].role == "derived"
    assert any("together" in change for change in rows["S000-035"].moved_by)


def test_what_the_clock_gives_is_predicted(rows: dict[str, PaperRow]) -> None:
    assert rows["S001-045"].role == "predicted"


def test_a_number_that_chose_an_input_is_derived_if_that_moves_it(evaluation: Evaluation) -> None:
    """F1's payload was chosen by its link rate, which follows it by less than 0.8; the copy's rate by 2.59 GB/s."""
    assert evaluation.moved_by("S000-088") == []
    assert evaluation.role("S000-088") == "derived"
    assert evaluation.role("S000-087") == "derived"
    evaluation.paper_of, paper_of = {}, evaluation.paper_of
    assert evaluation.role("S000-088") == "predicted"
    evaluation.paper_of = paper_of


def test_a_formula_is_checked_and_predicts_nothing(rows: dict[str, PaperRow]) -> None:
    assert rows["S000-032"].role == "checked"
    assert rows["S000-032"].span is None


def test_a_ratio_of_what_is_derived_is_derived(rows: dict[str, PaperRow]) -> None:
    assert rows["S001-023"].role == "derived"
    assert rows["S000-036"].role == "derived"
    assert rows["S001-033"].same_as == "S001-031", "one over itself predicts nothing"


def test_a_rate_and_its_time_have_one_role(rows: dict[str, PaperRow]) -> None:
    for rate, time in (("S001-032", "S001-031"), ("S001-035", "S001-034"), ("S001-038", "S001-037")):
        assert rows[rate].role == rows[time].role
    assert rows["S000-087"].role == "derived"


def test_the_role_is_found_by_moving_the_inputs_and_not_by_their_names(published: dict[str, PublishedRow]) -> None:
    evaluation = Evaluation(published, ["S001-034"], FakeAnswers(), images=4, sets=("host.copy.enabled=false",))
    evaluation.run(quietly)
    assert evaluation.role("S001-034") == "predicted"


def test_the_error_is_ours_over_published_less_one(rows: dict[str, PaperRow]) -> None:
    for row in rows.values():
        numbers = [value for value in (row.ours, row.published) if isinstance(value, (int, float))]
        if row.error is not None:
            assert row.error == pytest.approx(numbers[0] / numbers[1] - 1)
        else:
            assert len(numbers) < 2 or isinstance(row.published, bool)


def test_arithmetic_of_the_papers_is_checked(rows: dict[str, PaperRow]) -> None:
    assert rows["S001-008"].ours == pytest.approx(100 * 64 / 94)
    assert rows["S001-052"].ours == pytest.approx(1557.8)
    assert rows["S000-074"].ours == pytest.approx(6.81, abs=0.005)
    assert {rows[row_id].role for row_id in ("S001-008", "S001-010", "S001-052", "S000-074", "S001-002")} == {"checked"}


def test_where_a_paper_contradicts_itself_each_reading_is_shown(rows: dict[str, PaperRow]) -> None:
    assert "reading 'read: device 9.5, shared 7.0, DMA 1.6 GB/s': 16.6, ours 16.6" in rows["S000-074"].note
    assert "reading '128-byte payload: 128/158': 81.0, ours 81.0" in rows["S001-010"].note
    assert "reading 'Little's law at 11.89 GB/s and 1 us': 11890, ours 11890" in rows["S001-019"].note


def test_claims_are_true_or_false(rows: dict[str, PaperRow]) -> None:
    claims = [row for row in rows.values() if row.role == "claim" and isinstance(row.ours, bool)]
    assert claims
    assert all(row.published is True and isinstance(row.ours, bool) and row.error is None for row in claims)
    assert rows["S000-048"].ours is False


def test_a_claim_about_a_number_tells_it_with_its_span_and_holds_where_that_lies_between() -> None:
    known = FakeAnswers().platform("model:aws-f1", ()).inputs
    assumed = next(item for item in known if item.role == "assumed" and item.range and item.unit == "ns")

    def twice(models: ModelRuns, board: str, low: float, high: float) -> Between:
        return Between(2 * models.number_of(Given(board, assumed.key)), low, high, "GB/s")

    row = row_of("CLAIM", Claim(twice, "aws-f1", 1, 1e9), "claim", value="fast")
    low = row_of("LOW", Claim(twice, "aws-f1", 0, 0.001), "claim", value="fast")
    both = Paper(title="", authors="", published="", row=[row, low])
    evaluation = Evaluation({one.id: one for one in both.row}, ["CLAIM", "LOW"], FakeAnswers(), images=4)
    evaluation.run(quietly)
    found = paper_rows(evaluation, {"own": both})
    assert [(one.role, one.published, one.ours) for one in found] == [("claim", True, True), ("claim", True, False)]
    for one in found:
        assert one.judged is not None
        assert one.span is not None
        assert (one.judged.value, one.judged.unit) == (2 * assumed.value, "GB/s")
        assert list(one.span) == pytest.approx([2 * end for end in assumed.range])
        said = f"{figure(2 * assumed.value)} GB/s here; span of the assumed ranges: {figure(one.span[0])} to "
        assert said in one.note
        assert assumed.key in one.note, "what alone does most of it"


def test_a_row_that_is_stated_twice_is_scored_once(
    rows: dict[str, PaperRow], papers: dict[str, Paper], evaluation: Evaluation
) -> None:
    assert rows["S001-011"].ours == rows["S000-032"].ours
    scores = score(list(rows.values()), papers, ["choi2019", "stacc"])
    twice = [row for row in rows.values() if row.same_as is not None]
    assert scores["all"].duplicates == len(twice) > 0
    assert sum(part.rows for part in scores["all"].roles.values()) == len(rows) - len(twice)


def test_the_score_has_errors_of_predicted_rows_alone(rows: dict[str, PaperRow], papers: dict[str, Paper]) -> None:
    scores = score(list(rows.values()), papers, ["stacc"])["stacc"]
    errors = [
        abs(row.error)
        for row in rows.values()
        if row.paper == "stacc" and row.role == "predicted" and row.error is not None and row.same_as is None
    ]
    assert scores.roles["predicted"].mean_error == pytest.approx(sum(errors) / len(errors))
    assert scores.roles["predicted"].largest_error == max(errors)
    assert all(part.mean_error is None for role, part in scores.roles.items() if role != "predicted")


def test_a_number_without_an_experiment_is_open_and_not_shown(
    rows: dict[str, PaperRow], papers: dict[str, Paper]
) -> None:
    assert "S000-040" not in rows
    scores = score(list(rows.values()), papers, ["choi2019"])["choi2019"]
    assert scores.open == 93 - sum(row.paper == "choi2019" for row in rows.values())


def test_a_probe_that_is_not_offered_leaves_its_row_open(rows: dict[str, PaperRow]) -> None:
    assert "S000-038" not in rows
    assert any(row.paper == "choi2019" for row in rows.values())


def row_of(row_id: str, own: Counterpart, kind: str = "output", **more: Any) -> PublishedRow:
    facts = {"platform": "a board", "quantity": "a number", "value": 1.0, "unit": more.pop("unit", "")}
    return PublishedRow.model_validate({"id": row_id, "place": ["1"], "kind": kind, **facts, **more}).computed_by(own)


def evaluated(*published: PublishedRow, tools: ToolAnswers | None = None, spans: bool = True) -> Evaluation:
    """An evaluation of some rows alone, on the stand-in."""
    evaluation = Evaluation(
        {row.id: row for row in published}, [row.id for row in published], tools or FakeAnswers(), 4
    )
    evaluation.spans = spans
    evaluation.run(quietly)
    return evaluation


@pytest.mark.parametrize(
    ("own", "role"),
    [
        (Formula(lambda models, board: models.number(board, "pcie.lanes"), "aws-f1"), "checked"),
        (ratio(Formula(lambda models: 2048), Formula(lambda models: 11890)), "checked"),
        (Given("aws-f1", "link.pcie.lanes"), "input"),
        (Run("aws-f1", "image-filter", "offload", "images"), "claim"),
        (Model(lambda models, board: models.number(board, "mmio.payload") * 0 + 1, "aws-f1"), "claim"),
        (Claim(lambda models, board: True, "aws-f1"), "claim"),
    ],
)
def test_a_result_that_the_model_does_not_compute_is_never_predicted(own: Counterpart, role: str) -> None:
    """A paper that calls it an output: these are the ways to look right without a model."""
    assert evaluated(row_of("CHEAT", own)).role("CHEAT") == role


def copy_rate(models: ModelRuns, copy: Counterpart) -> Amount:
    return Amount(models.number_of(copy), "GB/s")


def test_a_function_of_models_is_derived_if_what_it_asks_for_follows_a_calibrated_input() -> None:
    tools = LinkBench("host.copy.rate", 1.0)
    evaluation = evaluated(
        row_of("ROW", COPY, unit="GB/s"),
        row_of("PROBED", Model(copy_rate, COPY), unit="GB/s"),
        row_of("AGAIN", Model(copy_rate, Same("ROW")), unit="GB/s"),
        tools=tools,
    )
    assert [evaluation.role(name) for name in ("ROW", "PROBED", "AGAIN")] == ["derived"] * 3
    assert evaluation.reasons("AGAIN")[-1:] == ["ROW (derived)"] or evaluation.moved_by("AGAIN")


@pytest.mark.parametrize("asked", ["ROW", Probed("alpha-data-7v3", "h2d", "1MiB")])
def test_a_function_asks_only_for_boards_and_rows_that_its_row_names(asked: str | Counterpart) -> None:
    row = row_of("CHEAT", Model(lambda models, board: models.of(asked), "aws-f1"))
    known = {"ROW": row_of("ROW", Probed("aws-f1", "h2d", "1MiB")), "CHEAT": row}
    with pytest.raises(IsthmusError, match="expected one that the row gives its function, which are: aws-f1"):
        ModelRuns(FakeAnswers(), 4, 4, published=known).of("CHEAT")


def test_a_reference_to_an_input_is_no_prediction() -> None:
    given = row_of("GIVEN", Given("aws-f1", "link.pcie.lanes"), kind="input")
    evaluation = evaluated(given, row_of("CHEAT", Same("GIVEN")), row_of("HALF", ratio(COPY, "GIVEN")))
    assert evaluation.role("CHEAT") == "input"
    assert evaluation.role("HALF") == "derived"


class LinkBench(FakeAnswers):
    """Its probe gives a number of the board to some power: how a row follows an input is known."""

    def __init__(self, key: str, power: float) -> None:
        super().__init__()
        self.key, self.power = key, power

    def probe(self, target: str, probe: str, sizes: Any, sets: Any) -> list[Any]:
        value = float(fake_tools.platform(target, as_sets(sets))[1][self.key]["value"]) ** self.power
        return [{"parameters": {"size": size}, "value": value, "time_s": 1e-3 / value} for size in sizes]


@pytest.mark.parametrize(
    ("key", "power", "role"),
    [
        ("host.copy.rate", 1.0, "derived"),
        ("host.copy.rate", 0.85, "derived"),
        ("host.copy.rate", 0.75, "predicted"),
        ("link.pcie.max_payload", 0.85, "derived"),  # moved by a factor of two, not by a tenth
        ("link.pcie.max_payload", 0.3, "predicted"),  # 23 %, and yet little of what moved it
        ("link.pcie.flight", 1.0, "predicted"),
        ("link.pcie.lanes", 1.0, "predicted"),
        ("link.pcie.lanes", 0.0, "claim"),
    ],
)
def test_a_row_is_derived_if_it_follows_a_calibrated_input(key: str, power: float, role: str) -> None:
    evaluation = evaluated(row_of("ROW", COPY, unit="GB/s"), tools=LinkBench(key, power))
    assert evaluation.role("ROW") == role


def test_the_time_the_rate_and_the_identities_of_one_run_are_one_prediction() -> None:
    evaluation = evaluated(
        row_of("RATE", Run("aws-f1", "image-filter", "stream", "images_per_s")),
        row_of("TIME", Run("aws-f1", "image-filter", "stream", "elapsed_s"), unit="s"),
        row_of("AGAIN", Same("TIME"), unit="s"),
        row_of("ONE", ratio("TIME", "TIME")),
        row_of("OTHER", Run("aws-f1", "image-filter", "stream", "stage", stage="kernel"), unit="s"),
    )
    assert [evaluation.same_as(row_id) for row_id in ("RATE", "TIME", "AGAIN", "ONE", "OTHER")] == [
        None,
        "RATE",
        "RATE",
        "RATE",
        None,
    ]


def test_the_span_holds_every_corner_of_the_assumed_ranges() -> None:
    """One input raises the row and another lowers it: neither alone brings it to its least or its most."""
    ranges = {
        "link.pcie.max_payload": (128.0, 256.0),
        "stream.input_buffers": (2.0, 64.0),
        "link.pcie.flight": (50.0, 250.0),
    }

    class Corners(FakeAnswers):
        def platform(self, target: str, sets: Any) -> Any:
            found = super().platform(target, sets)
            for item in found.inputs:
                if item.key in ranges:
                    item.role, item.range = "assumed", list(ranges[item.key])
            return found

        def probe(self, target: str, probe: str, sizes: Any, sets: Any) -> list[Any]:
            value = self.law(
                {key: item["value"] for key, item in fake_tools.platform(target, as_sets(sets))[1].items()}
            )
            return [{"parameters": {"size": size}, "value": value, "time_s": 1e-3 / value} for size in sizes]

        def law(self, value: dict[str, float]) -> float:
            return float(value["link.pcie.max_payload"] ** 0.5 - value["link.pcie.flight"] / 100)

    tools = Corners()
    span = evaluated(row_of("ROW", COPY, unit="GB/s"), tools=tools).span("ROW")
    assert span is not None
    corners = [dict(zip(ranges, values, strict=True)) for values in itertools.product(*ranges.values())]
    assert [span.low, span.high] == pytest.approx([min(map(tools.law, corners)), max(map(tools.law, corners))])
    assert span.mostly is not None
    assert "link.pcie" in span.mostly


def test_without_spans_what_nothing_moved_is_a_claim() -> None:
    row = row_of("ROW", COPY, unit="GB/s")
    assert evaluated(row, tools=LinkBench("link.pcie.flight", 1.0), spans=False).role("ROW") == "claim"
    assert evaluated(row, tools=LinkBench("link.pcie.max_payload", 0.3), spans=False).role("ROW") == "predicted"


def number(key: str, value: float, unit: str = "", **more: Any) -> Input:
    return Input(key=key, value=value, unit=unit, role="calibrated", **more)


@pytest.mark.parametrize(
    ("item", "legal", "values"),
    [
        (number("a.count", 39), lambda value: True, [43, 35]),
        (number("a.count", 40), lambda value: True, [44, 36]),
        (number("a.size", 128, "B"), lambda value: value in (64, 128, 256), [256, 64]),
        (number("a.size", 128, "B"), lambda value: 128 <= value <= 256, [141]),
        (number("a.count", 1), lambda value: value >= 1, [2]),
        (number("a.time", 1.5, "us"), lambda value: True, [1.65, 1.35]),
        (number("a.size", 4, "KiB"), lambda value: True, [4506 / 1024, 3686 / 1024]),
        (number("a.width", 256, "bit"), lambda value: value in (128, 512), [512, 128]),
        (number("a.switch", True), lambda value: True, [False]),
    ],
)
def test_an_input_is_moved_by_a_tenth_rounded_outward_to_a_legal_value(
    item: Input, legal: Callable[[float], bool], values: list[float]
) -> None:
    changes = moved("board", item, lambda text: legal(json.loads(text.partition("=")[2])))
    assert [json.loads(change.sets[0].partition("=")[2]) for change in changes] == pytest.approx(values)
    for change, value in zip(changes, values, strict=True):
        if not isinstance(item.value, bool):
            assert change.step == pytest.approx(abs(math.log(value / float(str(item.value)))))


@pytest.mark.parametrize("board", ["aws-f1", "alpha-data-7v3"])
def test_every_calibrated_and_assumed_input_can_be_moved_on_its_board(board: str) -> None:
    tools = ToolAnswers()
    inputs = tools.platform(f"model:{board}", ()).inputs

    def legal(text: str) -> bool:
        return tools.accepts(f"model:{board}", (text,))

    fixed = {item.key for item in inputs if item.range and item.range[0] == item.range[-1]}
    changes = [*perturbations(board, inputs, legal), *ends(board, inputs, legal)]
    moved_keys = {change.sets[0].partition("=")[0] for change in changes}
    untouched = {item.key for item in inputs if item.role in ("calibrated", "assumed")} - moved_keys - fixed
    assert untouched <= {"host.alloc.enabled"}, "F1 has no rate of allocation that a switch could turn on"


def test_each_experiment_is_run_once(evaluation: Evaluation) -> None:
    runs = evaluation.tools.runs if isinstance(evaluation.tools, FakeAnswers) else []
    assert len(runs) == len(set(runs))
    whole = [run for run in runs if run.count == 200 and not run.sets]
    assert len(whole) == 4, "three flows on F1, one on Alpha Data"
    assert {run.count for run in runs} == {4, 200}


def test_an_experiment_keeps_what_all_runs_of_its_board_set() -> None:
    models = ModelRuns(FakeAnswers(), 4, 4, {"aws-f1": ("host.copy.enabled=true", "link.pcie.lanes=8")})
    with_copy = models.probe("aws-f1", "h2d", [1 << 26])[1 << 26]
    without = models.probe("aws-f1", "h2d", [1 << 26], ["host.copy.enabled=false"])[1 << 26]
    assert without > with_copy


def no_answer(models: ModelRuns) -> Any:
    return 3


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        (Run("aws-f1", "image-filter", "stream", "stage", stage="nothing"), "unknown stage 'nothing'"),
        (Run("aws-f1", "image-filter", "stream", "flow"), "a run of 'image-filter' has no number 'flow'"),
        (
            Given("aws-f1", "link.pcie.lane"),
            "aws-f1: unknown key 'link.pcie.lane'",
        ),
        ("S999-001", "unknown row 'S999-001'"),
        (Probed("aws-f1", "h2d", "64"), "size '64': expected a whole number"),
        ("S003-071", "row 'S003-071' has no counterpart"),
        (Formula(lambda models: "six"), "<lambda>: expected a number, or Amount(VALUE, UNIT), got 'six'"),
        (Claim(no_answer), "no_answer: expected True, False or Between(...), got 3"),
        (Model(lambda models: 1 / 0), "<lambda>: ZeroDivisionError: division by zero"),
    ],
)
def test_what_cannot_be_computed_is_one_line(
    published: dict[str, PublishedRow], asked: str | Counterpart, complaint: str
) -> None:
    with pytest.raises(IsthmusError) as error:
        ModelRuns(FakeAnswers(), 4, 4, published=published).of(asked)
    assert complaint in str(error.value)


def test_units_are_converted_within_what_they_measure() -> None:
    assert convert(1.5e-6, "s", "us") == pytest.approx(1.5)
    assert convert(4, "MiB", "KiB") == 4096
    assert convert(3, "", "images/s") == 3
    with pytest.raises(IsthmusError, match="measures the same as 'us', got 'GB/s'"):
        convert(1, "GB/s", "us")


def test_a_curve_rises_only_if_no_point_is_below_an_earlier_one() -> None:
    names = run(data_folder("papers") / "choi2019.py")
    rises, transfers = names["rises"], names["TRANSFERS"]
    assert rises([1, 2, 2, 3])
    assert rises([1, 2, 1.999])
    assert not rises([1, 2, 1.9, 3])
    assert all(b == 2 * a for a, b in itertools.pairwise(transfers))
