"""Numbers of a description: with unit, range and source, as in platform files."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from isthmus.base import units
from isthmus.base.errors import IsthmusError
from isthmus.base.names import listed, meant
from isthmus.base.numbers import as_number, figure, is_number
from isthmus.base.units import RATES, TIMES

_TEXT = re.compile(r"([0-9.eE+-]+?)\s*([A-Za-z][A-Za-z/]*)?")
_FIELDS = ("value", "unit", "range", "source", "why", "role")
Refuse = Callable[..., IsthmusError]  # of expected, got and a hint


@dataclass(frozen=True)
class Quantity:
    """A kind of number: the units that it may be written in, each with its size in the one without a name."""

    what: str  # "a time as in 2 ms"
    units: Mapping[str, float]
    least: float = 0.0
    above: bool = False  # the least itself is too little
    whole: bool = False

    def written(self, value: float) -> str:
        """A value with the unit that a person would choose."""
        fitting = [unit for unit, size in self.units.items() if size <= abs(value)]
        unit = max(fitting or self.units or [""], key=lambda one: self.units.get(one, 1.0))
        return f"{figure(value / self.units.get(unit, 1.0))} {unit}".strip()


TIME = Quantity("a time as in '2 ms', of 0 s or more", TIMES)
SOME_TIME = Quantity("a time as in '2 ms', above 0 s", TIMES, above=True)
BYTES = Quantity("bytes as in '8 MiB', 0 or more", units.BYTES, whole=True)
SOME_BYTES = Quantity("bytes as in '8 MiB', 1 or more", units.BYTES, least=1.0, whole=True)
RATE = Quantity("a rate as in '4 GB/s', above 0", RATES, above=True)
COUNT = Quantity("a number above 0", {}, above=True)
MONEY = Quantity("a price of an hour, above 0", {}, above=True)
WATTS = Quantity("watts, above 0", {"W": 1.0}, above=True)


@dataclass(frozen=True)
class Number:
    """A number of a description in its unit without a name: s, B or B/s. `low` and `high` are where it may lie."""

    value: float
    low: float | None = None
    high: float | None = None
    source: str | None = None
    why: str | None = None

    @property
    def ranges(self) -> bool:
        """Tells whether it is not known."""
        return self.low is not None and self.high is not None and self.low < self.high

    def at(self, share: float) -> float:
        """The number of its range with `share`, 0 to 1, below it: by its logarithm where it has one."""
        if not self.ranges:
            return self.value
        low, high = float(self.low or 0.0), float(self.high or 0.0)
        return low * (high / low) ** share if low > 0 else low + (high - low) * share


def read_number(written: object, quantity: Quantity, refuse: Refuse) -> Number:
    """A number, a text with a unit, or a table as in a platform file; `refuse` makes the error of what it is not."""
    if not isinstance(written, dict):
        return Number(_one(written, quantity, None, refuse))
    for field in written:
        if field not in _FIELDS:
            raise refuse(f"a table of {listed(_FIELDS, 'and')}", f"the field '{field}'", meant(field, _FIELDS))
    if "value" not in written:
        raise refuse("a field 'value'", "none")
    unit = written.get("unit")
    if unit is not None and (not isinstance(unit, str) or unit not in quantity.units):
        units_of = f"a unit of {listed(quantity.units, 'or')}" if quantity.units else "no unit"
        raise refuse(units_of, f"the unit '{unit}'", meant(str(unit), quantity.units))
    value = _one(written["value"], quantity, unit, refuse)
    low, high = _range(written.get("range"), value, quantity, unit, refuse)
    source, why = (_text(written, field, refuse) for field in ("source", "why"))
    return Number(value, low, high, source, why)


def _range(
    written: Any, value: float, quantity: Quantity, unit: str | None, refuse: Refuse
) -> tuple[float | None, float | None]:
    if written is None:
        return None, None
    if not isinstance(written, list) or len(written) != 2:
        raise refuse("a range [LEAST, MOST]", repr(written))
    low, high = (_one(end, quantity, unit, refuse) for end in written)
    if not low <= value <= high:
        raise refuse("a range [LEAST, MOST] with the value in it", repr(written))
    return low, high


def _text(written: Mapping[str, Any], field: str, refuse: Refuse) -> str | None:
    found = written.get(field)
    if found is not None and not isinstance(found, str):
        raise refuse(f"a text in the field '{field}'", repr(found))
    return found


def _one(written: object, quantity: Quantity, unit: str | None, refuse: Refuse) -> float:
    scale = quantity.units[unit] if unit else 1.0
    if isinstance(written, str):
        match = _TEXT.fullmatch(written.strip())
        named = match[2] if match else None
        if match is None or (named and named not in quantity.units):
            raise refuse(quantity.what, f"'{written}'", meant(named or "", quantity.units))
        scale = quantity.units[named] if named else scale
        written = as_number(match[1])
    if not is_number(written):
        raise refuse(quantity.what, repr(written))
    value = float(written) * scale
    little = value <= quantity.least if quantity.above else value < quantity.least
    if not math.isfinite(value) or little or (quantity.whole and value != round(value)):
        raise refuse(quantity.what, str(written))
    return value
