"""`reproduce` on a paper and a board of one's own: what no installed one does, such as a number at its end."""

import math
from collections.abc import Sequence
from typing import Any

import pytest
from tests.python.conftest import Isthmus
from tests.python.fake_answers import FakeAnswers, quietly
from tests.python.test_reproduce import evaluated, row_of

from isthmus.base.errors import IsthmusError
from isthmus.base.files import data_folder
from isthmus.records.papers import PaperRow
from isthmus.records.run import Input
from isthmus.reproduction.checking import check_paper
from isthmus.reproduction.comparison import agrees, paper_rows, score
from isthmus.reproduction.evaluation import Evaluation
from isthmus.reproduction.model_runs import ToolAnswers
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
    evaluation = evaluated(row_of("ROW", "probe:aws-f1:h2d:1MiB", unit="GB/s"), tools=Narrow(**limits))
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
    row = row_of("RUN", "run:alpha-data-7v3:offload:elapsed_s", unit="s")
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
        row_of("ONE", "ratio:probe:aws-f1:h2d:1MiB / probe:aws-f1:d2h:2MiB"),
        row_of("INVERSE", "ratio:probe:aws-f1:d2h:2MiB / probe:aws-f1:h2d:1MiB"),
        row_of("OTHER", "ratio:probe:aws-f1:d2h:4MiB / probe:aws-f1:h2d:1MiB"),
        spans=False,
    )
    assert [evaluation.same_as(name) for name in ("ONE", "INVERSE", "OTHER")] == [None, "ONE", None]


@pytest.mark.parametrize(
    ("experiment", "unit", "complaint"),
    [
        ("claim:monotone:aws-f1", "", "expected claim:monotone:BOARD:PROBE"),
        ("claim:monotone:aws-f1:launch", "", "expected one that gives a bandwidth"),
        ("claim:directions_within:aws-f9:4", "", "unknown target 'model:aws-f9'"),
        ("claim:directions_within:aws-f1:few", "", "expected a number, got 'few'"),
        ("claim:end_to_end_below:aws-f1:S999-001", "", "unknown row 'S999-001'"),
        ("claim:monotone_requests:aws-f1:strem:1KiB", "", "unknown flow 'strem'"),
        ("probe:aws-f1:launch:1MiB", "us", "expected one that gives a bandwidth"),
        ("probe-time:aws-f1:launch:1MiB", "us", "the probe 'launch' looks at no size"),
        ("probe-time:aws-f1:device-latency:1MiB", "us", "the probe 'device-latency' looks at multiples of 64B to 4KiB"),
        ("probe-time:aws-f1:mmio-load:16B", "us", "the probe 'mmio-load' looks at 4B, 8B, 64B"),
        ("probe:aws-f1:h2d:1MiB", "us", "expected a unit that measures the same as 'us', got 'GB/s'"),
        ("probe-time:aws-f1:h2d:1MiB", "GB/s", "expected a unit that measures the same as 'GB/s', got 's'"),
        ("input:aws-f1:host.copy.rate", "us", "expected a unit that measures the same as 'us', got 'GB/s'"),
        ("formula:dma_utilisation:abc", "%", "expected a number, got 'abc'"),
        ("formula:dma_utilisation", "%", "expected formula:dma_utilisation:NUMBER"),
        ("formula:r_threshold:sideways", "", "unknown direction 'sideways'"),
        ("formula:read_buffer:2", "B", "expected formula:read_buffer"),
        ("run:aws-f1:stream:stage:nothing", "s", "unknown stage 'nothing'"),
        ("run:aws-f1:stream:stage", "s", "expected run:BOARD:FLOW:FIELD[:STAGE]"),
        ("run:aws-f1:stream:images_per_s:kernel", "", "expected run:BOARD:FLOW:FIELD[:STAGE]"),
        ("run:aws-f1:stream:image_per_s", "", "unknown field 'image_per_s'"),
        ("run:aws-f1:stream:elapsed_s", "GB/s", "expected a unit that measures the same as 'GB/s', got 's'"),
    ],
)
def test_an_experiment_of_ones_own_that_cannot_be_evaluated_is_refused_at_its_row(
    isthmus: Isthmus, monkeypatch: pytest.MonkeyPatch, experiment: str, unit: str, complaint: str
) -> None:
    monkeypatch.setattr("isthmus.reproduction.model_runs.ToolAnswers", FakeAnswers)
    isthmus("reproduce", "--new", "lab.toml")
    paper = isthmus.folder / "lab.toml"
    text = paper.read_text()
    first = text.index('experiment = "input:aws-f1:link.pcie.lanes"')
    paper.write_text(
        text.replace('experiment = "input:aws-f1:link.pcie.lanes"', f'unit = "{unit}"\nexperiment = "{experiment}"')
    )
    line = text[:first].splitlines().index("[[row]]") + 1
    told = isthmus.refusal("reproduce", "lab.toml", "--no-spans")
    assert told.startswith(f"lab.toml:{line}: row 'LINK': ")
    assert complaint in told


def test_the_experiments_of_the_installed_papers_pass_the_check_of_ones_own(
    papers: dict[str, Paper], published: dict[str, PublishedRow]
) -> None:
    tools = ToolAnswers()
    assert sum(row.experiment is not None for row in published.values()) > 100
    for name, paper in papers.items():  # what does not pass is raised
        check_paper(data_folder("papers") / f"{name}.toml", paper, published, tools)


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
        def probe(self, target: str, probe: str, sizes: Any, sets: Any, bursts: Any = ()) -> list[Any]:
            if sets and list(sizes) != [64]:
                raise IsthmusError("no answer")
            return super().probe(target, probe, sizes, sets, bursts)

    row = row_of("ROW", "probe:aws-f1:h2d:1MiB", unit="GB/s")
    evaluation = Evaluation({"ROW": row}, ["ROW"], Failing(), 4, spans=False, places={"ROW": "lab.toml:7: "})
    with pytest.raises(IsthmusError, match=r"^lab.toml:7: row 'ROW', with aws-f1 .*: no answer$"):
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
    rows = [row_of("STREAM", "run:alpha-data-7v3:stream:elapsed_s", unit="s"), row_of("READ", "probe:aws-f1:h2d:1KiB")]
    tools = FakeAnswers()
    evaluation = Evaluation({row.id: row for row in rows}, [row.id for row in rows], tools, 4)
    planned = evaluation.most_corner_scenarios()
    evaluation.run(quietly)
    whole = [run for run in tools.runs if run.count == 200]
    assert len(whole) > 1, "the ends together are run whole"
    assert len(whole) - 1 <= sum(scenario.rows == ("STREAM",) for scenario in planned) == 2
    assert {scenario.models.images for scenario in planned} == {200}
