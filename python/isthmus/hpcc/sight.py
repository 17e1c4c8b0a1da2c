"""Ranks that see other devices than the command that starts them."""

import re
from collections.abc import Sequence

from isthmus.base.errors import IsthmusError
from isthmus.records import HpccPlace
from isthmus.running.targets import device_of, devices
from isthmus.running.tools import Event

# What the loader of OpenCL drivers looks at. Lists in them are parted by ':', where a loader inside mpirun cuts the
# value that its ranks inherit.
VARIABLES = ("OCL_ICD_FILENAMES", "OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OPENCL_LAYERS")
_WHY = f"what starts the ranks hands them another environment or puts them into a container: {', '.join(VARIABLES)}"


def seen_here() -> list[Event]:
    """The devices that this command sees; none where there is none."""
    try:
        return devices()
    except IsthmusError:
        return []


def other_devices(places: Sequence[HpccPlace], host: str, seen: Sequence[Event]) -> str | None:
    """A line on the first rank of this host whose device is another one than this command means by its target."""
    names = {device["target"]: device["name"] for device in seen}
    for place in places:
        if place.host == host and names.get(place.target, place.device) != place.device:
            return (
                f"rank {place.rank} has {place.device} as {place.target}, which here is {names[place.target]}: {_WHY}"
            )
    return None


def with_reason(error: IsthmusError, seen: Sequence[Event]) -> IsthmusError:
    """The error of a rank that has no such target, or no device, with the reason where this command has it."""
    if seen and "no OpenCL device" in str(error):
        return IsthmusError(f"ranks see no OpenCL device, and {seen[0]['name']} is here: {_WHY}")
    unknown = re.search(r"unknown target '(opencl:[^']*)'", str(error))
    if unknown is None or device_of(unknown[1], seen) is None:
        return error
    return IsthmusError(f"{unknown[1]} is here, and ranks do not see it: {_WHY}")
