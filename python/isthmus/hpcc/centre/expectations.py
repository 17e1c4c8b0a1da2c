"""What a centre expects of each node: benchmarks, their parameters, and what they have to reach, as TOML."""

import math
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from isthmus.base.files import read_text
from isthmus.base.names import unknown
from isthmus.base.parsing import Location, checked, toml
from isthmus.base.toml_lines import line_of
from isthmus.hpcc.benchmarks import BENCHMARKS, records_of
from isthmus.records.base import TomlTable
from isthmus.running.tools import as_options, collect

Share = Annotated[float, Field(ge=0, lt=1)]


class Bounds(TomlTable):
    """What a record's value has to be: `value` within a share of it, or `least`, `most` or both; in `unit` if given."""

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

    def words(self) -> list[str]:
        """The words of `isthmus-hpcc`."""
        chosen = self.model_dump(include={"on", "size", "repeat", "variant", "scheme", "grid"})
        return [self.name, *as_options({**chosen, "set": self.sets(), "optimized": self.optimized})]

    def sets(self) -> tuple[str, ...]:
        """NAME=VALUE."""
        return tuple(f"{name}={value}" for name, value in self.set.items())


class Expectations(TomlTable):
    """A file of expectations."""

    nodes: list[str] = Field(default=[])
    benchmark: list[ExpectedRun] = Field(min_length=1)


def read_expectations(path: Path) -> Expectations:
    """The expectations of a file; anything wrong in it is an IsthmusError with file, line and key."""
    text = read_text(path)

    def place(key: Location) -> tuple[str, Location]:
        names = [part for part in key if isinstance(part, str)]
        entry = next((part for part in key if isinstance(part, int)), 0)
        return f"{path}:{_line(text, names, entry)}", key

    expectations = checked(Expectations, toml(text, path), place)
    _check_names(expectations, text, path)
    return expectations


def _check_names(expectations: Expectations, text: str, path: Path) -> None:
    """Of benchmarks, their parameters and records, before an hour of the first one's work is done."""
    for entry, wanted in enumerate(expectations.benchmark):
        if wanted.name not in BENCHMARKS:
            place = f"{path}:{_line(text, ['benchmark', 'name'], entry)}"
            raise unknown("benchmark", wanted.name, list(BENCHMARKS), place)
        known = _parameters_of(wanted.name) if wanted.set else []
        for parameter in wanted.set:
            if parameter not in known:
                place = f"{path}:{_line(text, ['benchmark', 'set', parameter], entry)}"
                raise unknown(f"parameter of {wanted.name}", parameter, known, place)
        for record in wanted.expect:
            if record not in records_of(wanted.name):
                place = f"{path}:{_line(text, ['benchmark', 'expect', record], entry)}"
                raise unknown(f"record of {wanted.name}", record, records_of(wanted.name), place)


def _parameters_of(benchmark: str) -> list[str]:
    (made,) = collect("isthmus-hpcc", [benchmark, "--parameters", "--on", "board"], "compilation")
    return list(made["parameters"])


def _line(text: str, key: list[str], entry: int) -> int:
    """Of a key, else of the nearest around it that is written: what is missing stands nowhere."""
    lines = (line_of(text, key[:length], entry) for length in range(len(key), 0, -1))
    return next((line for line in lines if line > 1), 1)
