"""Descriptions as runs: which flows a board has for one, and what its tool is told."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from isthmus.base.errors import IsthmusError
from isthmus.base.names import listed
from isthmus.descriptions.description import Description, read_description
from isthmus.descriptions.unit import Unit, arguments
from isthmus.running.application import DESCRIBED_TOOL, Application, is_app_key
from isthmus.running.boards import clock_of, is_chip, number_of
from isthmus.running.targets import is_model
from isthmus.running.tools import as_sets, collect, request_of

UNITS = 100  # that a run has where nothing is said
LEFT_OF_MEMORY = 0.5  # of the host's memory's rate, beside other cores that use as much of it as they get


@dataclass(frozen=True)
class DescribedApplication:
    """A description that is to run, and the app.KEY=VALUE that made it what it is."""

    description: Description
    sets: tuple[str, ...] = ()

    @property
    def application(self) -> Application:
        """The description as the answer of an application."""
        one = self.description
        return Application(
            name=one.name,
            counted=one.units,
            count=one.count or UNITS,
            bytes_each=round(Unit.of(one).sent),
            flows=one.flows,
            parameters={},
        )

    def parameters(self, target: str, flow: str, sets: Sequence[str] = ()) -> tuple[str, ...]:
        """NAME=VALUE of its tool; the time of its kernel in cycles of the board."""
        one = self.description
        unit, clock = Unit.of(one), clock_of(target, tuple(sets))
        return arguments(unit, flow, clock, one.name, one.units, is_chip(target, tuple(sets)))


def read_described(path: str, sets: Sequence[str] = ()) -> DescribedApplication:
    """The application of a file, with those of `sets` that belong to descriptions."""
    own = tuple(one for one in sets if is_app_key(one))
    return DescribedApplication(read_description(Path(path), own), own)


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
