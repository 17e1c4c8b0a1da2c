"""Metrics of choi2019 and gemieux2018 for an application on a board: reuse, bandwidth, computation to communication."""

from isthmus.advising.chips import ChipTimes
from isthmus.advising.formulas import Curves, at, copies_s, kernel_s, memory_s, mixed
from isthmus.descriptions.unit import Unit
from isthmus.running.methods import METHODS

GB = 1e9
LINE = 64
HALF_CACHE = 64 * 1024  # bytes up to which QPI is ahead of one PCIe link (gemieux2018, insight 2)
CLASSES = ((1e-6, "below 1 us: a line at a time is worth it"), (1e-5, "below 10 us"), (1e-4, "below 0.1 ms"))


def reuse(unit: Unit) -> float:
    """Bytes of the device's memory that are touched for each that crosses (choi2019 4.1, insight 2: r)."""
    return (unit.device_read + unit.device_write) / (unit.sent + unit.fetched)


def bandwidths(curves: Curves, unit: Unit) -> tuple[float, float]:
    """GB/s of a unit's copies and of its traffic on the device's memory, of a board with a memory of its own."""
    copies = copies_s(curves, unit, True) + copies_s(curves, unit, False)
    memory = memory_s(curves, unit)
    traffic = unit.device_read + unit.device_write
    return (unit.sent + unit.fetched) / copies / GB, traffic / memory / GB if memory > 0 else 0.0


def effective(r: float, dma: float, device: float) -> float:
    """CPU-FPGA bandwidth of a private-memory board, GB/s (choi2019 4.1, insight 2).

    r: device memory reuse ratio. dma, device: GB/s of the copies and of the device's memory.
    """
    return 1.0 / (1.0 / (r * dma) + 1.0 / device)


def threshold(dma: float, device: float, shared: float) -> float | None:
    """The reuse ratio above which a private-memory board is ahead of a shared-memory one with `shared` GB/s (choi2019
    4.1); None where it never is.
    """
    return 1.0 / (dma * (1.0 / shared - 1.0 / device)) if device > shared else None


def shared_gb_per_s(curves: Curves, unit: Unit) -> float:
    """GB/s of a unit's traffic over the link of a shared-memory board, or over the best of a chip's ports."""
    if not any(name.startswith("shared-") for name in curves):
        least = min(ChipTimes(curves, unit, method).traffic_s() for method in METHODS) / unit.together
        return (unit.device_read + unit.device_write) / max(least, 1e-12) / GB
    if unit.streams:
        crossing = mixed(curves, "shared-in", "shared-out", "shared-both", unit.sent, unit.fetched)
        return (unit.sent + unit.fetched) / crossing / GB
    first = at(curves["shared-first"], unit.sent) - at(curves["shared-first"], 0)
    again = at(curves["shared-pass"], unit.sent)
    passes = max(unit.device_read / unit.sent - 1, 0.0)
    return unit.sent * (1 + passes) / (first + passes * again) / GB


def transfer_s(curves: Curves, unit: Unit, flow: str, method: str | None = None) -> float:
    """The time in which a unit's bytes cross, without computation; on a chip with what cores do to share them."""
    if method is not None:
        times = ChipTimes(curves, unit, method)
        return (times.written_s() + times.maintained_s() + times.traffic_s() + times.read_s()) / unit.together
    if flow in ("offload", "overlap"):
        return copies_s(curves, unit, True) + copies_s(curves, unit, False)
    if flow == "stream":
        return mixed(curves, "stream-in", "stream-out", "stream-both", unit.sent, unit.fetched)
    return (unit.sent + unit.fetched) / GB / max(shared_gb_per_s(curves, unit), 1e-12)


def computation_s(curves: Curves, unit: Unit, flow: str) -> float:
    """The time in which a unit's kernel computes, including memory traffic on a board with its own memory."""
    return kernel_s(curves, unit) if flow in ("offload", "overlap") else unit.compute_s * unit.launches


def latency_s(curves: Curves, flow: str, method: str | None = None) -> float:
    """The round trip of a line (choi2019 table 5), s."""
    if method is not None:
        times = ChipTimes(curves, Unit.there_and_back(LINE, LINE), method)
        return times.written_s() + times.maintained_s() + times.kernel_s() + times.read_s()
    if flow in ("offload", "overlap"):
        return at(curves["h2d"], LINE)
    return at(curves[f"{flow}-both-alone"], LINE)


def latency_class(seconds: float) -> str:
    """The class of a line's latency, by what it allows (choi2019, insight 3)."""
    return next((told for most, told in CLASSES if seconds < most), "0.1 ms or more: for large transfers alone")


def interface(unit: Unit, cache: float) -> str:
    """The link that suits a unit on a board with QPI and PCIe links (gemieux2018, insights 1 to 3)."""
    largest = max(one.bytes for one in unit.crossings)
    if largest <= min(cache, HALF_CACHE):
        return "QPI: the data fit its cache, and its latency is the lowest (gemieux2018, insights 1 and 2)"
    return "all links together, va: large data, whose latency matters less (gemieux2018, insight 3)"
