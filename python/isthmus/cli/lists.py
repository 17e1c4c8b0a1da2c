"""The lists of names that `run` and `study` accept."""

from isthmus.asking.applications import applications
from isthmus.base.errors import IsthmusError
from isthmus.base.flows import FLOWS
from isthmus.running.targets import devices, platforms
from isthmus.show.session import Session


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
