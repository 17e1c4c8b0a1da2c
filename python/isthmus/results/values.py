"""The name and the number of a record of any kind, and whether its result is right."""

from collections.abc import Mapping
from typing import Any

from isthmus.base.numbers import is_number

TIMES = frozenset({"ns", "us", "ms", "s"})
FOUND = frozenset({"limit", "limit_key"})  # parameters that a probe of a system found: they may differ from run to run
_OF_BUFFERS = {"method": "by", "rewrite": "rewritten", "delay": "delayed by"}  # of runs whose buffers ports move


def record_name(record: Mapping[str, Any]) -> str:
    """The name that distinguishes a record from the others of its file, on one line."""
    if "flow" in record:
        chosen = "".join(f" {key}={value}" for key, value in record.get("parameters", {}).items())
        over = f" over {record['channel']}" if record.get("channel") else ""
        faults = " with faults" if record.get("faults") is not None else ""
        by = "".join(f" {word} {record[key]}" for key, word in _OF_BUFFERS.items() if record.get(key))
        return f"{record['application']}{chosen} {record['target']}{over}{by} {record['flow']}{faults}"
    ranks = {"ranks": record["ranks"]} if record.get("ranks", 1) != 1 else {}
    asked = {key: value for key, value in record.get("parameters", {}).items() if key not in FOUND}
    parameters = " ".join(f"{key}={value}" for key, value in {**ranks, **asked}.items())
    return f"{record.get('name', '?')} {record.get('target', '')} {parameters}".strip()


def is_wrong(record: Mapping[str, Any]) -> bool:
    """Tells whether the results of a run or a benchmark were checked and are wrong."""
    return record.get("verified") is False or record.get("validated") is False


def value_of(record: Mapping[str, Any]) -> float | None:
    """The number of a record, and `ours` if it is compared with a published one; None for a word or a claim."""
    value = next((record[key] for key in ("value", "images_per_s", "ours", "held_out") if key in record), None)
    return float(value) if is_number(value) else None


def rate_of(record: Mapping[str, Any]) -> float | None:
    """The number of a record that can be compared; None if it has none above 0."""
    value = value_of(record)
    return value if value and value > 0 else None
