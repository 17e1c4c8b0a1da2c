"""The record as a JSON file; written call by call, for a program may make millions."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from isthmus.output import to_json
from isthmus.recording import summary
from isthmus.recording.groups import alike
from isthmus.recording.singles import lanes, longest_gaps, singles
from isthmus.recording.stretches import KINDS, SEVERAL, rows_of
from isthmus.recording.timeline import Timeline
from isthmus.records import Context, RecordedGap, RecordedStretch, RecordFile

_LATEST = datetime(9999, 1, 1, tzinfo=UTC).timestamp()


def make_head(
    line: Timeline, context: Context, program: Sequence[str], exit_code: int | None, count: int
) -> RecordFile:
    """Everything but the calls themselves, of which the file holds the first `count` one by one."""
    groups = alike(line)
    return RecordFile(
        context=context,
        program=list(program),
        exit_code=exit_code,
        origin=_instant(line.realtime),
        span_s=summary.span(line),
        processes=summary.processes(line),
        devices=summary.devices(line),
        queues=summary.queues(line),
        kernels=summary.kernels(line, groups),
        transfers=summary.transfers(line, groups),
        host=summary.host(line, groups),
        overhead=summary.overhead(line),
        sums=summary.sums(line, groups),
        summed=max(0, line.commands.rows - count),
        longest_gaps=[_gap(line, row) for row in longest_gaps(line, count)],
        stretches=[_stretch(line, row) for row in rows_of(lanes(line, count))],
        records=[],
    )


def _gap(line: Timeline, row: int) -> RecordedGap:
    values = {name: values[row].item() for name, values in line.commands.items()}
    return RecordedGap(
        device=summary.place(line.device_of[values["queue"]]),
        before=line.title(values["what"], values["name"]),
        gap_ns=values["gap"],
        gap_host_ns=values["gap_host"],
        end_ns=values["begin"] + values["start"],
    )


def _stretch(line: Timeline, row: tuple[int, ...]) -> RecordedStretch:
    lane, kind, begin, end, busy, calls, name = row
    of_queue = lane < len(line.queues)
    process, thread = (None, None) if of_queue else line.threads[lane - len(line.queues)]
    return RecordedStretch(
        queue=lane if of_queue else None,
        process=process,
        thread=thread,
        kind=KINDS[kind],
        name=None
        if name == SEVERAL
        else line.title(name - len(line.names) - 1, name if name < len(line.names) else -1),
        begin_ns=begin,
        end_ns=end,
        busy_ns=busy,
        calls=calls,
    )


def _instant(realtime: int) -> str:
    """ns since 1970 as UTC; a spoiled journal's as the nearest that has a name."""
    seconds = min(max(realtime * 1e-9, 0.0), _LATEST)
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")


def document(head: RecordFile, line: Timeline, count: int) -> Iterator[str]:
    """The file in pieces: the head as other files are written, then the first `count` calls, a line each."""
    before, _, after = to_json(head).rpartition("[]")
    yield before + "["
    first = True
    for row in singles(line, count):
        yield ("\n    " if first else ",\n    ") + json.dumps(_command(line, row), ensure_ascii=False)
        first = False
    yield ("]" if first else "\n  ]") + after


def _command(line: Timeline, row: dict[str, Any]) -> dict[str, Any]:
    dimensions = row["dimensions"]
    local = row["local"][:dimensions]
    return {
        "process": row["process"],
        "id": row["id"],
        "what": line.what(row["what"]),
        "group": row["group"],
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
        "queued_ns": row["queued"],
        "submit_ns": row["submit"],
        "start_ns": row["start"],
        "end_ns": row["done"],
        "gap_ns": row["gap"],
        "gap_host_ns": row["gap_host"],
    }
