"""The targets of an application: `model:NAME`, a path ending in `.toml`, `opencl:N`, `opencl:NAME` or `native`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from isthmus.base.errors import IsthmusError
from isthmus.base.grain import Grain
from isthmus.running.offers import offered
from isthmus.running.tools import Event, as_sets, collect, request_of

if TYPE_CHECKING:
    from isthmus.records.run import Platform


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


def devices() -> list[Event]:
    """The OpenCL devices of this machine, as `isthmus-devices` prints them."""
    return collect("isthmus-devices", {}, "device")


def platforms() -> list[str]:
    """The targets `model:NAME` of the platforms that are installed."""
    return list(described_platforms())


def described_platforms() -> dict[str, Event]:
    """The descriptions of the platforms that are installed, by target."""
    return dict(offered("isthmus-platform")["platforms"])


def platform(target: str, sets: Sequence[str] = ()) -> Event:
    """The description of a modelled target with `sets` (KEY=VALUE) applied, as `isthmus-platform` prints it."""
    if not sets and target in described_platforms():
        return described_platforms()[target]
    found = _shown(target, sets, "platform")
    if found is None:
        raise IsthmusError(f"isthmus-platform says nothing about '{target}'")
    return found


def _shown(target: str, sets: Sequence[str], kind: str) -> Event | None:
    request = request_of({"TARGET": target, "set": as_sets(sets)})
    return next(iter(collect("isthmus-platform", request, kind)), None)


def read_platform(target: str, sets: Sequence[str] = ()) -> "Platform":
    """The same, as a record."""
    from isthmus.records.run import Platform

    return Platform.model_validate(platform(target, sets))


def system(target: str, sets: Sequence[str] = ()) -> Event | None:
    """Shows a system file, with `sets` applied to all of its boards; None if the target is one board."""
    if not target.endswith(".toml"):
        return None
    return _shown(target, sets, "system")


def device_of(target: str, found: Sequence[Event]) -> Event | None:
    """The device that `opencl:N` or `opencl:NAME` means, of those that were found; None if there is none."""
    chosen = target.removeprefix("opencl:")
    if chosen.isdigit():
        return next((device for device in found if device["target"] == target), None)
    names = ((f"{device['platform']} {device['name']}".lower(), device) for device in found)
    return next((device for name, device in names if chosen and chosen.lower() in name), None)
