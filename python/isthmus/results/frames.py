"""Records as data frames (pandas, which is installed only if it is asked for: `pip install 'isthmus[pandas]'`)."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from isthmus.base.errors import IsthmusError
from isthmus.base.files import read_text
from isthmus.base.names import meant
from isthmus.base.parsing import our_json
from isthmus.base.texts import Record, dump, flatten
from isthmus.records.listings import HistoryRun
from isthmus.results.kinds import commands
from isthmus.results.store import records_of, run_document, runs

if TYPE_CHECKING:
    import pandas as pd


def frame(*sources: str | Path, of: str | None = None) -> "pd.DataFrame":
    """A row for each record of the sources, one below the other, with the units that the column names and `unit` say.

    sources: JSON files that run, study, probe or reproduce wrote, their JSON lines (a name that ends in .jsonl), or
    runs of the results store by number or saved name, as `isthmus history` lists them.
    of: a list inside each record, such as 'parts', 'stages', 'samples' or 'platform.inputs': then a row for each of its
    items, with the fields that identify the record.

    Records inside records get dotted columns (`parameters.size`); the column `source` is the source as it was given.
    An IsthmusError for a source that cannot be read, or a list that no record has.
    """
    pandas = _pandas()
    rows = [{"source": str(source), **flatten(record)} for source in sources for record in _records(source)]
    if of is not None:
        rows = list(_items(rows, of))
    made: pd.DataFrame = pandas.DataFrame(rows)
    # A record that some rows have and others lack has its dotted columns alone.
    absent = [name for name in made.columns if any(str(other).startswith(f"{name}.") for other in made.columns)]
    return made.drop(columns=absent)


def history() -> "pd.DataFrame":
    """A row for each run in the results store, the newest first (see `isthmus history`)."""
    made: pd.DataFrame = _pandas().DataFrame([dump(run) for run in runs()], columns=list(HistoryRun.model_fields))
    return made


def _records(source: str | Path) -> list[Record]:
    path = Path(source)
    if path.suffix == ".jsonl":
        return [_parse(path, line) for line in read_text(path).splitlines() if line.strip()]
    document = _parse(path, read_text(path)) if path.suffix == ".json" else run_document(str(source))
    found = records_of(document)
    if not found:
        known = commands(lambda kind: kind.lists, "or")
        raise IsthmusError(f"{source}: expected records of {known}, found none")
    return found


def _parse(path: Path, text: str) -> Record:
    document = our_json(text, path)
    if not isinstance(document, dict):
        raise IsthmusError(f"{path}: expected JSON that isthmus wrote, got {type(document).__name__}")
    return document


def _items(rows: list[Record], of: str) -> Iterator[Record]:
    lists = sorted({key for row in rows for key, value in row.items() if isinstance(value, list)})
    if of not in lists:
        raise IsthmusError(f"of: expected one of {', '.join(lists) or 'no list at all'}, got '{of}'", meant(of, lists))
    for row in rows:
        own = {key: value for key, value in row.items() if not isinstance(value, list)}
        for item in row.get(of) or []:
            yield own | (flatten(item, f"{of}.") if isinstance(item, dict) else {of: item})


def _pandas() -> ModuleType:
    try:
        return importlib.import_module("pandas")
    except ImportError as error:
        raise IsthmusError("data frames need pandas, which is not installed", hint="pip install pandas.") from error
