"""The journals that the layer writes (src/layer/journal_format.hpp): slots of 128 bytes, whole up to an empty one."""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.errors import IsthmusError

SLOT = 128
VERSION = 1
MAGIC = b"isthmusR"

PROCESS = np.dtype(
    {
        "names": ["magic", "version", "slot_size", "process", "parent", "monotonic", "realtime", "lost", "ended"],
        "formats": ["S8", "<u4", "<u4", "<u4", "<u4", "<u8", "<u8", "<u8", "<u8"],
        "offsets": [8, 16, 20, 24, 28, 32, 40, 48, 56],
        "itemsize": SLOT,
    }
)
TEXT = np.dtype(
    {
        "names": ["what", "length", "id", "part", "detail", "text"],
        "formats": ["u1", "<u2", "<u4", "<u4", "<u4", "V112"],
        "offsets": [1, 2, 4, 8, 12, 16],
        "itemsize": SLOT,
    }
)
QUEUE = np.dtype(
    {
        "names": ["forced", "id", "device", "properties", "timer_resolution"],
        "formats": ["u1", "<u4", "<u4", "<u8", "<u8"],
        "offsets": [1, 4, 8, 16, 24],
        "itemsize": SLOT,
    }
)
CALL = np.dtype(
    {
        "names": [
            *("kind", "flags", "thread", "id", "queue", "kernel", "bytes", "begin", "end", "overhead"),
            *("dimensions", "result", "global", "local", "waits"),
        ],
        "formats": [
            *("u1", "<u2", "<u4", "<u8", "<u4", "<u4", "<u8", "<u8", "<u8", "<u8"),
            *("<u4", "<i4", ("<u8", 3), ("<u4", 3), "<u4"),
        ],
        "offsets": [1, 2, 4, 8, 16, 20, 24, 32, 40, 48, 56, 60, 64, 88, 100],
        "itemsize": SLOT,
    }
)
TIMES = np.dtype(
    {
        "names": ["status", "id", "queued", "submit", "start", "end"],
        "formats": ["<i4", "<u8", "<u8", "<u8", "<u8", "<u8"],
        "offsets": [4, 8, 16, 24, 32, 40],
        "itemsize": SLOT,
    }
)

# SlotType, Text, Group and Flag of the header.
_PROCESS, _TEXT, _QUEUE, _CALL, _TIMES = 1, 2, 3, 4, 5
TEXTS = ("kind", "command", "device", "platform", "driver", "device_type", "kernel", "extension")
GROUPS = ("transfer", "kernel", "order", "host")
BLOCKING, PROGRAM_ASKS, HAS_TIMES = 1, 2, 4

_MOST = 1 << 62  # ns or bytes; what can be subtracted from each other

Array = NDArray[Any]


@dataclass(frozen=True)
class Journal:
    """What one process wrote: calls by number, and the times of those that were complete when it ended."""

    path: Path
    process: dict[str, int]
    texts: dict[str, dict[int, str]]
    groups: dict[int, str] = field(repr=False)
    queues: Array
    calls: Array
    times: Array


def read_journals(folder: Path) -> list[Journal]:
    """The journals of a folder, the process that began first in front."""
    found = [read_journal(path) for path in sorted(folder.glob("*.journal"))]
    return sorted((one for one in found if one is not None), key=lambda one: one.process["monotonic"])


def read_journal(path: Path) -> Journal | None:
    """One journal; None if its process ended before the first slot was whole."""
    try:
        raw = np.memmap(path, np.uint8, mode="r")
    except (OSError, ValueError) as error:
        if path.is_file() and path.stat().st_size == 0:
            return None
        raise IsthmusError(f"{path}: cannot read the journal: {error}") from error
    slots = raw[: len(raw) // SLOT * SLOT].reshape(-1, SLOT)
    empty = np.flatnonzero(slots[:, 0] == 0)
    slots = slots[: empty[0]] if len(empty) else slots
    if not len(slots):
        return None
    head = _of(slots, _PROCESS, PROCESS)
    if not len(head) or head[0]["magic"] != MAGIC or head[0]["version"] != VERSION or head[0]["slot_size"] != SLOT:
        raise IsthmusError(f"{path}: expected a journal of version {VERSION} that isthmus record wrote")
    texts, groups = _texts(_of(slots, _TEXT, TEXT))
    calls, times = _of(slots, _CALL, CALL), _of(slots, _TIMES, TIMES)
    for table, names in ((calls, ("bytes", "begin", "end", "overhead")), (times, ("queued", "submit", "start", "end"))):
        if any((table[name] >= _MOST).any() for name in names):
            raise IsthmusError(f"{path}: expected a journal, got times or bytes above {_MOST}")
    return Journal(
        path=path,
        process={name: int(head[0][name]) for name in PROCESS.names or () if name != "magic"},
        texts=texts,
        groups=groups,
        queues=_of(slots, _QUEUE, QUEUE),
        calls=calls[np.argsort(calls["id"], kind="stable")],
        times=times[np.argsort(times["id"], kind="stable")],
    )


def _of(slots: Array, kind: int, form: "np.dtype[Any]") -> Array:
    chosen: Array = np.ascontiguousarray(slots[slots[:, 0] == kind]).view(form)
    return chosen.reshape(-1)


def _texts(slots: Array) -> tuple[dict[str, dict[int, str]], dict[int, str]]:
    pieces: dict[tuple[str, int], dict[int, bytes]] = defaultdict(dict)
    groups: dict[int, str] = {}
    for slot in slots[(slots["what"] < len(TEXTS)) & (slots["detail"] < len(GROUPS))]:
        what, number = TEXTS[slot["what"]], int(slot["id"])
        pieces[what, number][int(slot["part"])] = bytes(slot["text"])[: int(slot["length"])]
        if what == "kind":
            groups[number] = GROUPS[slot["detail"]]
    texts: dict[str, dict[int, str]] = {what: {} for what in TEXTS}
    for (what, number), parts in pieces.items():
        texts[what][number] = b"".join(parts[part] for part in sorted(parts)).decode("utf-8", "replace")
    return texts, groups
