"""What each way of keeping caches coherent costs a transfer on a modelled processor with an FPGA (min2019 V-B):
bytes over raw bandwidth, and the cost of software.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from isthmus.asking.answers import probed_once
from isthmus.descriptions.description import Transfer
from isthmus.running.methods import KEPT_BY, Method
from isthmus.running.tools import Request

LINE = 64
ELEMENT = 4  # bytes of one of a matrix that is transposed
MOST = 32 * 2**20  # bytes beyond which every curve of min2019 is flat
LARGEST_SIDE = 1024  # of a matrix: no cache holds a larger one
BUSY = 8  # accesses that each other core has under way


@dataclass(frozen=True)
class Use:
    """What else happens to the bytes of a transfer."""

    cpu: str  # writes or reads
    order: str = "sequential"
    busy: bool = False  # other cores use memory


def costs_s(target: str, transfer: Transfer, use: Use) -> dict[str, float]:
    """Seconds of one transfer by method, what it costs cores included: with non-cacheable memory (hp-nc) what their
    accesses take longer, with HP and cacheable memory (hp-c) flushing before the transfer and, of what the FPGA has
    written, invalidating behind it.
    """
    size = max(LINE, min(round(transfer.bytes.value / LINE) * LINE, MOST))
    scale = transfer.bytes.value / size
    raw: dict[tuple[str, str], float] = {}
    asked = {"sizes": size, "port": ["hp", "hpc", "acp"], "state": ["written", "read", "flushed"]}
    for told, took in _times(target, "port-tx" if transfer.to_device else "port-rx", asked):
        raw[told["port"], told["state"]] = took
    load = BUSY if use.busy else 0
    kept = dict(_by(target, "maintenance", {"sizes": size, "load": load}, "op"))
    uncached_s = _uncached_s(target, size, use)

    def cost_s(method: Method) -> float:
        software = 0.0 if method.cached else uncached_s
        software += sum(kept[op] for op in method.maintenance(transfer.to_device))
        return scale * (raw[method.port, method.state(transfer.to_device)] + software)

    return {method.name: cost_s(method) for method in KEPT_BY}


def _uncached_s(target: str, size: int, use: Use) -> float:
    """What cores take longer at so many bytes that are not cached: written out of sequence they are those of a matrix
    that is transposed (min2019, figure 4b), else they are copied (figure 4a).
    """
    if use.cpu == "writes" and use.order == "random":
        side = min(max(round(math.sqrt(size / ELEMENT) / LINE) * LINE, LINE), LARGEST_SIDE)
        bytes_of_it = side * side * ELEMENT
        took = dict(_by(target, "transpose", {"sizes": bytes_of_it}, "to"))
        return max(took["noncacheable"] - took["cacheable"], 0.0) * size / bytes_of_it
    copied = {(told["from"], told["to"]): took for told, took in _times(target, "memcpy", {"sizes": size})}
    there = ("cacheable", "noncacheable") if use.cpu == "writes" else ("noncacheable", "cacheable")
    return max(copied[there] - copied["cacheable", "cacheable"], 0.0)


def _by(target: str, probe: str, asked: Request, parameter: str) -> Iterator[tuple[str, float]]:
    return ((told[parameter], took) for told, took in _times(target, probe, asked))


def _times(target: str, probe: str, asked: Request) -> Iterator[tuple[dict[str, str], float]]:
    """The parameters of each record of a probe, and its seconds."""
    for record in probed_once(target, {"PROBE": probe, "repeat": 1, **asked}, ("parameters", "time_s")):
        yield record["parameters"], float(record["time_s"])
