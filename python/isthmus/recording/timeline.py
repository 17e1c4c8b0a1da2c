"""The commands of all processes on one clock, and the gaps between them on each device."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from isthmus.recording.clocks import Clock, align
from isthmus.recording.columns import Array, Column, Columns, Rows, ascending, joined, narrow, pieces, rows_where
from isthmus.recording.gaps import DeviceWork, find_gaps, working
from isthmus.recording.journal import BLOCKING, GROUP, GROUPS, HAS_TIMES, MOVES, SHARES_MEMORY, LayerJournal


@dataclass
class Device:
    """A device as its driver names it, its clock, and what it did; one for each process that used it."""

    process: int
    name: str
    platform: str
    driver: str
    type: str
    shares_memory: bool = False
    clock: Clock = field(default_factory=Clock)
    timer_resolution: int = 0
    work: DeviceWork = field(default_factory=DeviceWork)


@dataclass
class Timeline:
    """Commands and calls in the order in which they began, in ns since `origin` (CLOCK_MONOTONIC).

    Columns of `commands`: places in the lists of the timeline, -1 for none (`process`, `thread`, `queue`, `what`,
    `name`) and in the journal (`slot`, `times_slot`); `begin` since the origin, and from there `span` to the call's
    end, `queued` and `start`, from the start `time` to the command's end (0 where it is not `timed`); the gap before
    it and for how much of that nothing was queued (`gap`, `gap_host`); `bytes`, work-`items`, `error`, `overhead`,
    `blocking`, `unfinished`.
    """

    journals: list[LayerJournal]
    origin: int
    realtime: int
    commands: Columns
    devices: list[Device] = field(default_factory=list)
    queues: list[tuple[int, int, bool]] = field(default_factory=list)
    """Number, device and whether profiling was forced; the place in this list is the queue of a command."""
    threads: list[tuple[int, int]] = field(default_factory=list)
    """Process and number."""
    names: list[str] = field(default_factory=list)
    whats: list[str] = field(default_factory=list)
    group_of: list[int] = field(default_factory=list)
    """The place of each of `whats` in GROUPS."""
    moving: list[bool] = field(default_factory=list)
    """Tells whether bytes are moved, for each of `whats`."""

    @property
    def groups(self) -> Array:
        """The group of each of `whats`, and at the end that of a call whose kind is not known."""
        return np.array([*self.group_of, GROUPS.index("host")], np.int8)

    @property
    def device_of(self) -> Array:
        """The device of each queue, and at the end -1: that of no queue."""
        return narrow(np.array([*(device for _, device, _ in self.queues), -1]))

    def what(self, place: int) -> str:
        """The name of a kind of call."""
        return self.whats[place] if place >= 0 else "(unknown)"

    def title(self, what: int, name: int) -> str:
        """The kernel's name, or else what the call does."""
        return self.names[name] if name >= 0 else self.what(what)

    def start(self, rows: Rows) -> Array:
        """The start times of those commands that are timed."""
        found: Array = self.commands["begin"][rows] + self.commands["start"][rows]
        return found


def make_timeline(journals: Sequence[LayerJournal]) -> Timeline:
    """What the journals say, together; their columns are the timeline's then."""
    first = journals[0].process
    origin = min([int(journal.calls["begin"].min()) for journal in journals if journal.calls.rows], default=0)
    origin = origin or first["monotonic"]
    line = Timeline(list(journals), origin, first["realtime"] + origin - first["monotonic"], Columns({}, 0))
    line.commands = joined([_commands(line, number, journal) for number, journal in enumerate(journals)])
    if not ascending(line.commands["begin"]):
        line.commands.reorder(np.argsort(line.commands["begin"], kind="stable"))
    _add_gaps(line)
    return line


def _commands(line: Timeline, process: int, journal: LayerJournal) -> Columns:
    calls = journal.calls
    table = Columns({}, calls.rows)
    table["process"] = np.full(calls.rows, process, np.min_scalar_type(-1 - process))
    for name in ("slot", "times_slot", "bytes", "items", "overhead", "span"):
        table[name] = calls.take(name)
    table["begin"] = calls.take("begin")
    table["begin"] -= line.origin
    flags = calls.take("flags")
    table["blocking"] = flags & BLOCKING != 0
    table["unfinished"] = (flags & HAS_TIMES != 0) & (table["times_slot"] < 0)
    table["what"] = _looked_up(calls.take("kind"), _kinds(line, journal))
    table["name"] = _looked_up(calls.take("kernel"), _places(journal.texts["kernel"], line.names))
    error, status = calls.take("result"), calls.take("status")
    table["error"] = np.where(status < 0, status, error)
    numbers = calls.take("thread")
    known = {int(number): len(line.threads) + place for place, number in enumerate(_values(numbers))}
    line.threads += [(process, number) for number in known]
    table["thread"] = _looked_up(numbers, known)
    table["queue"] = _looked_up(calls.take("queue"), _queues(line, process, journal))
    _place_times(line, process, calls, table)
    return table


def _values(numbers: Array) -> list[int]:
    """The different ones, ascending."""
    found = [np.unique(numbers[part]) for part in pieces(len(numbers))]
    return [int(value) for value in np.unique(np.concatenate(found))] if found else []


def _looked_up(numbers: Array, places: dict[int, int]) -> Array:
    """The place of each number; -1 for a number without one."""
    values = _values(numbers)
    found = narrow(np.array([places.get(value, -1) for value in values], np.int64))
    column = Column(len(numbers))
    for part in pieces(len(numbers)):
        column.put(part, found[np.searchsorted(np.array(values), numbers[part])])
    return column.values


def _places(texts: dict[int, str], known: list[str]) -> dict[int, int]:
    """The places of the texts in a list that all processes share."""
    places = {text: place for place, text in enumerate(known)}
    found = {number: places.setdefault(text, len(places)) for number, text in texts.items()}
    known[:] = places
    return found


def _kinds(line: Timeline, journal: LayerJournal) -> dict[int, int]:
    """The places of the kinds of calls."""
    places = _places(journal.texts["kind"], line.whats)
    details = {places[number]: detail for number, detail in journal.details["kind"].items()}
    for place in range(len(line.group_of), len(line.whats)):
        group = details[place] & GROUP
        line.group_of.append(group if group < len(GROUPS) else GROUPS.index("host"))
        line.moving.append(details[place] & MOVES != 0)
    return places


def _queues(line: Timeline, process: int, journal: LayerJournal) -> dict[int, int]:
    """The places of the process's queues, whose devices are added to the timeline's."""
    texts = journal.texts
    devices: dict[int, int] = {}
    for number in sorted(texts["device"]):
        name, platform, driver, kind = (
            texts[what].get(number, "") for what in ("device", "platform", "driver", "device_type")
        )
        devices[number] = len(line.devices)
        shares = journal.details["device"][number] & SHARES_MEMORY != 0
        line.devices.append(Device(process, name, platform, driver, kind, shares))
    places: dict[int, int] = {}
    for slot in journal.queues:
        device = devices.get(int(slot["device"]), -1)
        places[int(slot["id"])] = len(line.queues)
        line.queues.append((int(slot["id"]), device, bool(slot["forced"])))
        if device >= 0:
            line.devices[device].timer_resolution = int(slot["timer_resolution"])
    return places


def _place_times(line: Timeline, process: int, calls: Columns, table: Columns) -> None:
    """Puts the times of each command that has them on the host's clock."""
    raw, started, time = calls.take("queued"), calls.take("started"), calls.take("time")
    columns = {name: Column(table.rows) for name in ("queued", "start", "time")}
    devices = line.device_of
    table["timed"] = calls.take("told").astype(bool) & (devices >= 0)[table["queue"]]
    for number, device in enumerate(line.devices):
        if device.process != process:
            continue
        own = (devices == number)[table["queue"]] & table["timed"]
        count = int(np.count_nonzero(own))
        if not count:
            continue
        device.clock = align(count, partial(_call, line.origin, table, raw, rows_where(table.rows, own.__getitem__)))
        for part in pieces(table.rows):  # the rows are found again: keeping them too would take too much
            here = part.start + np.flatnonzero(own[part])
            queued, begun = (device.clock.on_host(raw[here] + more) for more in (0, started[here]))
            done = device.clock.on_host(raw[here] + started[here].astype(np.int64) + time[here])
            columns["queued"].put(here, queued - line.origin - table["begin"][here])
            columns["start"].put(here, begun - line.origin - table["begin"][here])
            columns["time"].put(here, done - begun)
    for name, column in columns.items():
        table[name] = column.values


def _call(origin: int, table: Columns, raw: Array, rows: Array, part: slice) -> tuple[Array, Array, Array]:
    """The times at which the commands of some rows were queued, and at which their calls began and ended."""
    here = rows[part]
    begin = table["begin"][here] + origin
    return raw[here], begin, begin + table["span"][here]


def _add_gaps(line: Timeline) -> None:
    commands = line.commands
    gap, gap_host = Column(commands.rows), Column(commands.rows)
    for number, device in enumerate(line.devices):
        rows = working(commands, line.device_of == number, line.groups)
        device.work = find_gaps(commands, rows, line.groups, gap, gap_host)
    commands["gap"], commands["gap_host"] = gap.values, gap_host.values
