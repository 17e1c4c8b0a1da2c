"""Rows on boards with shared memory, on the tools themselves."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from isthmus.base.errors import IsthmusError
from isthmus.base.files import data_folder
from isthmus.records.run import Input
from isthmus.reproduction.counterparts import Claim, Combined, Counterpart, Given, Model, Probed, Run
from isthmus.reproduction.holdout import off
from isthmus.reproduction.model_runs import ModelRuns, ToolAnswers
from isthmus.reproduction.papers import run
from isthmus.reproduction.units import Between

V1, V2, ZYNQ = "xeon-fpga-v1", "xeon-fpga-v2", "zynq-ultrascale"
DOG = "difference-of-gaussian"


@pytest.fixture(scope="module")
def models() -> ModelRuns:
    return ModelRuns(ToolAnswers(), 4, 4)


@pytest.fixture(scope="module")
def gemieux2018() -> dict[str, Any]:
    """The functions of that paper."""
    return run(data_folder("papers") / "gemieux2018.py")


@pytest.fixture(scope="module")
def min2019() -> dict[str, Any]:
    return run(data_folder("papers") / "min2019.py")


def judged(models: ModelRuns, function: Callable[..., Between], *given: object) -> float:
    """The number that a claim is about."""
    found = models.found(Claim(function, *given))
    assert isinstance(found, Between)
    return found.value


def merkle(board: str, changes: str) -> Run:
    return Run(board, "merkle-tree", "shared", "speedup.mean", changes)


def test_an_access_is_told_apart_by_what_it_does_and_by_its_phase(models: ModelRuns) -> None:
    def told(changes: str, tell: str = "time") -> float:
        return models.number_of(Probed(V1, "cache-hit", "64B", changes, tell=tell), "ns" if tell == "time" else "")

    phases = [told(f"access=read,phase={phase}") for phase in ("translation", "access", "reordering")]
    assert phases == [pytest.approx(20), pytest.approx(35), pytest.approx(15)]
    assert told("access=read") == pytest.approx(sum(phases))
    assert told("access=write") == pytest.approx(60)
    assert told("access=read", "cycles") == pytest.approx(14)


def test_requests_of_all_channels_are_those_of_the_circuit(models: ModelRuns) -> None:
    split = [
        models.number_of(Probed(V2, "shared-read", "16KiB", "channel=va,start=warm", tell="requests", over=one))
        for one in ("vl0", "vh0", "vh1")
    ]
    assert sum(split) == 256
    assert min(split) > 0


def test_a_lead_is_what_one_channel_takes_less_than_the_other(models: ModelRuns, gemieux2018: dict[str, Any]) -> None:
    times = [
        models.number_of(Probed(V2, "shared-read", "2KiB", f"start=cold,channel={one}", tell="time"), "ns")
        for one in ("vh0", "vl0")
    ]
    lead, back = (
        models.number_of(Model(gemieux2018["lead"], V2, "shared-read", *channels, 32))
        for channels in (("vl0", "vh0"), ("vh0", "vl0"))
    )
    assert lead == pytest.approx((times[0] - times[1]) * 0.4)
    assert back == pytest.approx(-lead)


def rate(models: ModelRuns, probe: str, channel: str, count: int) -> float:
    """GB/s of so many lines over a channel, in a cold cache."""
    return models.number_of(Probed(V2, probe, f"{64 * count}B", f"start=cold,channel={channel}"))


def test_a_crossing_lies_where_the_rates_meet(models: ModelRuns, gemieux2018: dict[str, Any]) -> None:
    crossing = Model(gemieux2018["crossing"], V2, "shared-write", "vh0", "vl0", range(1, 257))
    below = math.floor(models.number_of(crossing))
    ahead = [rate(models, "shared-write", "vh0", count) / rate(models, "shared-write", "vl0", count)
             for count in (below, below + 1)]  # fmt: skip
    assert ahead[0] >= 1 > ahead[1]


def test_a_crossing_is_the_first_though_the_ratio_is_a_saw(models: ModelRuns, gemieux2018: dict[str, Any]) -> None:
    crossing = Model(gemieux2018["crossing"], V2, "shared-read", "vl0", "vh0", range(110, 131), 17.65)
    lines = models.number_of(crossing)
    over = {count: [rate(models, "shared-read", one, count) for one in ("vl0", "vh0")] for count in range(110, 131)}
    similar = [count for count, (first, second) in over.items() if second >= first / 1.1765]
    assert math.ceil(lines) == similar[0]
    assert over[130][1] < over[130][0] / 1.1765, "it is behind once more"


def test_a_gain_is_what_first_touches_save_with_a_circuit_that_is_in_time(models: ModelRuns) -> None:
    hash_ns, memory_ns, cache_ns, nodes, draws = 1e3 / 2.06, 100, 20, 4 << 14, 64_000
    first = nodes * (1 - (1 - 1 / nodes) ** draws) / draws  # expected of so many draws
    alone = hash_ns + first * memory_ns + (1 - first) * cache_ns
    gains = [models.of(merkle(V2, f"size=4,handover={one},count=1")) for one in ("mmio", "none")]
    assert gains == [pytest.approx(alone / (hash_ns + cache_ns), rel=0.002), 1]


@pytest.mark.parametrize(
    ("own", "complaint"),
    [
        (merkle("aws-f1", "handover=mmio"), "flow 'shared': expected a board with coherent-link"),
        (merkle(V2, "handover=mmi"), "unknown handover 'mmi'"),
        (merkle(V2, "hand=mmio"), "merkle-tree: unknown parameter 'hand'; help: did you mean 'handover'?"),
        (Run(ZYNQ, DOG, "shared", "elapsed_s", "size=64x48,method=hpx"), "unknown method 'hpx'"),
        (Run(ZYNQ, DOG, "shared", "stage", "size=64x48,count=1", stage="gray"), "unknown stage 'gray'"),
        (Run(ZYNQ, DOG, "shared", "elapsed", "size=64x48,count=1"), "has no number 'elapsed'"),
        (Run(ZYNQ, DOG, "shared", "elapsed_s", "count=1,delay=few"), "--delay: expected a whole number, got 'few'"),
        (Run(ZYNQ, "dog", "shared", "elapsed_s"), "unknown application 'dog'"),
        (Probed(V2, "shared-read", "1KiB", "channel=va", tell="requests", over="vl1"), "unknown channel 'vl1'"),
        (Probed("aws-f1", "shared-read", "1KiB"), "probe 'shared-read': expected a board with coherent-link"),
        (Probed("aws-f1", "h2c", "1KiB"), "unknown probe 'h2c'; help: did you mean 'h2d'?"),
        (Probed("aws-f1", "launch", "1MiB"), "the probe 'launch' looks at no size"),
        (Probed("aws-f1", "device-latency", "1MiB", tell="time"), "expected multiples of 64 B"),
        (Probed("aws-f1", "mmio-load", "16B", tell="time"), "the probe 'mmio-load' looks at 4B, 8B, 64B"),
        (Given("aws-f9", "link.pcie.lanes"), "unknown target 'model:aws-f9'"),
        (Run("aws-f1", "image-filter", "strem", "images_per_s"), "unknown flow 'strem'"),
        (Combined(max, "ROW", "ROW"), "unknown row 'ROW'"),
    ],
)
def test_what_there_is_not_is_one_line_that_names_it(models: ModelRuns, own: Counterpart, complaint: str) -> None:
    with pytest.raises(IsthmusError, match=re.escape(complaint)):
        models.of(own)


def test_the_stages_of_an_application_are_its_whole_time_by_the_method_that_is_named(models: ModelRuns) -> None:
    def time(method: str, field: str, stage: str = "") -> float:
        changes = f"size=64x48,count=1,method={method}"
        return models.number_of(Run(ZYNQ, DOG, "shared", field, changes, stage=stage), "us")

    for method in ("hp-c", "hpc"):
        times = [time(method, "stage", name) for name in ("grey", "filters", "subtract", "maintenance")]
        assert sum(times) == pytest.approx(time(method, "elapsed_s"))
        assert (times[-1] > 0) == (method == "hp-c"), "hardware keeps the others coherent"


def moved(models: ModelRuns, port: str, state: str, kib: float) -> float:
    """GB/s to the FPGA."""
    return models.number_of(Probed(ZYNQ, "port-tx", f"{int(kib * 1024)}B", f"port={port},state={state}"))


def test_a_port_has_lost_half_where_its_knee_lies_and_not_a_sixteenth_before(
    models: ModelRuns, min2019: dict[str, Any]
) -> None:
    way = min2019["Way"]
    found = judged(models, min2019["knee"], ZYNQ, way("acp", "written"), way("acp", "flushed"), 0.75, 1.5)
    half = (moved(models, "acp", "written", 64) + moved(models, "acp", "flushed", 64)) / 2
    before, at = (moved(models, "acp", "written", 1024 * mib) for mib in (found - 1 / 16, found))
    assert at < half <= before


def test_two_ways_cross_where_the_one_that_was_behind_comes_ahead(models: ModelRuns, min2019: dict[str, Any]) -> None:
    crossing, ways = min2019["crossing"], [min2019["Way"](port, "written") for port in ("acp", "hp")]
    there = judged(models, crossing, ZYNQ, *ways, 1 / 32, 1 / 8)
    assert there == judged(models, crossing, ZYNQ, *ways[::-1], 1 / 32, 1 / 8)
    kib = int(there * 1024)
    ahead = [moved(models, "acp", "written", size) > moved(models, "hp", "written", size)
             for size in (4, kib - 64, kib, 2 * kib)]  # fmt: skip
    assert ahead == [True, True, False, False]
    assert models.of(Claim(crossing, ZYNQ, *ways, 1 / 32, 1 / 8)) is False, "it lies elsewhere"


def test_a_flush_before_a_transfer_takes_its_time(models: ModelRuns, min2019: dict[str, Any]) -> None:
    carried = models.number_of(Probed(ZYNQ, "port-tx", "64KiB", "port=hp,state=written", tell="time"))
    kept = models.number_of(Probed(ZYNQ, "maintenance", "64KiB", "op=flush", tell="time"))
    with_flush = min2019["rate"](models, ZYNQ, min2019["Way"]("hp", "written", flush=True), 64 << 10)
    assert with_flush / moved(models, "hp", "written", 64) == pytest.approx(carried / (carried + kept), rel=1e-6)


def test_what_has_to_come_between_to_evict_grows_with_the_cache(models: ModelRuns, min2019: dict[str, Any]) -> None:
    def evicting(cache: str) -> float:
        changed = replace(models, sets={ZYNQ: (f"cpu.l2.size={cache}",)})
        return judged(changed, min2019["evicting"], ZYNQ, DOG, "size=160x120", "filters", 8, 32)

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
def test_a_crossing_is_interpolated_by_logarithms(
    gemieux2018: dict[str, Any], ratios: dict[int, float], level: float, expected: float
) -> None:
    assert gemieux2018["falls_to"](ratios, level) == pytest.approx(expected)


def test_cycles_that_are_turned_off_are_as_few_whole_ones_as_the_board_takes() -> None:
    item = Input(key="reordering.write", value=5, unit="cycles", role="calibrated", source="")
    tried: list[str] = []

    def accepts(text: str) -> bool:
        tried.append(text)
        return text == "reordering.write=2"

    assert off(item, accepts) == "reordering.write=2"
    assert all(text.partition("=")[2].isdigit() for text in tried)


def test_a_sum_is_twice_the_mean_and_both_links_move_what_each_moves(
    models: ModelRuns, gemieux2018: dict[str, Any]
) -> None:
    links = [Probed(V2, "shared-read", "64KiB", f"channel={name}") for name in ("vh0", "vh1")]
    both = sum(map(models.number_of, links))
    assert models.of(Combined(gemieux2018["total"], *links)) == pytest.approx(both)
    assert models.of(Combined(gemieux2018["mean"], *links)) == pytest.approx(both / 2)


def test_a_loss_is_what_a_rate_lacks_of_another(models: ModelRuns, min2019: dict[str, Any]) -> None:
    slow, fast = (Probed(ZYNQ, "port-rx", "64KiB", f"port={port},state=read") for port in ("hpc", "hp"))
    rates = [models.number_of(one) for one in (slow, fast)]
    loss = min2019["loss_percent"]
    assert models.of(Combined(loss, slow, fast)) == pytest.approx(100 * (rates[1] - rates[0]) / rates[1])
    assert models.number_of(Combined(loss, fast, slow)) < 0
