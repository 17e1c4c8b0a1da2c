"""A centre's expectations of each node: benchmarks, their parameters, and the values to reach, as TOML."""

import math
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from isthmus.base.errors import IsthmusError
from isthmus.base.names import unknown
from isthmus.base.toml_files import TomlFile
from isthmus.hpcc.benchmarks import BENCHMARKS
from isthmus.hpcc.build import compilation_of
from isthmus.records.base import TomlTable
from isthmus.running.tools import Request, assignments, request_of

Share = Annotated[float, Field(ge=0, lt=1)]
_Place = Callable[..., str]  # FILE:LINE of a key, in parts, of an entry


class Bounds(TomlTable):
    """The bounds of a record's value: `value` within a share of it, or `least`, `most` or both; in `unit` if given."""

    value: float | None = None
    within: Share | None = None
    least: float | None = None
    most: float | None = None
    unit: str | None = None

    @model_validator(mode="after")
    def _one_way(self) -> "Bounds":
        by_value = self.value is not None and self.within is not None
        if (self.value is None) != (self.within is None) or by_value == (
            self.least is not None or self.most is not None
        ):
            raise ValueError("expected 'value' and 'within', or 'least', 'most' or both")
        return self

    @property
    def low(self) -> float:
        """The least that passes."""
        if self.value is not None and self.within is not None:
            return self.value * (1 - self.within)
        return -math.inf if self.least is None else self.least

    @property
    def high(self) -> float:
        """The most that passes."""
        if self.value is not None and self.within is not None:
            return self.value * (1 + self.within)
        return math.inf if self.most is None else self.most


class ExpectedRun(TomlTable):
    """One benchmark, how it is run on each node, and what its records have to reach."""

    name: str = Field(min_length=1)
    on: str = "opencl:0"
    size: Literal["small", "standard"] = "standard"
    optimized: bool = False
    ranks: int | None = Field(default=None, ge=1)
    repeat: int | None = Field(default=None, ge=1)
    variant: Literal["single", "ndrange"] | None = None
    scheme: str | None = None
    grid: str | None = None
    tuned: bool = True  # with the parameters that `hpcc tune` found for the node's device
    set: dict[str, int | str] = Field(default={})
    expect: dict[str, Bounds] = Field(default={})

    def request(self) -> Request:
        """The request to `isthmus-hpcc`."""
        chosen = self.model_dump(include={"on", "size", "repeat", "variant", "scheme", "grid"})
        return request_of({"BENCH": self.name, **chosen, "set": self.set, "optimized": self.optimized})

    def sets(self) -> tuple[str, ...]:
        """NAME=VALUE."""
        return assignments(self.set)


class Expectations(TomlTable):
    """A file of expectations."""

    nodes: list[str] = Field(default=[])
    benchmark: list[ExpectedRun] = Field(min_length=1)


def read_expectations(path: Path, ranks: int = 1) -> Expectations:
    """The expectations of a file; anything wrong in it is an IsthmusError with file, line and key.

    `ranks` is how many there are where the file does not say.
    """
    file = TomlFile.at(path)
    expectations = file.read(Expectations, file.document())
    for entry, wanted in enumerate(expectations.benchmark):
        _check(wanted, ranks, partial(file.place, "benchmark", entry=entry))
    return expectations


def _check(wanted: ExpectedRun, ranks: int, place: _Place) -> None:
    """Checks all that is known of a benchmark without its device, before the first one has run for an hour."""
    if wanted.name not in BENCHMARKS:
        raise unknown("benchmark", wanted.name, list(BENCHMARKS), place("name"))
    _check_ranks(wanted, wanted.ranks or ranks, place)
    _check_parameters(wanted, place)
    units = BENCHMARKS[wanted.name].records
    for record, bounds in wanted.expect.items():
        if record not in units:
            raise unknown(f"record of {wanted.name}", record, list(units), place("expect", record))
        if bounds.unit not in (None, units[record]):
            where = place("expect", record)
            raise IsthmusError(f"{where}: {record}: expected in {units[record]}, got {bounds.unit}")


def _check_ranks(wanted: ExpectedRun, ranks: int, place: _Place) -> None:
    """Checks the devices of the ranks and their grid."""
    for target in wanted.on.split(","):
        if not target.startswith("opencl:") or target == "opencl:":
            raise IsthmusError(f"{place('on')}: unknown target '{target}': expected opencl:N or opencl:NAME")
    grid = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)", wanted.grid or f"1x{ranks}", re.ASCII)
    if grid is None:
        raise IsthmusError(f"{place('grid')}: grid: expected PxQ such as 2x3, got '{wanted.grid}'")
    if int(grid[1]) * int(grid[2]) != ranks:
        raise IsthmusError(f"{place('grid')}: grid {wanted.grid}: expected P * Q = {ranks}, the number of ranks")


def _check_parameters(wanted: ExpectedRun, place: _Place) -> None:
    """The scheme, the names of parameters, what kind each value is of, and of which others it is a multiple.

    Its limits and its default are the device's, as is the variant if the file has none.
    """
    if wanted.scheme is None and not wanted.set:
        return
    # What a variant by ND-range has to be a multiple of, one by a single work-item has to be too.
    chosen = {"variant": wanted.variant or "ndrange", "scheme": wanted.scheme}
    request = request_of({"BENCH": wanted.name, "parameters": True, "on": "board", **chosen})
    try:
        specs = {spec["name"]: spec for spec in compilation_of(request)["specs"]}
    except IsthmusError as error:
        raise IsthmusError(f"{place('scheme')}: {error}") from error
    for name, value in wanted.set.items():
        if name not in specs:
            raise unknown(f"parameter of {wanted.name}", name, list(specs), place("set", name))
        expected = _unless_taken(specs[name], str(value)) or _unless_multiple(specs[name], wanted.set)
        if expected:
            raise IsthmusError(f"{place('set', name)}: {name}: expected {expected}, got '{value}'")


def _unless_taken(spec: Mapping[str, Any], value: str) -> str:
    """Says what a parameter accepts, if it does not accept this value."""
    if spec["kind"] == "data_type":
        return "" if value in ("float", "double", "half") else "float, double or half"
    number = int(value) if re.fullmatch(r"\d+", value, re.ASCII) else -1
    if spec["kind"] == "power_of_two":
        return "" if number.bit_count() == 1 and number >= spec["least"] else f"a power of two from {spec['least']}"
    return "" if number >= spec["least"] else f"a whole number from {spec['least']}"


def _unless_multiple(spec: Mapping[str, Any], values: Mapping[str, int | str]) -> str:
    """Says of which other value in the file a parameter's value is no multiple."""
    for of in spec["multiple_of"]:
        if re.fullmatch(r"[1-9]\d*", str(values.get(of)), re.ASCII) and int(values[spec["name"]]) % int(values[of]):
            return f"a multiple of {of}={values[of]}"
    return ""
