"""How far a long piece of work is: what, done of total, time left; only on a terminal and only after two seconds."""

import sys
import time
from types import TracebackType
from typing import TextIO

QUIET_FOR_S = 2.0
AT_MOST_EVERY_S = 0.1
SURE_AFTER_S = 0.5


class Progress:
    """One line on stderr that is rewritten in place and wiped at the end."""

    def __init__(self, wanted: bool, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._shown = wanted and self._stream.isatty()
        self._start = time.monotonic()
        self._begun: dict[str, float] = {}
        self._last = 0.0
        self._width = 0

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.wipe()

    def update(self, what: str, done: int, total: int) -> None:
        """`done` of `total` of `what` are finished."""
        now = time.monotonic()
        begun = self._begun.setdefault(what, now)
        if not self._shown or now - self._start < QUIET_FOR_S or now - self._last < AT_MOST_EVERY_S:
            return
        self._last = now
        left = (now - begun) / done * (total - done) if done and now - begun >= SURE_AFTER_S else None
        line = f"{what}: {done} of {total}" + (f", {duration(left)} left" if left is not None else "")
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
