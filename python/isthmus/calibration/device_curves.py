"""The times of a device by probe and size, in seconds, out of records."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from isthmus.base.errors import IsthmusError
from isthmus.base.files import read_text
from isthmus.base.parsing import checked, from_json, our_json
from isthmus.records.probe import ProbeRecord
from isthmus.running.probes import all_probes, fitted_probes

Curves = dict[str, dict[int, float]]

_OVER = " over "


def curve_of(record: ProbeRecord) -> str:
    """The curve that a record is a point of: its probe, over the channel that it names."""
    channel = record.parameters.get("channel")
    return record.name if channel is None else f"{record.name}{_OVER}{channel}"


def probe_of(curve: str) -> str:
    """The probe of a curve."""
    return curve.partition(_OVER)[0]


def channel_of(curve: str) -> str | None:
    """The channel of a curve; None where its records name none."""
    return curve.partition(_OVER)[2] or None


@dataclass(frozen=True)
class DeviceCurves:
    """The curves of one device; where several runs of a probe were given, the median of their times.

    `differ` is how far such runs are apart: half of what lies between the least and the most, over the median; of all
    points the median. It is None if no point was measured twice.
    """

    device: str
    kind: str
    curves: Curves
    differ: float | None = None
    records: Sequence[ProbeRecord] = ()

    def probes(self) -> set[str]:
        """The names of the probes that were measured."""
        return set(map(probe_of, self.curves))

    def channels(self) -> set[str | None]:
        """The channels of the curves; None stands for records that name no channel."""
        return set(map(channel_of, self.curves))

    def only(self, sizes: Iterable[int], inside: bool) -> Curves:
        """The points at these sizes, or at all others; curves that are one point each belong to the others."""
        wanted = set(sizes)
        found: Curves = {}
        for probe, curve in self.curves.items():
            points = {size: time for size, time in curve.items() if ((size in wanted) and len(curve) > 1) == inside}
            if points:
                found[probe] = points
        return found


def read_measured(paths: Sequence[Path]) -> DeviceCurves:
    """The records of files of `isthmus probe`, or of JSON lines; an IsthmusError unless all are of one device."""
    records = [_record(path, number, plain) for path in paths for number, plain in enumerate(_plain(path), start=1)]
    names = ", ".join(map(str, paths))
    devices = sorted({record.device for record in records})
    if len(devices) != 1:
        raise IsthmusError(f"{names}: expected records of one device, got {', '.join(devices) or 'none'}")
    compared = {name for name, probe in all_probes().items() if probe.compared}
    runs: dict[str, dict[int, list[float]]] = {}
    for record in records:
        if record.name in compared and record.time_s is not None and record.time_s > 0:
            times = runs.setdefault(curve_of(record), {}).setdefault(int(record.parameters["size"]), [])
            times.append(record.time_s)
    if not set(map(probe_of, runs)) & set(fitted_probes()):
        raise IsthmusError(f"{names}: expected records of one of the probes {', '.join(fitted_probes())}")
    curves = {probe: {size: median(times) for size, times in curve.items()} for probe, curve in runs.items()}
    return DeviceCurves(devices[0], records[0].kind, curves, _differ(runs), records)


def _differ(runs: dict[str, dict[int, list[float]]]) -> float | None:
    repeated = [times for curve in runs.values() for times in curve.values() if len(times) > 1]
    return median((max(times) - min(times)) / 2 / median(times) for times in repeated) if repeated else None


def _plain(path: Path) -> list[Any]:
    text = read_text(path)
    try:
        whole = from_json(text)
        found = whole.get("records") if isinstance(whole, dict) else None
        return found if isinstance(found, list) else [whole]
    except ValueError:
        pass
    return [our_json(line, path) for line in text.splitlines() if line.strip()]


def _record(path: Path, number: int, plain: Any) -> ProbeRecord:
    record = checked(ProbeRecord, plain, f"{path}: record {number}")
    try:
        int(record.parameters["size"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise IsthmusError(f"{path}: record {number}: key 'parameters.size': expected whole bytes") from error
    return record
