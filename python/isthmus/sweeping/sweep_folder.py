"""The file of a sweep's points, one line for each complete point, from which a killed sweep goes on."""

import fcntl
import json
import os
from pathlib import Path
from typing import TextIO

from pydantic import ValidationError

from isthmus.base.errors import IsthmusError, saying
from isthmus.base.texts import to_json_line
from isthmus.records.swept import SweepRow

FILE = "points.jsonl"


class SweepFolder:
    """The file of a folder's points; held by one sweep at a time."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._file: TextIO | None = None

    def __enter__(self) -> "SweepFolder":
        with saying(f"{self.path}: cannot write"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise IsthmusError(
                f"{self.path}: another sweep is writing there", hint="--out names another folder."
            ) from None
        return self

    def __exit__(self, *exception: object) -> None:
        if self._file is not None:
            self._file.close()

    def rows(self) -> dict[str, SweepRow]:
        """The complete rows, by their key; a half line of a killed sweep is none."""
        assert self._file is not None
        self._file.seek(0)
        text = self._file.read()
        if text and not text.endswith("\n"):
            self._write("\n")
        found = {}
        for line in text.splitlines():
            try:
                row = SweepRow.model_validate(json.loads(line))
            except (ValueError, ValidationError):
                continue
            found[row.key] = row
        return found

    def add(self, row: SweepRow) -> None:
        """Appends one, whole once this returns, whatever then happens to this process."""
        self._write(to_json_line(row))

    def _write(self, text: str) -> None:
        assert self._file is not None
        with saying(f"{self.path}: cannot write"):
            self._file.write(text)
            self._file.flush()
            os.fsync(self._file.fileno())
