"""`reproduce` on a paper and a board of one's own: what no installed one does, such as a number at its end."""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.python.conftest import Isthmus
from tests.python.fake_answers import FakeAnswers, quietly
from tests.python.test_reproduce import COPY, evaluated, row_of

from isthmus.base.errors import IsthmusError
from isthmus.records.papers import PaperRow
from isthmus.records.run import Input
from isthmus.reproduction.comparison import agrees, paper_rows, score
from isthmus.reproduction.counterparts import Given, Probed, Run, leaves, ratio
from isthmus.reproduction.evaluation import Evaluation
from isthmus.reproduction.model_runs import ModelRuns, ToolAnswers, target_of
from isthmus.reproduction.papers import new_paper, place_of, read_paper
from isthmus.reproduction.published import Paper, PublishedRow
from isthmus.reproduction.roles import ends
from isthmus.reproduction.tables import score_line
from isthmus.running.probes import all_probes
from isthmus.running.tools import collect


class Narrow(FakeAnswers):
    """Boards that refuse what lies outside of some limits."""

    def __init__(self, **limits: tuple[float, float]) -> None:
        super().__init__()
        self.limits = {key.replace("__", "."): limit for key, limit in limits.items()}

    def platform(self, target: str, sets: Any) -> Any:
        found = super().platform(target, sets)
        for item in found.inputs:
            low, high = self.limits.get(item.key, (-math.inf, math.inf))
            if not isinstance(item.value, str) and not low <= item.value <= high:
                raise IsthmusError(f"--set: key '{item.key}': expected {low}..{high}, got {item.value}")
        return found


@pytest.mark.parametrize(
    ("limits", "left"),
    [
        ({}, ""),
        ({"host__copy__rate": (3.31, 9)}, " but for host.copy.rate"),
        (
            {"link__pcie__round_trip": (0, 1), "host__copy__rate": (3.31, 9)},
            " but for link.pcie.round_trip, host.copy.rate",
        ),
    ],
)
def test_a_calibrated_number_at_the_end_of_its_range_is_left_out_of_the_slow_board_by_name(
    limits: dict[str, tuple[float, float]], left: str
) -> None:
    evaluation = evaluated(row_of("ROW", COPY, unit="GB/s"), tools=Narrow(**limits))
    (together,) = [scenario.name for scenario in evaluation.first_scenarios() if "together" in scenario.name]
    assert together == f"aws-f1 times and rates together a tenth slower{left}"


def assumed(key: str, value: float, low: float, high: float, unit: str = "") -> Input:
    return Input(key=key, value=value, unit=unit, role="assumed", range=[low, high])


def within(low: float, high: float, text: str, powers: bool = False) -> bool:
    value = float(text.partition("=")[2])
    return low <= value <= high and (not powers or math.log2(value).is_integer())


@pytest.mark.parametrize(
    ("item", "legal", "powers", "reached"),
    [
        (assumed("a.time", 10, 1, 1000, "ns"), (1, 1000), False, (1, 1000)),
        (assumed("a.time", 10, 1, 1000, "ns"), (5, 70), False, (5, 70)),
        (assumed("a.count", 16, 1, 4096), (3, 700), False, (3, 700)),
        (assumed("a.size", 4, 1, 4096, "KiB"), (2, 512), True, (2, 512)),
        (assumed("a.count", 16, 1, 4096), (16, 16), False, ()),
        (assumed("a.time", 0, 0, 100, "ns"), (0, 40), False, (40,)),
    ],
)
def test_an_assumed_number_goes_as_near_to_the_end_of_its_range_as_the_board_takes(
    item: Input, legal: Sequence[float], powers: bool, reached: Sequence[float]
) -> None:
    changes = ends("board", [item], lambda text: within(legal[0], legal[1], text, powers))
    values = [float(change.sets[0].partition("=")[2]) for change in changes]
    assert all(legal[0] <= value <= legal[1] for value in values)
    assert sorted(values) == pytest.approx(sorted(reached), rel=0.06)


def test_a_derived_row_says_what_determines_it(papers: dict[str, Paper], published: dict[str, PublishedRow]) -> None:
    chosen = ["S000-087", "S000-088", "S001-023"]
    evaluation = Evaluation(
        published, chosen, FakeAnswers(), 4, spans=False, paper_of=dict.fromkeys(published, "choi2019")
    )
    evaluation.run(quietly)
    rows = {row.id: row for row in paper_rows(evaluation, papers)}
    reasons = {name: row.note.partition("determined by ")[2].partition("; ")[0] for name, row in rows.items()}
    assert {row.role for row in rows.values()} == {"derived"}
    assert reasons["S000-088"] == "aws-f1 link.pcie.max_payload, which was found from it"
    assert reasons["S001-023"] == "S000-088 (derived), S000-087 (derived)"


def test_a_run_of_derived_stages_names_them() -> None:
    row = row_of("RUN", Run("alpha-data-7v3", "image-filter", "offload", "elapsed_s"), unit="s")
    # A kernel so slow that the whole follows the copies by less than 0.8.
    evaluation = Evaluation({"RUN": row}, ["RUN"], FakeAnswers(), 4, ("kernel.clock=60",), spans=False)
    evaluation.run(quietly)
    assert evaluation.moved_by("RUN") == []
    assert evaluation.role("RUN") == "derived"
    assert evaluation.reasons("RUN") == ["its stage 'host to device copy'", "its stage 'device to host copy'"]


@pytest.mark.parametrize(
    ("ours", "written", "agreed"),
    [
        (6.81, 7, True),
        (6.45, 7, False),
        (89.51, 90, True),
        (6.81, 6.8, True),
        (6.86, 6.8, False),
        (1557.8, 1527, False),
    ],
)
def test_arithmetic_agrees_if_it_rounds_to_what_is_written(ours: float, written: float, agreed: bool) -> None:
    facts = {"id": "A", "paper": "lab", "place": "1", "quantity": "q", "unit": "", "note": "", "moved_by": []}
    row = {**facts, "role": "checked", "published": written, "ours": ours, "error": ours / written - 1}
    assert agrees(PaperRow.model_validate(row)) is agreed


def test_a_ratio_and_its_inverse_are_one_prediction() -> None:
    evaluation = evaluated(
        row_of("ONE", ratio(COPY, Probed("aws-f1", "d2h", "2MiB"))),
        row_of("INVERSE", ratio(Probed("aws-f1", "d2h", "2MiB"), COPY)),
        row_of("OTHER", ratio(Probed("aws-f1", "d2h", "4MiB"), COPY)),
        spans=False,
    )
    assert [evaluation.same_as(name) for name in ("ONE", "INVERSE", "OTHER")] == [None, "ONE", None]


@pytest.mark.parametrize(
    ("own", "unit", "complaint"),
    [
        ('Probed(F1, "h2d", "1MiB")', "us", "expected a unit that measures the same as 'us', got 'GB/s'"),
        ('Probed(F1, "h2d", "1MiB", tell="time")', "GB/s", "expected a unit that measures the same as 'GB/s', got 's'"),
        ('Given(F1, "host.copy.rate")', "us", "expected a unit that measures the same as 'us', got 'GB/s'"),
        ('Run(F1, "image-filter", "stream", "stage", stage="nothing")', "s", "unknown stage 'nothing'"),
        ('Run(F1, "image-filter", "stream", "image_per_s")', "", "has no number 'image_per_s'"),
        ('Run(F1, "image-filter", "stream", "elapsed_s")', "GB/s", "measures the same as 'GB/s', got 's'"),
        ('Claim(larger_is_faster, F1, Same("S999-001"))', "", "unknown row 'S999-001'"),
    ],
)
def test_a_row_of_ones_own_that_cannot_be_computed_is_refused_at_its_line(
    isthmus: Isthmus, monkeypatch: pytest.MonkeyPatch, own: str, unit: str, complaint: str
) -> None:
    monkeypatch.setattr("isthmus.reproduction.model_runs.ToolAnswers", FakeAnswers)
    isthmus("reproduce", "--new", "lab")
    numbers, paper = isthmus.folder / "lab.toml", isthmus.folder / "lab.py"
    numbers.write_text(numbers.read_text().replace("value = 16\n", f'value = 16\nunit = "{unit}"\n', 1))
    text = paper.read_text().replace("import Claim,", "import Run, Same, Claim,")
    paper.write_text(text.replace('Given(F1, "link.pcie.lanes")', own))
    line = next(at for at, line in enumerate(text.splitlines(), 1) if '"LINK"' in line)
    told = isthmus.refusal("reproduce", "lab.py", "--no-spans")
    assert told.startswith(f"lab.py:{line}: row 'LINK': ")
    assert complaint in told


@pytest.mark.parametrize(
    ("old", "new", "line", "complaint"),
    [
        ("import ModelRuns", "import ModelRun", "import ModelRun", "ImportError: cannot import name 'ModelRun'"),
        ("ROWS:", "ROWS) :", "ROWS) :", "not Python: unmatched ')'"),
        ("ROWS:", "ROW:", None, "expected ROWS = {ID: what computes our value, ...}"),
        ('Given(F1, "link.pcie.lanes")', "16", '"LINK"', "'LINK': expected Probed(...), Claim(...) or so, got 16"),
        ('Given(F1, "link.pcie.lanes")', "Given(F1)", '"LINK"', "TypeError: Given.__init__() missing 1 required"),
        ('Given(F1, "link.pcie.lanes")', 'Probed(F1, "h2d", "64B", tell="no")', '"LINK"', "unknown way to tell 'no'"),
        ('"LINK":', '"LINKS":', '"LINKS"', "unknown row 'LINKS'; help: did you mean 'LINK'?"),
    ],
)
def test_a_paper_of_ones_own_that_is_wrong_as_python_is_one_line_with_the_place(
    isthmus: Isthmus, monkeypatch: pytest.MonkeyPatch, old: str, new: str, line: str | None, complaint: str
) -> None:
    monkeypatch.setattr("isthmus.reproduction.model_runs.ToolAnswers", FakeAnswers)
    isthmus("reproduce", "--new", "lab.py")
    paper = isthmus.folder / "lab.py"
    text = paper.read_text()
    assert old in text
    text = text.replace(old, new, 1)
    paper.write_text(text)
    told = isthmus.refusal("reproduce", "lab.py", "--no-spans")
    assert complaint in told
    at = next(at for at, one in enumerate(text.splitlines(), 1) if line in one) if line else 1
    assert f"lab.py:{at}: " in told


@pytest.mark.parametrize(
    ("old", "new", "line", "complaint"),
    [
        ("* 8 / 8", "* 8 / 0", "* 8 / 0", "lane_rate: ZeroDivisionError: float division by zero"),
        ("larger_is_faster, F1, COPY", "larger_is_faster, F1", "def larger_is_faster", "TypeError: larger_is_faster()"),
        ("return Amount", "return board or Amount", "def lane_rate", "expected a number, or Amount(VALUE, UNIT), got"),
    ],
)
def test_a_function_that_fails_is_told_with_its_row_and_its_own_place(
    old: str, new: str, line: str, complaint: str, tmp_path: Path
) -> None:
    numbers, paper = tmp_path / "lab.toml", tmp_path / "lab.py"
    texts = new_paper(paper)
    numbers.write_text(texts[numbers])
    paper.write_text(texts[paper].replace(old, new, 1))
    read = {row.id: row for row in read_paper(paper).row}
    places = {row_id: place_of(paper, row_id) + ": " for row_id in read}
    evaluation = Evaluation(read, list(read), FakeAnswers(), 4, spans=False, places=places)
    with pytest.raises(IsthmusError, match=re.escape(complaint)) as failed:
        evaluation.run(quietly)
    at = next(at for at, one in enumerate(paper.read_text().splitlines(), 1) if line in one)
    assert re.match(rf"{re.escape(str(paper))}:\d+: row '\w+': {re.escape(str(paper))}:{at}: ", str(failed.value))


def test_the_installed_papers_ask_for_what_there_is(published: dict[str, PublishedRow]) -> None:
    tools = ToolAnswers()
    asked = [leaf for row in published.values() for leaf in leaves(row.counterpart, published)]
    assert len(asked) > 150
    for leaf in asked:
        if isinstance(leaf, Given):
            ModelRuns(tools, 1, 1).input(leaf.board, leaf.key)
        if isinstance(leaf, Probed):
            assert leaf.probe in tools.served(target_of(leaf.board))
        if isinstance(leaf, Run):
            assert leaf.flow in tools.flows(leaf.application, target_of(leaf.board))


def test_probes_look_at_the_sizes_that_they_are_said_to_look_at() -> None:
    for name, probe in ((name, probe) for name, probe in all_probes().items() if name != "steps"):
        # Shared memory is read and written in whole lines, which differ from board to board.
        shared = {"model:xeon-fpga-v1": (64, 192, 4096, 8192), "model:ibm-capi": (128, 384, 4096, 8192)}
        private = {"model:aws-f1": (16, 64, 192, 208, 4096, 8192)}
        one_chip = {"model:zynq-ultrascale": (64, 192, 4096, 8192)}
        boards = {"shared memory": shared, "processor's memory": one_chip}.get(probe.crosses, private)
        asked = sorted({size for sizes in boards.values() for size in sizes})
        records = []
        for board, sizes in boards.items():
            request = {"TARGET": board, "PROBE": name, "sizes": list(sizes), "repeat": 1}
            records += collect("isthmus-probe", request, "record")
        known = asked if probe.sizes is None else probe.sizes
        if name == "transpose":
            known = [64, 4096]  # squares of 4 B elements
        wanted = [size for size in asked if size in known] if isinstance(known, range) else known
        assert {record["parameters"]["size"] for record in records} == set(wanted)
        assert {record["quantity"] for record in records} == {probe.quantity}


def test_an_error_of_an_experiment_names_the_row_and_what_was_changed() -> None:
    class Failing(FakeAnswers):
        def probe(self, target: str, probe: str, sizes: Any, sets: Any) -> list[Any]:
            if sets and list(sizes) != [64]:
                raise IsthmusError("no answer")
            return super().probe(target, probe, sizes, sets)

    row = row_of("ROW", COPY, unit="GB/s")
    evaluation = Evaluation({"ROW": row}, ["ROW"], Failing(), 4, spans=False, places={"ROW": "lab.py:7: "})
    with pytest.raises(IsthmusError, match=r"^lab.py:7: row 'ROW', with aws-f1 .*: no answer$"):
        evaluation.run(quietly)


def test_a_prediction_that_is_published_as_0_or_in_words_is_named_in_the_headline() -> None:
    facts = {
        "paper": "lab",
        "place": "1",
        "quantity": "q",
        "unit": "s",
        "note": "",
        "role": "predicted",
        "ours": 2.0,
    }
    number, *others = (
        PaperRow.model_validate({**facts, "id": name, "published": published, "error": error})
        for name, published, error in (("NUMBER", 2.5, -0.2), ("NOTHING", 0, None), ("WORDS", "about 2", None))
    )
    papers = {"lab": Paper(title="", authors="", published="", row=[])}
    line = score_line("lab", score([number, *others], papers, ["lab"])["lab"])
    assert "3 independent predictions, 0 within 15 %, error 20.0% in the mean" in line
    assert "no error can be told of NOTHING, WORDS (published as 0 or in words)" in line
    assert "nothing predicted" not in score_line("lab", score(others, papers, ["lab"])["lab"])
    assert "no error" not in score_line("lab", score([number], papers, ["lab"])["lab"])


def test_the_plan_counts_the_runs_of_the_ends_together() -> None:
    rows = [
        row_of("STREAM", Run("alpha-data-7v3", "image-filter", "stream", "elapsed_s"), unit="s"),
        row_of("READ", Probed("aws-f1", "h2d", "1KiB")),
    ]
    tools = FakeAnswers()
    evaluation = Evaluation({row.id: row for row in rows}, [row.id for row in rows], tools, 4)
    planned = evaluation.most_corner_scenarios()
    evaluation.run(quietly)
    whole = [run for run in tools.runs if run.count == 200]
    assert len(whole) > 1, "the ends together are run whole"
    assert len(whole) - 1 <= sum(scenario.rows == ("STREAM",) for scenario in planned) == 2
    assert {scenario.models.images for scenario in planned} == {200}
