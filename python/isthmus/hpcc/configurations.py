"""Configurations of the benchmarks for FPGA boards: those of meyer2024 tables 3.4 and 4.6, and a user's own files."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from isthmus.base.errors import IsthmusError
from isthmus.base.files import data_folder
from isthmus.base.names import meant, unknown
from isthmus.base.toml_files import TomlFile
from isthmus.hpcc.benchmarks import BENCHMARKS, Banks, design_of
from isthmus.records.base import TomlTable

Tool = Literal["xrt", "intel"]


@dataclass(frozen=True)
class Configuration:
    """A board with its memory, the tool that compiles for it, and the parameters of each benchmark."""

    name: str
    board: str
    tool: Tool
    platform: str
    device: str
    source: str
    memory: str
    banks: int
    parameters: dict[str, dict[str, int | str]]
    places: dict[str, Banks] = field(default_factory=dict)  # of buffers, where they are not the usual ones

    def of(self, benchmark: str) -> dict[str, int | str]:
        """The parameters of a benchmark; an IsthmusError if the configuration has none for it."""
        if benchmark not in self.parameters:
            raise IsthmusError(
                f"configuration {self.name}: has no parameters of '{benchmark}', only of {', '.join(self.parameters)}"
            )
        return self.parameters[benchmark]


def configurations() -> list[Configuration]:
    """The configurations that come with Isthmus."""
    return [_read(path) for path in sorted(data_folder("configurations").glob("*.toml"))]


def configuration(wanted: str) -> Configuration:
    """The one of a file, or that is shipped under a name."""
    if wanted.endswith(".toml") or "/" in wanted:
        return _read(Path(wanted))
    shipped = data_folder("configurations")
    names = sorted(path.stem for path in shipped.glob("*.toml"))
    if wanted not in names:
        raise unknown("configuration", wanted, names)
    return _read(shipped / f"{wanted}.toml")


class _Memory(TomlTable, strict=True):
    kind: Literal["DDR", "HBM", "SVM"] = Field(description="one of DDR, HBM, SVM")
    banks: int = Field(ge=1, description="a whole number of at least 1")


class _Parameters(TomlTable, strict=True, extra="allow"):
    """Those of a benchmark, and of some of its arguments the banks."""

    __pydantic_extra__: dict[str, Annotated[int | str, Field(description="a whole number or a data type")]]

    banks: dict[str, Annotated[list[int], Field(description="a list of banks")]] = Field(
        default={}, description="a table of arguments"
    )


_Text = Annotated[str, Field(min_length=1, description="a text")]


class _Head(TomlTable, strict=True):
    name: _Text
    board: _Text
    tool: Tool = Field(alias="for", description="one of xrt, intel")
    platform: _Text
    device: _Text
    source: _Text
    memory: _Memory


_OF_BENCHMARKS: dict[str, Any] = dict.fromkeys(BENCHMARKS, (_Parameters | None, None))
_File = create_model("_File", __base__=_Head, **_OF_BENCHMARKS)


def _read(path: Path) -> Configuration:
    file = TomlFile.at(path)
    found = file.read(_File, file.document())
    tables: dict[str, _Parameters] = {name: getattr(found, name) for name in BENCHMARKS if getattr(found, name)}
    for name, table in tables.items():
        for argument, numbers in table.banks.items():
            if not numbers or not all(number in range(found.memory.banks) for number in numbers):
                expected = f"a list of banks from 0 to {found.memory.banks - 1}"
                raise IsthmusError(f"{file.of_key(name, 'banks', argument)}: expected {expected}, got {numbers}")
    return Configuration(
        **found.model_dump(include={"name", "board", "tool", "platform", "device", "source"}),
        memory=found.memory.kind,
        banks=found.memory.banks,
        parameters={name: dict(table.model_extra or {}) for name, table in tables.items()},
        places={name: table.banks for name, table in tables.items() if table.banks},
    )


def banks_of(configuration: Configuration, benchmark: str, replications: int) -> Banks:
    """The bank of each buffer argument in each replication.

    There are none if the board has no memory of its own. There are none either if Intel's board itself spreads DDR over
    its banks, for benchmarks whose replications share all buffers, unless the configuration places them.
    """
    if configuration.memory == "SVM":
        return {}
    design = design_of(benchmark)
    chosen = configuration.places.get(benchmark, {})
    if configuration.tool == "intel" and configuration.memory == "DDR" and not (design.own or chosen):
        return {}
    usual = design.banks(replications, configuration.banks)
    for argument in chosen:
        if argument not in usual:
            place = f"configuration {configuration.name}: {benchmark}.banks.{argument}"
            raise IsthmusError(f"{place}: expected one of {', '.join(usual)}", hint=meant(argument, usual))
    given = {name: [numbers[r % len(numbers)] for r in range(replications)] for name, numbers in chosen.items()}
    return {**usual, **given}
