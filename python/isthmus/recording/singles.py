"""Calls one by one, as the record and the trace hold them; and what they need of the calls that they do not hold."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from isthmus.recording.columns import Array, pieces
from isthmus.recording.journal import CALL, GROUPS, TIMES, slots_at
from isthmus.recording.stretches import (
    KERNEL,
    MOST_GAPS,
    TRANSFER,
    Stretches,
    Window,
    busiest,
    compressed,
    kind_of,
    together,
)
from isthmus.recording.timeline import Timeline

_AT_ONCE = 10_000
_KERNELS = GROUPS.index("kernel")

Row = dict[str, Any]


def singles(line: Timeline, count: int) -> Iterator[Row]:
    """The first calls with all that the journals say of them, ns since the origin; device times only where `timed`."""
    for begin in range(0, min(count, line.commands.rows), _AT_ONCE):
        rows = slice(begin, min(begin + _AT_ONCE, count, line.commands.rows))
        columns = {**{name: values[rows].tolist() for name, values in line.commands.items()}, **_details(line, rows)}
        for values in zip(*columns.values(), strict=True):
            yield _row(line, dict(zip(columns, values, strict=True)))


def _details(line: Timeline, rows: slice) -> dict[str, list[Any]]:
    """The fields that are not columns, from the slots of the journals."""
    process, timed = line.commands["process"][rows], line.commands["timed"][rows]
    calls = np.zeros(len(process), CALL)
    for number in np.unique(process):
        mine = np.flatnonzero(process == number)
        calls[mine] = slots_at(line.journals[number].path, line.commands["slot"][rows][mine], CALL)
    devices = line.device_of[line.commands["queue"][rows]]
    submit = np.zeros(len(process), np.int64)
    for number in np.unique(devices[timed]):
        device = line.devices[number]
        mine = np.flatnonzero(timed & (devices == number))
        times = slots_at(line.journals[device.process].path, line.commands["times_slot"][rows][mine], TIMES)
        submit[mine] = device.clock.on_host(times["submit"]) - line.origin
    fields = {name: calls[name].tolist() for name in ("id", "dimensions", "global", "local", "waits")}
    return {**fields, "submit": submit.tolist(), "device": devices.tolist()}


def _row(line: Timeline, row: Row) -> Row:
    begin = row["begin"]
    row["thread"] = line.threads[row["thread"]][1]
    row["group"] = GROUPS[line.group_of[row["what"]] if row["what"] >= 0 else -1]
    row["end"] = begin + row["span"]
    row["queued"] += begin
    row["start"] += begin
    row["done"] = row["start"] + row["time"]
    return row


def longest_gaps(line: Timeline, after: int) -> Array:
    """Calls, after the first `after`, before which a device was idle for longest, the longest first."""
    gap = line.commands["gap"]
    found = np.zeros(0, np.int64)
    for part in pieces(line.commands.rows):
        here = np.arange(max(part.start, after), part.stop)
        found = np.concatenate([found, here[gap[here] > 0]])
        found = found[np.argsort(-gap[found].astype(np.int64), kind="stable")[:MOST_GAPS]]
    return found


def lanes(line: Timeline, after: int) -> Stretches:
    """The busiest queues and threads in the calls after the first `after`; lanes of threads follow the queues'."""
    queues, every = len(line.queues), len(line.queues) + len(line.threads)
    busy, calls = np.zeros(every, np.int64), np.zeros(every, np.int64)
    first, last = np.full(every, np.iinfo(np.int64).max), np.zeros(every, np.int64)
    for part in pieces(line.commands.rows):
        found = _stretches(line, part)
        np.add.at(busy, found.lane, found.busy)
        np.add.at(calls, found.lane, 1)
        np.minimum.at(first, found.lane, found.begin)
        np.maximum.at(last, found.lane, found.end)
    there = np.flatnonzero(calls)
    shown = np.array(
        [*busiest(there[there < queues], busy), *busiest(there[there >= queues], busy)],
        np.int64,
    )
    work = shown[shown < queues]
    window = Window(int(last[shown].max(initial=0)), int(first[work].min(initial=0)), int(last[work].max(initial=0)))
    kept = _stretches(line, slice(0, 0))
    for part in pieces(line.commands.rows):
        if part.stop > after:
            more = _stretches(line, slice(max(part.start, after), part.stop))
            kept = compressed(together([kept, more.chosen(np.isin(more.lane, shown))]), window)
    return kept


def _stretches(line: Timeline, rows: slice) -> Stretches:
    """Each call on the lane of its thread, and each transfer and kernel on that of its queue."""
    columns = {name: values[rows] for name, values in line.commands.items()}
    group = line.groups[columns["what"]]
    name = np.where(columns["name"] >= 0, columns["name"], len(line.names) + 1 + columns["what"].astype(np.int64))
    kinds = np.array([[kind_of(what, blocking) for blocking in (False, True)] for what in [*line.whats, ""]])
    calls = Stretches(
        lane=len(line.queues) + columns["thread"].astype(np.int64),
        kind=kinds[columns["what"], columns["blocking"].astype(np.int8)],
        begin=columns["begin"],
        end=columns["begin"] + columns["span"],
        busy=columns["span"].astype(np.int64),
        calls=np.ones(len(name), np.int64),
        name=name,
    )
    works = np.flatnonzero(columns["timed"] & (group <= _KERNELS) & (columns["queue"] >= 0))
    start = line.start(rows)
    commands = replace(
        calls,
        lane=columns["queue"].astype(np.int64),
        kind=np.where(group == _KERNELS, KERNEL, TRANSFER),
        begin=start,
        end=start + columns["time"],
        busy=columns["time"].astype(np.int64),
    )
    return together([commands.chosen(works), calls])
