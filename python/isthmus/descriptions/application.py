"""Descriptions as runs: which flows a board has for one, and what its tool is told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from isthmus.base.errors import IsthmusError
from isthmus.base.names import listed
from isthmus.base.units import BYTES, CLOCKS
from isthmus.descriptions.description import Description, read_description
from isthmus.descriptions.unit import Unit, arguments
from isthmus.running.application import DESCRIBED_TOOL, Application, is_app_key
from isthmus.running.targets import is_model, platform
from isthmus.running.tools import Event, as_sets, collect, request_of

UNITS = 100  # that a run has where nothing is said
LEFT_OF_MEMORY = 0.5  # of the host's memory's rate, beside other cores that use as much of it as they get


@dataclass(frozen=True)
class DescribedApplication:
    """A description that is to run, and the app.KEY=VALUE that made it what it is."""

    description: Description
    sets: tuple[str, ...] = ()

    def parameters(self, target: str, flow: str, sets: Sequence[str] = ()) -> tuple[str, ...]:
        """NAME=VALUE of its tool; the time of its kernel in cycles of the board."""
        one = self.description
        unit, clock = Unit.of(one), clock_of(target, tuple(sets))
        return arguments(unit, flow, clock, one.name, one.units, is_chip(target, tuple(sets)))


def read_described(path: str, sets: Sequence[str] = ()) -> DescribedApplication:
    """The application of a file, with those of `sets` that belong to descriptions."""
    own = tuple(one for one in sets if is_app_key(one))
    return DescribedApplication(read_description(Path(path), own), own)


def as_application(description: Description) -> Application:
    """The description as the answer of an application."""
    return Application(
        name=description.name,
        counted=description.units,
        count=description.count or UNITS,
        bytes_each=round(Unit.of(description).sent),
        flows=description.flows,
        parameters={},
    )


@cache
def _board(target: str, sets: tuple[str, ...]) -> Event:
    return platform(target, sets)


def number_of(target: str, sets: Sequence[str], kind: str, name: str) -> tuple[str, float, str] | None:
    """Key, value and unit of the number `name` of a board's first part of a kind; None if it has no such part."""
    board = _board(target, tuple(sets))
    section = next((part["name"] for part in board["parts"] if part["kind"] == kind), None)
    key = f"{section}.{name}"
    found: Mapping[str, object] | None = next((one for one in board["inputs"] if one["key"] == key), None)
    return None if found is None else (key, float(str(found["value"])), str(found.get("unit") or ""))


def clock_of(target: str, sets: Sequence[str]) -> float:
    """Hz of the kernels of a board, or of the circuit behind a chip's ports; 0 of one that has none."""
    found = number_of(target, sets, "kernel", "clock") or number_of(target, sets, "hp", "clock")
    return found[1] * CLOCKS[found[2]] if found else 0.0


def is_chip(target: str, sets: Sequence[str] = ()) -> bool:
    """Tells whether a board is a chip whose ports reach the memory of its processor (min2019)."""
    return is_model(target) and number_of(target, sets, "hp", "clock") is not None


def has_key(target: str, key: str) -> bool:
    """Tells whether a board has a number of that key."""
    return any(one["key"] == key for one in _board(target, ())["inputs"])


def room_of(target: str, sets: Sequence[str]) -> float | None:
    """Bytes that a board's circuits reach: its own memory, else the host's or what its table holds; None if unknown."""
    own, hosts = (number_of(target, sets, kind, "capacity") for kind in ("dram", "memory"))
    if own is not None:
        return own[1] * BYTES[own[2]]
    rooms = [hosts[1] * BYTES[hosts[2]]] if hosts else []
    inputs = _board(target, tuple(sets))["inputs"]
    if any(one["key"] == "translation.enabled" and one["value"] is True for one in inputs):
        entries, page = (number_of(target, sets, "translation", name) for name in ("entries", "page"))
        rooms += [entries[1] * page[1] * BYTES[page[2]]] if entries and page else []
    return min(rooms, default=None)


def background_sets(
    description: Description, target: str, sets: Sequence[str], missing_is_none: bool = False
) -> tuple[str, ...]:
    """KEY=VALUE of the board beside whose cores others use memory: they leave it half of its rate.

    There are none if the user has set the rate or, with `missing_is_none`, if the board has no such memory.
    """
    if description.background == "none":
        return ()
    part = "dram" if is_chip(target, sets) else "memory"
    found = number_of(target, sets, part, "transfer_rate")
    if found is None and missing_is_none:
        return ()
    if found is None:
        raise IsthmusError(f"app.host.background: '{target}' has no memory of the host that others could use")
    key, value, unit = found
    if any(one.partition("=")[0].strip() == key for one in sets):
        return ()
    return (f"{key}={value * LEFT_OF_MEMORY:g} {unit}".strip(),)


def flows_on(described: DescribedApplication, target: str, sets: Sequence[str] = ()) -> list[str]:
    """The flows of a description that a board has for it, as its tool says."""
    if not is_model(target):
        raise IsthmusError(
            f"target '{target}': a description runs on models alone: it says what a kernel takes and not what it does"
        )
    found = []
    for flow in described.description.flows:
        assigned = as_sets((*described.parameters(target, flow, sets), *sets))
        request = request_of({"list": True, "on": target, "set": assigned})
        if any(flow in one["flows"] for one in collect(DESCRIBED_TOOL, request, "application")):
            found.append(flow)
    return found


def require_flow(described: DescribedApplication, target: str, flow: str | None, sets: Sequence[str] = ()) -> str:
    """The flow that is asked for, else the first that the board has for it; an IsthmusError where there is none."""
    offered = flows_on(described, target, sets)
    name = described.description.name
    if flow is not None and flow not in described.description.flows:
        raise IsthmusError(f"--flow: '{name}' has the flows {listed(described.description.flows, 'and')}, not '{flow}'")
    if not offered or (flow is not None and flow not in offered):
        wanted = f"flow '{flow}'" if flow else f"flow of {listed(described.description.flows, 'or')}"
        hint = f"it has {listed(offered, 'and')}." if offered else None
        raise IsthmusError(f"'{target}' has no {wanted} for '{name}'", hint=hint)
    return flow or offered[0]
