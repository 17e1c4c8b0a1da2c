"""Records as plain data, JSON and CSV."""

import csv
import io
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from isthmus.base.numbers import as_written

if TYPE_CHECKING:
    from pydantic import BaseModel

Record = dict[str, Any]


def dump(record: "BaseModel") -> Record:
    """A record as plain data, with the names of the JSON files."""
    return record.model_dump(mode="json", by_alias=True)


def to_json(file: "BaseModel") -> str:
    """Writes one JSON object, indented; equal records give equal bytes."""
    return json.dumps(dump(file), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_json_line(record: "BaseModel") -> str:
    """Writes one record on one line."""
    return json.dumps(dump(record), ensure_ascii=False, allow_nan=False) + "\n"


def to_csv(records: Sequence["BaseModel"]) -> str:
    """A line for each record; records inside records get dotted columns, lists of records are left to JSON."""
    flat = [_cells(dump(record)) for record in records]
    columns = list(dict.fromkeys(column for row in flat for column in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue()


def flatten(record: Record, prefix: str = "") -> Record:
    """The record with dotted keys in place of records inside it; lists stay lists."""
    flat: Record = {}
    for key, value in record.items():
        if isinstance(value, dict):
            flat |= flatten(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def _cells(record: Record) -> Record:
    cells: Record = {}
    for key, value in flatten(record).items():
        if not isinstance(value, list):
            cells[key] = as_written(value) if isinstance(value, bool) else value
        elif not any(isinstance(item, (dict, list)) for item in value):
            cells[key] = " ".join(map(str, value))
    return cells
