"""The formulas of the papers, recomputed; each takes the models, whose boards hold the inputs, and an argument."""

import math
from collections.abc import Callable
from typing import NamedTuple

from isthmus.reproduction.model_runs import ModelRuns

# GT/s of a lane and payload bits a bit on the wire, by generation (PCI Express Base Specification 3.0, 4.2).
TRANSFER_RATE = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0}
ENCODING = {1: 8 / 10, 2: 8 / 10, 3: 128 / 130, 4: 128 / 130, 5: 128 / 130}

# GB/s of the DMA path, shared memory and device memory, by direction (choi2019 4.1).
BANDWIDTHS = {"write": (1.6, 4.9, 8.9), "read": (1.6, 7.0, 9.5)}


PACKETS = "packet-encryption"


class Formula(NamedTuple):
    """A formula: its computation and its argument (checking.py has the words)."""

    compute: Callable[[ModelRuns, str], float]
    argument: str = ""


def _pcie_advertised(models: ModelRuns, board: str) -> float:
    """Bandwidth before encoding, GB/s (choi2019 table 2)."""
    return models.number(board, "pcie.lanes") * TRANSFER_RATE[_generation(models, board)] / 8


def _link_advertised(models: ModelRuns, board: str, channel: str) -> float:
    """Bandwidth that one link of a board is sold with, GB/s: over PCIe before encoding, else what its port carries."""
    (link,) = (part for part in models.parts(board) if part.channel == channel)
    if link.kind in ("pcie", "capi"):
        lanes, generation = (
            float(str(models.input(board, f"{link.name}.{key}").value)) for key in ("lanes", "generation")
        )
        return lanes * TRANSFER_RATE[int(generation)] / 8
    lines = models.number(board, "cache.clock") / models.number(board, "cache.interval")
    return models.number(board, "cache.line") * lines / 1e3


def _links_advertised(models: ModelRuns, board: str) -> float:
    """Advertised rate of all links together (choi2019 table 2, gemieux2018 III.A)."""
    return sum(
        _link_advertised(models, board, part.channel) for part in models.parts(board) if part.channel is not None
    )


def _page_table_reach(models: ModelRuns, board: str) -> float:
    """GiB that a page table holds (choi2019 2.1)."""
    return models.number(board, "translation.entries") * models.number(board, "translation.page") / 1024


def _service_overhead(models: ModelRuns, board: str) -> float:
    """The share that translation and reordering add to a read of the cache, % (choi2019 3.3.1)."""
    beside = models.number(board, "translation.latency") + models.number(board, "reordering.read")
    return 100 * beside / models.number(board, "cache.access")


def _port_theoretical(models: ModelRuns, board: str) -> float:
    """GB/s that a port of the FPGA to a processor's memory carries: min2019 III."""
    return models.number(board, "hp.width") / 8 * models.number(board, "hp.clock") / 1e3


def _clock_period(models: ModelRuns, board: str) -> float:
    """ns of a cycle of the cache's clock (gemieux2018 III.B)."""
    return 1e3 / models.number(board, "cache.clock")


def _pcie_theoretical(models: ModelRuns, board: str) -> float:
    """Bandwidth after encoding and the overhead of completions, GB/s (choi2019 fig. 5 step 1)."""
    payload = models.number(board, "pcie.max_payload")
    overhead = models.number(board, "pcie.completion_overhead")
    return _pcie_advertised(models, board) * ENCODING[_generation(models, board)] * payload / (payload + overhead)


def _generation(models: ModelRuns, board: str) -> int:
    return int(models.number(board, "pcie.generation"))


def _mmio_utilisation(models: ModelRuns, board: str) -> float:
    """Share of the link that carries payload under stores of one line, % (stacc III-D)."""
    payload = models.number(board, "mmio.payload")
    return 100 * payload / (payload + models.number(board, "pcie.request_overhead"))


def _dma_utilisation(models: ModelRuns, payload: str) -> float:
    """Share of the link that carries payload under writes of `payload` bytes, % (stacc III-D: 30 bytes of header)."""
    return 100 * float(payload) / (float(payload) + 30)


def _dram_blocking_cycles(models: ModelRuns, board: str) -> float:
    """Kernel cycles of one DRAM access (stacc III-C)."""
    return models.number(board, "dram.idle_latency") * 1e-9 * models.number(board, "kernel.clock") * 1e6


def _host_round_trip(models: ModelRuns, board: str) -> float:
    """us of a packet alone from the host to the FPGA and back (stacc VI-B3).

    It is what a packet takes longer through the host than past it, without the network software.
    """
    alone = ("batch=1", "load=0.01", "count=256")
    through, past = (models.application(board, PACKETS, flow, alone).latency for flow in ("offload", "stream"))
    if through is None or past is None:
        return math.nan
    return (through.p50_s - past.p50_s) * 1e6 - models.number(board, "stack.latency")


def _r_threshold(models: ModelRuns, direction: str) -> float:
    """Reuse from which private device memory wins: 1 / (bw_dma (1/bw_shared - 1/bw_dev)) (choi2019 4.1, insight 2)."""
    dma, shared, device = BANDWIDTHS[direction]
    return 1 / (dma * (1 / shared - 1 / device))


def _worked_out(value: float) -> Callable[[ModelRuns, str], float]:
    """Arithmetic on numbers of the paper alone."""
    return lambda models, argument: value


def _qpi_theoretical(models: ModelRuns, bits: str) -> float:
    """GB/s of both directions at 2.4 GHz, two transfers a cycle and this width in bits (gemieux2018 eq. (1))."""
    return 2.4 * 2 * float(bits) * 2 / 8


def _address_sent(models: ModelRuns, words: str) -> float:
    """ns of a number of cycles of 400 MHz and an access to the last-level cache (gemieux2018 V.C)."""
    cycles, cache = words.split("+")
    return float(cycles) * 2.5 + float(cache)


# gemieux2018 V.C: 2.06 million hashes a second, 490 ns each; a memory access of 100 ns, one to the cache of 20 ns.
HASH, MEMORY, CACHE = 490.0, 100.0, 20.0

FORMULAS: dict[str, Formula] = {
    "pcie_advertised": Formula(_pcie_advertised, "BOARD"),
    "pcie_theoretical": Formula(_pcie_theoretical, "BOARD"),
    "mmio_utilisation": Formula(_mmio_utilisation, "BOARD"),
    "dma_utilisation": Formula(_dma_utilisation, "NUMBER"),
    "dram_blocking_cycles": Formula(_dram_blocking_cycles, "BOARD"),
    # MiB of buffers for requests of 4 MiB: one to read, one to write (stacc V-C)
    "stream_buffers": Formula(_worked_out(2 * 4)),
    "read_buffer": Formula(_worked_out(2 * 1024)),  # Bytes of two requests of 1024 B (stacc V-C)
    # Bytes under way at 11.89 GB/s over a round trip of 1 us (stacc V-C and VI-A)
    "littles_law": Formula(_worked_out(11.89e9 * 1e-6)),
    # KOPS of one access in 50 cycles, as the paper reckons (stacc VI-B2)
    "hash_lookup_bound": Formula(_worked_out(77890 / 50)),
    # MHz of a circuit that takes one of 78 million accesses a second in a cycle (stacc VI-B2)
    "clock_to_sustain": Formula(_worked_out(78 / 1)),
    "host_round_trip": Formula(_host_round_trip, "BOARD"),
    "r_threshold": Formula(_r_threshold, "DIRECTION"),
    "link_advertised": Formula(lambda models, words: _link_advertised(models, *words.split(":")), "BOARD:CHANNEL"),
    "links_advertised": Formula(_links_advertised, "BOARD"),
    "page_table_reach": Formula(_page_table_reach, "BOARD"),
    "service_overhead": Formula(_service_overhead, "BOARD"),
    "clock_period": Formula(_clock_period, "BOARD"),
    "port_theoretical": Formula(_port_theoretical, "BOARD"),
    "qpi_theoretical": Formula(_qpi_theoretical, "NUMBER"),
    "hash_time": Formula(_worked_out(1e3 / 2.06)),
    "hash_of_access": Formula(_worked_out(HASH / MEMORY)),
    "address_sent": Formula(_address_sent, "TIMES"),
    "merkle_limit": Formula(_worked_out((HASH + MEMORY) / (HASH + CACHE))),
    "access_gain": Formula(_worked_out(MEMORY / CACHE)),
    "amdahl": Formula(_worked_out(1 / ((1 - 0.9) + 0.9 / 5))),
    "lines_of_window": Formula(_worked_out(4 * 2**20 / 64)),
}
