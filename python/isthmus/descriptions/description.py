"""Descriptions of applications (docs/advise.md): files as they are written, found, read and checked."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BeforeValidator, Field

from isthmus.base.errors import IsthmusError
from isthmus.base.flows import FLOWS
from isthmus.base.names import listed, unknown
from isthmus.base.toml_files import TomlFile, dotted, refused
from isthmus.descriptions.quantity import (
    BYTES,
    COUNT,
    MONEY,
    RATE,
    SOME_BYTES,
    SOME_TIME,
    TIME,
    WATTS,
    Number,
    Quantity,
)
from isthmus.records.base import Flow, TomlTable
from isthmus.running.application import APP

TO_DEVICE, TO_HOST = "to-device", "to-host"
ONE, NOTHING = Number(1.0), Number(0.0)
_UNITS = re.compile(r"(?:(\d{1,9})\s*)?([A-Za-z][A-Za-z0-9_]*s)?")

_Table = TypeVar("_Table", bound=TomlTable)

# A number that need not be there.
_Bytes = Annotated[Number | None, BYTES]
_SomeBytes = Annotated[Number | None, SOME_BYTES]


class Transfer(TomlTable):
    """Transfers of a unit that are alike; `cpu` and `order` are what cores do with the bytes, which the coherence of a
    processor's ports hangs on.
    """

    direction: Literal["to-device", "to-host"] = Field(description="to-device or to-host")
    bytes: Annotated[Number, SOME_BYTES] = Field(description=SOME_BYTES.what)  # of each
    count: Annotated[Number, COUNT] = ONE
    host: Literal["pageable", "pinned"] = Field(default="pageable", description="pageable or pinned")
    cpu: Literal["writes", "reads", "both"] | None = Field(default=None, description="writes, reads or both")
    order: Literal["sequential", "random"] | None = Field(default=None, description="sequential or random")

    @property
    def to_device(self) -> bool:
        """Tells whether the host sends it."""
        return self.direction == TO_DEVICE


class Kernel(TomlTable):
    """What the device does for a unit. Of `time`, of a launch, and `rate`, of the bytes to the device, one is given;
    memory traffic is in neither. It is all the bytes once where it is not given.
    """

    launches: Annotated[Number, COUNT] = ONE
    time: Annotated[Number | None, TIME] = None
    rate: Annotated[Number | None, RATE] = None
    device_read: _Bytes = None
    device_write: _Bytes = None
    burst: _SomeBytes = None


class Price(TomlTable):
    """The price of a target."""

    per_hour: Annotated[Number | None, MONEY] = None
    watts: Annotated[Number | None, WATTS] = None


def _counted(written: object) -> tuple[int | None, str]:
    """How many units a run has, if that is said, and what they are called."""
    from isthmus.records.run import Row

    match = _UNITS.fullmatch(str(written).strip()) if not isinstance(written, bool) else None
    if match is None or match[0] == "" or (match[1] and int(match[1]) == 0):
        raise refused("how many a run has, what they are called, or both, as in '200 frames'", repr(written))
    name = match[2] or "units"
    if name in Row.model_fields:
        raise refused("a name that rows do not have for something else", f"'{name}'")
    return int(match[1]) if match[1] else None, name


class _Application(TomlTable):
    name: str | None = Field(
        default=None, pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$", description="a name of letters and digits"
    )
    units: Annotated[tuple[int | None, str], BeforeValidator(_counted)] = (None, "units")
    flows: list[Flow] = Field(default=list(FLOWS), min_length=1, description=f"a list of {listed(FLOWS, 'and')}")


class _Host(TomlTable):
    time: Annotated[Number, TIME] = NOTHING
    background: Literal["none", "memory"] = Field(default="none", description="none or memory")


class _Need(TomlTable):
    best: Literal["rate", "latency", "cost", "energy"] = Field(
        default="rate", description="rate, latency, cost or energy"
    )
    latency: Annotated[Number | None, SOME_TIME] = None


class _Document(TomlTable):
    application: _Application = Field(default_factory=_Application, description="a table [application]")
    transfer: list[Transfer] = Field(min_length=1, description="a table [[transfer]] or more")
    kernel: Kernel = Field(default_factory=Kernel, description="a table [kernel]")
    host: _Host = Field(default_factory=_Host, description="a table [host]")
    need: _Need = Field(default_factory=_Need, description="a table [need]")
    price: dict[str, Price] = Field(default={}, description='tables [price."TARGET"]')


_TABLES: dict[str, type[TomlTable]] = {
    "application": _Application,
    "transfer": Transfer,
    "kernel": Kernel,
    "host": _Host,
    "need": _Need,
    "price": Price,
}
_KEYS = [f"{table}.{name}" for table, model in _TABLES.items() for name in model.model_fields]


@dataclass(frozen=True)
class Description:
    """An application that is described; numbers are of a unit."""

    name: str
    transfers: tuple[Transfer, ...]
    kernel: Kernel = field(default_factory=Kernel)
    units: str = "units"  # what a unit is called, several of them
    count: int | None = None  # how many a run has
    flows: tuple[str, ...] = tuple(FLOWS)
    host_time: Number = NOTHING
    background: str = "none"
    best: str = "rate"
    latency: Number | None = None  # that is needed
    prices: Mapping[str, Price] = field(default_factory=dict)

    def numbers(self) -> Iterator[tuple[str, Number]]:
        """Its numbers by key, `transfer.0.bytes` being of the first transfer."""
        for number, transfer in enumerate(self.transfers):
            yield f"transfer.{number}.bytes", transfer.bytes
            yield f"transfer.{number}.count", transfer.count
        for name, value in vars(self.kernel).items():
            if value is not None:
                yield f"kernel.{name}", value
        yield "host.time", self.host_time

    def with_values(self, values: Mapping[str, float]) -> "Description":
        """A copy with other values of some of these numbers."""

        def other(key: str, number: Number) -> Number:
            return replace(number, value=values[key]) if key in values else number

        def moved(place: str, table: _Table) -> _Table:
            numbers = {
                name: other(f"{place}.{name}", one) for name, one in vars(table).items() if isinstance(one, Number)
            }
            return table.model_copy(update=numbers)

        return replace(
            self,
            transfers=tuple(moved(f"transfer.{at}", one) for at, one in enumerate(self.transfers)),
            kernel=moved("kernel", self.kernel),
            host_time=other("host.time", self.host_time),
        )


def in_words(key: str, value: float) -> str:
    """A value of the number of a key as people write it: 2 ms, 1 MiB."""
    table, *_, name = key.split(".")
    metadata = _TABLES[table].model_fields[name].metadata
    return next(one for one in metadata if isinstance(one, Quantity)).written(value)


def read_description(path: Path, sets: Sequence[str] = ()) -> Description:
    """The description of a file, with KEY=VALUE of `sets`, app.KEY=VALUE, in it; an IsthmusError where it is none."""
    file = TomlFile.at(path)
    return _of(file.document(), _Source(file.path, file.text), sets, path.stem)


def description_of(document: dict[str, Any], place: str, sets: Sequence[str] = ()) -> Description:
    """Reads a description that is in no file; errors call its source `place`."""
    return _of(document, _Source(place), sets, "application")


def _of(document: dict[str, Any], source: "_Source", sets: Sequence[str], name: str) -> Description:
    source.replace(document, sets)
    found = source.read(_Document, document)
    source.refuse_contradictions(found)
    many, units = found.application.units
    return Description(
        name=found.application.name or name,
        transfers=tuple(found.transfer),
        kernel=found.kernel,
        units=units,
        count=many,
        flows=tuple(dict.fromkeys(found.application.flows)),
        host_time=found.host.time,
        background=found.host.background,
        best=found.need.best,
        latency=found.need.latency,
        prices=found.price,
    )


@dataclass(frozen=True)
class _Source(TomlFile):
    """Where a document comes from: a file, and the command line."""

    typed: set[str] = field(default_factory=set)  # keys, `transfer.0.bytes` of the first transfer

    def of_key(self, *key: str, entry: int = 0, item: object = None) -> str:
        """A key that was typed stands there."""
        numbered = [key[0], str(entry), *key[1:]] if key[0] == "transfer" else key
        for name in (dotted(key), ".".join(numbered)):
            if name in self.typed:
                return f"--set {APP}{dotted(key)}"
        return super().of_key(*key, entry=entry, item=item)

    def replace(self, document: dict[str, Any], sets: Sequence[str]) -> None:
        """Replaces numbers and words of a document."""
        for assignment in sets:
            typed, assigned, value = assignment.partition("=")
            if not assigned:
                raise IsthmusError(f"--set: expected app.KEY=VALUE, got '{assignment}'")
            self._replace(document, typed.strip().removeprefix(APP), value.strip())

    def _replace(self, document: dict[str, Any], key: str, value: str) -> None:
        table, *rest = _split(key)
        if table == "transfer":
            return self._replace_transfer(document, key, rest, value)
        if table == "price":
            target, _, name = key.removeprefix("price.").rpartition(".")
            self._known(f"price.{name}", f"--set {APP}{key}")
            document.setdefault("price", {}).setdefault(target.strip('"'), {})[name] = value
        else:
            self._known(key, f"--set {APP}{key}")
            tables = document.setdefault(table, {})
            for other in {"time": ("rate",), "rate": ("time",)}.get(rest[0], ()):
                if table == "kernel" and f"kernel.{other}" not in self.typed:
                    tables.pop(other, None)
            tables[rest[0]] = value.split(",") if key == "application.flows" else value
        self.typed.add(key)
        return None

    def _replace_transfer(self, document: dict[str, Any], key: str, rest: Sequence[str], value: str) -> None:
        transfers = document.get("transfer")
        known = transfers if isinstance(transfers, list) else []
        place = f"--set {APP}{key}"
        number = rest[0] if len(rest) == 2 else "0"
        if len(rest) < 2 and len(known) != 1:
            raise IsthmusError(f"{place}: expected transfer.NUMBER.{rest[-1]} of {len(known)} transfers, from 0")
        if not number.isdigit() or int(number) >= len(known):
            raise IsthmusError(f"{place}: expected a transfer of {len(known)}, from 0, got '{number}'")
        self._known(f"transfer.{rest[-1]}", place)
        known[int(number)][rest[-1]] = value
        self.typed.add(f"transfer.{int(number)}.{rest[-1]}")

    def _known(self, key: str, place: str) -> None:
        if key not in _KEYS:
            raise unknown("key", key, _KEYS, place)

    def refuse_contradictions(self, found: _Document) -> None:
        """Refuses numbers that do not go together."""
        kernel = found.kernel
        to_device, to_host = (
            sum(one.bytes.value * one.count.value for one in found.transfer if one.direction == way)
            for way in (TO_DEVICE, TO_HOST)
        )
        if kernel.time is not None and kernel.rate is not None:
            raise self._refused("rate", "kernel.time or kernel.rate", "both")
        if kernel.rate is not None and to_device == 0:
            raise self._refused("rate", "kernel.time, as no bytes go to the device", "a rate")
        if kernel.device_write is not None and kernel.device_write.value < to_host:
            wanted = f"the {to_host:.0f} B that go to the host or more"
            raise self._refused("device_write", wanted, f"{kernel.device_write.value:.0f} B")

    def _refused(self, name: str, expected: str, got: str) -> IsthmusError:
        return IsthmusError(f"{self.of_key('kernel', name)}: expected {expected}, got {got}")


def _split(key: str) -> list[str]:
    table, dot, rest = key.partition(".")
    if table not in _TABLES or not dot:
        raise unknown("key", key, _KEYS, f"--set {APP}{key}")
    return [table, *rest.split(".")]
