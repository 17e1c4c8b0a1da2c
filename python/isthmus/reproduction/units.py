"""Our values in the unit of the published row."""

from isthmus.base.errors import IsthmusError

_FAMILIES: list[dict[str, float]] = [
    {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9},
    {"B": 1.0, "KiB": 1024.0, "MiB": 1024.0**2, "GiB": 1024.0**3, "KB": 1e3, "MB": 1e6, "GB": 1e9},
    {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    {"GB/s": 1e9, "MB/s": 1e6, "Gbps": 1e9 / 8, "Gbit/s": 1e9 / 8, "Mbit/s": 1e6 / 8},
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
