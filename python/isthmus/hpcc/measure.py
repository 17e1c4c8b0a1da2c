"""One run of a benchmark of HPC Challenge: its ranks, its records, and what is said while it lasts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from isthmus.cli.events import Listener
from isthmus.errors import IsthmusError
from isthmus.hpcc.launch import launch_of
from isthmus.hpcc.tables import map_lines
from isthmus.records import HpccPlace, HpccRecord
from isthmus.tools import Event, run_tool

if TYPE_CHECKING:
    from isthmus.cli.session import Session


def measure(session: "Session", arguments: Sequence[str], ranks: int) -> list[HpccRecord]:
    """The records of `isthmus-hpcc` with these arguments on so many ranks; wrong results are records too."""
    records: list[HpccRecord] = []
    with Listener(session) as listener:

        def sort(event: Event) -> None:
            if event["event"] == "record":
                plain = {key: value for key, value in event.items() if key != "event"}
                records.append(HpccRecord.model_validate(plain))
                session.stream(records[-1])
            elif event["event"] == "places":
                places = [HpccPlace.model_validate(place) for place in event["places"]]
                for line in map_lines(places) if ranks > 1 else []:
                    session.note(line)
            else:
                listener(event)

        run_tool("isthmus-hpcc", arguments, sort, launch_of(ranks))
    if not records:
        raise IsthmusError("isthmus-hpcc printed no record")
    return records
