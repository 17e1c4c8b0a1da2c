"""What is advised: formulas, draws and rulings by themselves, then the command."""

import itertools
import json
import math
import random
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.conftest import Isthmus
from tests.python.random_descriptions import draw
from tests.python.test_schemas import check

from isthmus.advising import formulas, metrics, ruling
from isthmus.advising.advice import Advice, advise
from isthmus.advising.chip_probes import ORDERS, SIZES
from isthmus.advising.choices import Choice, ChoiceValue, Goal
from isthmus.advising.coherence import Use, costs_s
from isthmus.advising.curve_probes import AGAIN_SIZES, COPY_SIZES, SHARED_SIZES, STREAM_SIZES
from isthmus.advising.curves import DRAWS, BoardCurves, Draw, curves_of, recipe_of
from isthmus.advising.draws import Boards, uncertain
from isthmus.advising.formulas import RunTimes
from isthmus.base.files import data_folder
from isthmus.descriptions.description import Description, Kernel, Transfer, description_of
from isthmus.descriptions.quantity import Number
from isthmus.descriptions.unit import Crossing, Unit
from isthmus.running.methods import METHODS
from isthmus.running.targets import platform, platforms
from isthmus.running.tools import assignments

KIB, MIB = 1024, 1024 * 1024
positive = st.floats(1e-3, 1e3)


def valued(
    draws: list[float], value: float, target: str = "a", flow: str = "offload", meets: bool = True
) -> ChoiceValue:
    return ChoiceValue(Choice(target, flow), RunTimes(1, 1), value, tuple(draws), meets, 1.0, 1.0)


RATE = Goal("rate", None, 10, {})
LATENCY = Goal("latency", None, 10, {})


# --- formulas


def flat(**times: float) -> Mapping[str, formulas.Curve]:
    return {name.replace("_", "-"): [(0.0, time), (1.0, time)] for name, time in times.items()}


COPYING = {
    **flat(h2d=4e-3, d2h=2e-3, h2d_pinned=3e-3, d2h_pinned=1e-3, h2d_alloc=5e-3, launch=0.5e-3),
    **{name: [(64.0, 0.0), (65536.0, 0.0)] for name in ("kernel-read", "kernel-write", "kernel-both")},
}


def unit(compute_s: float = 1e-3, host_s: float = 0.0, pinned: bool = True) -> Unit:
    crossings = (Crossing(True, pinned, 4096, 2), Crossing(False, pinned, 4096, 1))
    return Unit(crossings, 1, compute_s, 8192, 4096, 0, host_s)


def test_between_copies_everything_adds_up() -> None:
    taken = formulas.offload(COPYING, unit(host_s=1e-3), 10)
    assert taken.latency_s == pytest.approx((1 + 2 * 3 + 0.5 + 1 + 1) * 1e-3)
    assert taken.elapsed_s == pytest.approx(10 * taken.latency_s)
    assert taken.limit == "to device"
    pageable = formulas.offload(COPYING, unit(pinned=False), 1)
    assert pageable.latency_s == pytest.approx((2 * 5 + 1.5 + 3) * 1e-3), "both ways with the allocation"


@given(positive, positive, positive)
@settings(max_examples=100, deadline=None)
def test_double_buffered_the_slowest_stage_sets_the_pace(ins: float, kernel: float, outs: float) -> None:
    curves = {**COPYING, **flat(h2d_pinned=ins / 2, d2h_pinned=outs, launch=0)}
    few, many = (formulas.overlap(curves, unit(kernel), count).elapsed_s for count in (100, 200))
    assert (many - few) / 100 == pytest.approx(max(ins, kernel, outs))
    alone = formulas.overlap(curves, unit(kernel), 1)
    assert alone.elapsed_s == pytest.approx(ins + kernel + outs)


def streaming(**times: float) -> Mapping[str, formulas.Curve]:
    """A stream whose crossing takes 10 ns a byte behind 1 KiB, whatever it takes alone up to there."""
    ways = {f"stream-{way}": [(64.0, 1e-3), (1024.0, 1e-3 + 960 * 1e-8)] for way in ("in", "out", "both")}
    alone = {f"{way}-alone": [(64.0, 3e-3), (1024.0, 2e-3)] for way in ways}
    queued = {f"{way}-queued": [(64.0, 1.0), (1024.0, 1.0)] for way in ways}
    return {**ways, **alone, **queued, **{f"stream-{name}": [(64.0, y), (1024.0, y)] for name, y in times.items()}}


def test_in_a_stream_the_middle_unit_waits_for_those_before_it_as_many_as_there_are_buffers() -> None:
    one = replace(unit(compute_s=5e-3), crossings=(Crossing(True, True, 1024, 1), Crossing(False, True, 1024, 1)))
    curves = streaming(call=1e-3, slots=8)
    taken = {count: formulas.stream(curves, one, count) for count in (1, 5, 100)}
    assert taken[1].latency_s == taken[1].elapsed_s == pytest.approx(7e-3)
    assert taken[5].latency_s == pytest.approx(7e-3 + 2 * (5e-3 - 1e-3)), "each comes 4 ms too early"
    assert taken[100].latency_s == pytest.approx(8 * 5e-3), "in full buffers"


def test_a_unit_alone_larger_than_those_of_the_curve_takes_longer_by_its_crossing() -> None:
    large = Unit.there_and_back(2048, 2048)
    alone = formulas.stream(streaming(call=0, slots=8), large, 1).elapsed_s
    assert alone == pytest.approx(2e-3 + 1024 * 1e-8)


@given(st.lists(st.tuples(positive, positive), min_size=2, max_size=6, unique_by=lambda point: point[0]), positive)
@settings(max_examples=100, deadline=None)
def test_between_points_of_a_curve_lies_a_straight_line(points: list[tuple[float, float]], x: float) -> None:
    points.sort()
    inside = points[0][0] <= x <= points[-1][0]
    if inside:
        assert formulas.at(points, x) == pytest.approx(
            float(np.interp(x, [one for one, _ in points], [other for _, other in points]))
        )
    assert formulas.within(points, 1e9) == pytest.approx(points[-1][1])


# --- what the papers say


@given(positive, positive, positive)
@settings(max_examples=100, deadline=None)
def test_at_the_threshold_a_private_memory_is_as_fast_as_a_shared_one(dma: float, device: float, shared: float) -> None:
    r = metrics.threshold(dma, device, shared)
    assert (r is None) == (device <= shared)
    if r is not None and r < 1e9:
        assert metrics.effective(r, dma, device) == pytest.approx(shared, rel=1e-6)


# --- rulings


@given(st.lists(positive, min_size=3, max_size=64))
@settings(max_examples=100, deadline=None)
def test_the_middle_of_draws_is_that_of_numpy_and_what_did_not_run_has_the_error_of_its_formula_too(
    values: list[float],
) -> None:
    middle = np.percentile(values, [5, 95], method="weibull")
    assert list(ruling.interval(replace(valued(values, 1.0), ran=True))) == pytest.approx(list(middle))
    assert list(ruling.interval(valued(values, 1.0))) == pytest.approx([middle[0] / 1.03, middle[1] * 1.03])


def test_nine_tenths_of_further_draws_lie_in_the_middle_of_some() -> None:
    drawing, inside = random.Random(1), 0.0
    for _ in range(400):
        low, high = ruling.middle([drawing.random() for _ in range(DRAWS)])
        inside += (high - low) / 400
    assert inside == pytest.approx(0.9, abs=0.01), "what lies between two of evenly drawn numbers is their difference"


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=40))
@settings(max_examples=100, deadline=None)
def test_a_rank_correlation_is_that_of_ranks(pairs: list[tuple[int, int]]) -> None:
    def ranks(values: list[int]) -> list[float]:
        return [sum(other < one for other in values) + (values.count(one) - 1) / 2 for one in values]

    one, other = ([pair[side] for pair in pairs] for side in (0, 1))
    found = ruling.correlation(one, other)
    if len(set(one)) < 2 or len(set(other)) < 2:
        assert found == 0
    else:
        assert found == pytest.approx(float(np.corrcoef(ranks(one), ranks(other))[0, 1]), abs=1e-9)


def test_wins_are_counted_draw_by_draw() -> None:
    first, second = valued([3, 1, 3, 3], 3), valued([2, 2, 2, 2], 2, "b")
    assert ruling.wins([first, second], RATE) == [0.75, 0.25]
    assert ruling.wins([first, second], LATENCY) == [0.25, 0.75], "less is better"
    late = valued([9, 9, 9, 9], 9, "c", meets=False)
    assert ruling.wins([first, second, late], RATE)[2] == 0, "what takes too long wins nothing"


def test_of_choices_that_are_as_good_as_each_other_the_one_that_wins_most_draws_comes_first() -> None:
    hair, winner, far = (
        valued([1.0, 3.0, 1.0], 100.0, "hair"),
        valued([2.0, 1.0, 2.0], 99.9, "winner"),
        valued([0.5, 0.5, 0.9], 90.0, "far"),
    )

    def ordered(*found: ChoiceValue) -> list[str]:
        return [one.choice.target for one, _ in ruling.by_wins(found, RATE)]

    assert ordered(hair, winner, far) == ["winner", "hair", "far"]
    apart = replace(winner, formula=100.0 / (1 + ruling.EVEN) - 0.1)
    assert ordered(hair, apart, far) == ["hair", "winner", "far"], "over 2 % of a run is no hair"
    ran = replace(hair, ran=True)
    assert ordered(ran, winner, far) == ["hair", "winner", "far"], "what ran counts"


# What crosses a board in both directions, in a stream.
BOUND = description_of(
    {
        "application": {"name": "bound", "units": "12 units", "flows": ["stream"]},
        "transfer": [{"direction": way, "bytes": 65536} for way in ("to-device", "to-host")],
    },
    "here",
)


def advise_unrun(description: Description, boards: Sequence[BoardCurves]) -> Advice:
    """The advice of formulas alone."""
    return advise(description, boards, lambda choices: ["not run"] * len(choices))


def test_a_verdict_whose_first_is_not_the_fastest_says_so() -> None:
    fast, steady = curves_of(dict.fromkeys(("model:alveo-u250", "model:aws-f1"), ()))
    nominal = replace(steady, nominal=Draw({}, {**fast.nominal.curves}), draws=fast.draws)
    slower = replace(fast, draws=steady.draws)
    both = [slower, nominal]
    found, again = (advise_unrun(BOUND, boards) for boards in (both, both[::-1]))
    assert found.verdict.target == again.verdict.target
    assert found.verdict.wins == max(row.wins for row in found.rows)


def test_a_price_that_is_not_known_has_no_value() -> None:
    assert math.isnan(Goal("cost", None, 1, {}).value("model:aws-f1", 1, 1))


@pytest.mark.parametrize("seed", range(6))
def test_what_would_change_the_verdict_changes_it(seed: int) -> None:
    from isthmus.advising.choices import take
    from isthmus.advising.choices import valued as all_valued

    drawing = random.Random(seed)
    description = draw(drawing)
    targets = ("model:aws-f1", "model:xeon-fpga-v1", "model:zynq-ultrascale")
    boards = {board.target: board for board in curves_of(dict.fromkeys(targets, ()))}
    asked = Goal.of(description)
    first, second, *_ = all_valued(description, list(boards.values()), asked)
    moved = ruling.turn(description, first, second, asked, boards)
    if moved is None:
        return

    def lead(share: float) -> float:
        value = moved.now * (moved.becomes / moved.now) ** share
        changed = Unit.of(description.with_values({moved.key.removeprefix("app."): value}))
        goods = []
        for one in (first, second):
            taken = take(boards[one.choice.target].nominal, one.choice, changed, asked)
            goods.append(asked.goodness(asked.value(one.choice.target, taken.elapsed_s, taken.latency_s)))
        return goods[0] / goods[1]

    assert lead(0) >= 1
    assert lead(1) <= 1 + 1e-6


# --- boards as they may be


def test_a_draw_is_the_same_again_and_lies_in_its_ranges() -> None:
    board = platform("model:stratix-v")
    ends = uncertain(board)
    one, other = (Boards("model:stratix-v", (), 7).draw(3) for _ in range(2))
    assert one == other
    assert one.keys() == ends.keys()
    assert all(ends[key][0] * (1 - 1e-9) <= value <= ends[key][1] * (1 + 1e-9) for key, value in one.items())
    assert platform("model:stratix-v", assignments(one))["inputs"]


def test_what_is_set_is_not_drawn() -> None:
    drawn, beside = (Boards("model:aws-f1", sets, 7).draw(1) for sets in ((), ("host.call.enqueue=3",)))
    assert drawn.keys() - beside.keys() == {"host.call.enqueue"}


MEASURED_AT = {
    "h2d": COPY_SIZES,
    "stream-in": STREAM_SIZES,
    "shared-in": SHARED_SIZES,
    "shared-first": AGAIN_SIZES,
    **{f"{method}/kernel-in-{order}": SIZES[method, order] for method in ("hpc", "acp") for order in ORDERS},
    "hp-nc/read-random": SIZES["hp-nc", "random"],
    "hp-c/maintenance-in": SIZES["hp-c", "sequential"],
    "own-load": SIZES["hpc", "sequential"],
}


def _other_sizes(document: Mapping[str, Any]) -> dict[str, tuple[float, ...]]:
    """Sizes of a curve of each kind, where any draw was not measured at what bench.py has."""
    found: dict[str, tuple[float, ...]] = {}
    for drawn in document["draws"]:
        for name in MEASURED_AT.keys() & drawn["curves"].keys():
            sizes = tuple(x for x, _ in drawn["curves"][name])
            if sizes != pytest.approx(MEASURED_AT[name], rel=1e-4):
                found[name] = sizes
    return found


def test_curves_of_each_board_come_with_the_package_and_are_what_its_model_gives(real: Isthmus) -> None:
    for target in platforms():
        sha256 = platform(target)["sha256"]
        path = data_folder("curves") / f"{sha256[:16]}.json"
        assert path.is_file(), f"run: python -m isthmus.advising.curves curves, for {target}"
        document = json.loads(path.read_text())
        assert (document["sha256"], document["recipe"]) == (sha256, recipe_of(target))
        assert len(document["draws"]) in (0, DRAWS + 1)
        assert _other_sizes(document) == {}, f"{target}: raise RECIPE, and measure all anew"
    sizes, times = zip(*curves_of({"model:aws-f1": ()})[0].nominal.curves["h2d"], strict=True)
    probed = real.json("probe", "model:aws-f1", "h2d", "--sizes", ",".join(f"{size:.0f}B" for size in sizes))
    assert list(times) == pytest.approx(
        [size / one["value"] * 1e-9 for size, one in zip(sizes, probed["records"], strict=True)], rel=1e-2
    )


def test_of_boards_on_which_the_kernel_alone_counts_either_may_be_taken_and_nothing_is_to_be_measured() -> None:
    description = replace(BOUND, kernel=Kernel(time=Number(5e-3)))
    boards = curves_of({"model:alveo-u250": (), "model:alveo-u55c": ()})
    verdict = advise_unrun(description, boards).verdict
    assert verdict.ratio_low == pytest.approx(1, rel=0.02)
    assert verdict.ratio_high == pytest.approx(1, rel=0.02)
    if not verdict.clear:
        assert verdict.measure is None
        assert "take either" in verdict.reasons[0]
    faster = description.with_values({"kernel.time": 1e-9})
    apart = advise_unrun(faster, boards).verdict
    assert not any("take either" in reason for reason in apart.reasons), "what crosses differs"


# --- the command

APP = """
[application]
name = "mine"
units = "8 frames"
[[transfer]]
direction = "to-device"
bytes = "256 KiB"
[[transfer]]
direction = "to-host"
bytes = "64 KiB"
[kernel]
time = { value = 100, unit = "us", range = [80, 150] }
[price."model:aws-f1"]
per_hour = 1.65
watts = 75
"""


@pytest.fixture
def mine(real: Isthmus) -> Isthmus:
    (real.folder / "mine.toml").write_text(APP)
    return real


def test_every_board_and_flow_is_ranked_and_the_best_three_are_run(mine: Isthmus) -> None:
    file = mine.json("advise", "mine.toml")
    check("advise", file)
    rows = file["rows"]
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    values = [row["value"] for row in rows]
    assert all(before * (1 + ruling.EVEN) >= after for before, after in itertools.pairwise(values))
    assert all(row["run"] is not None for row in rows[:3])
    assert {row["flow"] for row in rows} == {"offload", "overlap", "stream", "shared"}
    assert sum(row["wins"] for row in rows) == pytest.approx(1)
    assert (file["verdict"]["target"], file["verdict"]["flow"]) == (rows[0]["target"], rows[0]["flow"])
    assert file["verdict"]["clear"] == (file["verdict"]["wins"] >= 0.95)
    assert file["left_out"] == {}
    chips = ("model:zynq-ultrascale", "model:kv260")
    ways = [(row["target"], row["method"]) for row in rows if row["target"] in chips]
    assert sorted(ways) == sorted(itertools.product(chips, METHODS))
    assert all((row["method"] is None) == (row["target"] not in chips) for row in rows)
    run = mine.json("run", "mine.toml", "--on", rows[0]["target"], "--flow", rows[0]["flow"])["rows"][0]
    assert run["value"] == pytest.approx(rows[0]["run"])
    private = next(row for row in rows if row["flow"] == "offload")
    assert private["r_threshold"].keys() == {
        "model:xeon-fpga-v1",
        "model:xeon-fpga-v2",
        "model:ibm-capi",
        *chips,
    }


def test_a_flow_without_a_formula_is_told_of_by_its_name_and_target(mine: Isthmus) -> None:
    without = "from isthmus.advising.formulas import FORMULAS; del FORMULAS['overlap']\n"
    command = "from isthmus.cli.main import main; main(['advise', 'mine.toml', '--on', 'model:aws-f1'])"
    words = [sys.executable, "-c", without + command]
    told = subprocess.run(words, env=mine.environment, cwd=mine.folder, text=True, capture_output=True)
    line = "note: flow 'overlap' of model:aws-f1 is not advised: it has no formula"
    assert told.returncode == 0, told.stderr
    assert told.stderr.splitlines().count(line) == 1
    assert "overlap" not in told.stdout
    assert "not advised" not in mine("advise", "mine.toml", "--on", "model:aws-f1").stderr


def test_a_price_far_below_one_is_printed_with_an_exponent_and_its_unit(mine: Isthmus) -> None:
    sets = ("--set", "app.need.best=cost", "--set", "app.price.model:aws-f1.per_hour=1e-6")
    (best, *_) = mine("advise", "mine.toml", "--on", "model:aws-f1", *sets).stdout.splitlines()
    assert re.match(r"best: model:aws-f1, \w+: [1-9][0-9.]*e-\d+ price/frame, model \([1-9][0-9.]*e-\d+ to ", best), (
        best
    )


def test_what_an_hour_costs_ranks_boards_whose_price_is_known(mine: Isthmus) -> None:
    file = mine.json("advise", "mine.toml", "--set", "app.need.best=cost")
    assert {row["target"] for row in file["rows"]} == {"model:aws-f1"}
    assert 'price."model:stratix-v".per_hour is not known' in file["left_out"]["model:stratix-v"]
    assert [row["value"] for row in file["rows"]] == sorted(row["value"] for row in file["rows"])


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("mine.toml", "--on", "model:aws-f2"), "unknown target 'model:aws-f2': expected "),
        (("mine.toml", "--on", "native"), "--on: 'native' is no model, and only models have curves"),
        (("mine.toml", "--set", "app.transfer.0.bytes=100 GiB", "--on", "model:aws-f1"), "larger than its memory"),
        (("mine.toml", "--set", "app.transfer.0.bytes=100 GiB", "--on", "model:ibm-capi"), "larger than its memory"),
        (("mine.toml", "--set", "app.transfer.0.bytes=100 GiB", "--on", "model:xeon-fpga-v2"), "memory of 6.87e+10 B"),
        (
            ("mine.toml", "--set", "app.transfer.0.bytes=3 GiB", "--on", "model:xeon-fpga-v1"),
            "memory of 2.15e+09 B",
        ),
        (("mine.toml", "--set", "no.such=1"), "key 'no.such': expected a key of the board's parts"),
        (
            ("mine.toml", "--set", "app.application.flows=shared", "--on", "model:aws-f1"),
            "it has none of the flows shared",
        ),
        (("mine.toml", "--set", "app.price.model:aws-f2.watts=3"), "unknown target 'model:aws-f2'"),
        (("mine.toml", "--unit-of", "filter"), "--unit-of: expected a record, FILE.json, got 'mine.toml'"),
        (("min.toml",), "description 'min.toml': no such file; help: did you mean 'mine.toml'?"),
        ((), "FILE: expected a description or a record"),
    ],
)
def test_what_cannot_be_advised_is_one_line(mine: Isthmus, words: tuple[str, ...], complaint: str) -> None:
    assert complaint in mine.refusal("advise", *words)


def test_a_size_that_no_board_holds_is_refused_before_curves_are_measured(
    mine: Isthmus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The board has no kept curves: a tool that ran would leave them in the cache."""
    cache = mine.folder / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    words = ("--on", "model:aws-f1", "--set", "host.call.enqueue=7us")
    told = mine.refusal("advise", "mine.toml", *words, "--set", "app.transfer.0.bytes=100 GiB")
    assert "larger than its memory" in told
    assert not list(cache.rglob("answers.sqlite"))


def test_a_description_of_the_examples_is_advised(real: Isthmus, tree: Path) -> None:
    done = real.well("advise", str(tree / "examples" / "my-app.toml"), "--on", "model:aws-f1,model:xeon-fpga-v1")
    assert "model" in done.stdout.splitlines()[0]


def test_on_a_chip_each_method_is_a_choice_and_its_run_is_near_its_formula(mine: Isthmus) -> None:
    use = ("--set", "app.transfer.0.order=random", "--set", "app.transfer.1.cpu=both")
    file = mine.json("advise", "mine.toml", "--on", "model:zynq-ultrascale", *use)
    check("advise", file)
    assert {row["method"] for row in file["rows"]} == set(METHODS)
    assert file["verdict"]["method"] == file["rows"][0]["method"]
    assert {one["method"] for one in file["crossing"]} == set(METHODS)
    for row in file["rows"]:
        ran = mine.json("run", "mine.toml", "--on", row["target"], "--method", row["method"], *use)["rows"][0]
        assert ran["verified"]
        assert (ran["flow"], ran["method"]) == ("shared", row["method"])
        assert ran["value"] == pytest.approx(row["formula"], rel=0.1)
        if row["run"] is not None:
            assert ran["value"] == pytest.approx(row["run"])
    told = mine("advise", "mine.toml", "--on", "model:zynq-ultrascale", *use).stdout
    assert f"shared by {file['verdict']['method']}" in told


def test_cores_leave_half_of_a_chips_memory_beside_others(mine: Isthmus) -> None:
    alone, beside = (
        mine.json("run", "mine.toml", "--on", "model:zynq-ultrascale", "--method", "hp-nc", *sets)["rows"][0]["value"]
        for sets in ((), ("--set", "app.host.background=memory"))
    )
    assert beside < alone


def measured_costs(mine: Isthmus, *sets: str) -> list[dict[str, Any]]:
    words = ("--on", "model:aws-f1", "--tree", "measured", *(word for one in sets for word in ("--set", one)))
    tree: list[dict[str, Any]] = mine.json("advise", "mine.toml", *words)["tree"]
    return tree


def test_the_tree_on_the_model_tells_what_each_method_costs_its_software_included(mine: Isthmus) -> None:
    """Against the probes themselves (min2019 V-B): bytes over raw bandwidth, and what a core does for coherence."""
    alike = ("app.transfer.0.cpu=writes", "app.transfer.0.order=sequential", "app.transfer.0.bytes=64 KiB")
    sent, fetched = measured_costs(mine, *alike, "app.transfer.1.cpu=reads", "app.transfer.1.order=sequential")
    soc = "model:zynq-ultrascale"

    def took(probe: str, **told: str) -> float:
        words = ("--port", "hp,hpc,acp", "--state", "written,read,flushed") if probe.startswith("port") else ()
        records = mine.json("probe", soc, probe, "--sizes", "64KiB", "--repeat", "1", *words)["records"]
        (found,) = [one for one in records if all(one["parameters"][key] == value for key, value in told.items())]
        return 65536 / float(found["value"]) * 1e-9

    flushed, kept = took("port-tx", port="hp", state="flushed"), took("maintenance", op="flush")
    assert sent["costs_s"]["hp-c"] == pytest.approx(flushed + kept)
    assert sent["costs_s"]["acp"] == pytest.approx(took("port-tx", port="acp", state="written"))
    back = took("port-rx", port="hp", state="flushed") + kept + took("maintenance", op="invalidate")
    assert fetched["costs_s"]["hp-c"] == pytest.approx(back)
    for branch in (sent, fetched):
        assert branch["least"] == min(branch["costs_s"], key=branch["costs_s"].get)
        assert branch["costs_s"].keys() == set(METHODS)


def test_software_costs_more_out_of_sequence_and_beside_busy_cores() -> None:
    transfer = Transfer(direction="to-device", bytes=Number(64 * 1024))
    alone, scattered, busy = (
        costs_s("model:zynq-ultrascale", transfer, use)
        for use in (Use("writes"), Use("writes", "random"), Use("writes", busy=True))
    )
    assert scattered["hp-nc"] > alone["hp-nc"], "nothing combines what is stored out of sequence"
    assert busy["hp-c"] > alone["hp-c"], "a barrier waits for what other cores have stored"
    assert [busy[method] for method in ("hpc", "acp")] == [alone[method] for method in ("hpc", "acp")]
