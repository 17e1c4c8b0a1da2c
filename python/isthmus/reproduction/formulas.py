"""The formulas of the papers, recomputed; each takes the laboratory, whose boards hold the inputs, and an argument."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from isthmus.reproduction.laboratory import Laboratory

# GT/s of a lane and payload bits a bit on the wire, by generation (PCI Express Base Specification 3.0, 4.2).
TRANSFER_RATE = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0}
ENCODING = {1: 8 / 10, 2: 8 / 10, 3: 128 / 130, 4: 128 / 130, 5: 128 / 130}

# GB/s of the DMA path, shared memory and device memory, by direction (choi2019 4.1).
BANDWIDTHS = {"write": (1.6, 4.9, 8.9), "read": (1.6, 7.0, 9.5)}


class Formula(NamedTuple):
    """How a formula is computed, and what its argument is (checking.py has the words)."""

    compute: Callable[["Laboratory", str], float]
    argument: str = ""


def _pcie_advertised(lab: "Laboratory", board: str) -> float:
    """Bandwidth before encoding, GB/s (choi2019 table 2)."""
    return lab.number(board, "pcie.lanes") * TRANSFER_RATE[_generation(lab, board)] / 8


def _pcie_theoretical(lab: "Laboratory", board: str) -> float:
    """Bandwidth after encoding and the overhead of completions, GB/s (choi2019 fig. 5 step 1)."""
    payload = lab.number(board, "pcie.max_payload")
    overhead = lab.number(board, "pcie.completion_overhead")
    return _pcie_advertised(lab, board) * ENCODING[_generation(lab, board)] * payload / (payload + overhead)


def _generation(lab: "Laboratory", board: str) -> int:
    return int(lab.number(board, "pcie.generation"))


def _mmio_utilisation(lab: "Laboratory", board: str) -> float:
    """Share of the link that carries payload under stores of one line, % (stacc III-D)."""
    payload = lab.number(board, "mmio.payload")
    return 100 * payload / (payload + lab.number(board, "pcie.request_overhead"))


def _dma_utilisation(lab: "Laboratory", payload: str) -> float:
    """Share of the link that carries payload under writes of `payload` bytes, % (stacc III-D: 30 bytes of header)."""
    return 100 * float(payload) / (float(payload) + 30)


def _dram_blocking_cycles(lab: "Laboratory", board: str) -> float:
    """Kernel cycles of one DRAM access (stacc III-C)."""
    return lab.number(board, "dram.idle_latency") * 1e-9 * lab.number(board, "kernel.clock") * 1e6


def _stream_buffers(lab: "Laboratory", argument: str) -> float:
    """MiB of buffers for requests of 4 MiB: one to read, one to write (stacc V-C)."""
    return 2 * 4


def _read_buffer(lab: "Laboratory", argument: str) -> float:
    """Bytes of two requests of 1024 B (stacc V-C)."""
    return 2 * 1024


def _littles_law(lab: "Laboratory", argument: str) -> float:
    """Bytes under way at 11.89 GB/s over a round trip of 1 us (stacc V-C and VI-A)."""
    return 11.89e9 * 1e-6


def _hash_lookup_bound(lab: "Laboratory", argument: str) -> float:
    """KOPS of one access in 50 cycles, as the paper reckons (stacc VI-B2)."""
    return 77890 / 50


def _packet_latency_ratio(lab: "Laboratory", argument: str) -> float:
    """Latency of packet encryption over OpenCL's (stacc table VI: 23.6 and 60.3 us)."""
    return 23.6 / 60.3


def _r_threshold(lab: "Laboratory", direction: str) -> float:
    """Reuse from which private device memory wins: 1 / (bw_dma (1/bw_shared - 1/bw_dev)) (choi2019 4.1, insight 2)."""
    dma, shared, device = BANDWIDTHS[direction]
    return 1 / (dma * (1 / shared - 1 / device))


FORMULAS: dict[str, Formula] = {
    "pcie_advertised": Formula(_pcie_advertised, "BOARD"),
    "pcie_theoretical": Formula(_pcie_theoretical, "BOARD"),
    "mmio_utilisation": Formula(_mmio_utilisation, "BOARD"),
    "dma_utilisation": Formula(_dma_utilisation, "NUMBER"),
    "dram_blocking_cycles": Formula(_dram_blocking_cycles, "BOARD"),
    "stream_buffers": Formula(_stream_buffers),
    "read_buffer": Formula(_read_buffer),
    "littles_law": Formula(_littles_law),
    "hash_lookup_bound": Formula(_hash_lookup_bound),
    "packet_latency_ratio": Formula(_packet_latency_ratio),
    "r_threshold": Formula(_r_threshold, "DIRECTION"),
}
