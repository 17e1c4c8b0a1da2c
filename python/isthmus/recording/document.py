"""The record as a JSON file; written call by call, for a program may make millions."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from isthmus.base.numbers import as_written
from isthmus.base.texts import to_json
from isthmus.recording import summary
from isthmus.recording.groups import alike
from isthmus.recording.singles import Row, lanes, longest_gaps, singles
from isthmus.recording.stretches import KINDS, SEVERAL, rows_of
from isthmus.recording.timeline import Timeline
from isthmus.records.base import Context
from isthmus.records.recording import RecordedCommand, RecordedGap, RecordedStretch, RecordFile

_COMMAND = "{" + ", ".join(f'"{name}": %s' for name in RecordedCommand.model_fields) + "}"
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
    title = line.title(name - len(line.names) - 1, name if name < len(line.names) else -1)
    return RecordedStretch(
        queue=lane if of_queue else None,
        process=process,
        thread=thread,
        kind=KINDS[kind],
        name=None if name == SEVERAL else title,
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
    whats, names = (
        {text: json.dumps(text, ensure_ascii=False) for text in texts} for texts in (line.whats, line.names)
    )
    whats[line.what(-1)] = json.dumps(line.what(-1))
    yield before + "["
    first = True
    for row in singles(line, count):
        name = names[line.names[row["name"]]] if row["name"] >= 0 else "null"
        yield ("\n    " if first else ",\n    ") + _command(row, whats[line.what(row["what"])], name)
        first = False
    yield ("]" if first else "\n  ]") + after


def _command(row: Row, what: str, name: str) -> str:
    """A call as JSON; three times as fast as the json module, which matters for a hundred thousand."""
    dimensions = row["dimensions"]
    local = row["local"][:dimensions]
    return _COMMAND % (
        *(row["process"], row["id"], what, f'"{row["group"]}"', name, _place(row["queue"]), _place(row["device"])),
        *(row["thread"], row["bytes"], row["global"][:dimensions] if dimensions else "null"),
        *(local if any(local) else "null", as_written(row["blocking"]), row["waits"], row["error"]),
        *(as_written(row["unfinished"]), row["begin"], row["end"], row["overhead"], *_times(row)),
        *(row["gap"], row["gap_host"]),
    )


def _times(row: Row) -> tuple[Any, ...]:
    if not row["timed"]:
        return ("null",) * 4
    return row["queued"], row["submit"], row["start"], row["done"]


def _place(number: int) -> int | str:
    return number if number >= 0 else "null"
