"""The numbers that a person gives: `d2h 64MiB 1.7 GB/s`, `latency 300 us`, `cpu=80%`."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from isthmus.asking.predictions import Pairs, Query
from isthmus.base import units
from isthmus.base.errors import IsthmusError
from isthmus.base.names import unknown
from isthmus.base.numbers import as_number, figure
from isthmus.base.sizes import format_size, parse_size
from isthmus.base.units import BYTES, TIMES
from isthmus.records.run import Platform
from isthmus.running.integration import OF_PROCESSORS
from isthmus.running.probes import COPIES, SHARED_MEMORY, STREAMS, all_probes

RATES = {**units.RATES, **units.BINARY_RATES, **units.BIT_RATES}
SYMPTOMS = ("cpu",)
TO_DEVICE, TO_HOST = "to-device", "to-host"

_FORM = "expected PROBE SIZE VALUE UNIT, as in 'd2h 64MiB 1.7 GB/s'"
_MEASURED = re.compile(r"(\S+)\s+(?:(\d+(?:B|KiB|MiB|GiB))\s+)?([-+]?[0-9.]+(?:[eE][-+]?\d+)?)\s*([A-Za-z/]+)")
_BOTH_WAYS = ("duplex", "stream-both")
_BACK = ("d2h", "stream-out")
# The parameters of the record that is meant, where a size has several.
_VARIANTS: dict[str, dict[str, Any]] = {
    "mmio-store": {"write_combining": True},
    "device-latency": {"access": "read", "in_flight": 1},
    "cache-hit": {"access": "read", "phase": "all"},
    "cache-miss": {"access": "read", "phase": "all"},
    "loopback": {"started_by": "fpga"},
}


@dataclass(frozen=True)
class Measurement:
    """A number that was measured: of a probe at a size, as seconds of one copy, pass or access."""

    probe: str
    size: int
    seconds: float
    value: float
    unit: str
    chosen: Pairs = ()

    @property
    def query(self) -> Query:
        """The query of the model."""
        return Query(self.probe, self.size, (), self.chosen, tuple(_VARIANTS.get(self.probe, {}).items()))

    @property
    def what(self) -> str:
        """Probe and size."""
        return f"{self.probe} {format_size(self.size)}" if self.size else self.probe

    @property
    def text(self) -> str:
        """The number as people write it."""
        return f"{self.what} {figure(self.value)} {self.unit}"

    @property
    def direction(self) -> str | None:
        """The direction of a copy; None for a probe that does not copy one way."""
        if all_probes()[self.probe].crosses not in (*COPIES, STREAMS) or self.probe in _BOTH_WAYS:
            return None
        return TO_HOST if self.probe.startswith(_BACK) else TO_DEVICE

    def value_of(self, seconds: float) -> float:
        """A number of seconds as a value in the number's unit."""
        return self.size / seconds / RATES[self.unit] if self.unit in RATES else seconds / TIMES[self.unit]

    def with_seconds(self, seconds: float) -> "Measurement":
        """The same probe and size with another value."""
        return Measurement(self.probe, self.size, seconds, self.value_of(seconds), self.unit, self.chosen)


def read_measured(text: str, chosen: Pairs = ()) -> Measurement:
    """Reads one --measured; an IsthmusError says what was expected."""
    place = f"--measured '{text}'"
    match = _MEASURED.fullmatch(text.strip())
    if match is None or match[4] in BYTES:  # a size alone reads like a value
        raise IsthmusError(f"{place}: {_FORM}")
    probe, size_text, number, unit = match.groups()
    if probe not in all_probes() or probe == "steps":
        raise unknown("probe", probe, [name for name in all_probes() if name != "steps"], "--measured")
    if unit not in RATES and unit not in TIMES:
        raise unknown("unit", unit, [*RATES, *TIMES], place)
    size = _size(probe, size_text, place)
    value = _positive(number, place)
    if unit in RATES and (size == 0 or all_probes()[probe].quantity == "latency"):
        raise IsthmusError(f"{place}: expected a time ({', '.join(TIMES)}) of {probe}, got {unit}")
    seconds = size / (value * RATES[unit]) if unit in RATES else value * TIMES[unit]
    return Measurement(probe, size, seconds, value, unit, chosen)


def read_all(texts: list[str], chosen: Pairs = ()) -> list[Measurement]:
    """Every --measured; the same probe and size twice is refused."""
    numbers = [read_measured(text, chosen) for text in texts]
    if not numbers:
        raise IsthmusError(f"--measured: {_FORM}")
    seen: set[str] = set()
    for one in numbers:
        if one.what in seen:
            raise IsthmusError(f"--measured '{one.text}': {one.what} is given twice")
        seen.add(one.what)
    return numbers


def over_coherent_link(numbers: Sequence[Measurement], board: Platform) -> list[Measurement]:
    """Numbers of shared memory for which no link is named go over the coherent one, if the board has several links."""
    link = next((part.channel for part in board.parts if part.kind in OF_PROCESSORS), None)
    if link is None or len(board.links) == 1:
        return list(numbers)
    return [
        replace(one, chosen=tuple(sorted({"channel": link, **dict(one.chosen)}.items())))
        if all_probes()[one.probe].crosses == SHARED_MEMORY
        else one
        for one in numbers
    ]


def read_symptoms(texts: list[str]) -> float | None:
    """The share of the time in which the host was busy, from `cpu=80%`; None if no symptom was given."""
    share = None
    for text in texts:
        name, _, number = text.partition("=")
        if name.strip() not in SYMPTOMS:
            raise unknown("symptom", name.strip(), list(SYMPTOMS), "--symptom")
        match = re.fullmatch(r"\s*([0-9.]+)\s*%\s*", number)
        value = as_number(match[1]) if match else None
        if value is None or not 0 <= value <= 100:
            raise IsthmusError(f"--symptom '{text}': expected 0 to 100 %, as in cpu=80%, got '{number}'")
        share = value / 100
    return share


def _size(probe: str, text: str | None, place: str) -> int:
    own = all_probes()[probe].sizes
    if text is None:
        if own is None or isinstance(own, range) or len(own) != 1:
            raise IsthmusError(f"{place}: {_FORM}")
        return int(own[0])
    size = parse_size(text)
    if own is not None and size not in own:
        if isinstance(own, range):
            shown = f"multiples of {own.step} B up to {own[-1]} B"
        else:
            shown = " or ".join(map(format_size, filter(None, own))) or "no size"
        raise IsthmusError(f"{place}: expected {shown} of {probe}, got {text}")
    return size


def _positive(text: str, place: str) -> float:
    value = as_number(text)
    if value is None or not math.isfinite(value) or value <= 0:
        raise IsthmusError(f"{place}: expected a number above 0, got '{text}'")
    return value
