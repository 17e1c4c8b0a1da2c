"""`isthmus devices`: the OpenCL devices of this machine."""

from isthmus.base.errors import IsthmusError
from isthmus.running.targets import devices as find_devices
from isthmus.show.output import Result, table_of
from isthmus.show.session import Session

EXAMPLES = ["isthmus devices", "isthmus devices --json -"]


def devices(session: Session) -> None:
    """List the OpenCL devices of this machine, as targets.

    Boards that are modelled are listed by 'isthmus platform list'.
    """
    from isthmus.records.listings import Device, DevicesFile

    found = [Device.model_validate(event) for event in find_devices()]
    if not found:
        raise IsthmusError("no OpenCL device on this machine", hint="'isthmus doctor' says what to install.")
    table = table_of(
        found,
        {
            "target": lambda device: device.target,
            "name": lambda device: device.name,
            "platform and driver": lambda device: f"{device.platform} {device.driver}",
            "type": lambda device: device.type,
            "compute units": lambda device: str(device.compute_units),
            "memory, GiB": lambda device: f"{device.global_memory_bytes / 2**30:.1f}",
            "largest buffer, GiB": lambda device: f"{device.max_allocation_bytes / 2**30:.1f}",
        },
        numbers={"compute units", "memory, GiB", "largest buffer, GiB"},
    )
    session.emit(Result(DevicesFile(context=session.context(), devices=found), found, tables=[table]))
    session.next(f"isthmus run image-filter --on {found[0].target} --flow offload")
