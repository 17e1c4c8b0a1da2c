"""The claims of the papers, put to the models: each is true or false here."""

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

from isthmus.base.sizes import parse_size
from isthmus.reproduction.model_runs import ModelRuns
from isthmus.reproduction.port_claims import MIB, crossing_of_ways, evicting, knee, ratio, recovered

LARGE = 64 << 20
TRANSFERS = [64 << power for power in range(21)]  # 64 B to 64 MiB
REQUESTS = [64 << power for power in range(7)]  # 64 B to 4 KiB
LINE = 64
NEAR = 5.0
TOLERANCE = 0.001
SATURATED = 0.98

Lookup = Callable[[str], float]


class ClaimNumber(NamedTuple):
    """The number that a claim is about; `spanned` if assumed inputs elsewhere in their ranges are quickly tried."""

    of: Callable[..., float]  # of the models and the words of its arguments
    unit: str
    spanned: bool = True


class Claim(NamedTuple):
    """A kind of claim: its question to a model, its arguments (checking.py has the words), and its number."""

    holds: Callable[..., bool]  # of the models, what looks up the value of a row, and the words of its arguments
    arguments: str
    number: ClaimNumber | None = None


def between(number: ClaimNumber, arguments: str) -> Claim:
    """The claim that a number lies between the last two arguments, sizes where it is one."""

    def holds(models: ModelRuns, _lookup: Lookup, *given: str) -> bool:
        *of, low, high = given
        ends = [parse_size(end) / MIB if number.unit == "MiB" else float(end) for end in (low, high)]
        return ends[0] <= number.of(models, *of) <= ends[1]

    return Claim(holds, arguments, number)


def request_rates(models: ModelRuns, board: str, flow: str, key: str) -> list[float]:
    """Images a second for each size of request, 64 B to 4 KiB."""
    return [models.rate(board, flow, f"{key}={size}B") for size in REQUESTS]


def saturation(models: ModelRuns, board: str, flow: str, key: str) -> int:
    """The smallest request, in bytes, with at least 98 % of the largest rate (stacc V-C, fig. 7)."""
    rates = request_rates(models, board, flow, key)
    return next(size for size, rate in zip(REQUESTS, rates, strict=True) if rate >= SATURATED * max(rates))


def _directions_within(models: ModelRuns, _lookup: Lookup, board: str, limit: str) -> bool:
    to, back = (models.probe(board, probe, [LARGE])[LARGE] for probe in ("h2d", "d2h"))
    return abs(to / back - 1) < float(limit) / 100


def _end_to_end_below(models: ModelRuns, lookup: Lookup, board: str, other: str) -> bool:
    return models.probe(board, "h2d", [LARGE])[LARGE] < lookup(other)


def _overhead_within(models: ModelRuns, _lookup: Lookup, board: str, low: str, high: str) -> bool:
    payload = models.number(board, "pcie.max_payload")
    overhead = models.number(board, "pcie.completion_overhead")
    return float(low) <= 100 * overhead / (payload + overhead) <= float(high)


def _threshold_exists(models: ModelRuns, lookup: Lookup, board: str, shared: str) -> bool:
    """Private memory can win at some reuse only if it is faster than the shared one (choi2019 4.1, insight 2)."""
    return models.probe(board, "device-read", [LARGE])[LARGE] > lookup(shared)


def _small_transfers_slower(models: ModelRuns, _lookup: Lookup, board: str, times: str) -> bool:
    rates = models.probe(board, "h2d", TRANSFERS)
    return rates[LARGE] >= float(times) * min(rates.values())


def _monotone(models: ModelRuns, _lookup: Lookup, board: str, probe: str) -> bool:
    rates = models.probe(board, probe, TRANSFERS)
    return _rises([rates[size] for size in TRANSFERS])


def _monotone_requests(models: ModelRuns, _lookup: Lookup, board: str, flow: str, most: str) -> bool:
    key = models.only(board, "stream.request_size")
    rates = zip(REQUESTS, request_rates(models, board, flow, key), strict=True)
    return _rises([rate for size, rate in rates if size <= parse_size(most)])


def _falls_off(models: ModelRuns, _lookup: Lookup, board: str, probe: str, text: str) -> bool:
    """Twice the size is slower by a tenth than the size below, and half of it is not."""
    size = parse_size(text)
    rates = models.probe(board, probe, [size // 4, size // 2, size])
    return rates[size] < 0.9 * rates[size // 2] and rates[size // 2] > 0.9 * rates[size // 4]


def _coherent_share_below(models: ModelRuns, _lookup: Lookup, board: str, limit: str) -> bool:
    return 100 * models.number(board, "cache.size") / models.number(board, "onchip.capacity") < float(limit)


def _miss_reduced(models: ModelRuns, _lookup: Lookup, board: str, other: str, percent: str) -> bool:
    """A read miss takes less than on another board, by so many per cent within five."""
    times = [models.probe_time(one, "cache-miss", LINE, ["access=read"]) for one in (board, other)]
    return abs(100 * (1 - times[0] / times[1]) - float(percent)) < NEAR


def _ahead_between(
    models: ModelRuns, _lookup: Lookup, board: str, probe: str, first: str, second: str, low: str, high: str
) -> bool:
    """Tells whether the first channel is nowhere behind the second between two sizes, in a cold cache."""
    sizes = [size for size in TRANSFERS if parse_size(low) <= size <= parse_size(high)]
    ahead, behind = (models.probe(board, probe, sizes, [f"channel={one}", "start=cold"]) for one in (first, second))
    return all(ahead[size] >= behind[size] for size in sizes)


def _time_goes_with_clock(models: ModelRuns, _lookup: Lookup, application: str, size: str, percent: str) -> bool:
    """An iteration takes as many cycles of the kernel's clock on every board that can, within so many per cent."""
    cycles = [models.iterations(board, application, int(size))[1] * models.number(board, "kernel.clock")
              for board in models.tools.boards() if models.tools.flows(application, f"model:{board}")]  # fmt: skip
    return max(cycles) / min(cycles) - 1 < float(percent) / 100


def _rises(rates: Sequence[float]) -> bool:
    """Tells whether no rate is below an earlier one by more than the tolerance."""
    best = itertools.accumulate(rates, max)
    return all(rate >= (1 - TOLERANCE) * before for rate, before in zip(rates, best, strict=True))


CLAIMS: dict[str, Claim] = {
    "directions_within": Claim(_directions_within, "BOARD:NUMBER"),
    "end_to_end_below": Claim(_end_to_end_below, "BOARD:ID"),
    "overhead_within": Claim(_overhead_within, "BOARD:LOW:HIGH"),
    "small_transfers_slower": Claim(_small_transfers_slower, "BOARD:NUMBER"),
    "threshold_exists": Claim(_threshold_exists, "BOARD:ID"),
    "falls_off": Claim(_falls_off, "BOARD:PROBE:SIZE"),
    "coherent_share_below": Claim(_coherent_share_below, "BOARD:NUMBER"),
    "miss_reduced": Claim(_miss_reduced, "BOARD:OTHER:NUMBER"),
    "ahead_between": Claim(_ahead_between, "BOARD:PROBE:FIRST:SECOND:LOW_SIZE:HIGH_SIZE"),
    "time_goes_with_clock": Claim(_time_goes_with_clock, "APPLICATION:ROWS:NUMBER"),
    "port_ratio": between(ClaimNumber(ratio, "%"), "BOARD:PROBE:WAY:SIZE:OTHER_WAY:OTHER_SIZE:LOW:HIGH"),
    "port_knee": between(ClaimNumber(knee, "MiB"), "BOARD:PROBE:WAY:OTHER_WAY:SIZE:LOW_SIZE:HIGH_SIZE"),
    "port_crossing": between(
        ClaimNumber(crossing_of_ways, "MiB", spanned=False), "BOARD:PROBE:WAY:OTHER_WAY:LOW_SIZE:HIGH_SIZE"
    ),
    "port_recovers": between(ClaimNumber(recovered, "%", spanned=False), "BOARD:PROBE:WAY:OTHER_WAY:SIZE:LOW:HIGH"),
    "evicting": between(
        ClaimNumber(evicting, "MiB", spanned=False), "BOARD:WORKS:WORK_STAGE:NUMBER:LOW_SIZE:HIGH_SIZE"
    ),
    "monotone": Claim(_monotone, "BOARD:PROBE"),
    "monotone_requests": Claim(_monotone_requests, "BOARD:FLOW:SIZE"),
}
