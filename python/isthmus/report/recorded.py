"""Recorded programs: a timeline of queues and threads, the longest gaps, and the tables of the command."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from isthmus.numbers import percent, seconds
from isthmus.output import Table
from isthmus.recording import tables
from isthmus.records import RecordedCommand, RecordFile
from isthmus.report.timeline import LINE, Bar, Lane, Timeline, ticks

STEPS = ["kernel", "transfer", "host waits", "host builds", "other call"]
_WAITS = frozenset({"finish", "wait for events"})
_BUILDS = frozenset({"build program", "compile program", "link program"})
_NS = 1e-9
_FINEST = 0.002  # of the shown time: what is nearer than that is drawn as one
_MOST_LANES = 6  # of queues, and of threads
_MOST_GAPS = 10
_CLOSER = 0.6  # of the whole time: where the devices are at work for less of it, that time is shown by itself too


@dataclass(frozen=True)
class Recorded:
    """A recorded program, ready to be shown."""

    label: str
    verdict: list[str]
    notes: list[str]
    timelines: list[Timeline]
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


def recorded(files: Iterable[RecordFile]) -> list[Recorded]:
    """Each recorded program."""
    return [_recorded(file) for file in files]


def _recorded(file: RecordFile) -> Recorded:
    label = f"{' '.join(file.program)}, measured"
    shown = [*tables.tables(file), *([_gaps(file)] if any(one.gap_ns for one in file.records) else [])]
    return Recorded(label, tables.verdict(file), tables.detail(file), _timelines(file, label), shown)


def _timelines(file: RecordFile, label: str) -> list[Timeline]:
    """The whole time, and closer that in which the devices were at work."""
    queues, threads = _queues(file), _threads(file)
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


def _timeline(who: Sequence[_Who], label: str, begin: int, end: int) -> Timeline:
    """What they did between two times, counted from the first."""
    seen = [_Who(each.label, each.name, list(_within(each.stretches, begin, end))) for each in who]
    span = end - begin
    drawn = [_Who(each.label, each.name, _merged(each.stretches, round(span * _FINEST))) for each in seen]
    return Timeline(
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
    """What of them lies between two times, counted from the first."""
    for one in stretches:
        first, last = max(one.begin, begin), min(one.end, end)
        if first <= last:
            yield replace(one, begin=first - begin, end=last - begin, busy=last - first)


def _queues(file: RecordFile) -> list[_Who]:
    """What devices did, by queue; those with the most to do."""
    found = []
    for number, queue in enumerate(file.queues):
        work = [
            _Stretch(
                one.start_ns, one.end_ns, 0 if one.group == "kernel" else 1, one.end_ns - one.start_ns, 1, _of(one)
            )
            for one in file.records
            if one.queue == number and one.group in ("kernel", "transfer")
            if one.start_ns is not None and one.end_ns is not None
        ]
        device = "device" if queue.device is None else file.devices[queue.device].name
        if work:
            found.append(_Who(f"q{number + 1}", f"queue {number + 1}, {device}", work))
    return _busiest(found)


def _threads(file: RecordFile) -> list[_Who]:
    """What threads of the program spent in calls; those that spent the most."""
    by_thread: dict[tuple[int, int], list[RecordedCommand]] = {}
    for one in file.records:
        by_thread.setdefault((one.process, one.thread), []).append(one)
    found = [
        _Who(
            f"t{number}",
            f"thread {thread} of process {file.processes[process].process}",
            [
                _Stretch(
                    one.call_begin_ns, one.call_end_ns, _style(one), one.call_end_ns - one.call_begin_ns, 1, _of(one)
                )
                for one in calls
            ],
        )
        for number, ((process, thread), calls) in enumerate(by_thread.items(), start=1)
    ]
    return _busiest(found)


def _busiest(found: Sequence[_Who]) -> list[_Who]:
    chosen = sorted(found, key=lambda each: -sum(one.busy for one in each.stretches))[:_MOST_LANES]
    return [each for each in found if each in chosen]


def _style(call: RecordedCommand) -> int:
    if call.what in _BUILDS:
        return 3
    return 2 if call.what in _WAITS or call.blocking else 4


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
    return Bar(begin, width, one.style, f"{_title(one)}: {_from_to(one)}")


def _title(one: _Stretch) -> str:
    if one.count == 1:
        return one.name
    share = percent(min(1.0, one.busy / max(1, one.end - one.begin)))
    return f"{one.count} of {one.name}, at work for {share}"


def _from_to(one: _Stretch) -> str:
    return f"{seconds(one.begin * _NS)} to {seconds(one.end * _NS)}"


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
    longest = sorted((one for one in file.records if one.gap_ns), key=lambda one: -one.gap_ns)[:_MOST_GAPS]
    columns = ("gap", "at", "waiting for the host", "before", "device")
    cells = [
        (
            seconds(one.gap_ns * _NS),
            seconds(((one.start_ns or 0) - one.gap_ns) * _NS),
            percent(one.gap_host_ns / one.gap_ns),
            _of(one),
            "-" if one.device is None else file.devices[one.device].name,
        )
        for one in longest
    ]
    return Table(columns, cells, numbers=frozenset(columns[:3]), title="the longest gaps of a device")
