"""The results store: every run with its records in one DuckDB file. The JSON of a run is the truth, kept as it was.

Several processes may write: each opens the file, writes one run in one transaction and closes it again under a lock of
its own, so that a run is in the store whole or not at all, whenever a process is killed. What a killed run had
completed comes from its journal.
"""

import fcntl
import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isthmus.base.configuration import resolve
from isthmus.base.errors import IsthmusError
from isthmus.base.files import user_folder
from isthmus.base.groups import grouped_by
from isthmus.base.names import unknown
from isthmus.base.numbers import is_number
from isthmus.results.journal import folder_of, orphans
from isthmus.results.kinds import kind_of, name_of

if TYPE_CHECKING:
    import duckdb

    from isthmus.records import HistoryRun
    from isthmus.results.regressions import SeriesRun

_TABLES = """
CREATE TABLE IF NOT EXISTS runs (
  id BIGINT PRIMARY KEY, name VARCHAR, kind VARCHAR, start VARCHAR, command VARCHAR, host VARCHAR, version VARCHAR,
  complete BOOLEAN, records BIGINT, document VARCHAR);
CREATE TABLE IF NOT EXISTS records (
  run BIGINT, place BIGINT, name VARCHAR, target VARCHAR, kind VARCHAR, unit VARCHAR, value DOUBLE, record VARCHAR);
"""


def store_path() -> Path:
    """The store's file: `store` of the configuration, else isthmus/results.duckdb in the user's data folder."""
    chosen = resolve("store").value
    if chosen is not None:
        return Path(str(chosen)).expanduser()
    return user_folder("data") / "results.duckdb"


def keep(document: dict[str, Any], name: str | None = None) -> int:
    """Adds a run, given as the content of its JSON file, under a name if it has one; its number in the store."""
    with _open(store_path()) as store:
        return _insert(store, document, name)


def _insert(store: "duckdb.DuckDBPyConnection", document: dict[str, Any], name: str | None) -> int:
    """Adds a run in one transaction."""
    context = document["context"]
    records = records_of(document)
    store.begin()
    row = store.execute("SELECT coalesce(max(id), 0) + 1 FROM runs").fetchone()
    assert row is not None
    number = int(row[0])
    store.execute(
        "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            number,
            name,
            name_of(document),
            context["start"],
            " ".join(context["argv"]),
            context["host"],
            context["version"],
            context["complete"],
            len(records),
            json.dumps(document, ensure_ascii=False),
        ],
    )
    if records:
        store.executemany(
            "INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [_columns(number, place, record) for place, record in enumerate(records)],
        )
    store.commit()
    return number


def _take_in(path: Path, store: "duckdb.DuckDBPyConnection") -> None:
    """Adds what runs that were killed had completed, unless they were killed after they had been kept."""
    with orphans(path) as killed:
        for document in killed:
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
    from isthmus.records import HistoryRun

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


def all_records() -> "list[SeriesRun]":
    """The records of every run, the oldest run first."""
    from isthmus.results.regressions import SeriesRun

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


def value_of(record: Mapping[str, Any]) -> float | None:
    """The number of a record, and `ours` if it is compared with a published one; None for a word or a claim."""
    value = next((record[key] for key in ("value", "images_per_s", "ours", "held_out") if key in record), None)
    return float(value) if is_number(value) else None


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


def _make(path: Path) -> None:
    """Puts an empty store in its place whole: one that a full disk or a kill cut short would never open again."""
    import duckdb

    unfinished = [Path(f"{path}.new"), Path(f"{path}.new.wal")]
    _remove(unfinished)
    try:
        with duckdb.connect(str(unfinished[0])) as store:
            store.execute(_TABLES)
        unfinished[0].replace(path)
    finally:
        _remove(unfinished)


def _remove(files: Iterable[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def _asked(query: str, *parameters: object) -> Generator[tuple[Any, ...]]:
    """The rows that answer a query, one after the other; none where nothing was kept yet."""
    if not store_path().exists() and not folder_of(store_path()).exists():
        return
    with _open(store_path()) as store:
        rows = store.execute(query, parameters)
        while (row := rows.fetchone()) is not None:
            yield row


@contextmanager
def _open(path: Path) -> "Iterator[duckdb.DuckDBPyConnection]":
    """The store, made if it is not there, for one reader or writer at a time."""
    import duckdb

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with Path(f"{path}.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists() or path.stat().st_size == 0:
                _make(path)
            with duckdb.connect(str(path)) as store:
                _take_in(path, store)
                yield store
    except OSError as error:
        raise IsthmusError(f"{path}: cannot open the results store: {error.strerror}") from error
    except duckdb.Error as error:
        reason = " ".join(str(error).split())
        raise IsthmusError(f"{path}: cannot use the results store: {reason}") from error
