"""The record as a JSON file; written command by command, for a program may make millions."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from isthmus.output import to_json
from isthmus.recording import summary
from isthmus.recording.journal import GROUPS
from isthmus.recording.timeline import NONE, Timeline
from isthmus.records import Context, RecordFile

_AT_ONCE = 10_000
_LATEST = datetime(9999, 1, 1, tzinfo=UTC).timestamp()


def make_head(line: Timeline, context: Context, program: Sequence[str], exit_code: int | None) -> RecordFile:
    """Everything but the commands themselves."""
    return RecordFile(
        context=context,
        program=list(program),
        exit_code=exit_code,
        origin=_instant(line.realtime),
        span_s=summary.span(line),
        processes=summary.processes(line),
        devices=summary.devices(line),
        queues=summary.queues(line),
        kernels=summary.kernels(line),
        transfers=summary.transfers(line),
        host=summary.host(line),
        overhead=summary.overhead(line),
        records=[],
    )


def _instant(realtime: int) -> str:
    """ns since 1970 as UTC; a spoiled journal's as the nearest that has a name."""
    seconds = min(max(realtime * 1e-9, 0.0), _LATEST)
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")


def document(head: RecordFile, line: Timeline) -> Iterator[str]:
    """The file in pieces: the head as other files are written, then a command a line."""
    before, _, after = to_json(head).rpartition("[]")
    yield before + "["
    first = True
    for command in commands(line):
        yield ("\n    " if first else ",\n    ") + json.dumps(command, ensure_ascii=False)
        first = False
    yield ("]" if first else "\n  ]") + after


def commands(line: Timeline) -> Iterator[dict[str, Any]]:
    """Each command as the file holds it."""
    for begin in range(0, len(line.commands), _AT_ONCE):
        rows = line.commands[begin : begin + _AT_ONCE]
        names = rows.dtype.names or ()
        for values in zip(*(rows[name].tolist() for name in names), strict=True):
            yield _command(line, dict(zip(names, values, strict=True)))


def _command(line: Timeline, row: dict[str, Any]) -> dict[str, Any]:
    dimensions = row["dimensions"]
    local = row["local"][:dimensions]
    return {
        "process": row["process"],
        "id": row["id"],
        "what": line.whats[row["what"]],
        "group": GROUPS[row["group"]],
        "name": line.names[row["name"]] if row["name"] >= 0 else None,
        "queue": summary.place(row["queue"]),
        "device": summary.place(row["device"]),
        "thread": row["thread"],
        "bytes": row["bytes"],
        "global_size": row["global"][:dimensions] if dimensions else None,
        "local_size": local if any(local) else None,
        "blocking": row["blocking"],
        "waits": row["waits"],
        "error": row["error"],
        "unfinished": row["unfinished"],
        "call_begin_ns": row["begin"],
        "call_end_ns": row["end"],
        "overhead_ns": row["overhead"],
        "queued_ns": _time(row["queued"]),
        "submit_ns": _time(row["submit"]),
        "start_ns": _time(row["start"]),
        "end_ns": _time(row["done"]),
        "gap_ns": row["gap"],
        "gap_host_ns": row["gap_host"],
    }


def _time(value: int) -> int | None:
    return None if value == NONE else value
