"""What a timeline adds up to: by kernel, by kind of transfer, by device, and what the layer took."""

from collections.abc import Iterator

import numpy as np

from isthmus.recording.journal import GROUPS, Array
from isthmus.recording.timeline import Timeline, working
from isthmus.records import (
    RecordedDevice,
    RecordedHost,
    RecordedKernel,
    RecordedOverhead,
    RecordedProcess,
    RecordedQueue,
    RecordedTransfer,
)

NS = 1e-9
_TRANSFER, _KERNEL, _HOST = (GROUPS.index(name) for name in ("transfer", "kernel", "host"))


def processes(line: Timeline) -> list[RecordedProcess]:
    """The processes that called OpenCL."""
    return [
        RecordedProcess(
            process=journal.process["process"],
            parent=journal.process["parent"],
            command=journal.texts["command"].get(0, ""),
            ended=journal.process["ended"] != 0,
            unfinished=int(np.count_nonzero(line.commands["unfinished"] & (line.commands["process"] == number))),
            lost=journal.process["lost"],
            extensions=sorted(journal.texts["extension"].values()),
        )
        for number, journal in enumerate(line.journals)
    ]


def queues(line: Timeline) -> list[RecordedQueue]:
    """The queues, in the order in which commands name them."""
    return [RecordedQueue(device=place(device), forced=forced) for _, device, forced in line.queues]


def devices(line: Timeline) -> list[RecordedDevice]:
    """How busy each device was, and why it was not."""
    return [_device(line, number) for number in range(len(line.devices))]


def _device(line: Timeline, number: int) -> RecordedDevice:
    rows = line.commands[working(line.commands, number)]
    told = line.devices[number]
    return RecordedDevice(
        process=told.process,
        name=told.name,
        platform=told.platform,
        driver=told.driver,
        type=told.type,
        commands=len(rows),
        span_s=float(rows["done"].max() - rows["start"].min()) * NS if len(rows) else 0.0,
        busy_s=covered(rows) * NS,
        transfers_s=covered(rows[rows["group"] == _TRANSFER]) * NS,
        kernels_s=covered(rows[rows["group"] == _KERNEL]) * NS,
        gap_host_s=int(rows["gap_host"].sum()) * NS,
        gap_other_s=int((rows["gap"] - rows["gap_host"]).sum()) * NS,
        gaps=int(np.count_nonzero(rows["gap"])),
        longest_gap_s=int(rows["gap"].max(initial=0)) * NS,
        clock_uncertainty_s=told.clock.uncertainty * NS,
        clock_drift=told.clock.drift,
        timer_resolution_ns=told.timer_resolution,
    )


def covered(rows: Array) -> int:
    """How long at least one of the commands was under way, ns; they come in the order of their starts."""
    if not len(rows):
        return 0
    until = np.maximum.accumulate(rows["done"])
    begin = np.maximum(rows["start"], np.concatenate([rows["start"][:1], until[:-1]]))
    return int(np.maximum(rows["done"] - begin, 0).sum())


def kernels(line: Timeline) -> list[RecordedKernel]:
    """Each kernel on each device, the one that took the most time first."""
    found = []
    for (device, name), rows in _grouped(line.commands[line.commands["group"] == _KERNEL], "device", "name"):
        spans = _spans(rows)
        items = np.where(np.arange(3) < rows["dimensions"][:, None], rows["global"], 1).prod(axis=1)
        found.append(
            RecordedKernel(
                name=line.names[name] if name >= 0 else "(unnamed)",
                device=place(device),
                calls=len(rows),
                timed=len(spans),
                work_items=int(items[rows["dimensions"] > 0].sum()),
                total_s=int(spans.sum()) * NS,
                mean_s=float(spans.mean()) * NS if len(spans) else None,
                p50_s=_quantile(spans, 50),
                p99_s=_quantile(spans, 99),
            )
        )
    return sorted(found, key=lambda one: -one.total_s)


def transfers(line: Timeline) -> list[RecordedTransfer]:
    """Each kind of transfer on each device, the one that moved the most bytes first."""
    moving = (line.commands["group"] == _TRANSFER) | ((line.commands["group"] == _HOST) & (line.commands["bytes"] > 0))
    found = []
    for (device, what), rows in _grouped(line.commands[moving], "device", "what"):
        timed = rows[rows["timed"]]
        spans = _spans(rows)
        if rows["group"][0] == _HOST:
            timed, spans = rows, rows["end"] - rows["begin"]
        total = int(spans.sum())
        found.append(
            RecordedTransfer(
                what=line.whats[what],
                device=place(device),
                calls=len(rows),
                timed=len(timed),
                bytes=int(rows["bytes"].sum()),
                total_s=total * NS,
                p50_s=_quantile(spans, 50),
                gb_per_s=int(timed["bytes"].sum()) / total if total else None,
            )
        )
    return sorted(found, key=lambda one: -one.bytes)


def host(line: Timeline) -> list[RecordedHost]:
    """Calls that made no command, the longest together first."""
    found = []
    for (what,), rows in _grouped(line.commands[line.commands["group"] == _HOST], "what"):
        spans = rows["end"] - rows["begin"]
        found.append(
            RecordedHost(
                what=line.whats[what],
                calls=len(rows),
                total_s=int(spans.sum()) * NS,
                longest_s=int(spans.max()) * NS,
            )
        )
    return sorted(found, key=lambda one: -one.total_s)


def overhead(line: Timeline) -> RecordedOverhead:
    """The layer's own time in the calls."""
    took = line.commands["overhead"]
    total = int(took.sum())
    commands = int((line.commands["group"] != _HOST).sum())
    return RecordedOverhead(
        calls=len(took),
        commands=commands,
        total_s=total * NS,
        command_ns=total / commands if commands else None,
        mean_ns=float(took.mean()) if len(took) else None,
        p50_ns=float(np.percentile(took, 50)) if len(took) else None,
        p99_ns=float(np.percentile(took, 99)) if len(took) else None,
        share=total * NS / span(line) if len(took) else 0.0,
    )


def span(line: Timeline) -> float:
    """Seconds from the begin of the first call to the end of the last call or command."""
    commands = line.commands
    if not len(commands):
        return 0.0
    last = max(int(commands["end"].max()), int(commands["done"][commands["timed"]].max(initial=0)))
    return (last - int(commands["begin"].min())) * NS


def place(number: int) -> int | None:
    """A place in a list; none for -1."""
    return int(number) if number >= 0 else None


def _spans(rows: Array) -> Array:
    timed = rows[rows["timed"]]
    found: Array = timed["done"] - timed["start"]
    return found


def _quantile(values: Array, percent: int) -> float | None:
    return float(np.percentile(values, percent)) * NS if len(values) else None


def _grouped(rows: Array, *keys: str) -> Iterator[tuple[tuple[int, ...], Array]]:
    """The rows by equal keys."""
    table = np.stack([rows[key] for key in keys], axis=1) if len(rows) else np.zeros((0, len(keys)), np.int64)
    values, group = np.unique(table, axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    if not len(rows):
        return
    for value, part in zip(values, np.split(order, np.cumsum(np.bincount(group.ravel()))[:-1]), strict=True):
        yield tuple(map(int, value)), rows[part]
