"""Configurations of the benchmarks for FPGA boards: those of meyer2024 tables 3.4 and 4.6, and a user's own files."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from isthmus.base.errors import IsthmusError
from isthmus.base.files import data_folder, read_text
from isthmus.base.names import meant, unknown
from isthmus.base.parsing import toml
from isthmus.base.toml_lines import line_of
from isthmus.hpcc.benchmarks import BENCHMARKS, Banks, design_of

Tool = Literal["xrt", "intel"]
TOOLS: dict[str, Tool] = {"xrt": "xrt", "intel": "intel"}
MEMORIES = ("DDR", "HBM", "SVM")


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


class _Reader:
    """Takes values out of a TOML document, each with the kind that is expected there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._text = read_text(path)
        self.content = toml(self._text, path)

    def text(self, key: str, among: tuple[str, ...] = ()) -> str:
        value = self._at(key)
        if isinstance(value, str) and value and (not among or value in among):
            return value
        hint = meant(value, among) if isinstance(value, str) else None
        raise self.expected(key, f"one of {', '.join(among)}" if among else "a text", value, hint)

    def number(self, key: str) -> int:
        value = self._at(key)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
        raise self.expected(key, "a whole number of at least 1", value)

    def expected(self, key: str, what: str, value: object, hint: str | None = None) -> IsthmusError:
        got = "nothing" if value is None else repr(value)
        return IsthmusError(f"{self.place(key)}: key '{key}': expected {what}, got {got}", hint)

    def place(self, key: str) -> str:
        return f"{self._path}:{line_of(self._text, key)}"

    def _at(self, key: str) -> Any:
        value: Any = self.content
        for part in key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return value


_TEXTS = ("name", "board", "for", "platform", "device", "source")


def _read(path: Path) -> Configuration:
    reader = _Reader(path)
    known = (*_TEXTS, "memory", *BENCHMARKS)
    for key in reader.content:
        if key not in known:
            raise unknown("key", key, list(known), reader.place(key))
    chosen = [name for name in BENCHMARKS if name in reader.content]
    banks = reader.number("memory.banks")
    return Configuration(
        name=reader.text("name"),
        board=reader.text("board"),
        tool=TOOLS[reader.text("for", tuple(TOOLS))],
        platform=reader.text("platform"),
        device=reader.text("device"),
        source=reader.text("source"),
        memory=reader.text("memory.kind", MEMORIES),
        banks=banks,
        parameters={name: _parameters(reader, name) for name in chosen},
        places={name: _places(reader, name, banks) for name in chosen if "banks" in reader.content[name]},
    )


def _parameters(reader: _Reader, benchmark: str) -> dict[str, int | str]:
    table = reader.content[benchmark]
    if not isinstance(table, dict):
        raise reader.expected(benchmark, "a table of parameters", table)
    found: dict[str, int | str] = {}
    for name, value in table.items():
        if name == "banks":
            continue
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            raise reader.expected(f"{benchmark}.{name}", "a whole number or a data type", value)
        found[name] = value
    return found


def _places(reader: _Reader, benchmark: str, banks: int) -> Banks:
    table = reader.content[benchmark]["banks"]
    if not isinstance(table, dict):
        raise reader.expected(f"{benchmark}.banks", "a table of arguments", table)
    for argument, numbers in table.items():
        if not (isinstance(numbers, list) and numbers and all(number in range(banks) for number in numbers)):
            raise reader.expected(f"{benchmark}.banks.{argument}", f"a list of banks from 0 to {banks - 1}", numbers)
    return table


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
