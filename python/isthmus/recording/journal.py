"""The journals that the layer writes (src/layer/journal_format.hpp): slots of 128 bytes, whole up to an empty one."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from isthmus.base.errors import IsthmusError
from isthmus.recording.columns import Array, Column, ColumnBuffer, Columns, ascending

SLOT = 128
VERSION = 2
MAGIC = b"isthmusR"


def _slot(names: str, formats: str, offsets: list[int]) -> "np.dtype[Any]":
    """The form of a kind of slot, with blanks between the names of its fields and between their formats."""
    return np.dtype({"names": names.split(), "formats": formats.split(), "offsets": offsets, "itemsize": SLOT})


PROCESS = _slot(
    "magic version slot_size process parent monotonic realtime lost ended",
    "S8 <u4 <u4 <u4 <u4 <u8 <u8 <u8 <u8",
    [8, 16, 20, 24, 28, 32, 40, 48, 56],
)
TEXT = _slot("what length id part detail text", "u1 <u2 <u4 <u4 <u4 V112", [1, 2, 4, 8, 12, 16])
QUEUE = _slot("forced id device properties timer_resolution", "u1 <u4 <u4 <u8 <u8", [1, 4, 8, 16, 24])
CALL = _slot(
    "kind flags thread id queue kernel bytes begin end overhead dimensions result global local waits",
    "u1 <u2 <u4 <u8 <u4 <u4 <u8 <u8 <u8 <u8 <u4 <i4 (3,)<u8 (3,)<u4 <u4",
    [1, 2, 4, 8, 16, 20, 24, 32, 40, 48, 56, 60, 64, 88, 100],
)
TIMES = _slot("status id queued submit start end", "<i4 <u8 <u8 <u8 <u8 <u8", [4, 8, 16, 24, 32, 40])

# SlotType, Text, Group and Flag of the header.
_PROCESS, _TEXT, _QUEUE, _CALL, _TIMES = 1, 2, 3, 4, 5
TEXTS = ("kind", "command", "device", "platform", "driver", "device_type", "kernel", "extension")
GROUPS = ("transfer", "kernel", "order", "host")
BLOCKING, PROGRAM_ASKS, HAS_TIMES = 1, 2, 4
GROUP, MOVES = 0xFF, 0x100
SHARES_MEMORY = 1
_TIMES_COLUMNS = ("times_slot", "status", "started", "time", "told")

_MOST = 1 << 62  # ns or bytes; what can be subtracted from each other
_AT_ONCE = 1 << 14  # slots: what fits a processor's cache

Texts = dict[str, dict[int, str]]
Details = dict[str, dict[int, int]]


@dataclass(frozen=True)
class LayerJournal:
    """The journal of one process: its calls by number, each with the times of its command.

    Times of the device's clock: `queued`, from there to the start `started`, from there to the end `time`; `told` where
    the driver gave them. `slot` and `times_slot` are places in the file, -1 for times that are not there.
    """

    path: Path
    process: dict[str, int]
    texts: Texts
    details: Details = field(repr=False)
    """By what a text is of, and its number: of a kind of call its group and MOVES, of a device SHARES_MEMORY."""
    queues: Array
    calls: Columns


def read_journals(folder: Path) -> list[LayerJournal]:
    """The journals of a folder, the process that began first in front."""
    found = [read_journal(path) for path in sorted(folder.glob("*.journal"))]
    return sorted((one for one in found if one is not None), key=lambda one: one.process["monotonic"])


def read_journal(path: Path) -> LayerJournal | None:
    """Reads one journal; None if its process ended before the first slot was whole."""
    head: dict[str, int] | None = None
    texts, queues = [np.zeros(0, TEXT)], [np.zeros(0, QUEUE)]
    calls = ColumnBuffer(path.stat().st_size // SLOT if path.is_file() else 0)
    for first, slots in _pieces(path):
        head = head or _head(path, slots)
        texts.append(_of(slots, _TEXT, TEXT))
        queues.append(_of(slots, _QUEUE, QUEUE))
        _collect(path, first, slots, calls)
    if head is None:
        return None
    table = _by_number(calls.columns())
    _add_times(path, table)
    return LayerJournal(path, head, *_texts(np.concatenate(texts)), np.concatenate(queues), table)


def slots_at(path: Path, places: Array, form: "np.dtype[Any]") -> Array:
    """Slots of one form by their places in the file."""
    file = np.memmap(path, form, mode="r", shape=(path.stat().st_size // SLOT,))
    return np.array(file[places])


def _pieces(path: Path) -> Iterator[tuple[int, Array]]:
    """The slots up to the first empty one, some at once: the number of the first, and their bytes until the next."""
    room = bytearray(_AT_ONCE * SLOT)
    first = 0
    try:
        with path.open("rb", buffering=0) as file:
            while whole := (file.readinto(room) or 0) // SLOT:
                slots = np.frombuffer(room, np.uint8, whole * SLOT).reshape(-1, SLOT)
                empty = np.flatnonzero(slots[:, 0] == 0)
                yield first, slots[: empty[0]] if len(empty) else slots
                if len(empty):
                    return
                first += whole
    except OSError as error:
        raise IsthmusError(f"{path}: cannot read the journal: {error}") from error


def _head(path: Path, slots: Array) -> dict[str, int] | None:
    if not len(slots):
        return None
    head = _of(slots, _PROCESS, PROCESS)
    if not len(head) or head[0]["magic"] != MAGIC or head[0]["version"] != VERSION or head[0]["slot_size"] != SLOT:
        raise IsthmusError(f"{path}: expected a journal of version {VERSION} that isthmus record wrote")
    return {name: int(head[0][name]) for name in PROCESS.names or () if name != "magic"}


def _of(slots: Array, kind: int, form: "np.dtype[Any]") -> Array:
    chosen: Array = np.ascontiguousarray(slots[slots[:, 0] == kind]).view(form)
    return chosen.reshape(-1)


def _check(path: Path, table: Array, names: tuple[str, ...]) -> None:
    if any((table[name] >= _MOST).any() for name in names):
        raise IsthmusError(f"{path}: expected a journal, got times or bytes above {_MOST}")


def _collect(path: Path, first: int, slots: Array, calls: ColumnBuffer) -> None:
    """The columns of the calls among these slots."""
    found = _of(slots, _CALL, CALL)
    _check(path, found, ("bytes", "begin", "end", "overhead"))
    calls.add("slot", first + np.flatnonzero(slots[:, 0] == _CALL))
    for name in ("kind", "flags", "thread", "queue", "kernel", "result"):
        calls.add(name, found[name])
    for name in ("id", "bytes", "begin", "overhead"):
        calls.add(name, found[name].astype(np.int64))
    calls.add("span", (found["end"] - found["begin"]).astype(np.int64))
    used = np.arange(3) < found["dimensions"][:, None]
    items = np.where(used, found["global"], 1).prod(axis=1).astype(np.int64)
    calls.add("items", np.where(found["dimensions"] > 0, items, 0))


def _by_number(columns: dict[str, Array]) -> Columns:
    columns["begin"] = columns["begin"].astype(np.int64, copy=False)
    table = Columns(columns, len(columns["id"]))
    if not ascending(table["id"]):
        table.reorder(np.argsort(table["id"], kind="stable"))
    return table


def _add_times(path: Path, calls: Columns) -> None:
    """The times of each call whose command was seen complete."""
    numbers = calls.take("id")
    queued = np.zeros(calls.rows, np.int64)
    columns = {name: Column(calls.rows, -1 if name == "times_slot" else 0) for name in _TIMES_COLUMNS}
    for first, slots in _pieces(path):
        found = _of(slots, _TIMES, TIMES)
        _check(path, found, ("queued", "submit", "start", "end"))
        places = first + np.flatnonzero(slots[:, 0] == _TIMES)
        known = found["id"] <= np.iinfo(numbers.dtype).max
        ids = found["id"][known].astype(numbers.dtype)
        where = np.searchsorted(numbers, ids)
        there = where < calls.rows
        there[there] = numbers[where[there]] == ids[there]
        found, places, where = found[known][there], places[known][there], where[there]
        times = {name: found[name].astype(np.int64) for name in ("queued", "start", "end")}
        queued[where] = times["queued"]
        columns["times_slot"].put(where, places)
        columns["status"].put(where, found["status"])
        columns["started"].put(where, times["start"] - times["queued"])
        columns["time"].put(where, times["end"] - times["start"])
        columns["told"].put(where, times["end"] > 0)
    calls["queued"] = queued
    for name, column in columns.items():
        calls[name] = column.values


def _texts(slots: Array) -> tuple[Texts, Details]:
    pieces: dict[tuple[str, int], dict[int, bytes]] = defaultdict(dict)
    details: Details = {what: {} for what in TEXTS}
    for slot in slots[slots["what"] < len(TEXTS)]:
        what, number = TEXTS[slot["what"]], int(slot["id"])
        pieces[what, number][int(slot["part"])] = bytes(slot["text"])[: int(slot["length"])]
        details[what][number] = int(slot["detail"])
    texts: Texts = {what: {} for what in TEXTS}
    for (what, number), parts in pieces.items():
        texts[what][number] = b"".join(parts[part] for part in sorted(parts)).decode("utf-8", "replace")
    return texts, details
