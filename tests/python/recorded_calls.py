"""Calls of a program as a record has them, for tests that need no device."""

from typing import Any

from tests.python.samples import sample

MS = 1_000_000
ABSENT = ("name", "global_size", "local_size", "queued_ns", "submit_ns", "start_ns", "end_ns")
CALL = sample("record")["records"][0] | dict.fromkeys(ABSENT) | {"blocking": False, "unfinished": False}


def call(number: int, what: str, group: str, begin: int, **more: Any) -> dict[str, Any]:
    """A call of 1 ms that begins at `begin` ms."""
    times = {"call_begin_ns": begin * MS, "call_end_ns": (begin + 1) * MS}
    return {**CALL, "id": number, "what": what, "group": group, **times, **more}


def worked(start: int, end: int) -> dict[str, int]:
    """Times of a command that was at work from `start` to `end`, ms."""
    return {"queued_ns": start * MS, "submit_ns": start * MS, "start_ns": start * MS, "end_ns": end * MS}
