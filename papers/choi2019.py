"""What computes our values of the numbers of choi2019.toml: the microarchitectures of CPU-FPGA platforms."""

import itertools
import math
from collections.abc import Sequence

from isthmus.reproduction.counterparts import (
    Claim,
    Combined,
    Counterpart,
    Formula,
    Given,
    Model,
    Probed,
    Run,
    Same,
    percent,
    ratio,
)
from isthmus.reproduction.links import ENCODING, TRANSFER_RATE, link_advertised, links_advertised
from isthmus.reproduction.model_runs import ModelRuns
from isthmus.reproduction.units import Amount

ALPHA_DATA, F1, CAPI, V1, V2 = "alpha-data-7v3", "aws-f1", "ibm-capi", "xeon-fpga-v1", "xeon-fpga-v2"
# What multiplies matrices, and how.
FLOWS = {ALPHA_DATA: "offload", F1: "offload", "stratix-v": "offload", CAPI: "shared", V1: "shared", V2: "shared"}

LARGE = 64 << 20
TRANSFERS = [64 << power for power in range(21)]  # 64 B to 64 MiB
TOLERANCE = 0.001

# GB/s of the DMA path, shared memory and device memory, by direction (4.1).
BANDWIDTHS = {"write": (1.6, 4.9, 8.9), "read": (1.6, 7.0, 9.5)}


def pcie_advertised(models: ModelRuns, board: str) -> Amount:
    """Bandwidth before encoding (table 2)."""
    generation = int(models.number(board, "pcie.generation"))
    return Amount(models.number(board, "pcie.lanes") * TRANSFER_RATE[generation] / 8, "GB/s")


def pcie_theoretical(models: ModelRuns, board: str) -> Amount:
    """Bandwidth after encoding and the overhead of completions (fig. 5 step 1)."""
    payload = models.number(board, "pcie.max_payload")
    overhead = models.number(board, "pcie.completion_overhead")
    encoding = ENCODING[int(models.number(board, "pcie.generation"))]
    return Amount(pcie_advertised(models, board).value * encoding * payload / (payload + overhead), "GB/s")


def page_table_reach(models: ModelRuns, board: str) -> Amount:
    """What a page table holds (2.1)."""
    return Amount(models.number(board, "translation.entries") * models.number(board, "translation.page") / 1024, "GiB")


def service_overhead(models: ModelRuns, board: str) -> Amount:
    """The share that translation and reordering add to a read of the cache (3.3.1)."""
    beside = models.number(board, "translation.latency") + models.number(board, "reordering.read")
    return Amount(100 * beside / models.number(board, "cache.access"), "%")


def r_threshold(models: ModelRuns, direction: str) -> float:
    """Reuse from which private device memory wins: 1 / (bw_dma (1/bw_shared - 1/bw_dev)) (4.1, insight 2)."""
    dma, shared, device = BANDWIDTHS[direction]
    return 1 / (dma * (1 / shared - 1 / device))


def iterations(models: ModelRuns, board: str, name: str, rows: int) -> tuple[float, float]:
    """The end of the first iteration on a matrix, and the time of each more, in seconds."""
    row = models.application(board, name, FLOWS[board], [f"size={rows}", "iterations=2", "count=1"])
    first, second = (float(end) for end in row.model_dump()["iteration_ends_s"])
    return first, second - first


def overtakes(models: ModelRuns, board: str, other: str) -> float:
    """The iteration of a matrix-vector product from which one board is ahead of another."""
    first, second = (iterations(models, one, "matrix-vector", 4096) for one in (board, other))
    behind, gains = first[0] - second[0], second[1] - first[1]
    return math.inf if gains <= 0 < behind else max(1.0, 1 + math.ceil(behind / gains))


def directions_within(models: ModelRuns, board: str, limit: float) -> bool:
    """The bandwidths of both directions of DMA differ by less than 4 % (3.2.1)."""
    to, back = (models.probe(board, probe, [LARGE])[LARGE] for probe in ("h2d", "d2h"))
    return abs(to / back - 1) < limit / 100


def end_to_end_below(models: ModelRuns, board: str, other: Counterpart) -> bool:
    """The end-to-end bandwidth of F1 is worse than that of Alpha Data (3.2.5)."""
    return models.probe(board, "h2d", [LARGE])[LARGE] < models.number_of(other)


def overhead_within(models: ModelRuns, board: str, low: float, high: float) -> bool:
    """What is no payload takes 10 to 20 % of a PCIe link (4, insight 1)."""
    payload = models.number(board, "pcie.max_payload")
    overhead = models.number(board, "pcie.completion_overhead")
    return low <= 100 * overhead / (payload + overhead) <= high


def threshold_exists(models: ModelRuns, board: str, shared: Counterpart) -> bool:
    """Private memory can win at some reuse only if it is faster than the shared one (4.1, insight 2)."""
    return models.probe(board, "device-read", [LARGE])[LARGE] > models.number_of(shared)


def small_transfers_slower(models: ModelRuns, board: str, times: float) -> bool:
    """Small payloads have up to two orders of magnitude less bandwidth than the plateau (4, insight 1)."""
    rates = models.probe(board, "h2d", TRANSFERS)
    return rates[LARGE] >= times * min(rates.values())


def monotone(models: ModelRuns, board: str, probe: str) -> bool:
    """Bandwidth rises with the payload (fig. 4)."""
    rates = models.probe(board, probe, TRANSFERS)
    return rises([rates[size] for size in TRANSFERS])


def rises(rates: Sequence[float]) -> bool:
    """Tells whether no rate is below an earlier one by more than the tolerance."""
    best = itertools.accumulate(rates, max)
    return all(rate >= (1 - TOLERANCE) * before for rate, before in zip(rates, best, strict=True))


def falls_off(models: ModelRuns, board: str, probe: str, size: int) -> bool:
    """Bandwidth falls at a payload: by a tenth below half of it, which is not so below a quarter (3.2.2)."""
    rates = models.probe(board, probe, [size // 4, size // 2, size])
    return rates[size] < 0.9 * rates[size // 2] and rates[size // 2] > 0.9 * rates[size // 4]


def coherent_share_below(models: ModelRuns, board: str, limit: float) -> bool:
    """Less than 5 % of the on-chip memory is kept coherent (4, insight 5)."""
    return 100 * models.number(board, "cache.size") / models.number(board, "onchip.capacity") < limit


def time_goes_with_clock(models: ModelRuns, *boards: str) -> bool:
    """The kernel's time is proportional to 1/f: as many cycles on each board, within 3 % (fig. 6)."""
    times = {board: iterations(models, board, "matrix-multiply", 1024)[1] for board in boards}
    cycles = [time * models.number(board, "kernel.clock") for board, time in times.items()]
    return max(cycles) / min(cycles) - 1 < 0.03


ROWS: dict[str, Counterpart] = {
    "S000-005": Given(ALPHA_DATA, "host.memory.transfer_rate"),
    "S000-006": Given(CAPI, "host.memory.transfer_rate"),
    "S000-007": Given(V1, "host.memory.transfer_rate"),
    "S000-008": Given(V2, "host.memory.transfer_rate"),
    "S000-009": Given(F1, "host.memory.transfer_rate"),
    "S000-010": Given(ALPHA_DATA, "kernel.clock"),
    "S000-011": Given(CAPI, "kernel.clock"),
    "S000-012": Given(V1, "kernel.clock"),
    "S000-013": Given(V2, "kernel.clock"),
    "S000-014": Given(F1, "kernel.clock"),
    "S000-015": Given(V2, "kernel.clock"),
    "S000-016": Formula(pcie_advertised, ALPHA_DATA),
    "S000-017": Formula(link_advertised, CAPI, "capi"),
    "S000-018": Formula(link_advertised, V1, "vl0"),
    "S000-019": Formula(links_advertised, V2),
    "S000-020": Formula(pcie_advertised, F1),
    "S000-021": Given(ALPHA_DATA, "device.dram.transfer_rate"),
    "S000-023": Given(F1, "device.dram.transfer_rate"),
    "S000-024": Given(V1, "cache.size"),
    "S000-025": Given(V1, "translation.entries"),
    "S000-026": Given(V1, "translation.page"),
    "S000-027": Formula(page_table_reach, V1),
    "S000-028": Given(V2, "cache.size"),
    "S000-029": Given(CAPI, "cache.size"),
    "S000-030": Claim(coherent_share_below, CAPI, 5),
    "S000-032": Formula(pcie_theoretical, ALPHA_DATA),
    "S000-033": Probed(ALPHA_DATA, "h2d", "64MiB", "host.copy.enabled=false,host.alloc.enabled=false"),
    "S000-034": Probed(ALPHA_DATA, "h2d", "64MiB", "host.alloc.enabled=false"),
    "S000-035": Run(ALPHA_DATA, "image-filter", "offload", "rate", stage="host to device copy"),
    "S000-036": Combined(percent, "S000-035", "S000-016"),
    "S000-037": Claim(directions_within, ALPHA_DATA, 4),
    "S000-038": Probed(ALPHA_DATA, "device-read", "64MiB"),
    "S000-039": Probed(ALPHA_DATA, "device-write", "64MiB"),
    "S000-040": Probed(CAPI, "shared-read", "4MiB"),
    "S000-041": Claim(falls_off, CAPI, "shared-read", 4 << 20),
    "S000-042": Given(CAPI, "host.llc.size"),
    "S000-044": Probed(V1, "shared-read", "1MiB"),
    "S000-045": Probed(V1, "shared-write", "1MiB"),
    "S000-046": Probed(V2, "shared-read", "1MiB", "channel=va,start=flushed"),
    "S000-047": Probed(V2, "shared-read", "1MiB", "channel=va,start=flushed,kernel.clock=200MHz"),
    "S000-048": Claim(end_to_end_below, F1, Same("S000-035")),
    "S000-049": ratio(Probed(F1, "h2d", "64MiB", "host.copy.enabled=false"), "S000-033"),
    "S000-050": Probed(V1, "cache-hit", "64B", "access=read", tell="time"),
    "S000-051": Probed(V1, "cache-hit", "64B", "access=write", tell="time"),
    "S000-052": Probed(V1, "cache-miss", "64B", "access=read", tell="time"),
    "S000-053": Probed(V1, "cache-miss", "64B", "access=write", tell="time"),
    "S000-054": Probed(V1, "cache-hit", "64B", "access=read", tell="cycles"),
    "S000-055": Probed(V1, "cache-hit", "64B", "access=write", tell="cycles"),
    "S000-056": Probed(V1, "cache-hit", "64B", "access=read,phase=access", tell="cycles"),
    "S000-057": Probed(V1, "cache-hit", "64B", "access=read,phase=translation", tell="time"),
    "S000-058": Probed(V1, "cache-hit", "64B", "access=write,phase=translation", tell="time"),
    "S000-059": Probed(V1, "cache-hit", "64B", "access=read,phase=access", tell="time"),
    "S000-060": Probed(V1, "cache-hit", "64B", "access=write,phase=access", tell="time"),
    "S000-061": Probed(V1, "cache-hit", "64B", "access=read,phase=reordering", tell="time"),
    "S000-062": Probed(V1, "cache-hit", "64B", "access=write,phase=reordering", tell="time"),
    "S000-063": Formula(service_overhead, V1),
    "S000-064": Probed(ALPHA_DATA, "h2d", "64B", tell="time"),
    "S000-065": Probed(ALPHA_DATA, "device-read", "64B", tell="time"),
    "S000-066": Probed(CAPI, "cache-miss", "128B", "access=read,translation.pageable=false", tell="time"),
    "S000-068": Probed(V2, "cache-miss", "64B", "access=read,start=flushed", tell="time"),
    "S000-069": Probed(F1, "h2d", "64B", tell="time"),
    "S000-070": Probed(F1, "device-read", "64B", tell="time"),
    "S000-071": Given(F1, "device.axi.data_width"),
    "S000-072": Claim(overhead_within, ALPHA_DATA, 10, 20),
    "S000-073": Claim(small_transfers_slower, ALPHA_DATA, 100),
    "S000-074": Formula(r_threshold, "write"),
    "S000-075": Formula(r_threshold, "write"),
    "S000-076": Claim(threshold_exists, F1, Same("S000-046")),
    "S000-081": Given(V2, "kernel.clock"),
    "S000-083": Claim(time_goes_with_clock, *FLOWS),
    "S000-085": Claim(monotone, ALPHA_DATA, "h2d"),
    "S000-087": Probed(F1, "h2d", "64MiB"),
    "S000-088": Probed(F1, "h2d", "64MiB", "host.copy.enabled=false"),
}

READINGS: dict[str, dict[str, Counterpart]] = {
    "S000-040": {
        "pinned buffers (3.2.2)": Probed(CAPI, "shared-read", "4MiB", "translation.pageable=false"),
        "writes": Probed(CAPI, "shared-write", "4MiB"),
    },
    "S000-046": {
        "reads": Probed(V2, "shared-read", "1MiB", "channel=va,start=flushed"),
        "writes": Probed(V2, "shared-write", "1MiB", "channel=va,start=flushed"),
    },
    "S000-048": {
        "stacc VI-A, SDAccel 2017.1, allocation and copy included": Same("S000-087"),
    },
    "S000-049": {
        "3.2.5: twice the 5.2 GB/s of Alpha Data, in GB/s": Probed(F1, "h2d", "64MiB", "host.copy.enabled=false"),
    },
    "S000-070": {
        "choi2019: an OpenCL kernel through AXI": Probed(F1, "device-read", "64B", tell="time"),
        "stacc III-C: a circuit at the controller": Given(F1, "device.dram.idle_latency"),
    },
    "S000-074": {
        "write: device 8.9, shared 4.9, DMA 1.6 GB/s": Formula(r_threshold, "write"),
        "read: device 9.5, shared 7.0, DMA 1.6 GB/s": Formula(r_threshold, "read"),
    },
    "S000-075": {
        "write: device 8.9, shared 4.9, DMA 1.6 GB/s": Formula(r_threshold, "write"),
        "read: device 9.5, shared 7.0, DMA 1.6 GB/s": Formula(r_threshold, "read"),
        "the model: Alpha Data ahead from this iteration on, with rows of 4096": Model(overtakes, ALPHA_DATA, V1),
    },
}
