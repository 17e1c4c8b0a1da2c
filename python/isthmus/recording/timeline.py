"""The commands of all processes on one clock, and the gaps between them on each device."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from isthmus.recording.clocks import Clock, align
from isthmus.recording.journal import BLOCKING, GROUPS, HAS_TIMES, Array, Journal

NONE = np.iinfo(np.int64).min  # a time that is not known

COMMAND = np.dtype(
    [
        *(
            (name, np.int64)
            for name in ("process", "id", "device", "queue", "thread", "what", "name", "bytes", "error")
        ),
        *((name, np.int64) for name in ("begin", "end", "overhead", "queued", "submit", "start", "done")),
        *((name, np.int64) for name in ("gap", "gap_host", "dimensions", "waits")),
        ("global", np.int64, 3),
        ("local", np.int64, 3),
        ("group", np.int8),
        ("blocking", np.bool_),
        ("timed", np.bool_),
        ("unfinished", np.bool_),
    ]
)


@dataclass
class Device:
    """A device as its driver names it, and its clock; one for each process that used it."""

    process: int
    name: str
    platform: str
    driver: str
    type: str
    clock: Clock = field(default_factory=Clock)
    timer_resolution: int = 0


@dataclass
class Timeline:
    """Commands and calls in the order in which they began, in ns since `origin` (CLOCK_MONOTONIC)."""

    journals: list[Journal]
    origin: int
    realtime: int
    devices: list[Device] = field(default_factory=list)
    queues: list[tuple[int, int, bool]] = field(default_factory=list)
    """Number, device and whether profiling was forced; the place in this list is the queue of a command."""
    whats: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    commands: Array = field(default_factory=lambda: np.zeros(0, COMMAND))


def make_timeline(journals: Sequence[Journal]) -> Timeline:
    """What the journals say, together."""
    first = journals[0].process
    origin = min([int(journal.calls["begin"].min()) for journal in journals if len(journal.calls)], default=0)
    origin = origin or first["monotonic"]
    line = Timeline(list(journals), origin, first["realtime"] + origin - first["monotonic"])
    tables = [_commands(line, number, journal) for number, journal in enumerate(journals)]
    commands = np.concatenate(tables) if tables else line.commands
    line.commands = commands[np.argsort(commands["begin"], kind="stable")]
    for device in range(len(line.devices)):
        _find_gaps(line.commands, device)
    return line


def _commands(line: Timeline, process: int, journal: Journal) -> Array:
    calls = journal.calls
    table = np.zeros(len(calls), COMMAND)
    for name in ("id", "thread", "bytes", "dimensions", "waits", "global", "local", "overhead"):
        table[name] = calls[name]
    table["process"] = process
    table["error"] = calls["result"]
    table["blocking"] = calls["flags"] & BLOCKING != 0
    table["what"] = _looked_up(calls["kind"], _places(journal.texts["kind"], line.whats))
    table["name"] = _looked_up(calls["kernel"], _places(journal.texts["kernel"], line.names))
    groups = np.array([GROUPS.index(journal.groups.get(kind, "host")) for kind in range(256)], np.int8)
    table["group"] = groups[calls["kind"]]
    table["begin"] = calls["begin"].astype(np.int64) - line.origin
    table["end"] = calls["end"].astype(np.int64) - line.origin
    _place(line, process, journal, table)
    _add_times(line, process, journal, table)
    return table


def _places(texts: dict[int, str], known: list[str]) -> dict[int, int]:
    """The places of the texts in a list that all processes share."""
    for text in texts.values():
        if text not in known:
            known.append(text)
    return {number: known.index(text) for number, text in texts.items()}


def _looked_up(numbers: Array, places: dict[int, int]) -> Array:
    """Each number's place; -1 for one that has none."""
    values, which = np.unique(numbers, return_inverse=True)
    found: Array = np.array([places.get(int(value), -1) for value in values], np.int64)[which.ravel()]
    return found


def _place(line: Timeline, process: int, journal: Journal, table: Array) -> None:
    """Queue and device of each call; -1 for none."""
    texts = journal.texts
    devices: dict[int, int] = {}
    for number in sorted(texts["device"]):
        name, platform, driver, kind = (
            texts[what].get(number, "") for what in ("device", "platform", "driver", "device_type")
        )
        devices[number] = len(line.devices)
        line.devices.append(Device(process, name, platform, driver, kind))
    places: dict[int, int] = {}
    for slot in journal.queues:
        device = devices.get(int(slot["device"]), -1)
        places[int(slot["id"])] = len(line.queues)
        line.queues.append((int(slot["id"]), device, bool(slot["forced"])))
        if device >= 0:
            line.devices[device].timer_resolution = int(slot["timer_resolution"])
    table["queue"] = _looked_up(journal.calls["queue"], places)
    table["device"] = np.array([*(device for _, device, _ in line.queues), -1])[table["queue"]]


def _add_times(line: Timeline, process: int, journal: Journal, table: Array) -> None:
    """The four times of each command that has them, on the host's clock."""
    for name in ("queued", "submit", "start", "done"):
        table[name] = NONE
    times = journal.times
    where = np.searchsorted(journal.calls["id"], times["id"])
    there = where < len(table)
    there[there] = journal.calls["id"][where[there]] == times["id"][there]
    times, where = times[there], where[there]
    expected = journal.calls["flags"] & HAS_TIMES != 0
    table["unfinished"] = expected
    table["unfinished"][where] = False
    failed = times["status"] < 0
    table["error"][where[failed]] = times["status"][failed]
    told = times["end"] > 0
    times, where = times[told], where[told]
    table["timed"][where] = True
    for number, device in enumerate(line.devices):
        mine = table["device"][where] == number
        if device.process != process or not mine.any():
            continue
        rows, found = where[mine], times[mine]
        device.clock = align(found["queued"], journal.calls["begin"][rows], journal.calls["end"][rows])
        for name, theirs in (("queued", "queued"), ("submit", "submit"), ("start", "start"), ("done", "end")):
            table[name][rows] = device.clock.on_host(found[theirs]) - line.origin


def working(commands: Array, device: int) -> Array:
    """Places of the commands that kept the device busy, in the order in which they started."""
    mine = np.flatnonzero(
        (commands["device"] == device) & commands["timed"] & (commands["group"] <= GROUPS.index("kernel"))
    )
    found: Array = mine[np.argsort(commands["start"][mine], kind="stable")]
    return found


def _find_gaps(commands: Array, device: int) -> None:
    """Before each command: how long the device had nothing to do, and for how much of it nothing was queued."""
    rows = working(commands, device)
    if len(rows) < 2:
        return
    busy_until = np.maximum.accumulate(commands["done"][rows])[:-1]
    later = rows[1:]
    gap = np.maximum(commands["start"][later] - busy_until, 0)
    commands["gap"][later] = gap
    commands["gap_host"][later] = np.clip(commands["queued"][later] - busy_until, 0, gap)
