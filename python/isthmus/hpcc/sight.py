"""Ranks that see other devices than the command that starts them."""

from collections.abc import Iterable, Sequence

from isthmus.base.errors import IsthmusError
from isthmus.records.hpcc import HpccPlace
from isthmus.running.targets import device_of
from isthmus.running.tools import Event, Launch, collect

# What the loader of OpenCL drivers looks at. Lists in them are parted by ':', where a loader inside mpirun cuts the
# value that its ranks inherit.
VARIABLES = ("OCL_ICD_FILENAMES", "OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OPENCL_LAYERS")
_WHY = f"what starts the ranks hands them another environment or puts them into a container: {', '.join(VARIABLES)}"


def seen(launch: Launch | None = None) -> list[Event]:
    """The devices that a command sees here, or where `launch` starts it; none where there is none."""
    try:
        return collect("isthmus-devices", {}, "device", launch)
    except IsthmusError:
        return []


def other_devices(places: Sequence[HpccPlace], host: str, here: Sequence[Event]) -> str | None:
    """A line on the first rank of this host whose device is another one than this command means by its target."""
    names = {device["target"]: device["name"] for device in here}
    for place in places:
        if place.host == host and names.get(place.target, place.device) != place.device:
            return (
                f"rank {place.rank} has {place.device} as {place.target}, which here is {names[place.target]}: {_WHY}"
            )
    return None


def with_reason(
    error: IsthmusError, targets: Iterable[str], here: Sequence[Event], there: Sequence[Event]
) -> IsthmusError:
    """The error of ranks that see no device, or none of these targets, with the reason where this command sees it.

    `here` and `there` are the devices that this command and the ranks see.
    """
    if here and not there:
        return IsthmusError(f"ranks see no OpenCL device, and {here[0]['name']} is here: {_WHY}")
    hidden = next((one for one in targets if device_of(one, here) and not device_of(one, there)), None)
    return error if hidden is None else IsthmusError(f"{hidden} is here, and ranks do not see it: {_WHY}")
