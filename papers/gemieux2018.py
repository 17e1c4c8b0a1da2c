"""What computes our values of the numbers of gemieux2018.toml: QPI and PCIe of one package, and a Merkle tree."""

import math
from collections.abc import Mapping
from itertools import pairwise

from isthmus.reproduction.counterparts import Claim, Combined, Counterpart, Formula, Given, Model, Probed, Run
from isthmus.reproduction.links import link_advertised, links_advertised
from isthmus.reproduction.model_runs import ModelRuns
from isthmus.reproduction.units import Amount

V1, V2 = "xeon-fpga-v1", "xeon-fpga-v2"

LINE = 64
COLD = "start=cold"
# V.C: 2.06 million hashes a second, 490 ns each; a memory access of 100 ns, one to the cache of 20 ns.
HASH, MEMORY, CACHE = 490.0, 100.0, 20.0


def clock_period(models: ModelRuns, board: str) -> Amount:
    """A cycle of the cache's clock (III.B)."""
    return Amount(1e3 / models.number(board, "cache.clock"), "ns")


def qpi_theoretical(models: ModelRuns, bits: float) -> Amount:
    """Both directions at 2.4 GHz, two transfers a cycle and this width in bits (eq. (1))."""
    return Amount(2.4 * 2 * bits * 2 / 8, "GB/s")


def hash_time(models: ModelRuns) -> Amount:
    """One of 2.06 million hashes a second (V.C)."""
    return Amount(1e3 / 2.06, "ns")


def hash_of_access(models: ModelRuns) -> float:
    """A hash over an access to memory (V.C)."""
    return HASH / MEMORY


def address_sent(models: ModelRuns, cycles: float, cache: float) -> Amount:
    """Cycles of 400 MHz and an access to the last-level cache in ns (V.C)."""
    return Amount(cycles * 2.5 + cache, "ns")


def merkle_limit(models: ModelRuns) -> float:
    """What a tree gains whose accesses all find the cache (eq. (2))."""
    return (HASH + MEMORY) / (HASH + CACHE)


def access_gain(models: ModelRuns) -> float:
    """An access to memory over one to the cache (V.C)."""
    return MEMORY / CACHE


def amdahl(models: ModelRuns) -> float:
    """What a program gains nine tenths of which become five times as fast (eq. (3))."""
    return 1 / ((1 - 0.9) + 0.9 / 5)


def lines_of_window(models: ModelRuns) -> float:
    """Lines of the 4 MiB that the FPGA reaches (V.C)."""
    return 4 * 2**20 / LINE


def total(one: float, other: float) -> float:
    """The sum of two numbers."""
    return one + other


def mean(one: float, other: float) -> float:
    """The mean of two numbers."""
    return (one + other) / 2


def crossing(
    models: ModelRuns, board: str, probe: str, first: str, second: str, lines: range, more: float = 0
) -> float:
    """Lines up to which the first channel is more than so many per cent ahead of the second, in a cold cache.

    Each number of lines is tried: where reads come in groups, the ratio is a saw.
    """
    ahead, behind = (
        models.probe(board, probe, [LINE * count for count in lines], [COLD, f"channel={one}"])
        for one in (first, second)
    )
    return falls_to({count: ahead[LINE * count] / behind[LINE * count] for count in lines}, 1 + more / 100)


def falls_to(ratios: Mapping[int, float], level: float) -> float:
    """The first place at which a ratio falls to a level, interpolated by logarithms; the end if it never does."""
    points = sorted(ratios.items())
    for (left, before), (right, after) in pairwise(points):
        if before >= level > after:
            part = math.log(before / level) / math.log(before / after)
            return float(left * (right / left) ** part)
    return float(points[0][0] if points[0][1] < level else points[-1][0])


def lead(models: ModelRuns, board: str, probe: str, first: str, second: str, lines: int) -> float:
    """Cycles of the cache's clock by which lines over the first channel take less than over the second."""
    times = [models.probe_time(board, probe, LINE * lines, [COLD, f"channel={one}"]) for one in (second, first)]
    return (times[0] - times[1]) * models.number(board, "cache.clock") * 1e6


def miss_reduced(models: ModelRuns, board: str, other: str, percent: float) -> bool:
    """Miss latencies are reduced by around 65 % (V.A): a read miss, within five."""
    times = [models.probe_time(one, "cache-miss", LINE, ["access=read"]) for one in (board, other)]
    return abs(100 * (1 - times[0] / times[1]) - percent) < 5


def ahead_between(models: ModelRuns, board: str, first: str, second: str, low: int, high: int) -> bool:
    """Writes over the first channel are not slower than over the second between two sizes (V.A), in a cold cache."""
    sizes = [64 << power for power in range(21) if low <= 64 << power <= high]
    ahead, behind = (models.probe(board, "shared-write", sizes, [f"channel={one}", COLD]) for one in (first, second))
    return all(ahead[size] >= behind[size] for size in sizes)


ROWS: dict[str, Counterpart] = {
    "S003-002": Given(V2, "cache.clock"),
    "S003-003": Formula(clock_period, V2),
    "S003-006": Formula(qpi_theoretical, 16),
    "S003-016": Formula(link_advertised, V2, "vh0"),
    "S003-018": Formula(link_advertised, V2, "vl0"),
    "S003-019": Formula(link_advertised, V2, "vh0"),
    "S003-020": Formula(links_advertised, V2),
    "S003-023": Given(V2, "cache.line"),
    "S003-024": Probed(V2, "cache-hit", "64B", "access=read", tell="cycles"),
    "S003-025": Probed(V2, "cache-hit", "64B", "access=write", tell="cycles"),
    "S003-026": Probed(V2, "cache-miss", "64B", "access=read,start=cold", tell="cycles"),
    "S003-027": Probed(V2, "cache-miss", "64B", "access=write,start=cold", tell="cycles"),
    "S003-028": Claim(miss_reduced, V2, V1, 65),
    "S003-029": Probed(V2, "shared-read", "64KiB", "channel=vl0,start=warm"),
    "S003-030": Probed(V2, "shared-write", "1MiB", "channel=vh0,start=cold"),
    "S003-031": Probed(V2, "shared-write", "64KiB", "channel=vl0,start=cold"),
    "S003-032": Model(crossing, V2, "shared-write", "vh0", "vl0", range(16, 65)),
    "S003-033": Claim(ahead_between, V2, "vh0", "vl0", 512 << 10, 1 << 20),
    "S003-035": Model(crossing, V2, "shared-read", "vl0", "vh0", range(64, 193), 17.65),
    "S003-036": Probed(V2, "shared-read", "64KiB", "channel=vl0,start=cold"),
    "S003-037": Model(lead, V2, "shared-read", "vl0", "vh0", 32),
    "S003-039": Combined(mean, "S003-040", Probed(V2, "shared-read", "64KiB", "channel=va,start=warm")),
    "S003-040": Probed(V2, "shared-write", "64KiB", "channel=va,start=warm"),
    "S003-042": Probed(V2, "shared-read", "16KiB", "channel=va,start=warm", tell="requests", over="vl0"),
    "S003-043": Probed(V2, "shared-read", "64B", "channel=va,start=warm", tell="requests", over="vl0"),
    "S003-044": Probed(V2, "cache-hit", "64B", "access=read", tell="time"),
    "S003-045": Probed(V2, "cache-miss", "64B", "channel=vh0,access=read,start=cold", tell="time"),
    "S003-046": Claim(ahead_between, V2, "vl0", "vh0", 4 << 10, 64 << 10),
    "S003-047": Combined(
        total,
        Probed(V2, "shared-write", "1MiB", "channel=vh0,start=cold"),
        Probed(V2, "shared-write", "1MiB", "channel=vh1,start=cold"),
    ),
    "S003-048": Probed(V2, "cache-hit", "64B", "access=write", tell="time"),
    "S003-049": Given(V2, "device.onchip.latency"),
    "S003-052": Formula(hash_time),
    "S003-053": Formula(hash_of_access),
    "S003-056": Given(V2, "host.llc.hit_latency"),
    "S003-057": Given(V2, "host.memory.latency"),
    "S003-058": Formula(address_sent, 25, 10),
    "S003-059": Formula(address_sent, 119, 20),
    "S003-060": Formula(merkle_limit),
    "S003-061": Run(V2, "merkle-tree", "shared", "speedup.mean", "size=4,handover=mmio,count=1"),
    "S003-062": Formula(access_gain),
    "S003-063": Formula(amdahl),
    "S003-068": Formula(lines_of_window),
}

READINGS: dict[str, dict[str, Counterpart]] = {
    "S003-006": {
        "eq. (1) with 20 bit": Formula(qpi_theoretical, 20),
        "with 16 bit of data": Formula(qpi_theoretical, 16),
    },
    "S003-030": {
        "reads (figure 6b)": Probed(V2, "shared-read", "1MiB", "channel=vh0,start=cold"),
    },
}
