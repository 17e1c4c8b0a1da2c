"""The record of an unmodified program's work with its OpenCL devices."""

from typing import Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from isthmus.base.parsing import OURS
from isthmus.records.base import File, Record

# What a field is a place in, and whose fields are.
_LISTS = {"process": "processes", "device": "devices", "queue": "queues"}
_PLACES = (
    ("devices", "process"),
    *((holders, "device") for holders in ("queues", "kernels", "transfers", "sums", "longest_gaps", "records")),
    *((holders, field) for holders in ("stretches", "records") for field in ("process", "queue")),
)


class RecordedProcess(Record):
    """A process of a recorded program that called OpenCL."""

    process: int = Field(description="as the operating system numbered it")
    parent: int
    command: str
    ended: bool = Field(description="false: it was killed, crashed or left by _exit; what it had written is here")
    unfinished: int = Field(description="commands that were not complete, or not seen to be, when it ended")
    lost: int = Field(description="calls and times that there was no room for")
    extensions: list[str] = Field(
        description="functions of extensions that it asked for: calls of them are not recorded"
    )


class RecordedDevice(Record):
    """What a device did for a recorded process from the start of its first command to the end of its last."""

    process: int = Field(description="place in `processes`")
    name: str
    platform: str
    driver: str
    type: str
    shares_memory: bool = Field(default=False, description="with the host: mapping moves nothing")
    commands: int = Field(description="transfers and kernels that the driver timed")
    span_s: float
    busy_s: float = Field(description="at least one command under way")
    transfers_s: float = Field(description="at least one transfer under way")
    kernels_s: float = Field(description="at least one kernel under way")
    gap_host_s: float = Field(description="nothing under way and nothing queued: the host was late")
    gap_other_s: float = Field(
        description="nothing under way though a command was queued: driver, or a wait for events"
    )
    gaps: int
    longest_gap_s: float
    clock_uncertainty_s: float = Field(description="by which its times may be off those of the host")
    clock_drift: float = Field(description="how much faster the host's clock runs, as a share")
    timer_resolution_ns: int


class RecordedQueue(Record):
    """A command queue; `forced`: the program did not ask for profiling."""

    device: int | None = Field(description="place in `devices`")
    forced: bool


class RecordedKernel(Record):
    """The launches of one kernel on one device; times are of the device."""

    name: str
    device: int | None
    calls: int
    timed: int = Field(description="of them those that were complete and have the driver's times")
    work_items: int = Field(description="of all launches together")
    total_s: float
    mean_s: float | None
    p50_s: float | None
    p99_s: float | None


class RecordedTransfer(Record):
    """The transfers of one kind on one device; a create call that brings content is timed by the host."""

    what: str
    device: int | None
    calls: int
    timed: int
    bytes: int
    total_s: float
    p50_s: float | None
    gb_per_s: float | None = Field(
        description="bytes of the timed ones that move any over their time, 1e9 bytes a second; null where none does"
    )


class RecordedHost(Record):
    """What the host did without a command."""

    what: str
    calls: int
    total_s: float
    longest_s: float


class RecordedOverhead(Record):
    """What the layer itself took in the recorded calls; what profiling takes the driver is in the driver's calls."""

    calls: int
    commands: int = Field(description="of the calls, those that made one: a transfer, a kernel, an order")
    total_s: float
    command_ns: float | None = Field(
        description="`total_s` over `commands`: a command's own call and its share of those that asked for its times"
    )
    mean_ns: float | None
    p50_ns: float | None
    p99_ns: float | None
    share: float = Field(description="of the time from the first call to the last")


class RecordedSpread(Record):
    """Times of several calls, ns: all together, and what half and 99 % of them do not exceed."""

    total: int
    p50: float
    p99: float


class RecordedSum(Record):
    """All calls that are alike: of one kind and kernel, on one device, with as many bytes each.

    Times are ns since `origin` on the host's clock. A program with more than 1000 different numbers of bytes has them
    in steps of a power of two.
    """

    device: int | None = Field(description="place in `devices`")
    what: str
    group: Literal["transfer", "kernel", "order", "host"]
    name: str | None = Field(description="of the kernel")
    calls: int
    timed: int = Field(description="of them those that were complete and have the driver's times")
    failed: int = Field(description="calls that were refused, and commands that ended with an error")
    unfinished: int = Field(description="commands that were not complete, or not seen to be, when the process ended")
    bytes: int = Field(description="of all calls together")
    least_bytes: int = Field(description="of one call")
    most_bytes: int = Field(description="of one call")
    work_items: int = Field(description="of all launches together")
    first_call_ns: int = Field(description="begin of the first call")
    last_call_ns: int = Field(description="end of the last call to return")
    first_start_ns: int | None = Field(description="when the first started on the device")
    last_end_ns: int | None = Field(description="when the last was complete on the device")
    call_ns: RecordedSpread = Field(description="from begin to end of each call")
    overhead_ns: RecordedSpread = Field(description="of the layer, besides")
    time_ns: RecordedSpread | None = Field(description="from start to end on the device")
    gap_ns: RecordedSpread | None = Field(description="how long the device had nothing to do before each")
    gap_host_ns: RecordedSpread | None = Field(description="of it, how long the command was not queued yet")


class RecordedGap(Record):
    """A time for which a device had nothing to do, before a call that is not in `records`."""

    device: int | None = Field(description="place in `devices`")
    before: str = Field(description="the kernel, or what the call does")
    gap_ns: int
    gap_host_ns: int = Field(description="of it, how long the command was not queued yet")
    end_ns: int = Field(description="when the command started, since `origin` on the host's clock")


class RecordedStretch(Record):
    """What a queue or a thread did in calls that are not in `records`, as a timeline of the whole shows it.

    Calls of a kind that begin within 0.05 % of the shown time are one stretch. Times are ns since `origin`.
    """

    queue: int | None = Field(description="place in `queues`: its commands on the device")
    process: int | None = Field(description="place in `processes`, of a thread: its calls")
    thread: int | None
    kind: str = Field(description="kernel, transfer, host waits, host builds, other call")
    name: str | None = Field(description="the kernel, or what the calls do; null for several")
    begin_ns: int
    end_ns: int
    busy_ns: int = Field(description="of all calls together")
    calls: int


class RecordedCommand(Record):
    """A call of a recorded program. Times are ns since `origin` on the host's clock, null where they are not known."""

    process: int = Field(description="place in `processes`")
    id: int = Field(description="within the process, from 1 in the order of the calls")
    what: str
    group: Literal["transfer", "kernel", "order", "host"]
    name: str | None = Field(description="of the kernel")
    queue: int | None = Field(description="place in `queues`")
    device: int | None = Field(description="place in `devices`")
    thread: int
    bytes: int = Field(description="that it moves; where it allocates, that it takes")
    global_size: list[int] | None
    local_size: list[int] | None = Field(description="null where the driver chose")
    blocking: bool
    waits: int = Field(description="events in its wait list")
    error: int = Field(description="of OpenCL, 0 for none")
    unfinished: bool = Field(description="not complete, or not seen to be, when the process ended")
    call_begin_ns: int
    call_end_ns: int
    overhead_ns: int = Field(description="of the layer, besides")
    queued_ns: int | None
    submit_ns: int | None
    start_ns: int | None
    end_ns: int | None
    gap_ns: int = Field(description="how long the device had nothing to do before it")
    gap_host_ns: int = Field(description="of it, how long the command was not queued yet")


class RecordFile(File, kind="record"):
    """`record -- COMMAND` writes it; `records` come in the order in which the calls began, `summed` more only as sums.

    `processes` to `sums` are of all calls.
    """

    kind: Literal["measured"] = "measured"
    program: list[str]
    exit_code: int | None = Field(description="128 and the signal's number if one ended it; null if it is not known")
    origin: str = Field(description="when the first call began, UTC, ISO 8601")
    span_s: float = Field(description="from the begin of the first call to the end of the last call or command")
    processes: list[RecordedProcess]
    devices: list[RecordedDevice]
    queues: list[RecordedQueue]
    kernels: list[RecordedKernel]
    transfers: list[RecordedTransfer]
    host: list[RecordedHost]
    overhead: RecordedOverhead
    sums: list[RecordedSum] = Field(default=[], description="of all calls, those in `records` too")
    summed: int = Field(default=0, description="calls that are not in `records`, which holds the first ones")
    longest_gaps: list[RecordedGap] = Field(default=[], description="of those calls, the longest first")
    stretches: list[RecordedStretch] = Field(default=[], description="of those calls, the busiest queues and threads")
    records: list[RecordedCommand]

    @model_validator(mode="after")
    def _places_are_there(self) -> Self:
        for holders, field in _PLACES:
            places = _LISTS[field]
            there = len(getattr(self, places))
            for number, place in enumerate(getattr(one, field) for one in getattr(self, holders)):
                if place is not None and not 0 <= place < there:
                    raise PydanticCustomError(
                        OURS,
                        "key '{key}': expected a place in '{places}', which has {there}, got {got}",
                        {"key": f"{holders}.{number}.{field}", "places": places, "there": there, "got": place},
                    )
        return self
