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
    """One JSON object, indented, the same bytes for the same records."""
    return json.dumps(dump(file), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_json_line(record: "BaseModel") -> str:
    """One record on one line."""
    return json.dumps(dump(record), ensure_ascii=False, allow_nan=False) + "\n"


def to_csv(records: Sequence["BaseModel"]) -> str:
    """A line for each record; records inside records get dotted columns, lists of records are left to JSON."""
    flat = [_flatten(dump(record)) for record in records]
    columns = list(dict.fromkeys(column for row in flat for column in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue()


def _flatten(record: Record, prefix: str = "") -> Record:
    flat: Record = {}
    for key, value in record.items():
        if isinstance(value, dict):
            flat.update(_flatten(value, f"{prefix}{key}."))
        elif not isinstance(value, list):
            flat[prefix + key] = as_written(value) if isinstance(value, bool) else value
        elif not any(isinstance(item, (dict, list)) for item in value):
            flat[prefix + key] = " ".join(map(str, value))
    return flat
