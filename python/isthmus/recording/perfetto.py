"""A timeline as a trace in Perfetto's protobuf: calls of each thread, commands of each queue, arrows between them."""

from collections.abc import Iterator
from typing import Any

from isthmus.recording.singles import Row, singles
from isthmus.recording.timeline import Timeline

# Field numbers of Perfetto's messages (perfetto/protos/perfetto/trace).
_PACKET = 1
_TIMESTAMP, _SEQUENCE, _TRACK_EVENT, _TRACK_DESCRIPTOR = 8, 10, 11, 60
_UUID, _NAME, _PARENT = 1, 2, 5
_TYPE, _TRACK, _EVENT_NAME, _ANNOTATION, _FLOW = 9, 11, 23, 4, 47
_ANNOTATION_NAME, _ANNOTATION_INT, _ANNOTATION_TEXT = 10, 4, 6
_BEGIN, _END = 1, 2


def trace_of(line: Timeline, count: int) -> Iterator[bytes]:
    """The trace of the first `count` calls, in pieces."""
    tracks = _Tracks(line)
    for row in singles(line, count):
        title = line.title(row["what"], row["name"])
        flow = (row["process"] << 40) + row["id"] if row["timed"] else None
        yield from tracks.of_thread(row)
        yield _slice(tracks.thread(row), row["begin"], row["end"], title, _notes(row), flow)
        if row["timed"]:
            yield from tracks.of_queue(row)
            yield _slice(tracks.queue(row), row["start"], row["done"], title, _notes(row), flow)


class _Tracks:
    """Numbers of tracks, each described before its first slice. Commands of a queue that overlap get lanes."""

    def __init__(self, line: Timeline) -> None:
        self._line = line
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._lanes: dict[int, list[int]] = {}
        self._lane = 0

    def of_thread(self, row: Row) -> Iterator[bytes]:
        process = self._line.journals[row["process"]]
        parent = ("process", row["process"])
        number, command = process.process["process"], process.texts["command"].get(0, "")
        yield from self._tell(parent, f"process {number}: {command}"[:200], None)
        yield from self._tell(("thread", row["process"], row["thread"]), f"thread {row['thread']}", parent)

    def thread(self, row: Row) -> int:
        return self._numbers["thread", row["process"], row["thread"]]

    def of_queue(self, row: Row) -> Iterator[bytes]:
        lanes = self._lanes.setdefault(row["queue"], [])
        self._lane = next((at for at, until in enumerate(lanes) if until <= row["start"]), len(lanes))
        lanes[self._lane : self._lane + 1] = [row["done"]]
        number, device, _ = self._line.queues[row["queue"]]
        name = self._line.devices[device].name if device >= 0 else "device"
        lane = f", lane {self._lane + 1}" if self._lane else ""
        key = ("queue", row["queue"], self._lane)
        yield from self._tell(key, f"{name}, queue {number}{lane}", ("process", row["process"]))

    def queue(self, row: Row) -> int:
        return self._numbers["queue", row["queue"], self._lane]

    def _tell(self, key: tuple[Any, ...], name: str, parent: tuple[Any, ...] | None) -> Iterator[bytes]:
        if key in self._numbers:
            return
        self._numbers[key] = len(self._numbers) + 1
        track = _number(_UUID, self._numbers[key]) + _text(_NAME, name)
        yield _packet(_bytes(_TRACK_DESCRIPTOR, track + (_number(_PARENT, self._numbers[parent]) if parent else b"")))


def _notes(row: Row) -> list[tuple[str, int | str]]:
    notes: list[tuple[str, int | str]] = [("call", row["id"]), ("group", row["group"])]
    if row["bytes"]:
        notes.append(("bytes", row["bytes"]))
    if row["dimensions"]:
        notes.append(("global size", "x".join(map(str, row["global"][: row["dimensions"]]))))
        local = row["local"][: row["dimensions"]]
        notes.append(("local size", "x".join(map(str, local)) if any(local) else "the driver's choice"))
    if row["error"]:
        notes.append(("error", row["error"]))
    return [*notes, ("layer, ns", row["overhead"])]


def _slice(track: int, begin: int, end: int, name: str, notes: list[tuple[str, int | str]], flow: int | None) -> bytes:
    annotations = b"".join(
        _bytes(
            _ANNOTATION,
            _text(_ANNOTATION_NAME, key)
            + (_number(_ANNOTATION_INT, value) if isinstance(value, int) else _text(_ANNOTATION_TEXT, value)),
        )
        for key, value in notes
    )
    arrow = b"" if flow is None else _key(_FLOW, 1) + (flow & (1 << 64) - 1).to_bytes(8, "little")
    first = _number(_TYPE, _BEGIN) + _number(_TRACK, track) + _text(_EVENT_NAME, name) + annotations + arrow
    last = _number(_TYPE, _END) + _number(_TRACK, track)
    return _event(begin, first) + _event(max(begin, end), last)


def _event(at: int, content: bytes) -> bytes:
    return _packet(_number(_TIMESTAMP, max(0, at)) + _bytes(_TRACK_EVENT, content))


def _packet(content: bytes) -> bytes:
    return _bytes(_PACKET, content + _number(_SEQUENCE, 1))


def _number(field: int, value: int) -> bytes:
    return _key(field, 0) + _varint(value & (1 << 64) - 1)


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode("utf-8", "replace"))


def _bytes(field: int, value: bytes) -> bytes:
    return _key(field, 2) + _varint(len(value)) + value


def _key(field: int, wire: int) -> bytes:
    return _varint(field << 3 | wire)


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
