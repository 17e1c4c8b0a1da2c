"""What computes our values of the numbers of min2019.toml: ports of an FPGA to a processor's memory."""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from isthmus.asking.applications import buffers_of, describe, described_with
from isthmus.base.flows import SHARED
from isthmus.base.sizes import format_size
from isthmus.judging.coherence import TO_FPGA
from isthmus.reproduction.counterparts import (
    Claim,
    Combined,
    Counterpart,
    Formula,
    Given,
    Model,
    Probed,
    Run,
    ratio,
    stage_s,
)
from isthmus.reproduction.model_runs import ModelRuns
from isthmus.reproduction.published import Place, PublishedFigure
from isthmus.reproduction.units import Amount, Between
from isthmus.running.methods import HP_NC, HPC, TREE, Method

ZYNQ = "zynq-ultrascale"
DOG = "difference-of-gaussian"
METHODS = {"HP (NC)": "hp-nc", "HP (C)": "hp-c", "HPC": "hpc", "ACP": "acp", "optimised": TREE}

# The stages of each application.
FILTERS = ("grey", "filters", "subtract", "maintenance")
PRODUCT = ("cut", "multiply", "accumulate", "maintenance")
CONVOLUTIONAL = ("quantise", "conv1", "pool1", "conv2", "pool2", "conv3", "conv4", "conv5", "pool5")
NETWORK = (*CONVOLUTIONAL, "de-quantise", "maintenance")

KIB, MIB = 1 << 10, 1 << 20
LINE = 64
SIZES = [4096 << power for power in range(14)]  # 4 KiB to 32 MiB, as figures 2 and 3
SWEPT = [4096 << power for power in range(0, 14, 2)]  # 4 KiB to 16 MiB
FINE = 16  # parts of a power of two in which a size is told
DELAYS = (1, 2, 4, 8, 16, 32)
NEAR = 1.1  # "no longer": within a tenth


class Way(NamedTuple):
    """A port, what a core has done to the buffer before, and whether the time of its flush counts."""

    port: str
    state: str
    flush: bool = False


def moved(probe: str, port: str, state: str, size: Place) -> Probed:
    """The bandwidth of a port that moves a size."""
    return Probed(ZYNQ, probe, str(size), f"port={port},state={state}")


def copied(source: str, to: str, size: Place) -> Probed:
    """The time in which a core copies a size."""
    return Probed(ZYNQ, "memcpy", str(size), f"from={source},to={to}", tell="time")


def transposed(to: str, size: Place) -> Probed:
    """The time in which a core transposes a matrix of a size."""
    return Probed(ZYNQ, "transpose", str(size), f"to={to}", tell="time")


def whole(name: str, method: str, size: Place, board: str = ZYNQ) -> Run:
    """The time of an application of a size."""
    return Run(board, name, SHARED, "elapsed_s", f"{of_size(size)}method={method},count=1")


def part(name: str, size: str, method: str, stage: Place) -> Run:
    """The time of a stage of an application."""
    return Run(ZYNQ, name, SHARED, "stage", f"{of_size(size)}method={method},count=1", stage=str(stage))


def stages_figure(figure: str, name: str, size: str, stages: Sequence[str], methods: Iterable[str]) -> PublishedFigure:
    """The time of each stage of an application, by method."""
    return PublishedFigure(
        figure,
        "where the time goes",
        x=("stage", ""),
        places=stages,
        y=("time", "ms"),
        series={title: partial(part, name, size, METHODS[title]) for title in methods},
        stacked=True,
    )


def of_size(size: Place) -> str:
    return f"size={size}," if size else ""


def port_theoretical(models: ModelRuns, board: str) -> Amount:
    """What a port of the FPGA carries (III)."""
    return Amount(models.number(board, "hp.width") / 8 * models.number(board, "hp.clock") / 1e3, "GB/s")


def loss_percent(one: float, other: float) -> float:
    """By how many per cent one number is below another."""
    return 100 * (1 - one / other)


def maintained(models: ModelRuns, board: str) -> Amount:
    """The mean share of a core's cache instructions in them and the transfer through HP, of both directions (IV.B)."""
    shares: list[float] = []
    for operation, transfer in (("flush", "port-tx"), ("invalidate", "port-rx")):
        kept = models.probe(board, "maintenance", SWEPT, [f"op={operation}"])
        carried = models.probe(board, transfer, SWEPT, ["port=hp", "state=written"])
        shares += [carried[size] / (kept[size] + carried[size]) for size in SWEPT]
    return Amount(100 * math.fsum(shares) / len(shares), "%")


def reduction(models: ModelRuns, board: str, methods: Sequence[str], works: Mapping[str, str]) -> Amount:
    """The mean share of time that the tree's choice saves over some applications; the least of the methods (V.C)."""
    saved: dict[str, list[float]] = {method: [] for method in methods}
    for name, size in works.items():
        best = models.number_of(whole(name, TREE, size, board))
        for method in methods:
            saved[method].append(1 - best / models.number_of(whole(name, method, size, board)))
    return Amount(100 * min(math.fsum(of_method) / len(works) for of_method in saved.values()), "%")


def within(models: ModelRuns, one: Counterpart, other: Counterpart, low: float, high: float) -> Between:
    """One bandwidth lies between two percentages of another (figures 2 and 3)."""
    return Between(100 * models.number_of(one) / models.number_of(other), low, high, "%")


def knee(models: ModelRuns, board: str, full: Way, lost: Way, low: float, high: float) -> Between:
    """The knee of ACP lies near the size of L2 (fig. 2): at which size a way has lost half of what it is ahead by at
    64 KiB.
    """
    half = sum(rate(models, board, way, 64 * KIB) for way in (full, lost)) / 2
    size = first(lambda size: rate(models, board, full, size) < half)
    return Between(size / MIB, low, high, "MiB")


def crossing(models: ModelRuns, board: str, one: Way, other: Way, low: float, high: float) -> Between:
    """The size from which another of two ways is ahead than at the smallest lies between two sizes in MiB (V.B)."""

    def ahead(size: int) -> bool:
        return rate(models, board, one, size) >= rate(models, board, other, size)

    before = ahead(SIZES[0])
    return Between(first(lambda size: ahead(size) != before) / MIB, low, high, "MiB")


def recovers(models: ModelRuns, board: str, way: Way, other: Way) -> Between:
    """A way recovers with size (fig. 2): it never falls from 1 MiB on, and reaches 80 % of another at last."""
    rates = [rate(models, board, way, size) for size in SIZES if size >= MIB]
    reached = 100 * rates[-1] / rate(models, board, other, SIZES[-1]) if rates == sorted(rates) else 0.0
    return Between(reached, 80, 100, "%")


def evicting(models: ModelRuns, board: str, name: str, parameter: str, stage: str, low: float, high: float) -> Between:
    """MiB of other messages between the core's writes and the FPGA's reads, from which a stage that reads over HPC
    takes no longer than one over HP (V.B): the FPGA takes the message that came 1, 2, 4, ... before; twice the most
    that is tried where none is enough.
    """
    models.require(name)
    each = described_with(name, describe(name), [parameter]).bytes_each
    buffers = buffers_of(name, [parameter])

    def time(method: Method, delay: int) -> float:
        methods = [f"{one['name']}={(method if one['direction'] == TO_FPGA else HP_NC).name}" for one in buffers]
        changes = [parameter, f"method={','.join(methods)}", f"delay={delay}", f"count={3 * delay}"]
        return stage_s(models.application(board, name, SHARED, changes), stage)

    enough = (delay for delay in DELAYS if time(HPC, delay) <= NEAR * time(HP_NC, delay))
    return Between(next(enough, DELAYS[-1] * 2) * each / MIB, low, high, "MiB")


def first(holds: Callable[[int], bool]) -> int:
    """The size from which something holds, to a sixteenth of a power of two; the last of all where it never does."""
    last = SIZES[min(bisect_left(SIZES, True, key=holds), len(SIZES) - 1)]
    low, high = last // 2, last
    while high - low > max(LINE, last // (2 * FINE)):
        middle = (low + high) // (2 * LINE) * LINE
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def rate(models: ModelRuns, board: str, way: Way, size: int) -> float:
    """GB/s to the FPGA, with the core's maintenance of the buffer where it counts."""
    carried = models.probe(board, "port-tx", [size], [f"port={way.port}", f"state={way.state}"])[size]
    if not way.flush:
        return carried
    return 1 / (1 / carried + 1 / models.probe(board, "maintenance", [size], ["op=flush"])[size])


ROWS: dict[str, Counterpart] = {
    "S004-001": Given(ZYNQ, "port.hp.width"),
    "S004-002": Given(ZYNQ, "port.hp.clock"),
    "S004-003": Formula(port_theoretical, ZYNQ),
    "S004-004": Given(ZYNQ, "cpu.l2.size"),
    "S004-006": Claim(
        within, moved("port-tx", "hp", "flushed", "4KiB"), moved("port-tx", "hp", "flushed", "32MiB"), 70, 95
    ),
    "S004-007": Claim(
        within, moved("port-tx", "hpc", "flushed", "1MiB"), moved("port-tx", "hp", "flushed", "1MiB"), 88, 99
    ),
    "S004-008": Claim(
        within, moved("port-tx", "hpc", "written", "512KiB"), moved("port-tx", "hp", "written", "512KiB"), 0, 60
    ),
    "S004-009": moved("port-tx", "acp", "written", "64KiB"),
    "S004-010": Claim(knee, ZYNQ, Way("acp", "written"), Way("acp", "flushed"), 0.75, 1.5),
    "S004-011": Claim(
        within, moved("port-tx", "acp", "flushed", "64KiB"), moved("port-tx", "hp", "flushed", "64KiB"), 0, 60
    ),
    "S004-012": moved("port-rx", "hp", "read", "1MiB"),
    "S004-013": Combined(loss_percent, moved("port-rx", "hpc", "read", "1MiB"), moved("port-rx", "hp", "read", "1MiB")),
    "S004-014": Claim(
        within, moved("port-rx", "acp", "flushed", "64KiB"), moved("port-rx", "acp", "written", "64KiB"), 0, 60
    ),
    "S004-015": ratio(
        Probed(ZYNQ, "memcpy", "64KiB", "from=cacheable,to=cacheable"),
        Probed(ZYNQ, "memcpy", "64KiB", "from=noncacheable,to=cacheable"),
    ),
    "S004-016": ratio(
        Probed(ZYNQ, "memcpy", "64KiB", "from=cacheable,to=cacheable"),
        Probed(ZYNQ, "memcpy", "64KiB", "from=cacheable,to=noncacheable"),
    ),
    "S004-017": ratio(
        Probed(ZYNQ, "transpose", "256KiB", "to=cacheable"), Probed(ZYNQ, "transpose", "256KiB", "to=noncacheable")
    ),
    "S004-018": ratio(
        Probed(ZYNQ, "transpose", "4MiB", "to=cacheable"), Probed(ZYNQ, "transpose", "4MiB", "to=noncacheable")
    ),
    "S004-019": Model(maintained, ZYNQ),
    "S004-020": Claim(crossing, ZYNQ, Way("hpc", "written"), Way("hp", "written", flush=True), 8, 32, spanned=False),
    "S004-021": Claim(crossing, ZYNQ, Way("acp", "written"), Way("hp", "written"), 1 / 32, 1 / 8, spanned=False),
    "S004-022": Claim(evicting, ZYNQ, DOG, "size=320x240", "filters", 8, 32, spanned=False),
    "S004-024": Model(reduction, ZYNQ, ["hp-nc", "hp-c", "hpc", "acp"], {DOG: "320x240", "sgemm": "256"}),
    "S004-025": Model(reduction, ZYNQ, ["hp-nc"], {"alexnet": ""}),
    "S004-026": Model(reduction, ZYNQ, ["hp-c"], {"alexnet": ""}),
}

READINGS: dict[str, dict[str, Counterpart]] = {
    "S004-008": {
        "and never falls from 1 MiB on, to 80 % of HP and more at 32 MiB": Claim(
            recovers, ZYNQ, Way("hpc", "written"), Way("hp", "written"), spanned=False
        ),
    },
    "S004-011": {
        "of 32 MiB over 64 KiB, within 10 %": Claim(
            within, moved("port-tx", "acp", "flushed", "32MiB"), moved("port-tx", "acp", "flushed", "64KiB"), 90, 110
        ),
    },
    "S004-012": {
        "HPC": moved("port-rx", "hpc", "read", "1MiB"),
        "HP to the FPGA": moved("port-tx", "hp", "flushed", "1MiB"),
    },
}

FIGURES = [
    PublishedFigure(
        "fig. 2",
        "raw bandwidth, CPU to FPGA",
        x=("transfer", ""),
        places=[format_size(size) for size in SIZES],
        y=("bandwidth", "GB/s"),
        series={
            "HP": partial(moved, "port-tx", "hp", "written"),
            "HPC (w/ Write)": partial(moved, "port-tx", "hpc", "written"),
            "HPC (w/ Flush)": partial(moved, "port-tx", "hpc", "flushed"),
            "ACP (w/ Write)": partial(moved, "port-tx", "acp", "written"),
            "ACP (w/ Flush)": partial(moved, "port-tx", "acp", "flushed"),
        },
    ),
    PublishedFigure(
        "fig. 3",
        "raw bandwidth, FPGA to CPU",
        x=("transfer", ""),
        places=[format_size(size) for size in SIZES],
        y=("bandwidth", "GB/s"),
        series={
            "HP": partial(moved, "port-rx", "hp", "read"),
            "HPC (w/ Read)": partial(moved, "port-rx", "hpc", "read"),
            "HPC (w/ Flush)": partial(moved, "port-rx", "hpc", "flushed"),
            "ACP (w/ Read)": partial(moved, "port-rx", "acp", "read"),
            "ACP (w/ Flush)": partial(moved, "port-rx", "acp", "flushed"),
        },
    ),
    PublishedFigure(
        "fig. 4a",
        "memcpy by a core",
        x=("copy", ""),
        places=["4KiB", "16KiB", "64KiB", "256KiB", "1MiB", "4MiB"],
        y=("time", "us"),
        series={
            "non-cacheable to non-cacheable": partial(copied, "noncacheable", "noncacheable"),
            "non-cacheable to cacheable": partial(copied, "noncacheable", "cacheable"),
            "cacheable to non-cacheable": partial(copied, "cacheable", "noncacheable"),
            "cacheable to cacheable": partial(copied, "cacheable", "cacheable"),
        },
    ),
    PublishedFigure(
        "fig. 4b",
        "transpose by a core, from cacheable memory",
        x=("matrix", ""),
        places=["16KiB", "64KiB", "256KiB", "1MiB", "4MiB"],
        y=("time", "us"),
        series={
            "to non-cacheable memory": partial(transposed, "noncacheable"),
            "to cacheable memory": partial(transposed, "cacheable"),
        },
    ),
    PublishedFigure(
        "fig. 6, DoG",
        "difference of Gaussians",
        x=("frame", ""),
        places=["160x120", "320x240", "640x480", "1280x720"],
        y=("time", "ms"),
        series={title: partial(whole, DOG, method) for title, method in METHODS.items()},
    ),
    PublishedFigure(
        "fig. 6, SGEMM",
        "product of square matrices",
        x=("rows", ""),
        places=[128, 256, 512],
        y=("time", "ms"),
        series={title: partial(whole, "sgemm", method) for title, method in METHODS.items()},
    ),
    stages_figure("fig. 6, DoG of 160x120", DOG, "160x120", FILTERS, METHODS),
    stages_figure("fig. 6, DoG of 1280x720", DOG, "1280x720", FILTERS, METHODS),
    stages_figure("fig. 6, SGEMM of 512 rows", "sgemm", "512", PRODUCT, METHODS),
    stages_figure(
        "fig. 7, AlexNet",
        "alexnet",
        "",
        NETWORK,
        ("HP (NC)", "HP (C)", "optimised"),
    ),
]
