"""The claims of the papers, put to the models: each is true or false here."""

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from isthmus.sizes import parse_size

if TYPE_CHECKING:
    from isthmus.reproduction.laboratory import Laboratory

LARGE = 64 << 20
TRANSFERS = [64 << power for power in range(21)]  # 64 B to 64 MiB
REQUESTS = [64 << power for power in range(7)]  # 64 B to 4 KiB
TOLERANCE = 0.001
SATURATED = 0.98

Lookup = Callable[[str], float]


class Claim(NamedTuple):
    """How a claim is put to a model, and what its arguments are (checking.py has the words)."""

    holds: Callable[["Laboratory", Sequence[str], Lookup], bool]
    arguments: str


def request_rates(lab: "Laboratory", board: str, flow: str, key: str) -> list[float]:
    """Images a second for each size of request, 64 B to 4 KiB."""
    return [lab.rate(board, flow, f"{key}={size}B") for size in REQUESTS]


def saturation(lab: "Laboratory", board: str, flow: str, key: str) -> int:
    """The smallest request, in bytes, with at least 98 % of the largest rate (stacc V-C, fig. 7)."""
    rates = request_rates(lab, board, flow, key)
    return next(size for size, rate in zip(REQUESTS, rates, strict=True) if rate >= SATURATED * max(rates))


def _directions_within(lab: "Laboratory", arguments: Sequence[str], lookup: Lookup) -> bool:
    board, limit = arguments
    to, back = (lab.probe(board, probe, [LARGE])[LARGE] for probe in ("h2d", "d2h"))
    return abs(to / back - 1) < float(limit) / 100


def _end_to_end_below(lab: "Laboratory", arguments: Sequence[str], lookup: Lookup) -> bool:
    board, other = arguments
    return lab.probe(board, "h2d", [LARGE])[LARGE] < lookup(other)


def _overhead_within(lab: "Laboratory", arguments: Sequence[str], lookup: Lookup) -> bool:
    board, low, high = arguments
    payload = lab.number(board, "pcie.max_payload")
    overhead = lab.number(board, "pcie.completion_overhead")
    return float(low) <= 100 * overhead / (payload + overhead) <= float(high)


def _threshold_exists(lab: "Laboratory", arguments: Sequence[str], lookup: Lookup) -> bool:
    """Private memory can win at some reuse only if it is faster than the shared one (choi2019 4.1, insight 2)."""
    board, shared = arguments
    return lab.probe(board, "device-read", [LARGE])[LARGE] > lookup(shared)


def _small_transfers_slower(lab: "Laboratory", arguments: Sequence[str], lookup: Lookup) -> bool:
    board, times = arguments
    rates = lab.probe(board, "h2d", TRANSFERS)
    return rates[LARGE] >= float(times) * min(rates.values())


def _monotone(lab: "Laboratory", arguments: Sequence[str], lookup: Lookup) -> bool:
    board, probe = arguments
    rates = lab.probe(board, probe, TRANSFERS)
    return _rises([rates[size] for size in TRANSFERS])


def _monotone_requests(lab: "Laboratory", arguments: Sequence[str], lookup: Lookup) -> bool:
    board, flow, most = arguments
    key = lab.only(board, "stream.request_size")
    rates = zip(REQUESTS, request_rates(lab, board, flow, key), strict=True)
    return _rises([rate for size, rate in rates if size <= parse_size(most)])


def _rises(rates: Sequence[float]) -> bool:
    """No rate is below an earlier one by more than the tolerance."""
    best = itertools.accumulate(rates, max)
    return all(rate >= (1 - TOLERANCE) * before for rate, before in zip(rates, best, strict=True))


CLAIMS: dict[str, Claim] = {
    "directions_within": Claim(_directions_within, "BOARD:NUMBER"),
    "end_to_end_below": Claim(_end_to_end_below, "BOARD:ID"),
    "overhead_within": Claim(_overhead_within, "BOARD:LOW:HIGH"),
    "small_transfers_slower": Claim(_small_transfers_slower, "BOARD:NUMBER"),
    "threshold_exists": Claim(_threshold_exists, "BOARD:ID"),
    "monotone": Claim(_monotone, "BOARD:PROBE"),
    "monotone_requests": Claim(_monotone_requests, "BOARD:FLOW:SIZE"),
}
