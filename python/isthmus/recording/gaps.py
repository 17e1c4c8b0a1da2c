"""The time for which each device worked, and for which it had nothing to do before each command."""

from dataclasses import dataclass, field

import numpy as np

from isthmus.recording.columns import Array, Column, Columns, ascending, pieces, rows_where
from isthmus.recording.journal import GROUPS

_TRANSFER, _KERNEL = GROUPS.index("transfer"), GROUPS.index("kernel")


@dataclass
class Cover:
    """The time for which at least one of some commands runs, ns; they come in the order of their starts."""

    total: int = 0
    until: int | None = None

    def add(self, start: Array, done: Array) -> Array:
        """The next commands: until when those before each of them kept the device busy, for the first its own start."""
        if not len(start):
            return start
        ends = np.maximum.accumulate(done)
        before = np.empty_like(ends)
        before[0] = start[0] if self.until is None else self.until
        before[1:] = ends[:-1] if self.until is None else np.maximum(ends[:-1], self.until)
        self.total += int(np.maximum(done - np.maximum(start, before), 0).sum())
        self.until = int(ends[-1]) if self.until is None else max(int(ends[-1]), self.until)
        return before


@dataclass
class DeviceWork:
    """The work of a device: its transfers and kernels that the driver timed; times in ns."""

    commands: int = 0
    first: int = 0
    last: int = 0
    busy: Cover = field(default_factory=Cover)
    transfers: Cover = field(default_factory=Cover)
    kernels: Cover = field(default_factory=Cover)
    gaps: int = 0
    longest: int = 0
    gap: int = 0
    gap_host: int = 0


def working(commands: Columns, queues: Array, groups: Array) -> Array:
    """Places of the commands that kept the device of these queues busy, in the order in which they started.

    `queues` says of each queue, and at its end of no queue, whether it is of the device; `groups` has each kind's.
    """
    rows = rows_where(
        commands.rows,
        lambda part: (
            queues[commands["queue"][part]] & commands["timed"][part] & (groups[commands["what"][part]] <= _KERNEL)
        ),
    )
    start = commands["begin"][rows]
    for part in pieces(len(rows)):
        start[part] += commands["start"][rows[part]]
    return rows if ascending(start) else rows[np.argsort(start, kind="stable")]


def find_gaps(commands: Columns, rows: Array, groups: Array, gap: Column, gap_host: Column) -> DeviceWork:
    """What the commands in these rows, by their starts, make of their device; sets the gaps before them.

    A gap is how long the device had nothing to do, `gap_host` how much of that nothing was queued.
    """
    work = DeviceWork(commands=len(rows))
    for part in pieces(len(rows)):
        here = rows[part]
        begin = commands["begin"][here]
        start, queued = begin + commands["start"][here], begin + commands["queued"][here]
        done = start + commands["time"][here]
        group = groups[commands["what"][here]]
        until = work.busy.add(start, done)
        idle = np.maximum(start - until, 0)
        host = np.clip(queued - until, 0, idle)
        gap.put(here, idle)
        gap_host.put(here, host)
        for kind, cover in ((_TRANSFER, work.transfers), (_KERNEL, work.kernels)):
            cover.add(start[group == kind], done[group == kind])
        work.first = int(start[0]) if part.start == 0 else work.first
        work.last = max(work.last, int(done.max())) if part.start else int(done.max())
        work.gaps += int(np.count_nonzero(idle))
        work.longest = max(work.longest, int(idle.max()))
        work.gap += int(idle.sum())
        work.gap_host += int(host.sum())
    return work
