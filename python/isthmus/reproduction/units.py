"""Our values, and their conversion to the unit of the published row."""

from typing import NamedTuple

from isthmus.base import units
from isthmus.base.errors import IsthmusError
from isthmus.records.base import Value


class Amount(NamedTuple):
    """A number and its unit, as a formula returns it; a bare number is one of the row's unit."""

    value: float
    unit: str


class Between(NamedTuple):
    """What a claim about a number returns: the claim holds if the number lies between two others."""

    value: float
    low: float
    high: float
    unit: str = ""

    @property
    def holds(self) -> bool:
        return self.low <= self.value <= self.high


Found = Value | Between

# Papers write what people should not, too: KB of 1000 bytes, Gbps, operations.
_FAMILIES: list[dict[str, float]] = [
    units.TIMES,
    {**units.BYTES, "KB": 1e3, "MB": 1e6, "GB": 1e9},
    units.CLOCKS,
    {**units.RATES, **units.BIT_RATES, "Gbps": units.BIT_RATES["Gbit/s"]},
    {"1/s": 1.0, "KOPS": 1e3, "MOPS": 1e6},
]


def convert(value: float, unit: str, wanted: str) -> float:
    """`value` of `unit` in the unit `wanted`; an IsthmusError if the two measure different things."""
    if unit == wanted or not unit or not wanted:
        return value
    for family in _FAMILIES:
        if unit in family and wanted in family:
            factor = family[unit] / family[wanted]
            return value / (family[wanted] / family[unit]) if factor < 1 else value * factor
    raise IsthmusError(f"expected a unit that measures the same as '{wanted}', got '{unit}'")
