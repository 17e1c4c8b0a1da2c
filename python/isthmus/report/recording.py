"""Recorded programs: a timeline of queues and threads, the longest gaps, and the tables of the command."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from isthmus.base.numbers import percent, seconds
from isthmus.recording import tables
from isthmus.recording.stretches import (
    KERNEL,
    KINDS,
    MOST_GAPS,
    SEVERAL,
    TRANSFER,
    Stretches,
    Window,
    busiest,
    compressed,
    kind_of,
    rows_of,
)
from isthmus.records.recording import RecordedCommand, RecordedGap, RecordFile
from isthmus.report.timeline import LINE, Bar, Lane, TimelineChart, ticks
from isthmus.show.output import Table

STEPS = list(KINDS)
_NS = 1e-9
_FINEST = 0.002  # of the shown time: what is nearer than that is drawn as one
_CLOSER = 0.6  # of the whole time: where the devices are at work for less of it, that time is shown by itself too


@dataclass(frozen=True)
class RecordingSection:
    """A recorded program, ready to be shown."""

    label: str
    verdict: list[str]
    notes: list[str]
    timelines: list[TimelineChart]
    tables: list[Table]


@dataclass(frozen=True)
class _Stretch:
    """Something from `begin` to `end` (ns), busy for part of it, of one or several calls."""

    begin: int
    end: int
    style: int
    busy: int
    count: int
    name: str


@dataclass(frozen=True)
class _Who:
    """A queue or a thread, and what it did."""

    label: str
    name: str
    stretches: list[_Stretch]


def recording_sections(files: Iterable[RecordFile]) -> list[RecordingSection]:
    """The sections of recorded programs."""
    return [_recorded(file) for file in files]


def _recorded(file: RecordFile) -> RecordingSection:
    label = f"{' '.join(file.program)}, measured"
    shown = [*tables.tables(file), *([gaps] if (gaps := _gaps(file)).rows else [])]
    return RecordingSection(label, tables.verdict(file), tables.detail(file), _timelines(file, label), shown)


def _timelines(file: RecordFile, label: str) -> list[TimelineChart]:
    """The whole time, and closer that in which the devices were at work."""
    queues, threads = _lanes(file)
    end = max((one.end for each in [*queues, *threads] for one in each.stretches), default=0)
    if end <= 0:
        return []
    work = [one for each in queues for one in each.stretches]
    first, last = min((one.begin for one in work), default=0), max((one.end for one in work), default=0)
    found = [_timeline([*queues, *threads], label, 0, end)]
    if 0 < last - first < _CLOSER * end:
        closer = f"{label}, from the first command to the last, {seconds(first * _NS)} after the start"
        found.append(_timeline([*queues, *threads], closer, first, last))
    return found


def _timeline(who: Sequence[_Who], label: str, begin: int, end: int) -> TimelineChart:
    """The timeline between two times, counted from the first."""
    seen = [_Who(each.label, each.name, list(_within(each.stretches, begin, end))) for each in who]
    span = end - begin
    drawn = [_Who(each.label, each.name, _merged(each.stretches, round(span * _FINEST))) for each in seen]
    return TimelineChart(
        label=label,
        steps=STEPS,
        times=ticks(span * _NS),
        lanes=[
            Lane(each.label, at * LINE, [_bar(one, span) for one in each.stretches]) for at, each in enumerate(drawn)
        ],
        height=len(drawn) * LINE,
        end=seconds(span * _NS),
        table=_table(drawn, label),
        names=[f"{each.label}: {each.name}" for each in drawn],
    )


def _within(stretches: Iterable[_Stretch], begin: int, end: int) -> Iterator[_Stretch]:
    """The parts of them between two times, counted from the first."""
    for one in stretches:
        first, last = max(one.begin, begin), min(one.end, end)
        if first <= last:
            yield replace(one, begin=first - begin, end=last - begin, busy=last - first)


def _lanes(file: RecordFile) -> tuple[list[_Who], list[_Who]]:
    """The lanes of devices, by queue, and of threads in calls; those with the most to do."""
    threads = sorted(
        {(one.process, one.thread) for one in file.records}
        | {(one.process, one.thread) for one in file.stretches if one.process is not None and one.thread is not None}
    )
    places = {thread: len(file.queues) + place for place, thread in enumerate(threads)}
    names: dict[str | None, int] = {None: SEVERAL}
    found = _all_of(file, places, names)
    if not len(found):
        return [], []
    busy = np.zeros(len(file.queues) + len(threads), np.int64)
    np.add.at(busy, found.lane, found.busy)
    there = np.unique(found.lane)
    queues, others = (busiest(there[chosen], busy) for chosen in (there < len(file.queues), there >= len(file.queues)))
    shown = found.chosen(np.isin(found.lane, [*queues, *others]))
    work = shown.chosen(np.isin(shown.lane, queues))
    window = Window(int(shown.end.max()), int(work.begin.min(initial=0)), int(work.end.max(initial=0)))
    by_lane: dict[int, list[_Stretch]] = {lane: [] for lane in [*queues, *others]}
    words = {number: name or "several" for name, number in names.items()}
    for lane, kind, begin, end, took, calls, name in rows_of(compressed(shown, window)):
        by_lane[lane].append(_Stretch(begin, end, kind, took, calls, words[name]))
    return (
        [_Who(f"q{lane + 1}", f"queue {lane + 1}, {_device_of(file, lane)}", by_lane[lane]) for lane in queues],
        [
            _Who(f"t{number}", f"thread {thread} of process {file.processes[process].process}", by_lane[lane])
            for number, lane in enumerate(others, start=1)
            for process, thread in [threads[lane - len(file.queues)]]
        ],
    )


def _all_of(file: RecordFile, threads: dict[tuple[int, int], int], names: dict[str | None, int]) -> Stretches:
    """Each call on the lane of its thread, each timed command on that of its queue, and the stretches of the others."""
    rows = []

    def add(lane: int, kind: int, begin: int, end: int, busy: int, calls: int, name: str | None) -> None:
        rows.append((lane, kind, begin, end, busy, calls, names.setdefault(name, len(names))))

    for one in file.records:
        begin, end = one.call_begin_ns, one.call_end_ns
        add(threads[one.process, one.thread], kind_of(one.what, one.blocking), begin, end, end - begin, 1, _of(one))
        if one.queue is None or one.start_ns is None or one.end_ns is None or one.group not in ("kernel", "transfer"):
            continue
        kind = KERNEL if one.group == "kernel" else TRANSFER
        add(one.queue, kind, one.start_ns, one.end_ns, one.end_ns - one.start_ns, 1, _of(one))
    for each in file.stretches:
        lane = each.queue
        if each.process is not None and each.thread is not None:
            lane = threads[each.process, each.thread]
        if lane is not None and each.kind in KINDS:
            kind = KINDS.index(each.kind)
            add(lane, kind, each.begin_ns, each.end_ns, each.busy_ns, each.calls, each.name)
    return Stretches(*np.array(rows, np.int64).reshape(-1, 7).T)


def _device_of(file: RecordFile, queue: int) -> str:
    device = file.queues[queue].device
    return "device" if device is None else file.devices[device].name


def _of(call: RecordedCommand) -> str:
    return call.name or call.what


def _merged(stretches: Iterable[_Stretch], apart: int) -> list[_Stretch]:
    """Stretches of one kind that are nearer than `apart` as one."""
    merged: list[_Stretch] = []
    for one in sorted(stretches, key=lambda each: each.begin):
        last = merged[-1] if merged else None
        if last is None or one.begin - last.end > apart or (one.style != last.style and last.end - last.begin > apart):
            merged.append(one)
            continue
        longer = last if last.busy >= one.busy else one
        name = last.name if last.name == one.name else "several"
        end = max(last.end, one.end)
        merged[-1] = _Stretch(last.begin, end, longer.style, last.busy + one.busy, last.count + one.count, name)
    return merged


def _bar(one: _Stretch, end: int) -> Bar:
    begin = round(100 * one.begin / end, 3)
    # What is too short to be seen is drawn as a hair.
    width = max(round(100 * (one.end - one.begin) / end, 3), 0.05)
    return Bar(begin, width, one.style, f"{_title(one)}: {seconds(one.begin * _NS)} to {seconds(one.end * _NS)}")


def _title(one: _Stretch) -> str:
    if one.count == 1:
        return one.name
    share = percent(min(1.0, one.busy / max(1, one.end - one.begin)))
    return f"{one.count} of {one.name}, at work for {share}"


def _table(drawn: Sequence[_Who], label: str) -> Table:
    columns = ("line", "what", "kind", "begin", "end")
    cells = [
        (each.label, _title(one), STEPS[one.style], seconds(one.begin * _NS), seconds(one.end * _NS))
        for each in drawn
        for one in each.stretches
    ]
    return Table(columns, cells, numbers=frozenset({"begin", "end"}), title=f"timeline of {label}")


def _gaps(file: RecordFile) -> Table:
    """The longest times for which a device had nothing to do, and what ended them."""
    single = (
        RecordedGap(
            device=one.device, before=_of(one), gap_ns=one.gap_ns, gap_host_ns=one.gap_host_ns, end_ns=one.start_ns or 0
        )
        for one in file.records
        if one.gap_ns
    )
    longest = sorted([*single, *file.longest_gaps], key=lambda one: -one.gap_ns)[:MOST_GAPS]
    columns = ("gap", "at", "waiting for the host", "before", "device")
    cells = [
        (
            seconds(one.gap_ns * _NS),
            seconds((one.end_ns - one.gap_ns) * _NS),
            percent(one.gap_host_ns / one.gap_ns if one.gap_ns else 0.0),
            one.before,
            "-" if one.device is None else file.devices[one.device].name,
        )
        for one in longest
    ]
    return Table(columns, cells, numbers=frozenset(columns[:3]), title="the longest gaps of a device")
