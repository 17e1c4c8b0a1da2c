"""Experiments on boards with shared memory, on the tools themselves."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from tests.python.test_reproduce import row_of

from isthmus.base.errors import IsthmusError
from isthmus.records.run import Input
from isthmus.reproduction.checking import check_paper
from isthmus.reproduction.expressions import Evaluator, crossing
from isthmus.reproduction.holdout import off
from isthmus.reproduction.model_runs import ModelRuns, ToolAnswers
from isthmus.reproduction.published import Paper

MERKLE = "application:{}:merkle-tree:shared:speedup.mean"


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    return Evaluator(ModelRuns(ToolAnswers(), 4, 4), {})


def number(evaluator: Evaluator, expression: str, unit: str = "") -> float:
    value = evaluator.value(expression, unit)
    assert not isinstance(value, str)
    return float(value)


def test_an_access_is_told_apart_by_what_it_does_and_by_its_phase(evaluator: Evaluator) -> None:
    place = "xeon-fpga-v1:cache-hit:64B"
    phases = [number(evaluator, f"probe-time:{place}@access=read,phase={phase}", "ns")
              for phase in ("translation", "access", "reordering")]  # fmt: skip
    assert phases == [pytest.approx(20), pytest.approx(35), pytest.approx(15)]
    assert number(evaluator, f"probe-time:{place}@access=read", "ns") == pytest.approx(sum(phases))
    assert number(evaluator, f"probe-time:{place}@access=write", "ns") == pytest.approx(60)
    assert number(evaluator, f"probe-cycles:{place}@access=read") == pytest.approx(14)


def test_requests_of_all_channels_are_those_of_the_circuit(evaluator: Evaluator) -> None:
    split = [number(evaluator, f"requests:xeon-fpga-v2:shared-read:16KiB:{one}@channel=va,start=warm")
             for one in ("vl0", "vh0", "vh1")]  # fmt: skip
    assert sum(split) == 256
    assert min(split) > 0


def test_a_lead_is_what_one_channel_takes_less_than_the_other(evaluator: Evaluator) -> None:
    times = [number(evaluator, f"probe-time:xeon-fpga-v2:shared-read:2KiB@start=cold,channel={one}", "ns")
             for one in ("vh0", "vl0")]  # fmt: skip
    lead = number(evaluator, "lead:xeon-fpga-v2:shared-read:vl0:vh0:32@start=cold")
    assert lead == pytest.approx((times[0] - times[1]) * 0.4)
    assert number(evaluator, "lead:xeon-fpga-v2:shared-read:vh0:vl0:32@start=cold") == pytest.approx(-lead)


def test_a_crossing_lies_where_the_rates_meet(evaluator: Evaluator) -> None:
    lines = number(evaluator, "crossing:xeon-fpga-v2:shared-write:vh0:vl0:1:256:0@start=cold")
    below, above = math.floor(lines), math.floor(lines) + 1
    ahead = {
        count: number(evaluator, f"probe:xeon-fpga-v2:shared-write:{64 * count}B@start=cold,channel=vh0", "GB/s")
        / number(evaluator, f"probe:xeon-fpga-v2:shared-write:{64 * count}B@start=cold,channel=vl0", "GB/s")
        for count in (below, above)
    }
    assert ahead[below] >= 1 > ahead[above]


def test_a_crossing_is_the_first_though_the_ratio_is_a_saw(evaluator: Evaluator) -> None:
    def rate(channel: str, count: int) -> float:
        place = f"xeon-fpga-v2:shared-read:{64 * count}B@start=cold,channel={channel}"
        return number(evaluator, f"probe:{place}", "GB/s")

    lines = number(evaluator, "crossing:xeon-fpga-v2:shared-read:vl0:vh0:110:130:17.65@start=cold")
    similar = [count for count in range(110, 131) if rate("vh0", count) >= rate("vl0", count) / 1.1765]
    assert math.ceil(lines) == similar[0]
    assert rate("vh0", 130) < rate("vl0", 130) / 1.1765, "it is behind once more"


def test_a_gain_is_what_first_touches_save_with_a_circuit_that_is_in_time(evaluator: Evaluator) -> None:
    hash_ns, memory_ns, cache_ns, nodes, draws = 1e3 / 2.06, 100, 20, 4 << 14, 64_000
    first = nodes * (1 - (1 - 1 / nodes) ** draws) / draws  # expected of so many draws
    alone = hash_ns + first * memory_ns + (1 - first) * cache_ns
    gains = [
        number(evaluator, f"{MERKLE.format('xeon-fpga-v2')}@size=4,handover={one},count=1") for one in ("mmio", "none")
    ]
    assert gains == [pytest.approx(alone / (hash_ns + cache_ns), rel=0.002), 1]


@pytest.mark.parametrize(
    ("experiment", "complaint"),
    [
        (f"{MERKLE.format('aws-f1')}@handover=mmio", "aws-f1 merkle-tree: unknown flow 'shared'"),
        (f"{MERKLE.format('xeon-fpga-v2')}@handover=mmi", "merkle-tree: handover: unknown handover 'mmi'"),
        (
            f"{MERKLE.format('xeon-fpga-v2')}@hand=mmio",
            "merkle-tree: unknown parameter 'hand'; help: did you mean 'handover'?",
        ),
    ],
)
def test_a_gain_of_nothing_is_refused_before_it_runs(tmp_path: Path, experiment: str, complaint: str) -> None:
    row = row_of("GAIN", experiment)
    paper = Paper(title="", authors="", published="", row=[row])
    file = tmp_path / "lab.toml"
    file.write_text("[[row]]\n", encoding="utf-8")
    with pytest.raises(IsthmusError) as error:
        check_paper(file, paper, {row.id: row}, ToolAnswers())
    assert complaint in str(error.value)


def test_the_stages_of_an_application_are_its_whole_time_by_the_method_that_is_named(evaluator: Evaluator) -> None:
    place = "application:zynq-ultrascale:difference-of-gaussian:shared"
    stages = ("grey", "filters", "subtract", "maintenance")
    found = {
        method: [number(evaluator, f"{place}:stage:{name}@size=64x48,count=1,method={method}", "us") for name in stages]
        for method in ("hp-c", "hpc")
    }
    for method, times in found.items():
        whole = number(evaluator, f"{place}:elapsed_s@size=64x48,count=1,method={method}", "us")
        assert sum(times) == pytest.approx(whole)
        assert (times[-1] > 0) == (method == "hp-c"), "hardware keeps the others coherent"


@pytest.mark.parametrize(
    ("experiment", "complaint"),
    [
        ("elapsed_s@size=64x48,method=hpx", "unknown method 'hpx'"),
        ("stage:gray@size=64x48,count=1", "unknown stage 'gray'"),
        ("stage@size=64x48", "expected application:BOARD:ANY:FLOW:ROW_FIELD[:ROW_STAGE]"),
        ("elapsed_s:grey@size=64x48", "expected application:BOARD:ANY:FLOW:ROW_FIELD[:ROW_STAGE]"),
    ],
)
def test_a_stage_or_method_that_there_is_not_is_refused_before_it_runs(
    tmp_path: Path, experiment: str, complaint: str
) -> None:
    row = row_of("DOG", f"application:zynq-ultrascale:difference-of-gaussian:shared:{experiment}")
    file = tmp_path / "lab.toml"
    file.write_text("[[row]]\n", encoding="utf-8")
    with pytest.raises(IsthmusError) as error:
        check_paper(file, Paper(title="", authors="", published="", row=[row]), {row.id: row}, ToolAnswers())
    assert complaint in str(error.value)


def test_a_port_has_lost_half_where_its_knee_lies_and_not_a_sixteenth_before(evaluator: Evaluator) -> None:
    def rate(state: str, size: float) -> float:
        place = f"probe:zynq-ultrascale:port-tx:{int(size * 1024)}KiB@port=acp,state={state}"
        return number(evaluator, place, "GB/s")

    found = evaluator.judged("claim:port_knee:zynq-ultrascale:port-tx:acp/written:acp/flushed:64KiB:768KiB:1536KiB")
    assert found is not None
    half = (rate("written", 1 / 16) + rate("flushed", 1 / 16)) / 2
    assert rate("written", found) < half <= rate("written", found - 1 / 16)


def test_two_ways_cross_where_the_one_that_was_behind_comes_ahead(evaluator: Evaluator) -> None:
    claim = "claim:port_crossing:zynq-ultrascale:port-tx:{}:32KiB:128KiB"
    there = evaluator.judged(claim.format("acp/written:hp/written"))
    assert there is not None
    assert there == evaluator.judged(claim.format("hp/written:acp/written"))
    kib = int(there * 1024)
    ahead = [
        number(evaluator, f"probe:zynq-ultrascale:port-tx:{size}KiB@port=acp,state=written", "GB/s")
        > number(evaluator, f"probe:zynq-ultrascale:port-tx:{size}KiB@port=hp,state=written", "GB/s")
        for size in (4, kib - 64, kib, 2 * kib)
    ]
    assert ahead == [True, True, False, False]
    assert evaluator.value(claim.format("acp/written:hp/written"), "") is False, "it lies elsewhere"


def test_a_flush_before_a_transfer_takes_its_time(evaluator: Evaluator) -> None:
    moved = number(evaluator, "probe-time:zynq-ultrascale:port-tx:64KiB@port=hp,state=written", "us")
    kept = number(evaluator, "probe-time:zynq-ultrascale:maintenance:64KiB@op=flush", "us")
    told = evaluator.judged("claim:port_ratio:zynq-ultrascale:port-tx:hp/written+flush:64KiB:hp/written:64KiB:0:100")
    assert told == pytest.approx(100 * moved / (moved + kept), rel=1e-6)


def test_what_has_to_come_between_to_evict_grows_with_the_cache(evaluator: Evaluator) -> None:
    def evicting(cache: str) -> float:
        models = replace(evaluator.models, sets={"zynq-ultrascale": (f"cpu.l2.size={cache}",)})
        place = "zynq-ultrascale:difference-of-gaussian(size=160x120):filters:10:8MiB:32MiB"
        found = replace(evaluator, models=models).judged(f"claim:evicting:{place}")
        assert found is not None
        return found

    assert evicting("256KiB") < evicting("1MiB") < 3


@pytest.mark.parametrize(
    ("ratios", "level", "expected"),
    [
        ({1: 4.0, 4: 0.25}, 1.0, 2.0),
        ({1: 2.0, 2: 1.0, 4: 0.5}, 1.0, 2.0),
        ({1: 2.0, 2: 1.5}, 1.0, 2.0),  # it never comes down
        ({4: 0.5, 8: 0.25}, 1.0, 4.0),  # it was below before
        ({1: 2.0, 16: 0.5}, 2**0.5, 2.0),
    ],
)
def test_a_crossing_is_interpolated_by_logarithms(ratios: dict[int, float], level: float, expected: float) -> None:
    assert crossing(ratios, level) == pytest.approx(expected)


def test_cycles_that_are_turned_off_are_as_few_whole_ones_as_the_board_takes() -> None:
    item = Input(key="reordering.write", value=5, unit="cycles", role="calibrated", source="")
    tried: list[str] = []

    def accepts(text: str) -> bool:
        tried.append(text)
        return text == "reordering.write=2"

    assert off(item, accepts) == "reordering.write=2"
    assert all(text.partition("=")[2].isdigit() for text in tried)


def test_a_sum_is_twice_the_mean_and_both_links_move_what_each_moves(evaluator: Evaluator) -> None:
    links = [f"probe:xeon-fpga-v2:shared-read:64KiB@channel={name}" for name in ("vh0", "vh1")]
    rates = [number(evaluator, expression, "GB/s") for expression in links]
    assert number(evaluator, f"sum:{' / '.join(links)}", "GB/s") == pytest.approx(sum(rates))
    assert number(evaluator, f"mean:{' / '.join(links)}", "GB/s") == pytest.approx(sum(rates) / 2)


def test_a_loss_is_what_a_rate_lacks_of_another(evaluator: Evaluator) -> None:
    slow, fast = (f"probe:zynq-ultrascale:port-rx:64KiB@port={port},state=read" for port in ("hpc", "hp"))
    rates = [number(evaluator, expression, "GB/s") for expression in (slow, fast)]
    assert number(evaluator, f"loss:{slow} / {fast}", "%") == pytest.approx(100 * (rates[1] - rates[0]) / rates[1])
    assert number(evaluator, f"loss:{fast} / {slow}") < 0
