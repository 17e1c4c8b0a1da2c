"""The work of queues and threads in intervals short enough for a timeline of the whole, many calls in one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from isthmus.recording.columns import Array

KINDS = ("kernel", "transfer", "host waits", "host builds", "other call")
KERNEL, TRANSFER, WAITS, BUILDS, OTHER = range(len(KINDS))
SEVERAL = -1  # the name of a stretch that has more than one
MOST_LANES = 6  # of queues, and of threads
MOST_GAPS = 10  # the longest
_FINEST = 0.0005  # of the shown time: what begins nearer than that is one stretch
_WAITS = frozenset({"finish", "wait for events", "poll events", "wait for a callback"})
_BUILDS = frozenset(
    f"{does} program{how}"
    for does, how in (
        *(("build", ""), ("compile", ""), ("link", "")),
        *(("create", f" with {what}") for what in ("source", "binary", "IL", "built-in kernels")),
    )
)


def kind_of(what: str, blocking: bool) -> int:
    """The kind of a thread's call, as a place in KINDS."""
    if what in _BUILDS:
        return BUILDS
    return WAITS if what in _WAITS or blocking else OTHER


@dataclass(frozen=True)
class Window:
    """The whole time, and within it that from the first command to the last, which may be shown by itself; ns."""

    end: int
    first: int
    last: int

    def cells(self, begin: Array) -> Array:
        """The piece of the time in which each begins; pieces are finer where there are more commands."""
        fine, coarse = (max(1, int(span * _FINEST)) for span in (self.last - self.first, self.end))
        among = (begin >= self.first) & (begin <= self.last)
        found: Array = np.where(among, 2 * ((begin - self.first) // fine) + 1, 2 * (begin // coarse))
        return found


@dataclass(frozen=True)
class Stretches:
    """Something from `begin` to `end` (ns) on a lane, at work for `busy` of it, in one or several calls."""

    lane: Array
    kind: Array
    begin: Array
    end: Array
    busy: Array
    calls: Array
    name: Array

    def __len__(self) -> int:
        return len(self.lane)

    def chosen(self, rows: Array) -> "Stretches":
        """The stretches in these rows."""
        return replace(self, **{name: values[rows] for name, values in vars(self).items()})


def together(parts: Sequence[Stretches]) -> Stretches:
    """The stretches of each part, one part after the other."""
    return Stretches(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in vars(parts[0])})


def compressed(found: Stretches, window: Window) -> Stretches:
    """Stretches of one lane and kind that begin in the same piece of time become one, in the order of their begins.

    It does not matter whether some of them have been put together before.
    """
    cells = window.cells(found.begin)
    order = np.lexsort((found.kind, cells, found.lane))
    keys = [values[order] for values in (found.lane, cells, found.kind)]
    new = np.concatenate([[True], np.any([key[1:] != key[:-1] for key in keys], axis=0)]) if len(found) else np.zeros(0)
    at = np.flatnonzero(new)
    if not len(at):
        return found
    ordered = found.chosen(order)
    names = [reduce.reduceat(ordered.name, at) for reduce in (np.minimum, np.maximum)]
    merged = Stretches(
        lane=ordered.lane[at],
        kind=ordered.kind[at],
        begin=np.minimum.reduceat(ordered.begin, at),
        end=np.maximum.reduceat(ordered.end, at),
        busy=np.add.reduceat(ordered.busy, at),
        calls=np.add.reduceat(ordered.calls, at),
        name=np.where(names[0] == names[1], names[0], SEVERAL),
    )
    return merged.chosen(np.lexsort((merged.kind, merged.begin, merged.lane)))


def busiest(lanes: Array, busy: Array) -> list[int]:
    """The lanes that have the most to do, as many as are shown; `busy` has each lane's time at its number."""
    return sorted(sorted(lanes.tolist(), key=lambda lane: (-busy[lane], lane))[:MOST_LANES])


def rows_of(found: Stretches) -> Iterator[tuple[int, ...]]:
    """Each as lane, kind, begin, end, busy, calls and name."""
    yield from zip(*(values.tolist() for values in vars(found).values()), strict=True)
