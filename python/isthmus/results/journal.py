"""Records of a run that is not over yet, in a file next to the results store.

The run holds a lock on its journal while it lives. One that nobody holds is of a run that was killed: the next use of
the store takes its complete records in, as a run that is not complete.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from isthmus.base.files import write_atomically
from isthmus.results.kinds import kind_of


def folder_of(store: Path) -> Path:
    """The folder of a store's journals."""
    return Path(f"{store}.running")


class Journal:
    """The journal of one run; gone once the run is kept."""

    def __init__(self, store: Path, schema: str, context: dict[str, Any]) -> None:
        """Begins a journal for records of one kind; OSError where it cannot be written."""
        folder = folder_of(store)
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / f"{os.getpid()}-{os.urandom(4).hex()}.jsonl"
        begun = self._path.with_suffix(".part")
        self._file = begun.open("x", encoding="utf-8")
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            self.add(json.dumps({"schema": schema, "context": context}, ensure_ascii=False) + "\n")
            begun.rename(self._path)  # never there without its lock
        except OSError:
            begun.unlink(missing_ok=True)
            raise

    def add(self, line: str) -> None:
        """Appends a complete record, as one JSON line."""
        self._file.write(line)
        self._file.flush()

    def discard(self) -> None:
        """The run is in the store, or of a kind that is not kept."""
        self._path.unlink(missing_ok=True)
        self._file.close()

    def hand_over(self, document: dict[str, Any]) -> None:
        """Leaves the whole run, which the store could not take now, to its next use."""
        write_atomically(self._path, json.dumps(document, ensure_ascii=False) + "\n")
        self._file.close()


@contextmanager
def orphans(store: Path) -> "Iterator[list[dict[str, Any]]]":
    """The journals of killed runs, each as the content of a JSON file; gone once the block ends well."""
    held: list[tuple[Path, TextIO]] = []
    try:
        for path in sorted(folder_of(store).glob("*.jsonl")):
            file: TextIO = path.open(encoding="utf-8", errors="replace")
            held.append((path, file))
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                held.pop()
                file.close()
        yield [document for _, file in held if (document := _document(file)) is not None]
        for path, _ in held:
            path.unlink(missing_ok=True)
    finally:
        for _, file in held:
            file.close()


def _document(file: TextIO) -> dict[str, Any] | None:
    """The run of a journal, on one line if it is whole; None where nothing was complete.

    The last line may be half of one.
    """
    lines = []
    for line in file:
        try:
            lines.append(json.loads(line))
        except json.JSONDecodeError:
            break
    head, *records = lines or [None]
    kind = kind_of(head)
    if kind is None or not (records or kind.records_in(head)):
        return None
    return {**head, kind.lists[0]: records} if records else head
