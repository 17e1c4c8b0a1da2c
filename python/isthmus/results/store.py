"""The results store: every run with its records in one SQLite file. The JSON of a run is the truth, kept as it was.

Several processes may write: each opens the file, writes one run in one transaction and closes it again, so that a run
is in the store whole or not at all, whenever a process is killed. The completed records of a killed run come from its
journal.
"""

import json
import sqlite3
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isthmus.base.configuration import resolve
from isthmus.base.errors import IsthmusError
from isthmus.base.files import user_folder
from isthmus.base.groups import grouped_by
from isthmus.base.names import unknown
from isthmus.results.journal import folder_of, orphans
from isthmus.results.kinds import kind_of, name_of
from isthmus.results.values import value_of

if TYPE_CHECKING:
    from isthmus.records.listings import HistoryRun

_TABLES = (
    "runs (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, start TEXT, command TEXT, host TEXT, version TEXT,"
    " complete INTEGER, records INTEGER, document TEXT)",
    "records (run INTEGER, place INTEGER, name TEXT, target TEXT, kind TEXT, unit TEXT, value REAL, record TEXT)",
)
_PATIENCE_S = 600.0  # for others that write


@dataclass(frozen=True)
class SeriesRun:
    """A run in the results store: its number, its host, its records."""

    id: int
    host: str
    records: Sequence[dict[str, Any]]


def store_path() -> Path:
    """The store's file: `store` of the configuration, else isthmus/results.sqlite in the user's data folder."""
    chosen = resolve("store").value
    if chosen is not None:
        return Path(str(chosen)).expanduser()
    return user_folder("data") / "results.sqlite"


def keep(document: dict[str, Any], name: str | None = None) -> int:
    """Adds a run, given as the content of its JSON file, under a name if it has one; its number in the store."""
    with _open(store_path()) as store, _transaction(store):
        return _insert(store, document, name)


def _insert(store: sqlite3.Connection, document: dict[str, Any], name: str | None) -> int:
    context = document["context"]
    records = records_of(document)
    row = (
        name,
        name_of(document),
        context["start"],
        " ".join(context["argv"]),
        context["host"],
        context["version"],
        context["complete"],
        len(records),
        json.dumps(document, ensure_ascii=False),
    )
    number = store.execute("INSERT INTO runs VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row).lastrowid
    assert number is not None
    columns = [_columns(number, place, record) for place, record in enumerate(records)]
    store.executemany("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?)", columns)
    return number


def _take_in(path: Path, store: sqlite3.Connection) -> None:
    """Adds the completed records of killed runs, unless they were killed after they had been kept."""
    with orphans(path) as killed:
        if killed:
            with _transaction(store):
                for document in killed:
                    _insert_new(store, document)


def _insert_new(store: sqlite3.Connection, document: dict[str, Any]) -> None:
    same = store.execute("SELECT document FROM runs WHERE start = ?", [document["context"]["start"]]).fetchall()
    if not any(_holds(json.loads(text), document) for (text,) in same):
        _insert(store, document, None)


def _holds(kept: dict[str, Any], journal: dict[str, Any]) -> bool:
    """Tells whether a run in the store is that of the journal, with all of its records."""
    records = records_of(journal)
    same = all(kept["context"][key] == journal["context"][key] for key in ("argv", "host"))
    return same and records_of(kept)[: len(records)] == records


def runs() -> "list[HistoryRun]":
    """Every run, the newest first."""
    from isthmus.records.listings import HistoryRun

    columns = list(HistoryRun.model_fields)
    rows = list(_asked(f"SELECT {', '.join(columns)} FROM runs ORDER BY id DESC"))
    return [HistoryRun.model_validate(dict(zip(columns, row, strict=True))) for row in rows]


def run_document(wanted: str) -> dict[str, Any]:
    """The content of the JSON file of a run, chosen by its number or its name (the newest of that name)."""
    known = runs()
    chosen = next((run.id for run in known if wanted in (str(run.id), run.name)), None)
    if chosen is None:
        names = [run.name for run in known if run.name] or [str(run.id) for run in known]
        raise unknown("run", wanted, list(dict.fromkeys(names)), str(store_path()))
    ((text,),) = _asked("SELECT document FROM runs WHERE id = ?", chosen)
    document: dict[str, Any] = json.loads(text)
    return document


def newest(kind: str, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any] | None:
    """The newest file of a kind that is wanted, of the runs that are kept."""
    with closing(_asked("SELECT document FROM runs WHERE kind = ? ORDER BY id DESC", kind)) as rows:
        documents: Iterator[dict[str, Any]] = (json.loads(text) for (text,) in rows)
        return next((document for document in documents if wanted(document)), None)


def all_records() -> list[SeriesRun]:
    """The records of every run, the oldest run first."""
    rows = _asked(
        "SELECT runs.id, runs.host, records.record FROM runs JOIN records ON records.run = runs.id "
        "ORDER BY runs.id, records.place"
    )
    by_run = grouped_by(lambda row: (row[0], row[1]), rows)
    return [SeriesRun(*run, [json.loads(text) for *_, text in records]) for run, records in by_run.items()]


def records_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The records of a JSON file; none of one that is of no kind with records."""
    kind = kind_of(document)
    return kind.records_in(document) if kind else []


def _columns(run: int, place: int, record: dict[str, Any]) -> list[Any]:
    return [
        run,
        place,
        record.get("name") or record.get("application") or record.get("id"),
        record.get("target"),
        record.get("kind"),
        record.get("unit", "images/s" if "images_per_s" in record else None),
        value_of(record),
        json.dumps(record, ensure_ascii=False),
    ]


def _asked(query: str, *parameters: object) -> Generator[tuple[Any, ...]]:
    """The rows that answer a query, one after the other; none where nothing was kept yet."""
    if not store_path().exists() and not folder_of(store_path()).exists():
        return
    with _open(store_path()) as store:
        rows = store.execute(query, parameters)
        while (row := rows.fetchone()) is not None:
            yield row


@contextmanager
def _open(path: Path) -> Iterator[sqlite3.Connection]:
    """The store, made if it is not there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path, timeout=_PATIENCE_S, isolation_level=None)) as store:
            for table in _TABLES:
                store.execute(f"CREATE TABLE IF NOT EXISTS {table}")
            _take_in(path, store)
            yield store
    except OSError as error:
        raise IsthmusError(f"{path}: cannot open the results store: {error.strerror}") from error
    except sqlite3.Error as error:
        raise IsthmusError(f"{path}: cannot use the results store: {error}") from error


@contextmanager
def _transaction(store: sqlite3.Connection) -> Iterator[None]:
    """All writes meanwhile are kept or none; nobody else writes."""
    store.execute("BEGIN IMMEDIATE")
    with store:
        yield
