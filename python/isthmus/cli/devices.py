"""`isthmus devices`: the OpenCL devices of this machine."""

from isthmus.base.errors import IsthmusError
from isthmus.running.targets import devices as find_devices
from isthmus.show.output import Result, Table
from isthmus.show.session import Session

EXAMPLES = ["isthmus devices", "isthmus devices --json -"]


def devices(session: Session) -> None:
    """List the OpenCL devices of this machine, as targets.

    Boards that are modelled are listed by 'isthmus platform list'.
    """
    from isthmus.records import Device, DevicesFile

    found = [Device.model_validate(event) for event in find_devices()]
    if not found:
        raise IsthmusError("no OpenCL device on this machine", hint="'isthmus doctor' says what to install.")
    cells = [
        (
            device.target,
            device.name,
            f"{device.platform} {device.driver}",
            device.type,
            str(device.compute_units),
            f"{device.global_memory_bytes / 2**30:.1f}",
            f"{device.max_allocation_bytes / 2**30:.1f}",
        )
        for device in found
    ]
    columns = ("target", "name", "platform and driver", "type", "compute units", "memory, GiB", "largest buffer, GiB")
    table = Table(columns, cells, numbers=frozenset(columns[4:]))
    session.emit(Result(DevicesFile(context=session.context(), devices=found), found, tables=[table]))
    session.next(f"isthmus run image-filter --on {found[0].target} --flow offload")
