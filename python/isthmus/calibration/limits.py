"""The ranges that the schema allows for the numbers of a platform file, in the unit of each number."""

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
        """The range in a unit, rounded to nine digits: 10 ns become 10, in spite of binary fractions."""
        scale = self.units[unit] if unit else 1.0
        return float(f"{self.low / scale:.9g}"), float(f"{self.high / scale:.9g}")


def keys_of(target: str) -> list[Event]:
    """Every key that the parts of a board may hold, in their order, as `isthmus-platform` prints it."""
    return collect("isthmus-platform", [target, "--keys"], "key")


def limits_of_keys(target: str) -> dict[str, Limits]:
    """Limits of every key that the parts of a board may hold."""
    return {key["key"]: Limits(key["low"], key["high"], key["units"]) for key in keys_of(target)}
