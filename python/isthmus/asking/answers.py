"""Questions about changed models: asked side by side, and their answers kept in the user's cache.

An answer is kept under the hash of all that it follows from: the tool, the platform, and what is asked and changed.
A new version or another platform answers anew.
"""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from isthmus.base.caches import warn_of_cache
from isthmus.base.files import user_folder
from isthmus.running.offers import stamp_of
from isthmus.running.parallel import OnCount, run_in_parallel
from isthmus.running.targets import platform
from isthmus.running.tools import Event, Request, collect, ignore, tool_path

Question = TypeVar("Question")
Answer = TypeVar("Answer")
OnEvent = Callable[[Event], None]


def ask_all(
    questions: Sequence[Question],
    ask: Callable[[Question, OnEvent], Answer],
    on_answer: Callable[[int, Answer], None] = lambda number, answer: None,
    on_event: OnEvent = ignore,
) -> list[Answer]:
    """The answer to each question, asked of models on all cores; an error ends the others and is raised.

    `on_answer` is called in this thread with the number of each question as its answer comes, `on_event` in several
    threads with what tools say beside.
    """
    found: dict[int, Answer] = {}

    def keep(number: int, answer: Answer) -> None:
        found[number] = answer
        on_answer(number, answer)

    run_in_parallel(dict(enumerate(questions)), lambda _number, event: on_event(event), keep, ask)
    return [found[number] for number in range(len(questions))]


def counting(on_count: OnCount, total: int) -> Callable[[int, object], None]:
    """Of `ask_all`: calls `on_count` with how many answers there are, and how many there will be."""
    done = iter(range(1, total + 1))
    return lambda _number, _answer: on_count(next(done), total)


def probed_once(target: str, request: Request, fields: Sequence[str]) -> list[Event]:
    """These fields of the records of probes of a model, run again only where they may be others."""
    kept, key = Answers(), key_of("isthmus-probe", _platform(target, str(stamp_of([target]))), request, fields)
    found = kept.read([key])
    if not found:
        records = collect("isthmus-probe", {"TARGET": target, **request}, "record")
        found = {key: [{name: record[name] for name in fields} for record in records]}
        kept.write(found)
    return list(found[key])


@cache
def _platform(target: str, _stamp: str) -> str:
    return str(platform(target)["sha256"])


def key_of(tool: str, *asked: object) -> str:
    """The key of an answer that follows from a tool, by name, and what it is asked."""
    words = [stamp_of([str(tool_path(tool))]), *asked]
    return hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()


class Answers:
    """Answers by key, as JSON values; a file that cannot be read or written costs nothing but time, and a warning."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or user_folder("cache") / "answers.sqlite"

    def read(self, keys: Iterable[str]) -> dict[str, Any]:
        """The answers that are kept."""
        found: dict[str, Any] = {}

        def look_up(base: sqlite3.Connection) -> None:
            for key in keys:
                row = base.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    found[key] = json.loads(row[0])

        self._use(look_up)
        return found

    def write(self, answers: Mapping[str, Any]) -> None:
        """Keeps these too."""
        rows = [(key, json.dumps(answer)) for key, answer in answers.items()]
        if rows:
            self._use(lambda base: base.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)", rows))

    def _use(self, work: Callable[[sqlite3.Connection], object]) -> None:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._file, timeout=10)) as base, base:
                base.execute("PRAGMA synchronous = OFF")  # what a crash loses is asked again
                base.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT)")
                work(base)
        except (OSError, sqlite3.Error) as error:
            warn_of_cache(self._file, error)
            if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
                self._file.unlink(missing_ok=True)  # half a file; a full disk or a patient writer is operational
