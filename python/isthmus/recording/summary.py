"""The sums of a timeline: by kernel, by kind of transfer, by device, and the time of the layer."""

from collections.abc import Callable, Iterable

import numpy as np

from isthmus.base.groups import grouped_by
from isthmus.recording.columns import Array, pieces
from isthmus.recording.groups import CallGroup, quantiles
from isthmus.recording.journal import GROUPS
from isthmus.recording.timeline import Timeline
from isthmus.records.recording import (
    RecordedDevice,
    RecordedHost,
    RecordedKernel,
    RecordedOverhead,
    RecordedProcess,
    RecordedQueue,
    RecordedSpread,
    RecordedSum,
    RecordedTransfer,
)

NS = 1e-9
# What neither moves nor changes where the host and the device have one memory.
_MAPS = frozenset({"map buffer", "map image", "unmap", "SVM map", "SVM unmap"})


def processes(line: Timeline) -> list[RecordedProcess]:
    """The processes that called OpenCL."""
    commands = line.commands
    unfinished = np.bincount(commands["process"][commands["unfinished"]], minlength=len(line.journals))
    return [
        RecordedProcess(
            process=journal.process["process"],
            parent=journal.process["parent"],
            command=journal.texts["command"].get(0, ""),
            ended=journal.process["ended"] != 0,
            unfinished=int(unfinished[number]),
            lost=journal.process["lost"],
            extensions=sorted(journal.texts["extension"].values()),
        )
        for number, journal in enumerate(line.journals)
    ]


def queues(line: Timeline) -> list[RecordedQueue]:
    """The queues, in the order in which commands name them."""
    return [RecordedQueue(device=place(device), forced=forced) for _, device, forced in line.queues]


def devices(line: Timeline) -> list[RecordedDevice]:
    """The busy time of each device, and the reasons of its idle time."""
    return [
        RecordedDevice(
            process=device.process,
            name=device.name,
            platform=device.platform,
            driver=device.driver,
            type=device.type,
            shares_memory=device.shares_memory,
            commands=device.work.commands,
            span_s=(device.work.last - device.work.first) * NS,
            busy_s=device.work.busy.total * NS,
            transfers_s=device.work.transfers.total * NS,
            kernels_s=device.work.kernels.total * NS,
            gap_host_s=device.work.gap_host * NS,
            gap_other_s=(device.work.gap - device.work.gap_host) * NS,
            gaps=device.work.gaps,
            longest_gap_s=device.work.longest * NS,
            clock_uncertainty_s=device.clock.uncertainty * NS,
            clock_drift=device.clock.drift,
            timer_resolution_ns=device.timer_resolution,
        )
        for device in line.devices
    ]


def kernels(line: Timeline, groups: Iterable[CallGroup]) -> list[RecordedKernel]:
    """The kernels on each device, the one with the most time first."""
    found = []
    own = (one for one in groups if one.group == "kernel")
    for (device, name), parts in grouped_by(lambda one: (one.device, line.title(one.what, one.name)), own).items():
        spans = quantiles([_times(line, one.rows) for one in parts])
        found.append(
            RecordedKernel(
                name=name,
                device=place(device),
                calls=sum(len(one.rows) for one in parts),
                timed=spans.count,
                work_items=sum(_total(line.commands["items"], one.rows) for one in parts),
                total_s=spans.total * NS,
                mean_s=spans.total / spans.count * NS if spans.count else None,
                p50_s=_scaled(spans.p50),
                p99_s=_scaled(spans.p99),
            )
        )
    return sorted(found, key=lambda one: -one.total_s)


def transfers(line: Timeline, groups: Iterable[CallGroup]) -> list[RecordedTransfer]:
    """The kinds of transfers on each device, the one with the most bytes first."""
    found = []
    moving = (one for one in groups if one.moves)
    for (device, what), parts in grouped_by(lambda one: (one.device, one.what), moving).items():
        spans = quantiles([_own_times(line, one) for one in parts])
        moved, took = _moved(line, parts)
        found.append(
            RecordedTransfer(
                what=line.what(what),
                device=place(device),
                calls=sum(len(one.rows) for one in parts),
                timed=spans.count,
                bytes=sum(_total(line.commands["bytes"], one.rows) for one in parts),
                total_s=spans.total * NS,
                p50_s=_scaled(spans.p50),
                gb_per_s=moved / took if moved and took else None,
            )
        )
    return sorted(found, key=lambda one: -one.bytes)


def _moved(line: Timeline, parts: Iterable[CallGroup]) -> tuple[int, int]:
    """The bytes of those that moved any and are timed, and their time; a map in a memory that is shared moves none."""
    moved = took = 0
    for one in parts:
        if one.device >= 0 and line.devices[one.device].shares_memory and line.what(one.what) in _MAPS:
            continue
        moving = one.rows[line.commands["bytes"][one.rows] > 0]
        timed = moving if one.group == "host" else moving[line.commands["timed"][moving]]
        moved += _total(line.commands["bytes"], timed)
        took += _total(line.commands["span" if one.group == "host" else "time"], timed)
    return moved, took


def host(line: Timeline, groups: Iterable[CallGroup]) -> list[RecordedHost]:
    """Calls that made no command, the longest together first."""
    spans = line.commands["span"]
    by_kind = grouped_by(lambda one: one.what, (one for one in groups if one.group == "host"))
    found = (
        RecordedHost(
            what=line.what(what),
            calls=sum(len(one.rows) for one in parts),
            total_s=sum(_total(spans, one.rows) for one in parts) * NS,
            longest_s=max(int(spans[one.rows].max()) for one in parts) * NS,
        )
        for what, parts in by_kind.items()
    )
    return sorted(found, key=lambda one: -one.total_s)


def sums(line: Timeline, groups: Iterable[CallGroup]) -> list[RecordedSum]:
    """The sums of groups of like calls, the group of the most calls first."""
    return sorted((_sum(line, one) for one in groups), key=lambda one: -one.calls)


def _sum(line: Timeline, one: CallGroup) -> RecordedSum:
    commands, rows = line.commands, one.rows
    timed = rows[commands["timed"][rows]]
    sizes = commands["bytes"][rows]
    works = one.group in ("transfer", "kernel") and len(timed) > 0
    return RecordedSum(
        device=place(one.device),
        what=line.what(one.what),
        group=one.group,  # type: ignore[arg-type]  # one of GROUPS
        name=line.names[one.name] if one.name >= 0 else None,
        calls=len(rows),
        timed=len(timed),
        failed=int(np.count_nonzero(commands["error"][rows])),
        unfinished=int(np.count_nonzero(commands["unfinished"][rows])),
        bytes=int(sizes.sum(dtype=np.int64)),
        least_bytes=int(sizes.min()),
        most_bytes=int(sizes.max()),
        work_items=_total(commands["items"], rows),
        first_call_ns=int(commands["begin"][rows[0]]),
        last_call_ns=_last(line, rows, lambda part: commands["begin"][part] + commands["span"][part]),
        first_start_ns=-_last(line, timed, lambda part: -line.start(part)) if len(timed) else None,
        last_end_ns=_last(line, timed, lambda part: line.start(part) + commands["time"][part]) if len(timed) else None,
        call_ns=_spread(commands["span"][rows]),
        overhead_ns=_spread(commands["overhead"][rows]),
        time_ns=_spread(commands["time"][timed]) if len(timed) else None,
        gap_ns=_spread(commands["gap"][timed]) if works else None,
        gap_host_ns=_spread(commands["gap_host"][timed]) if works else None,
    )


def _last(line: Timeline, rows: Array, time: Callable[[Array], Array]) -> int:
    return max(int(time(rows[part]).max()) for part in pieces(len(rows)))


def _spread(values: Array) -> RecordedSpread:
    """The spread of at least one time."""
    found = quantiles([values])
    return RecordedSpread(total=found.total, p50=found.p50 or 0.0, p99=found.p99 or 0.0)


def overhead(line: Timeline) -> RecordedOverhead:
    """The layer's own time in the calls."""
    took = quantiles([line.commands["overhead"].copy()])
    kinds = np.bincount(line.groups[line.commands["what"]], minlength=len(GROUPS))
    commands = took.count - int(kinds[GROUPS.index("host")])
    return RecordedOverhead(
        calls=took.count,
        commands=commands,
        total_s=took.total * NS,
        command_ns=took.total / commands if commands else None,
        mean_ns=took.total / took.count if took.count else None,
        p50_ns=took.p50,
        p99_ns=took.p99,
        share=took.total * NS / span(line) if took.count else 0.0,
    )


def span(line: Timeline) -> float:
    """Seconds from the begin of the first call to the end of the last call or command."""
    commands = line.commands
    last = 0
    for part in pieces(commands.rows):
        last = max(last, int((commands["begin"][part] + commands["span"][part]).max()))
        done = line.start(part) + commands["time"][part]
        last = max(last, int(done[commands["timed"][part]].max(initial=0)))
    return (last - int(commands["begin"].min(initial=0))) * NS


def place(number: int) -> int | None:
    """A place in a list; none for -1."""
    return int(number) if number >= 0 else None


def _times(line: Timeline, rows: Array) -> Array:
    """The device's time for each of the commands that are timed."""
    found: Array = line.commands["time"][rows[line.commands["timed"][rows]]]
    return found


def _own_times(line: Timeline, one: CallGroup) -> Array:
    """The times of the calls of a kind: on the device, or, for calls without a command, on the host."""
    found: Array = line.commands["span"][one.rows] if one.group == "host" else _times(line, one.rows)
    return found


def _total(column: Array, rows: Array) -> int:
    return int(column[rows].sum(dtype=np.int64))


def _scaled(value: float | None) -> float | None:
    return None if value is None else value * NS
