"""The claims of min2019 about ports of an FPGA to a processor's memory: the number of each, on a board."""

from bisect import bisect_left
from collections.abc import Callable

from isthmus.asking.applications import buffers_of, describe, described_with
from isthmus.base.flows import SHARED
from isthmus.base.sizes import parse_size
from isthmus.judging.coherence import TO_FPGA
from isthmus.reproduction.model_runs import ModelRuns
from isthmus.reproduction.works import stage_s, works_of
from isthmus.running.methods import HP_NC, HPC, Method

MIB = 1 << 20
LINE = 64
SIZES = [4096 << power for power in range(14)]  # 4 KiB to 32 MiB, as figures 2 and 3
FINE = 16  # parts of a power of two in which a size is told
KEPT = "+flush"  # behind a port and a state: with the time of the core's flush before
DELAYS = (1, 2, 4, 8, 16, 32)


def ratio(models: ModelRuns, board: str, probe: str, first: str, size: str, second: str, other_size: str) -> float:
    """The rate of one port, state and size in per cent of another's."""
    one = _rate(models, board, probe, first, parse_size(size))
    return 100 * one / _rate(models, board, probe, second, parse_size(other_size))


def knee(models: ModelRuns, board: str, probe: str, full: str, lost: str, small: str) -> float:
    """MiB at which a port and state has lost half of what it is ahead of another state by at a small size."""
    half = sum(_rate(models, board, probe, way, parse_size(small)) for way in (full, lost)) / 2
    return _first(lambda size: _rate(models, board, probe, full, size) < half) / MIB


def crossing_of_ways(models: ModelRuns, board: str, probe: str, first: str, second: str) -> float:
    """MiB from which another of two ways is ahead than at the smallest size."""

    def ahead(size: int) -> bool:
        return _rate(models, board, probe, first, size) >= _rate(models, board, probe, second, size)

    before = ahead(SIZES[0])
    return _first(lambda size: ahead(size) != before) / MIB


def recovered(models: ModelRuns, board: str, probe: str, way: str, other: str, start: str) -> float:
    """Per cent of another way that a way has at last, if it never falls from a size on; else nothing."""
    rates = [_rate(models, board, probe, way, size) for size in SIZES if size >= parse_size(start)]
    return 100 * rates[-1] / _rate(models, board, probe, other, SIZES[-1]) if rates == sorted(rates) else 0.0


def evicting(models: ModelRuns, board: str, work: str, stage: str, percent: str) -> float:
    """MiB of other messages between the core's writes and the FPGA's reads, from which a stage that reads over HPC
    takes no longer than one over HP within so many per cent: the FPGA takes the message that came 1, 2, 4, ... before;
    twice the most that is tried where none is enough.
    """
    ((application, parameters),) = works_of(work)
    models.require(application)
    each = described_with(application, describe(application), parameters).bytes_each
    buffers = buffers_of(application, parameters)

    def time(method: Method, delay: int) -> float:
        methods = [f"{one['name']}={(method if one['direction'] == TO_FPGA else HP_NC).name}" for one in buffers]
        changes = [*parameters, f"method={','.join(methods)}", f"delay={delay}", f"count={3 * delay}"]
        row = models.application(board, application, SHARED, changes)
        return stage_s(row, stage)

    near = 1 + float(percent) / 100
    enough = (delay for delay in DELAYS if time(HPC, delay) <= near * time(HP_NC, delay))
    return next(enough, DELAYS[-1] * 2) * each / MIB


def _first(holds: Callable[[int], bool]) -> int:
    """The size from which something holds, to a sixteenth of a power of two; the last of all where it never does."""
    last = SIZES[min(bisect_left(SIZES, True, key=holds), len(SIZES) - 1)]
    low, high = last // 2, last
    while high - low > max(LINE, last // (2 * FINE)):
        middle = (low + high) // (2 * LINE) * LINE
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _rate(models: ModelRuns, board: str, probe: str, way: str, size: int) -> float:
    """GB/s over PORT/STATE, with the core's maintenance of the buffer where it says so."""
    port, state = way.removesuffix(KEPT).split("/")
    moved = models.probe(board, probe, [size], [f"port={port}", f"state={state}"])[size]
    if not way.endswith(KEPT):
        return moved
    return 1 / (1 / moved + 1 / models.probe(board, "maintenance", [size], ["op=flush"])[size])
