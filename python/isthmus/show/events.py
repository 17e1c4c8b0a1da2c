"""Progress and notes of a tool, shown while it works."""

import threading
from collections.abc import Mapping

from isthmus.running.tools import Event
from isthmus.show.session import Session


class Listener:
    """Takes the events of tools that are no records; `prefix` says which of several runs they belong to."""

    def __init__(self, session: Session, prefix: str = "") -> None:
        self._session = session
        self._progress = session.progress()
        self._prefix = prefix

    def __enter__(self) -> "Listener":
        return self

    def __exit__(self, *exception: object) -> None:
        self._progress.wipe()

    def __call__(self, event: Event) -> None:
        if event["event"] == "progress":
            what = f"{self._prefix}{event.get('what', '')}"
            self._progress.update(what, int(event.get("done", 0)), int(event.get("total", 0)))
        elif event["event"] == "note":
            self._progress.wipe()
            self._session.note(str(event.get("text", "")))


class Tally:
    """Adds up the events of runs that go on at once, and passes them on as those of one.

    `totals` has the totals that are known before the runs begin, such as the images; others are added up as they come.
    """

    def __init__(self, listener: Listener, totals: Mapping[str, int]) -> None:
        self._listener = listener
        self._totals = totals
        self._counts: dict[str, dict[int, tuple[int, int]]] = {}
        self._lock = threading.Lock()

    def __call__(self, number: int, event: Event) -> None:
        with self._lock:
            if event["event"] == "progress":
                what = str(event.get("what", ""))
                counts = self._counts.setdefault(what, {})
                counts[number] = (int(event.get("done", 0)), int(event.get("total", 0)))
                done, total = map(sum, zip(*counts.values(), strict=True))
                event = {**event, "done": done, "total": self._totals.get(what, total)}
            self._listener(event)
