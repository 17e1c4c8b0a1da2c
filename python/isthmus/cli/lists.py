"""What can be chosen by name for `run` and `study`."""

from isthmus.applications import applications
from isthmus.cli.session import Session
from isthmus.errors import IsthmusError
from isthmus.flows import FLOWS
from isthmus.targets import devices, platforms


def list_choices(session: Session) -> None:
    """Prints applications, targets and flows, one a line with its kind."""
    lines = [f"application  {name}" for name in applications()]
    lines += [f"target       {name}" for name in platforms()]
    try:
        lines += [f"target       {device['target']}  ({device['name']})" for device in devices()]
    except IsthmusError as error:
        session.note(str(error))
    lines += [f"flow         {name}" for name in FLOWS]
    session.lines(lines)
