"""Numbers of a description: with unit, range and source, as in platform files."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, ValidatorFunctionWrapHandler
from pydantic_core import CoreSchema, core_schema

from isthmus.base import units
from isthmus.base.names import listed
from isthmus.base.numbers import as_number, figure, is_number
from isthmus.base.toml_files import refused
from isthmus.base.units import RATES, TIMES
from isthmus.records.base import TomlTable

_TEXT = re.compile(r"([0-9.eE+-]+?)\s*([A-Za-z][A-Za-z/]*)?")


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


class _WrittenNumber(TomlTable):
    """A number as platform files write it."""

    value: Any
    unit: str | None = None
    range: Any = None
    source: str | None = None
    why: str | None = None
    role: str | None = None


@dataclass(frozen=True)
class Quantity:
    """A kind of number: the units that it may be written in, each with its size in the one without a name.

    A field Annotated[Number, Quantity] reads a number, a text with a unit, or a table as in a platform file.
    """

    what: str  # "a time as in 2 ms"
    units: Mapping[str, float]
    least: float = 0.0
    above: bool = False  # the least itself is too little
    whole: bool = False

    model_fields = _WrittenNumber.model_fields  # of what may be written as a table

    def __get_pydantic_core_schema__(self, _source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(self._read, handler.generate_schema(_WrittenNumber))

    def written(self, value: float) -> str:
        """A value with the unit that a person would choose."""
        fitting = [unit for unit, size in self.units.items() if size <= abs(value)]
        unit = max(fitting or self.units or [""], key=lambda one: self.units.get(one, 1.0))
        return f"{figure(value / self.units.get(unit, 1.0))} {unit}".strip()

    def _read(self, written: object, as_table: ValidatorFunctionWrapHandler) -> Number:
        if isinstance(written, Number):
            return written
        if not isinstance(written, dict):
            return Number(self._one(written, None))
        table: _WrittenNumber = as_table(written)
        if table.unit is not None and table.unit not in self.units:
            units_of = f"a unit of {listed(self.units, 'or')}" if self.units else "no unit"
            raise refused(units_of, f"the unit '{table.unit}'", table.unit, self.units)
        value = self._one(table.value, table.unit)
        low, high = self._range(table, value)
        return Number(value, low, high, table.source, table.why)

    def _range(self, table: _WrittenNumber, value: float) -> tuple[float | None, float | None]:
        written = table.range
        if written is None:
            return None, None
        if not isinstance(written, list) or len(written) != 2:
            raise refused("a range [LEAST, MOST]", repr(written))
        low, high = (self._one(end, table.unit) for end in written)
        if not low <= value <= high:
            raise refused("a range [LEAST, MOST] with the value in it", repr(written))
        return low, high

    def _one(self, written: object, unit: str | None) -> float:
        scale = self.units[unit] if unit else 1.0
        if isinstance(written, str):
            match = _TEXT.fullmatch(written.strip())
            named = match[2] if match else None
            if match is None or (named and named not in self.units):
                raise refused(self.what, f"'{written}'", named or "", self.units)
            scale = self.units[named] if named else scale
            written = as_number(match[1])
        if not is_number(written):
            raise refused(self.what, repr(written))
        value = float(written) * scale
        little = value <= self.least if self.above else value < self.least
        if not math.isfinite(value) or little or (self.whole and value != round(value)):
            raise refused(self.what, str(written))
        return value


TIME = Quantity("a time as in '2 ms', of 0 s or more", TIMES)
SOME_TIME = Quantity("a time as in '2 ms', above 0 s", TIMES, above=True)
BYTES = Quantity("bytes as in '8 MiB', 0 or more", units.BYTES, whole=True)
SOME_BYTES = Quantity("bytes as in '8 MiB', 1 or more", units.BYTES, least=1.0, whole=True)
RATE = Quantity("a rate as in '4 GB/s', above 0", RATES, above=True)
COUNT = Quantity("a number above 0", {}, above=True)
MONEY = Quantity("a price of an hour, above 0", {}, above=True)
WATTS = Quantity("watts, above 0", {"W": 1.0}, above=True)
