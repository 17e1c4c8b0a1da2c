"""The targets of an application: `model:NAME`, a path ending in `.toml`, `opencl:N`, `opencl:NAME` or `native`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from isthmus.base.errors import IsthmusError
from isthmus.base.files import meant_file
from isthmus.base.grain import Grain
from isthmus.base.names import nearest, unknown
from isthmus.running.applications import is_program
from isthmus.running.tools import Event, as_sets, collect

if TYPE_CHECKING:
    from isthmus.records import Platform


def is_model(target: str) -> bool:
    """Tells whether the target is a modelled platform."""
    return target.startswith("model:") or target.endswith(".toml")


def is_opencl(target: str) -> bool:
    """Tells whether the target is a real OpenCL device."""
    return target.startswith("opencl:")


def is_native(target: str) -> bool:
    """Tells whether the target is this machine's own threads."""
    return target == "native"


def check_grain(grain: Grain | None, target: str) -> None:
    """Refuses a grain that was asked of a real device."""
    if grain is not None and not is_model(target):
        raise IsthmusError(f"--{grain}: '{target}' is a real device, and only models have a grain")


def flows_of(application: str, target: str, sets: Sequence[str] = ()) -> list[str]:
    """Flows of an application, a name or a program's path, that a target offers, as its tool says."""
    words = ["--list", "--on", target, *(as_sets(sets) if is_model(target) else ())]
    tool, words = (application, words) if is_program(application) else ("isthmus-run", ["--app", application, *words])
    return [flow for one in collect(tool, words, "application") for flow in one["flows"]]


def next_run(target: str, flow: str) -> str | None:
    """The command that runs the image filter on a target, in that flow if the target has it; None without a flow."""
    flows = flows_of("image-filter", target)
    if not flows:
        return None
    return f"isthmus run image-filter --on {target} --flow {flow if flow in flows else flows[0]}"


def devices() -> list[Event]:
    """The OpenCL devices of this machine, as `isthmus-devices` prints them."""
    return collect("isthmus-devices", [], "device")


def platforms() -> list[str]:
    """The targets `model:NAME` of the platforms that are installed."""
    return list(described_platforms())


def described_platforms() -> dict[str, Event]:
    """The descriptions of the platforms that are installed, by target."""
    found = collect("isthmus-platform", ["--list"], "platform")
    return dict(sorted((f"model:{Path(event['file']).stem}", event) for event in found))


def platform(target: str, sets: Sequence[str] = ()) -> Event:
    """The description of a modelled target with `sets` (KEY=VALUE) applied, as `isthmus-platform` prints it."""
    found = collect("isthmus-platform", [target, *as_sets(sets)], "platform")
    if not found:
        raise IsthmusError(f"isthmus-platform says nothing about '{target}'")
    return found[0]


def read_platform(target: str, sets: Sequence[str] = ()) -> "Platform":
    """The same, as a record."""
    from isthmus.records import Platform

    return Platform.model_validate(platform(target, sets))


def system(target: str, sets: Sequence[str] = ()) -> Event | None:
    """Shows a system file, with `sets` applied to all of its boards; None if the target is one board."""
    if not target.endswith(".toml"):
        return None
    return next(iter(collect("isthmus-platform", [target, *as_sets(sets)], "system")), None)


def check_target(target: str, place: str | None = None) -> None:
    """Refuses a target that does not exist, with the nearest one; `place` is where it is written, as FILE:LINE."""
    prefix = f"{place}: " if place else ""
    if target.endswith(".toml"):
        if not Path(target).is_file():
            raise IsthmusError(f"{prefix}target '{target}': no such file", hint=meant_file(Path(target), "*.toml"))
    elif target.startswith("model:"):
        known = platforms()
        if target not in known:
            raise unknown("target", target, known, place)
    elif is_opencl(target):
        _check_device(target, place)
    elif not is_native(target):
        raise IsthmusError(
            f"{prefix}target '{target}': expected model:NAME, FILE.toml, opencl:N, opencl:NAME or native",
            hint=_meant(target),
        )


def _meant(target: str) -> str | None:
    """The target that a wrong word was meant to be: a board or file without what tells it as one, or a misspelling."""
    if Path(f"{target}.toml").is_file():
        return f"did you mean './{target}.toml'?"
    known = platforms()
    words = {name.removeprefix("model:"): name for name in known} | {"native": "native"}
    guess = words.get(nearest(target, words) or "") or nearest(target, known)
    return f"did you mean '{guess}'?" if guess else None


def device_of(target: str, found: Sequence[Event]) -> Event | None:
    """The device that `opencl:N` or `opencl:NAME` means, of those that were found; None if there is none."""
    chosen = target.removeprefix("opencl:")
    if chosen.isdigit():
        return next((device for device in found if device["target"] == target), None)
    names = ((f"{device['platform']} {device['name']}".lower(), device) for device in found)
    return next((device for name, device in names if chosen and chosen.lower() in name), None)


def _check_device(target: str, place: str | None) -> None:
    found = devices()
    prefix = f"{place}: " if place else ""
    if not found:
        raise IsthmusError(
            f"{prefix}target '{target}': no OpenCL device", hint="'isthmus doctor' says what is missing."
        )
    if device_of(target, found) is None:
        here = ", ".join(f"{device['target']} ({device['name']})" for device in found)
        raise IsthmusError(f"{prefix}unknown target '{target}'", hint=f"the devices here are {here}.")
