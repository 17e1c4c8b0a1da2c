"""Descriptions of applications (docs/advise.md): files as they are written, found, read and checked."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from isthmus.base.errors import IsthmusError
from isthmus.base.files import read_text
from isthmus.base.flows import FLOWS
from isthmus.base.names import listed, meant, unknown
from isthmus.base.parsing import toml
from isthmus.base.toml_lines import line_of
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
    read_number,
)
from isthmus.running.application import APP

TO_DEVICE, TO_HOST = "to-device", "to-host"
ONE, NOTHING = Number(1.0), Number(0.0)
BESTS = ("rate", "latency", "cost", "energy")
_UNITS = re.compile(r"(?:(\d{1,9})\s*)?([A-Za-z][A-Za-z0-9_]*s)?")

Choices = tuple[str, ...]
_CHOICES: dict[str, Choices] = {
    "transfer.direction": (TO_DEVICE, TO_HOST),
    "transfer.host": ("pageable", "pinned"),
    "transfer.cpu": ("writes", "reads", "both"),
    "transfer.order": ("sequential", "random"),
    "host.background": ("none", "memory"),
    "need.best": BESTS,
}
_NUMBERS: dict[str, Quantity] = {
    "transfer.bytes": SOME_BYTES,
    "transfer.count": COUNT,
    "kernel.launches": COUNT,
    "kernel.time": TIME,
    "kernel.rate": RATE,
    "kernel.device_read": BYTES,
    "kernel.device_write": BYTES,
    "kernel.burst": SOME_BYTES,
    "host.time": TIME,
    "need.latency": SOME_TIME,
    "price.per_hour": MONEY,
    "price.watts": WATTS,
}
_TEXTS = ("application.name", "application.units", "application.flows")
_KEYS = (*_TEXTS, *_CHOICES, *_NUMBERS)
_TABLES = tuple(dict.fromkeys(key.partition(".")[0] for key in _KEYS))


@dataclass(frozen=True)
class Transfer:
    """Transfers of a unit that are alike; `cpu` and `order` are what cores do with the bytes, which the coherence of a
    processor's ports hangs on.
    """

    direction: str
    bytes: Number  # of each
    count: Number = ONE
    host: str = "pageable"
    cpu: str | None = None  # None: not known
    order: str | None = None

    @property
    def to_device(self) -> bool:
        """Tells whether the host sends it."""
        return self.direction == TO_DEVICE


@dataclass(frozen=True)
class Kernel:
    """What the device does for a unit. Of `time`, of a launch, and `rate`, of the bytes to the device, one is given;
    memory traffic is in neither. It is all the bytes once where it is not given.
    """

    launches: Number = ONE
    time: Number | None = None
    rate: Number | None = None
    device_read: Number | None = None
    device_write: Number | None = None
    burst: Number | None = None


@dataclass(frozen=True)
class Price:
    """The price of a target."""

    per_hour: Number | None = None
    watts: Number | None = None


@dataclass(frozen=True)
class Description:
    """An application that is described; numbers are of a unit."""

    name: str
    transfers: tuple[Transfer, ...]
    kernel: Kernel = Kernel()
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

        transfers = tuple(
            replace(
                one,
                bytes=other(f"transfer.{at}.bytes", one.bytes),
                count=other(f"transfer.{at}.count", one.count),
            )
            for at, one in enumerate(self.transfers)
        )
        numbers: dict[str, Any] = {
            name: other(f"kernel.{name}", one) for name, one in vars(self.kernel).items() if one is not None
        }
        kernel = replace(self.kernel, **numbers)
        return replace(self, transfers=transfers, kernel=kernel, host_time=other("host.time", self.host_time))


def in_words(key: str, value: float) -> str:
    """A value of the number of a key as people write it: 2 ms, 1 MiB."""
    table, *_, name = key.split(".")
    return _NUMBERS[f"{table}.{name}"].written(value)


def read_description(path: Path, sets: Sequence[str] = ()) -> Description:
    """The description of a file, with KEY=VALUE of `sets`, app.KEY=VALUE, in it; an IsthmusError where it is none."""
    text = read_text(path)
    reader = _Reader(toml(text, path), lambda key, entry: f"{path}:{line_of(text, key, entry)}")
    return reader.with_sets(sets).description(path.stem)


def description_of(document: dict[str, Any], place: str, sets: Sequence[str] = ()) -> Description:
    """Reads a description that is in no file; errors call its source `place`."""
    return _Reader(document, lambda _key, _entry: place).with_sets(sets).description("application")


class _Reader:
    """A document on its way to a description."""

    def __init__(self, document: dict[str, Any], place: Callable[[str, int], str]) -> None:
        self._document = document
        self._place_of = place
        self._set: set[str] = set()

    def with_sets(self, sets: Sequence[str]) -> "_Reader":
        """Replaces numbers and words."""
        for assignment in sets:
            typed, assigned, value = assignment.partition("=")
            if not assigned:
                raise IsthmusError(f"--set: expected app.KEY=VALUE, got '{assignment}'")
            self._replace(typed.strip().removeprefix(APP), value.strip())
        return self

    def _replace(self, key: str, value: str) -> None:
        table, *rest = _split(key)
        if table == "transfer":
            return self._replace_transfer(key, rest, value)
        if table == "price":
            target, _, name = key.removeprefix("price.").rpartition(".")
            self._known(f"price.{name}", f"--set {APP}{key}")
            self._document.setdefault("price", {}).setdefault(target.strip('"'), {})[name] = value
        else:
            self._known(key, f"--set {APP}{key}")
            tables = self._document.setdefault(table, {})
            for other in {"time": ("rate",), "rate": ("time",)}.get(rest[0], ()):
                if table == "kernel" and f"kernel.{other}" not in self._set:
                    tables.pop(other, None)
            tables[rest[0]] = value.split(",") if key == "application.flows" else value
        self._set.add(key)
        return None

    def _replace_transfer(self, key: str, rest: Sequence[str], value: str) -> None:
        transfers = self._document.get("transfer")
        known = transfers if isinstance(transfers, list) else []
        place = f"--set {APP}{key}"
        number = rest[0] if len(rest) == 2 else "0"
        if len(rest) < 2 and len(known) != 1:
            raise IsthmusError(f"{place}: expected transfer.NUMBER.{rest[-1]} of {len(known)} transfers, from 0")
        if not number.isdigit() or int(number) >= len(known):
            raise IsthmusError(f"{place}: expected a transfer of {len(known)}, from 0, got '{number}'")
        self._known(f"transfer.{rest[-1]}", place)
        known[int(number)][rest[-1]] = value
        self._set.add(f"transfer.{int(number)}.{rest[-1]}")

    def _known(self, key: str, place: str) -> None:
        if key not in _KEYS:
            raise unknown("key", key, _KEYS, place)

    def description(self, name: str) -> Description:
        """Reads and checks a description."""
        for table in self._document:
            if table not in _TABLES:
                raise unknown("table", table, _TABLES, self._place_of(table, 0))
        application = self._table("application")
        count, units = self._units(application.get("units", "units"))
        need, host = self._table("need"), self._table("host")
        found = Description(
            name=self._name(application.get("name", name)),
            transfers=tuple(self._transfers()),
            kernel=self._kernel(),
            units=units,
            count=count,
            flows=self._flows(application.get("flows", list(FLOWS))),
            host_time=self._number(host, "host", "time") or NOTHING,
            background=self._choice(host, "host", "background") or "none",
            best=self._choice(need, "need", "best") or "rate",
            latency=self._number(need, "need", "latency"),
            prices=dict(self._prices()),
        )
        self._refuse_contradictions(found)
        return found

    def _table(self, name: str) -> dict[str, Any]:
        written = self._document.get(name, {})
        if not isinstance(written, dict):
            raise IsthmusError(f"{self._place_of(name, 0)}: key '{name}': expected a table [{name}]")
        self._check_keys(name, name, written)
        return written

    def _check_keys(self, table: str, shown: str, written: Mapping[str, Any], entry: int = 0) -> None:
        known = [key.partition(".")[2] for key in _KEYS if key.startswith(f"{table}.")]
        for key in written:
            if key not in known:
                raise unknown("key", f"{shown}.{key}", [f"{shown}.{one}" for one in known], self._at(table, key, entry))

    def _at(self, table: str, key: str, entry: int = 0) -> str:
        return self._place_of(f"{table}.{key}", entry)

    def _refusal(self, table: str, shown: str, key: str, entry: int = 0) -> Callable[..., IsthmusError]:
        """Makes the error of a key: where it stands, in the file or on the command line."""
        name = f"{shown}.{key}"
        by_hand = name in self._set or (shown == "transfer" and f"transfer.{entry}.{key}" in self._set)

        def refuse(expected: str, got: str, hint: str | None = None) -> IsthmusError:
            place = f"--set {APP}{name}" if by_hand else f"{self._at(table, key, entry)}: key '{name}'"
            return IsthmusError(f"{place}: expected {expected}, got {got}", hint=hint)

        return refuse

    def _number(self, written: Mapping[str, Any], table: str, key: str, entry: int = 0) -> Number | None:
        if key not in written:
            return None
        refuse = self._refusal(table, table, key, entry)
        return read_number(written[key], _NUMBERS[f"{table}.{key}"], refuse)

    def _choice(self, written: Mapping[str, Any], table: str, key: str, entry: int = 0) -> str | None:
        if key not in written:
            return None
        among = _CHOICES[f"{table}.{key}"]
        if written[key] not in among:
            got = str(written[key])
            raise self._refusal(table, table, key, entry)(listed(among, "or"), f"'{got}'", meant(got, among))
        return str(written[key])

    def _name(self, written: object) -> str:
        if not isinstance(written, str) or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}", written):
            raise self._refusal("application", "application", "name")("a name of letters and digits", repr(written))
        return written

    def _units(self, written: object) -> tuple[int | None, str]:
        from isthmus.records.run import Row

        match = _UNITS.fullmatch(str(written).strip()) if not isinstance(written, bool) else None
        refuse = self._refusal("application", "application", "units")
        if match is None or match[0] == "" or (match[1] and int(match[1]) == 0):
            raise refuse("how many a run has, what they are called, or both, as in '200 frames'", repr(written))
        name = match[2] or "units"
        if name in Row.model_fields:
            raise refuse("a name that rows do not have for something else", f"'{name}'")
        return int(match[1]) if match[1] else None, name

    def _flows(self, written: object) -> tuple[str, ...]:
        refuse = self._refusal("application", "application", "flows")
        if not isinstance(written, list) or not written:
            raise refuse(f"a list of {listed(FLOWS, 'and')}", repr(written))
        for flow in written:
            if flow not in FLOWS:
                raise refuse(f"a list of {listed(FLOWS, 'and')}", f"'{flow}'", meant(str(flow), FLOWS))
        return tuple(dict.fromkeys(written))

    def _transfers(self) -> Iterator[Transfer]:
        written = self._document.get("transfer", [])
        if not isinstance(written, list) or not written or not all(isinstance(one, dict) for one in written):
            raise IsthmusError(
                f"{self._place_of('transfer', 0)}: key 'transfer': expected a table [[transfer]] or more"
            )
        for entry, one in enumerate(written):
            self._check_keys("transfer", "transfer", one, entry)
            direction = self._choice(one, "transfer", "direction", entry)
            size = self._number(one, "transfer", "bytes", entry)
            if direction is None or size is None:
                missing = "bytes" if direction else "direction"
                raise IsthmusError(
                    f"{self._place_of('transfer', entry)}: key 'transfer.{missing}': missing in transfer {entry}"
                )
            yield Transfer(
                direction=direction,
                bytes=size,
                count=self._number(one, "transfer", "count", entry) or ONE,
                host=self._choice(one, "transfer", "host", entry) or "pageable",
                cpu=self._choice(one, "transfer", "cpu", entry),
                order=self._choice(one, "transfer", "order", entry),
            )

    def _kernel(self) -> Kernel:
        written = self._table("kernel")
        numbers = {key.partition(".")[2] for key in _NUMBERS if key.startswith("kernel.")}
        found = {key: self._number(written, "kernel", key) for key in numbers}
        return Kernel(**{key: value for key, value in found.items() if value is not None})

    def _prices(self) -> Iterator[tuple[str, Price]]:
        written = self._document.get("price", {})
        if not isinstance(written, dict) or not all(isinstance(one, dict) for one in written.values()):
            raise IsthmusError(f"{self._place_of('price', 0)}: key 'price': expected tables [price.\"TARGET\"]")
        for target, one in written.items():
            shown = f'price."{target}"'
            known = ("per_hour", "watts")
            for key in one:
                if key not in known:
                    raise unknown("key", f"{shown}.{key}", known, self._place_of(f"price.{target}.{key}", 0))
            numbers = {
                key: read_number(one[key], _NUMBERS[f"price.{key}"], self._refusal("price", shown, key)) for key in one
            }
            yield target, Price(**numbers)

    def _refuse_contradictions(self, found: Description) -> None:
        kernel = found.kernel
        if kernel.time is not None and kernel.rate is not None:
            raise self._refusal("kernel", "kernel", "rate")("kernel.time or kernel.rate", "both")
        to_device, to_host = (
            sum(one.bytes.value * one.count.value for one in found.transfers if one.direction == way)
            for way in (TO_DEVICE, TO_HOST)
        )
        if kernel.rate is not None and to_device == 0:
            raise self._refusal("kernel", "kernel", "rate")("kernel.time, as no bytes go to the device", "a rate")
        if kernel.device_write is not None and kernel.device_write.value < to_host:
            raise self._refusal("kernel", "kernel", "device_write")(
                f"the {to_host:.0f} B that go to the host or more", f"{kernel.device_write.value:.0f} B"
            )


def _split(key: str) -> list[str]:
    table, dot, rest = key.partition(".")
    if table not in _TABLES or not dot:
        raise unknown("key", key, _KEYS, f"--set {APP}{key}")
    return [table, *rest.split(".")]
