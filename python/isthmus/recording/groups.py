"""Calls that are alike: on the same device, of the same kind and kernel, with as many bytes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from isthmus.recording.columns import Array, Column, narrow, pieces
from isthmus.recording.journal import GROUPS
from isthmus.recording.timeline import Timeline

_MOST_SIZES = 1000  # of one program; beyond that calls are alike whose bytes have the same power of two


@dataclass(frozen=True)
class CallGroup:
    """Calls that are alike; `rows` are their places in the timeline, in its order."""

    device: int
    what: int
    name: int
    group: str
    moves: bool
    rows: Array


@dataclass(frozen=True)
class Quantiles:
    """The sum of some numbers, and the values that half and 99 % of them do not exceed; none without numbers."""

    count: int
    total: int
    p50: float | None
    p99: float | None


def quantiles(parts: Sequence[Array]) -> Quantiles:
    """Quantiles of all numbers of these columns, as numpy's percentile: linear between two numbers.

    Changes the order of the numbers: whoever needs a column afterwards gives a copy.
    """
    values = parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, np.int8), *parts])
    if not len(values):
        return Quantiles(0, 0, None, None)
    places = [(len(values) - 1) * percent / 100 for percent in (50, 99)]
    needed = {min(int(place) + more, len(values) - 1) for place in places for more in (0, 1)}
    total = int(values.sum(dtype=np.int64))
    values.partition(sorted(needed))

    def at(place: float) -> float:
        low, high = int(values[int(place)]), int(values[min(int(place) + 1, len(values) - 1)])
        return low + (high - low) * (place - int(place))

    return Quantiles(len(values), total, *map(at, places))


def alike(line: Timeline) -> list[CallGroup]:
    """Groups all calls by device, kind, kernel and bytes, in this order."""
    commands, devices = line.commands, line.device_of
    sizes = _Sizes(commands["bytes"])
    shape = (len(line.devices) + 1, len(line.whats) + 1, len(line.names) + 1, sizes.count)
    codes = Column(commands.rows)
    for part in pieces(commands.rows):
        places = [devices[commands["queue"][part]], commands["what"][part], commands["name"][part]]
        keys = [place.astype(np.int64) + 1 for place in places]
        codes.put(part, np.ravel_multi_index((*keys, sizes.places(commands["bytes"][part])), shape))
    return [_alike(line, np.unravel_index(code, shape), rows) for code, rows in _by_code(codes.values)]


def _alike(line: Timeline, key: Iterable[np.intp], rows: Array) -> CallGroup:
    device, what, name, _ = (int(place) - 1 for place in key)
    moves = line.moving[what] if what >= 0 else False
    return CallGroup(device, what, name, GROUPS[line.groups[what]], moves, rows)


class _Sizes:
    """The different numbers of bytes; of too many their powers of two."""

    def __init__(self, column: Array) -> None:
        self._values: Array | None = np.zeros(0, np.int64)
        for part in pieces(len(column)):
            found = np.union1d(self._values, column[part])
            self._values = found if len(found) <= _MOST_SIZES else None
            if self._values is None:
                break

    @property
    def count(self) -> int:
        return 64 if self._values is None else max(1, len(self._values))

    def places(self, values: Array) -> Array:
        if self._values is not None:
            return np.searchsorted(self._values, values)
        exponents: Array = np.frexp(np.maximum(values, 0).astype(float))[1]
        return exponents


def _by_code(codes: Array) -> Iterator[tuple[int, Array]]:
    """The rows of each code, ascending."""
    values = np.zeros(0, codes.dtype)
    for part in pieces(len(codes)):
        values = np.union1d(values, codes[part])
    numbers = Column(len(codes))
    for part in pieces(len(codes)):
        numbers.put(part, np.searchsorted(values, codes[part]))
    order = narrow(np.argsort(numbers.values, kind="stable"))
    bounds = np.concatenate([[0], np.cumsum(np.bincount(numbers.values, minlength=len(values)))])
    for place, value in enumerate(values):
        yield int(value), order[bounds[place] : bounds[place + 1]]
