"""The progress of long work: what, done of total, time left; after two seconds, or in a file one line a minute."""

import sys
import time
from typing import TextIO

QUIET_FOR_S = 2.0
AT_MOST_EVERY_S = 0.1
A_LINE_EVERY_S = 60.0
SURE_AFTER_S = 0.5


class Progress:
    """One line on stderr: on a terminal rewritten in place and wiped at the end, elsewhere written once a minute."""

    def __init__(self, wanted: bool, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._wanted = wanted
        self._in_place = self._stream.isatty()
        self._next = time.monotonic() + (QUIET_FOR_S if self._in_place else A_LINE_EVERY_S)
        self._begun: dict[str, float] = {}
        self._width = 0

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *exception: object) -> None:
        self.wipe()

    def update(self, what: str, done: int, total: int) -> None:
        """`done` of `total` of `what` are finished."""
        now = time.monotonic()
        begun = self._begun.setdefault(what, now)
        if not self._wanted or now < self._next:
            return
        self._next = now + (AT_MOST_EVERY_S if self._in_place else A_LINE_EVERY_S)
        left = (now - begun) / done * (total - done) if done and now - begun >= SURE_AFTER_S else None
        line = f"{what}: {done} of {total}" + (f", {duration(left)} left" if left is not None else "")
        if not self._in_place:
            self._write(f"{line}\n")
            return
        self._write("\r" + line.ljust(self._width))
        self._width = len(line)

    def wipe(self) -> None:
        """Takes the line away, so that other text can be written."""
        if self._width:
            self._write("\r" + " " * self._width + "\r")
            self._width = 0

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def duration(seconds: float) -> str:
    """A span as a person says it: `3 s`, `2 min`."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
