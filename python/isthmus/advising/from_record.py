"""A record of a program (isthmus record) as a description: each number with its source."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isthmus.base.errors import IsthmusError
from isthmus.base.groups import grouped_by
from isthmus.base.names import unknown
from isthmus.base.parsing import checked, read_json
from isthmus.descriptions.description import TO_DEVICE, TO_HOST
from isthmus.records.recording import RecordedSum, RecordFile

SENT = frozenset(
    {
        *("write buffer", "write buffer rectangle", "write image", "unmap", "SVM unmap", "migrate", "SVM migrate"),
        *("USM migrate", "write host pipe", "write global variable"),
        *("create buffer with content", "create image with content"),
    }
)
FETCHED = frozenset(
    {"read buffer", "read buffer rectangle", "read image", "map buffer", "map image", "SVM map", "read host pipe"}
) | {"read global variable"}
PINNED = frozenset({"map buffer", "map image", "SVM map", "unmap", "SVM unmap"})
FILLS = frozenset({"fill buffer", "fill image", "SVM fill", "USM fill"})
TOGETHER = 0.1  # of the lesser of transfers and kernels: from that on they go on at once
TIMES, TRAFFIC = 10, 10  # that a kernel's time, and its memory's traffic, may be off

Document = dict[str, Any]


@dataclass(frozen=True)
class RecordDescription:
    """A record as a description, with the notes about it."""

    document: Document
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Alike:
    """Commands of one kind and kernel with as many bytes each, those that ended well."""

    what: str
    group: str
    name: str | None
    calls: int
    bytes: int  # of all
    time_s: float  # of the timed ones
    timed: int
    first_ns: int
    last_ns: int
    gap_host_ns: float  # half of them had no longer one


def read_record(path: Path, kernel: str | None, device: int | None) -> RecordDescription:
    """Reads a unit out of a file of `isthmus record`: a launch of `kernel` on the device of that number."""
    plain = read_json(path)
    if not isinstance(plain, dict) or plain.get("schema") != "isthmus.record/1":
        raise IsthmusError(f"{path}: expected a record of 'isthmus record', got another file")
    return described(checked(RecordFile, plain, path), str(path), kernel, device)


def described(record: RecordFile, name: str, kernel: str | None = None, device: int | None = None) -> RecordDescription:
    """Describes the unit of a record."""
    place = _device(record, name, device)
    groups, failed = _groups(record, place)
    launches = [one for one in groups if one.group == "kernel" and one.name is not None]
    if not launches:
        raise IsthmusError(f"{name}: device {place} has no launch that ended well, and a unit is one")
    unit = _kernel(launches, kernel, name)
    own = [one for one in launches if one.name == unit]
    units, begun = sum(one.calls for one in own), min(one.first_ns for one in own)
    setup = [one for one in groups if one.group == "transfer" and one.last_ns < begun]
    used = [one for one in groups if one not in setup]
    document = _document(record, name, place, unit, units, used)
    return RecordDescription(document, tuple(_notes(record, place, unit, units, failed, setup)))


def _device(record: RecordFile, name: str, wanted: int | None) -> int:
    if not record.devices:
        raise IsthmusError(f"{name}: a record without commands of a device")
    if wanted is None:
        return max(range(len(record.devices)), key=lambda at: record.devices[at].busy_s)
    if not 0 <= wanted < len(record.devices):
        most = len(record.devices) - 1
        raise IsthmusError(f"--device: expected a place in the record's devices, 0 to {most}, got {wanted}")
    return wanted


def _groups(record: RecordFile, device: int) -> tuple[list[_Alike], int]:
    """The commands of a device in groups, and the number of commands that failed or did not end."""
    sums = [one for one in record.sums if one.device == device] or _summed(record, device)
    failed = sum(one.failed + one.unfinished for one in sums)
    found = []
    for one in sums:
        calls = one.calls - one.failed - one.unfinished
        if calls <= 0 or one.group not in ("transfer", "kernel"):
            continue
        found.append(
            _Alike(
                what=one.what,
                group=one.group,
                name=one.name,
                calls=calls,
                bytes=round(one.bytes * calls / one.calls),
                time_s=(one.time_ns.total if one.time_ns else 0) * 1e-9,
                timed=one.timed,
                first_ns=one.first_call_ns,
                last_ns=one.last_call_ns,
                gap_host_ns=one.gap_host_ns.p50 if one.gap_host_ns else 0.0,
            )
        )
    return found, failed


def _summed(record: RecordFile, device: int) -> list[RecordedSum]:
    """Computes the sums of a record that has none."""
    own = (one for one in record.records if one.device == device)
    alike = grouped_by(lambda one: (one.what, one.group, one.name, one.bytes), own)
    return [_sum(device, what, group, name, calls) for (what, group, name, _), calls in alike.items()]


def _sum(device: int, what: str, group: Any, name: str | None, calls: Sequence[Any]) -> RecordedSum:
    well = [one for one in calls if one.error == 0 and not one.unfinished]
    timed = [one.end_ns - one.start_ns for one in well if one.start_ns is not None and one.end_ns is not None]
    sizes = [one.bytes for one in calls]
    gaps = [one.gap_host_ns for one in well]

    def spread(values: Sequence[int]) -> Any:
        return {"total": sum(values), "p50": statistics.median(values), "p99": max(values)} if values else None

    return RecordedSum.model_validate(
        {
            **{"device": device, "what": what, "group": group, "name": name, "calls": len(calls), "timed": len(timed)},
            "failed": sum(one.error != 0 for one in calls),
            "unfinished": sum(one.unfinished and one.error == 0 for one in calls),
            **{"bytes": sum(sizes), "least_bytes": min(sizes), "most_bytes": max(sizes), "work_items": 0},
            "first_call_ns": min(one.call_begin_ns for one in calls),
            "last_call_ns": max(one.call_end_ns for one in calls),
            **{"first_start_ns": None, "last_end_ns": None},
            "call_ns": spread([one.call_end_ns - one.call_begin_ns for one in calls]),
            "overhead_ns": spread([one.overhead_ns for one in calls]),
            **{"time_ns": spread(timed), "gap_ns": spread([one.gap_ns for one in well]), "gap_host_ns": spread(gaps)},
        }
    )


def _kernel(launches: Iterable[_Alike], wanted: str | None, name: str) -> str:
    times: dict[str, float] = {}
    for one in launches:
        times[str(one.name)] = times.get(str(one.name), 0.0) + one.time_s
    if wanted is not None and wanted not in times:
        raise unknown("kernel", wanted, list(times), f"{name}: --unit-of")
    return wanted or max(times, key=lambda each: times[each])


def _document(record: RecordFile, name: str, device: int, unit: str, units: int, used: Sequence[_Alike]) -> Document:
    launches = [one for one in used if one.group == "kernel"]
    count = sum(one.calls for one in launches) / units
    timed = sum(one.timed for one in launches)
    time_s = sum(one.time_s for one in launches) / timed if timed else 0.0
    where = record.devices[device]
    source = f"{name}, {units} launches of {unit} on {where.name}"
    sent = sum(one.bytes for one in used if one.what in SENT) / units
    fetched = sum(one.bytes for one in used if one.what in FETCHED) / units
    inside = [one for one in used if one.group == "transfer" and one.what not in SENT | FETCHED]
    copied = sum(one.bytes for one in inside if one.what not in FILLS) / units
    written = sum(one.bytes for one in inside) / units
    return {
        "application": {
            "name": _name(Path(name).name.partition(".")[0] or unit),
            "units": "units",
            "flows": [_flow(where), "shared"],
        },
        "transfer": list(_transfers(used, units, source)),
        "kernel": {
            "launches": count,
            "time": _number(time_s, "s", source, (time_s / TIMES, time_s * TIMES), "the time is that device's"),
            "device_read": _traffic(sent, copied, source),
            "device_write": _traffic(fetched, written, source),
        },
        "host": {"time": _number(_host_s(record, device, unit, used, units), "s", source)},
    }


def _name(text: str) -> str:
    return (
        "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in text)[:64].lstrip("._-") or "app"
    )


def _traffic(moved: float, inside: float, source: str) -> Document:
    why = "each byte once at least; how often a kernel touches it no record says"
    return _number(round(moved + inside), "B", source, (round(moved + inside), round(moved * TRAFFIC + inside)), why)


def _number(
    value: float, unit: str, source: str, ends: tuple[float, float] | None = None, why: str | None = None
) -> Document:
    found: Document = {"value": value, "unit": unit, "source": source}
    if ends is not None and ends[0] < ends[1]:
        found["range"] = list(ends)
    return found | ({"why": why} if why else {})


def _transfers(used: Sequence[_Alike], units: int, source: str) -> Iterable[Document]:
    """Grouped by direction, memory and bytes."""
    alike: dict[tuple[str, str, int], int] = {}
    for one in used:
        each = round(one.bytes / one.calls)
        if one.what not in SENT | FETCHED or each == 0:
            continue
        way = TO_DEVICE if one.what in SENT else TO_HOST
        key = (way, "pinned" if one.what in PINNED else "pageable", each)
        alike[key] = alike.get(key, 0) + one.calls
    for (way, memory, size), calls in alike.items():
        count = {"value": calls / units, "source": source}
        yield {"direction": way, "bytes": _number(size, "B", source), "count": count, "host": memory}


def _host_s(record: RecordFile, device: int, unit: str, used: Sequence[_Alike], units: int) -> float:
    """The median from launch to launch of what the device waited for the host; of sums alone that of each kind."""
    waits: list[int] = []
    waited: int | None = None
    for one in sorted((one for one in record.records if one.device == device), key=lambda one: one.start_ns or 0):
        if one.error or one.unfinished:
            continue
        waited = waited + one.gap_host_ns if waited is not None else None
        if one.group == "kernel" and one.name == unit:
            waits += [] if waited is None else [waited]
            waited = 0
    if waits:
        return statistics.median(waits) * 1e-9
    return sum(one.gap_host_ns * one.calls for one in used) / units * 1e-9


def _flow(device: Any) -> str:
    at_once = device.transfers_s + device.kernels_s - device.busy_s
    return "overlap" if at_once >= TOGETHER * min(device.transfers_s, device.kernels_s) and at_once > 0 else "offload"


def _notes(
    record: RecordFile, device: int, unit: str, units: int, failed: int, setup: Sequence[_Alike]
) -> Iterable[str]:
    where = record.devices[device]
    yield f"a unit is a launch of {unit}, {units} of them on {where.name}; its time and memory traffic are assumed"
    others = [f"{at} ({one.name})" for at, one in enumerate(record.devices) if at != device]
    if others:
        yield f"other devices of the record, left out: {', '.join(others)}"
    if failed:
        yield f"{failed} commands failed or did not end, and are not used"
    if setup:
        moved = sum(one.bytes for one in setup)
        yield f"set-up, apart: {sum(one.calls for one in setup)} transfers of {moved} B before the first launch"
    yield "the flow stream needs another program: one whose kernel takes words as they come"


def to_toml(document: Document) -> str:
    """The description as a file."""
    lines: list[str] = []
    for table, content in document.items():
        for one in content if isinstance(content, list) else [content]:
            lines += [f"[[{table}]]" if isinstance(content, list) else f"[{table}]"]
            lines += [f"{key} = {_written(value)}" for key, value in one.items()]
            lines.append("")
    return "\n".join(lines)


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_written(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{"".join(letter for letter in escaped if letter.isprintable())}"'
    return repr(value)
