"""What computes our values of the numbers of stacc.toml: streams, look-ups and packets of ST-Accel."""

import itertools
import math
from functools import partial

from isthmus.reproduction.counterparts import (
    Claim,
    Counterpart,
    Formula,
    Given,
    Model,
    Probed,
    Published,
    Run,
    Same,
    ratio,
)
from isthmus.reproduction.model_runs import ModelRuns, NotOfferedError
from isthmus.reproduction.published import Place, PublishedFigure
from isthmus.reproduction.units import Amount

ALPHA_DATA, F1, STRATIX = "alpha-data-7v3", "aws-f1", "stratix-v"
IMAGES, PACKETS = "image-filter", "packet-encryption"

REQUESTS = [64 << power for power in range(7)]  # 64 B to 4 KiB
SATURATED = 0.98
TOLERANCE = 0.001


def dram_blocking_cycles(models: ModelRuns, board: str) -> Amount:
    """Kernel cycles of one DRAM access (III-C)."""
    cycles = models.number(board, "dram.idle_latency") * 1e-9 * models.number(board, "kernel.clock") * 1e6
    return Amount(cycles, "cycles")


def mmio_utilisation(models: ModelRuns, board: str) -> Amount:
    """Share of the link that carries payload under stores of one line (III-D)."""
    payload = models.number(board, "mmio.payload")
    return Amount(100 * payload / (payload + models.number(board, "pcie.request_overhead")), "%")


def dma_utilisation(models: ModelRuns, payload: float) -> Amount:
    """Share of the link that carries payload under writes of so many bytes behind 30 of header (III-D)."""
    return Amount(100 * payload / (payload + 30), "%")


def stream_buffers(models: ModelRuns) -> Amount:
    """Buffers for requests of 4 MiB: one to read, one to write (V-C)."""
    return Amount(2 * 4, "MiB")


def read_buffer(models: ModelRuns) -> Amount:
    """Two requests of 1024 B (V-C)."""
    return Amount(2 * 1024, "B")


def littles_law(models: ModelRuns) -> Amount:
    """Bytes under way at 11.89 GB/s over a round trip of 1 us (V-C and VI-A)."""
    return Amount(11.89e9 * 1e-6, "B")


def hash_lookup_bound(models: ModelRuns) -> Amount:
    """One access in 50 cycles, as the paper reckons (VI-B2)."""
    return Amount(77890 / 50, "KOPS")


def clock_to_sustain(models: ModelRuns) -> Amount:
    """A circuit that takes one of 78 million accesses a second in a cycle (VI-B2)."""
    return Amount(78 / 1, "MHz")


def host_round_trip(models: ModelRuns, board: str) -> Amount:
    """A packet alone from the host to the FPGA and back (VI-B3): what it takes longer through the host than past it,
    without the network software.
    """
    alone = ("batch=1", "load=0.01", "count=256")
    through, past = (models.application(board, PACKETS, flow, alone).latency for flow in ("offload", "stream"))
    if through is None or past is None:
        return Amount(math.nan, "us")
    return Amount((through.p50_s - past.p50_s) * 1e6 - models.number(board, "stack.latency"), "us")


def image_size(models: ModelRuns, board: str) -> str:
    """Pixels of an image (VI-B1)."""
    row = models.run(board, "offload")
    return f"{row.width} x {row.height}"


def stencil(models: ModelRuns, board: str) -> str:
    """The taps of the filter (VI-B1)."""
    taps = models.run(board, "offload").model_dump().get("taps")
    if taps is None:
        raise NotOfferedError("the tool does not say how many taps the filter has")
    return f"{math.isqrt(taps)} x {math.isqrt(taps)}"


def bytes_per_pixel(models: ModelRuns, board: str) -> Amount:
    """Bytes of a pixel (VI-B1)."""
    known = models.run(board, "offload").model_dump()
    return Amount(known["bytes_per_image"] / (known["width"] * known["height"]), "B")


def saturation(models: ModelRuns, board: str) -> Amount:
    """The smallest request with at least 98 % of the largest rate of a stream (V-C, fig. 7)."""
    rates = request_rates(models, board, "stream.request_size")
    found = next(size for size, rate in zip(REQUESTS, rates, strict=True) if rate >= SATURATED * max(rates))
    return Amount(found, "B")


def monotone_requests(models: ModelRuns, board: str, most: int) -> bool:
    """Bandwidth rises with the payload up to 1024 B (fig. 7)."""
    rates = request_rates(models, board, models.only(board, "stream.request_size"))
    rising = [rate for size, rate in zip(REQUESTS, rates, strict=True) if size <= most]
    best = itertools.accumulate(rising, max)
    return all(rate >= (1 - TOLERANCE) * before for rate, before in zip(rising, best, strict=True))


def request_rates(models: ModelRuns, board: str, key: str) -> list[float]:
    """Images a second for each size of request."""
    return [models.rate(board, "stream", f"{key}={size}B") for size in REQUESTS]


def look_ups(flow: str, accesses: Place) -> Run:
    """The rate of look-ups each of which takes so many accesses on average."""
    return Run(F1, "hash-lookup", flow, "value", f"lambda={accesses},count=32768,table=4")


def suffix_sums(request: Place) -> Run:
    """The bandwidth of a stream by the size of its requests."""
    return Run(F1, "suffix-sum", "stream", "gb_per_s", f"values=262144,count=32,stream.request_size={request}")


ROWS: dict[str, Counterpart] = {
    "S001-001": Given(F1, "device.dram.idle_latency"),
    "S001-002": Formula(dram_blocking_cycles, F1),
    "S001-005": Given(F1, "stream.buffer_size"),
    "S001-006": Given(F1, "host.mmio.payload"),
    "S001-007": Given(F1, "link.pcie.request_overhead"),
    "S001-008": Formula(mmio_utilisation, F1),
    "S001-009": Given(F1, "link.pcie.max_payload"),
    "S001-010": Formula(dma_utilisation, 256),
    "S001-014": Given(ALPHA_DATA, "link.pcie.round_trip"),
    "S001-015": Given(F1, "link.pcie.round_trip"),
    "S001-016": Formula(stream_buffers),
    "S001-017": Model(saturation, F1),
    "S001-018": Given(F1, "stream.request_size"),
    "S001-019": Formula(read_buffer),
    "S001-020": Claim(monotone_requests, F1, 1024),
    "S001-022": ratio(Probed(F1, "mmio-load", "64B", tell="time"), "S000-069"),
    "S001-023": ratio("S000-088", "S000-087"),
    "S001-025": Same("S001-039"),
    "S001-026": ratio("S001-060", "S001-057"),
    "S001-031": Run(F1, IMAGES, "offload", "elapsed_s"),
    "S001-032": Run(F1, IMAGES, "offload", "images_per_s"),
    "S001-033": ratio("S001-032", "S001-032"),
    "S001-034": Run(F1, IMAGES, "overlap", "elapsed_s"),
    "S001-035": Run(F1, IMAGES, "overlap", "images_per_s"),
    "S001-036": ratio("S001-035", "S001-032"),
    "S001-037": Run(F1, IMAGES, "stream", "elapsed_s"),
    "S001-038": Run(F1, IMAGES, "stream", "images_per_s"),
    "S001-039": ratio("S001-038", "S001-032"),
    "S001-040": Run(F1, IMAGES, "offload", "images"),
    "S001-041": Model(image_size, F1),
    "S001-042": Model(bytes_per_pixel, F1),
    "S001-043": Model(stencil, F1),
    "S001-044": Run(F1, IMAGES, "offload", "stage", stage="host to device copy"),
    "S001-045": Run(F1, IMAGES, "offload", "stage", stage="kernel"),
    "S001-046": Run(F1, IMAGES, "offload", "stage", stage="device to host copy"),
    "S001-047": Probed(
        F1, "device-read", "4MiB", "burst=64B,device.axi.latency=0,device.axi.outstanding=64", tell="accesses"
    ),
    "S001-048": look_ups("stream", 1),
    "S001-049": Run(F1, "hash-lookup", "stream", "bytes_per_entry", "count=32768,table=4"),
    "S001-050": Formula(clock_to_sustain),
    "S001-052": Formula(hash_lookup_bound),
    "S001-053": look_ups("offload", 1),
    "S001-054": ratio(look_ups("stream", 1), look_ups("offload", 1)),
    "S001-056": Run(STRATIX, PACKETS, "offload", "gb_per_s", "batch=256,host_threads=3,count=16384"),
    "S001-057": Run(STRATIX, PACKETS, "offload", "latency.p50_s", "batch=2,host_threads=4,load=0.1,count=2048"),
    "S001-058": Run(STRATIX, PACKETS, "offload", "cores", "batch=256,host_threads=3,count=16384"),
    "S001-059": Run(STRATIX, PACKETS, "stream", "gb_per_s", "batch=1,count=8192"),
    "S001-060": Run(STRATIX, PACKETS, "stream", "latency.p50_s", "batch=1,load=0.1,count=512"),
    "S001-061": Run(STRATIX, PACKETS, "stream", "cores", "batch=1,count=8192"),
    "S001-062": Given(STRATIX, "host.network.latency"),
    "S001-063": Formula(host_round_trip, STRATIX),
    "S001-064": Given(STRATIX, "network.rate"),
    "S001-065": Run(STRATIX, PACKETS, "stream", "aes_streams", "batch=1,count=64"),
    "S001-066": Same("S001-039"),
}

READINGS: dict[str, dict[str, Counterpart]] = {
    "S001-001": {
        "stacc III-C: a circuit at the controller": Given(F1, "device.dram.idle_latency"),
        "choi2019 table 5: an OpenCL kernel through AXI": Same("S000-070"),
    },
    "S001-010": {
        "256-byte payload: 256/286": Formula(dma_utilisation, 256),
        "128-byte payload: 128/158": Formula(dma_utilisation, 128),
    },
    "S001-013": {
        "SDAccel on Alpha Data": Same("S000-064"),
    },
    "S001-019": {
        "two requests of 1024 B": Formula(read_buffer),
        "Little's law at 11.89 GB/s and 1 us": Formula(littles_law),
    },
    "S001-023": {
        "VI-A: near 4.6; 11.89/2.59": ratio("S000-088", "S000-087"),
        "I: 5": ratio("S000-088", "S000-087"),
    },
    "S001-025": {
        "the least: packets": ratio("S001-059", "S001-056"),
        "the most: look-ups": Same("S001-054"),
    },
    "S001-048": {
        "lambda 1": look_ups("stream", 1),
        "lambda 2": look_ups("stream", 2),
        "lambda 3": look_ups("stream", 3),
    },
    "S001-052": {
        "77890/50": Formula(hash_lookup_bound),
    },
    "S001-053": {
        "measured (VI-B2)": look_ups("offload", 1),
        "expected (VI-B2)": look_ups("offload", 1),
        "one access of 200 ns (stacc III-C)": Run(
            F1, "hash-lookup", "offload", "value", "lambda=1,count=32768,table=4,device.axi.latency=0ns"
        ),
        "one access of 561 ns (choi2019 table 5)": look_ups("offload", 1),
    },
    "S001-066": {
        "image processing (IP)": Same("S001-039"),
        "hash table lookup (HTL)": Same("S001-054"),
        "network packet encryption (NPE)": ratio("S001-059", "S001-056"),
    },
}

FIGURES = [
    PublishedFigure(
        "fig. 7",
        "a stream over PCIe by the size of its requests",
        x=("request", ""),
        places=["64B", "128B", "256B", "512B", "1KiB", "2KiB", "4KiB"],
        y=("bandwidth, both ways at once, each", "GB/s"),
        series={
            "read and written": suffix_sums,
        },
    ),
    PublishedFigure(
        "fig. 8, bandwidth",
        "host to FPGA",
        x=("way", ""),
        places=["SDAccel", "ST-Accel", "physical"],
        y=("bandwidth", "GB/s"),
        series={
            "ours": [
                Same("S000-087"),
                Run(F1, "suffix-sum", "stream", "gb_per_s", "values=262144,count=128"),
                Same("S000-088"),
            ],
            "stacc": [Published("S000-087"), Published("S000-088"), None],
        },
    ),
    PublishedFigure(
        "fig. 8, round trip",
        "host to FPGA and back",
        x=("way", ""),
        places=["SDAccel", "ST-Accel"],
        y=("time", "us"),
        series={
            "ours": [Same("S000-069"), Probed(F1, "mmio-load", "64B", tell="time")],
        },
    ),
    PublishedFigure(
        "fig. 9",
        "look-ups in a hash table",
        x=("accesses of a look-up, on average", ""),
        places=[1, 2, 3],
        y=("rate", "MOPS"),
        series={
            "OpenCL": partial(look_ups, "offload"),
            "ST-Accel": partial(look_ups, "stream"),
            "the memory's 64 bytes": [Same("S001-047"), None, None],
            "OpenCL, VI-B2": [Published("S001-053"), None, None],
            "bound, VI-B2": [Published("S001-047"), None, None],
        },
    ),
]
