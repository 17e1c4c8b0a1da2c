"""What records say of a device: seconds by probe and size."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from isthmus.errors import IsthmusError
from isthmus.files import read_text
from isthmus.records import ProbeRecord

# What host, link and DMA engine decide alone; each is a time by size.
FITTED = ("h2d", "d2h", "h2d-pinned", "d2h-pinned", "h2d-alloc", "latency", "launch")
# What follows from them, and is compared.
PREDICTED = (*FITTED, "duplex")

Curves = dict[str, dict[int, float]]


@dataclass(frozen=True)
class Measured:
    """The curves of one device."""

    device: str
    kind: str
    curves: Curves

    def only(self, sizes: Iterable[int], inside: bool) -> Curves:
        """The points at these sizes, or at all others; curves that are one point each belong to the others."""
        wanted = set(sizes)
        found: Curves = {}
        for probe, curve in self.curves.items():
            points = {size: time for size, time in curve.items() if ((size in wanted) and len(curve) > 1) == inside}
            if points:
                found[probe] = points
        return found


def read_measured(path: Path) -> Measured:
    """The records of a file of `isthmus probe`, or of JSON lines; an IsthmusError unless all are of one device."""
    records = [_record(path, number, plain) for number, plain in enumerate(_plain(path), start=1)]
    devices = sorted({record.device for record in records})
    if len(devices) != 1:
        raise IsthmusError(f"{path}: expected records of one device, got {', '.join(devices) or 'none'}")
    curves: Curves = {}
    for record in records:
        if record.time_s is not None and record.time_s > 0 and "step" not in record.parameters:
            curves.setdefault(record.name, {})[int(record.parameters["size"])] = record.time_s
    if not set(curves) & set(FITTED):
        raise IsthmusError(f"{path}: expected records of one of the probes {', '.join(FITTED)}")
    return Measured(devices[0], records[0].kind, curves)


def _plain(path: Path) -> list[Any]:
    text = read_text(path)
    try:
        whole = json.loads(text)
        found = whole.get("records") if isinstance(whole, dict) else None
        return found if isinstance(found, list) else [whole]
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError as error:
        raise IsthmusError(f"{path}: expected JSON that isthmus probe wrote: {error}") from error


def _record(path: Path, number: int, plain: Any) -> ProbeRecord:
    try:
        record = ProbeRecord.model_validate(plain)
        int(record.parameters["size"])
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise IsthmusError(f"{path}: record {number}: key '{key}': {first['msg']}") from error
    except (KeyError, ValueError) as error:
        raise IsthmusError(f"{path}: record {number}: key 'parameters.size': expected whole bytes") from error
    return record
