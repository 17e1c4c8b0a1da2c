"""The ranges that the schema allows for the numbers of a platform file, in the unit of each number."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from isthmus.running.tools import Event, collect

Range = tuple[float, float]


@dataclass(frozen=True)
class Limits:
    """The least and the most of a key in base units, and how many of those each of its units is."""

    low: float
    high: float
    units: Mapping[str, float]

    def within(self, unit: str) -> Range:
        """The range in a unit, in nine digits where they suffice: 10 ns become 10, in spite of binary fractions, but
        1 KiB keeps every digit in GiB.
        """
        scale = self.units[unit] if unit else 1.0
        return _number_of(self.low, scale), _number_of(self.high, scale)


def _number_of(base: float, scale: float) -> float:
    short = float(f"{base / scale:.9g}")
    return short if math.isclose(short * scale, base, rel_tol=1e-14) else base / scale


def keys_of(target: str) -> list[Event]:
    """Every key that the parts of a board may hold, in their order, as `isthmus-platform` prints it."""
    return collect("isthmus-platform", {"TARGET": target, "keys": True}, "key")


def limits_of_keys(target: str) -> dict[str, Limits]:
    """Limits of every key that the parts of a board may hold."""
    return {key["key"]: Limits(key["low"], key["high"], key["units"]) for key in keys_of(target)}
