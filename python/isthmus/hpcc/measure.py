"""One run of a benchmark of HPC Challenge: its ranks, its records, and its progress."""

import platform
from collections.abc import Callable
from dataclasses import replace

from isthmus.base.errors import IsthmusError
from isthmus.base.numbers import counted
from isthmus.base.ranks import launched_rank
from isthmus.hpcc.burn_in import with_drift
from isthmus.hpcc.launch import launch_of
from isthmus.hpcc.power.watch import Watch
from isthmus.hpcc.sight import other_devices, seen, with_reason
from isthmus.hpcc.tables import map_lines
from isthmus.records.hpcc import HpccPlace, HpccRecord
from isthmus.running.parallel import cores
from isthmus.running.tools import Event, Launch, NoReasonError, Request, record_of, run_tool
from isthmus.show.events import Listener
from isthmus.show.session import Session

ROUND_S = 60.0  # that a burn-in has after a Ctrl-C to complete and check its round


class InterruptedBurnIn(KeyboardInterrupt):
    """Ctrl-C ended a burn-in; what it had measured until then is whole."""

    def __init__(self, records: list[HpccRecord]) -> None:
        super().__init__()
        self.records = records


def warn_of_turns(session: Session, ranks: int, launcher: str | None) -> None:
    """Warns, before ranks are started here, if there are more of them than cores."""
    if launcher is None and ranks > cores():
        session.warn(
            f"{ranks} ranks take turns on {counted(cores(), 'core')}: the run takes proportionally longer, "
            "and rates of a shared device are not the device's own"
        )


def measure(
    session: Session,
    request: Request,
    ranks: int,
    launcher: str | None = None,
    watch: Watch | None = None,
    prefix: str = "",
) -> list[HpccRecord]:
    """The records of `isthmus-hpcc` for a request on several ranks; wrong results are records too.

    `watch` adds what it saw, by default the power that this host reports; `prefix` stands before the progress of one
    of several runs.
    """
    warn_of_turns(session, ranks, launcher)
    with Listener(session, prefix) as listener:

        def pass_on(event: Event) -> None:
            if event["event"] == "places":
                places = [HpccPlace.model_validate(place) for place in event["places"]]
                for line in map_lines(places) if len(places) > 1 else []:
                    session.note(line)
                if launch.words and (other := other_devices(places, platform.node(), seen())):
                    session.warn(other)
            else:
                listener(event)

        launch = launch_of(ranks, launcher)
        try:
            return run(request, launch, pass_on, session.stream, watch or Watch())
        except IsthmusError as error:
            # Ranks that did not start say no reason, and would see no device either.
            if not launch.words or "on" not in request or isinstance(error, NoReasonError):
                raise
            targets = request["on"].split(",")
            raise with_reason(error, targets, seen(), seen(launch)) from None


def run(
    request: Request,
    launch: Launch,
    on_event: Callable[[Event], None] = lambda event: None,
    on_record: Callable[[HpccRecord], None] = lambda record: None,
    watch: Watch | None = None,
) -> list[HpccRecord]:
    """The records of `isthmus-hpcc`, each passed on when it comes, and all of its other events.

    `watch` adds what it saw; without one, records have no power and no sensors. If an MPI launcher started this
    command, only the first rank has records.
    """
    records: list[HpccRecord] = []

    def sort(event: Event) -> None:
        if event["event"] == "record":
            record = with_drift(HpccRecord.model_validate(record_of(event)))
            records.append(watch.told(record) if watch else record)
            on_record(records[-1])
        else:
            if watch:
                watch.take(event)
            on_event(event)

    patient = replace(launch, grace_s=ROUND_S) if "for" in request else launch
    try:
        run_tool("isthmus-hpcc", request, sort, patient)
    except KeyboardInterrupt:
        if records:
            raise InterruptedBurnIn(records) from None
        raise
    except NoReasonError:
        if launched_rank():
            raise SystemExit(2) from None  # the first rank says why
        raise
    finally:
        if watch:
            watch.end()
    if not records and not launched_rank():
        raise IsthmusError("isthmus-hpcc printed no record")
    return records
