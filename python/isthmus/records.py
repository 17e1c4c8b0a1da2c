"""The records that cross a border: what the tools print and what the JSON files hold (units in the names)."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Kind = Literal["modelled", "measured"]
Share = Annotated[float, Field(ge=0)]
Value = bool | int | float | str


class _Record(BaseModel):
    """A record keeps what a newer tool adds to it; numbers are finite."""

    model_config = ConfigDict(extra="allow", allow_inf_nan=False, json_schema_serialization_defaults_required=True)


class Context(_Record):
    """How a file came to be; the only part of it that may differ between two equal modelled runs."""

    argv: list[str]
    host: str
    version: str
    seed: int | None = None
    start: str = Field(description="UTC, ISO 8601")
    elapsed: float = Field(description="seconds", ge=0)
    complete: bool = Field(default=True, description="false if Ctrl-C ended the work; the records are whole")


class Stage(_Record):
    """A stage of a flow: its time and its share of the elapsed time (stages may overlap)."""

    name: str
    time_s: float
    share: Share


class Step(_Record):
    """Something that an image went through; the times count from the start of the flow."""

    name: str
    begin_s: float = Field(ge=0)
    end_s: float = Field(ge=0)


class ImageSteps(_Record):
    """An image's way through a flow, step by step."""

    image: int = Field(ge=0)
    steps: list[Step]


class Part(_Record):
    """A part of a modelled machine: busy + starved + blocked = lifetime."""

    name: str
    busy_s: float
    starved_s: float
    blocked_s: float
    lifetime_s: float
    resource: str = ""


class Bottleneck(_Record):
    """The part that sets the pace, and how many times faster it must be for `next` to be the limit.

    A path share is of the chain of steps, each waiting for the one before, that lasts as long as the run; where there
    is none, the part is the limit because it is busy nearly all the time.
    """

    part: str
    busy_share: Share
    path_share: Share | None = None
    next: str | None = None
    next_busy_share: Share | None = None
    next_path_share: Share | None = None
    would_need: float | None = None


class Input(_Record):
    """A number that a model was given, where it comes from and its role."""

    key: str
    value: Value | list[Value]
    unit: str | None = None
    source: str | None = None
    role: Literal["datasheet", "calibrated", "assumed", "set"]
    range: list[Value] | None = None
    why: str | None = None
    date: str | None = Field(default=None, description="of a calibration from records")
    line: int | None = None


class Platform(_Record):
    """The description that a model was built from, and its hash."""

    file: str
    name: str | None = None
    sha256: str
    inputs: list[Input]


class Worker(_Record):
    """A thread of the target native and the actors that it ran in turn."""

    core: int | None = Field(description="as the operating system numbers it; none if the thread was not pinned")
    actors: list[str]


class Row(_Record):
    """One application on one target in one flow."""

    target: str = Field(description="as it was typed")
    device: str
    flow: Literal["offload", "overlap", "stream"]
    kind: Kind
    application: str
    value: float = Field(description="the rate, in `unit`")
    unit: str = Field(description="images/s, or messages/s of an application of one's own")
    images: int | None = Field(default=None, gt=0)
    width: int | None = None
    height: int | None = None
    bytes_per_image: int | None = None
    messages: int | None = Field(default=None, gt=0, description="of an application of one's own, in place of images")
    bytes_per_message: int | None = None
    elapsed_s: float = Field(gt=0, description="from the first acquire or enqueue to the last output")
    setup_s: float = Field(ge=0, description="pools, allocation of pools, context, build")
    images_per_s: float | None = Field(default=None, description="`value` of the image filter")
    gb_per_s: float = Field(description="input payload, one direction, 1e9 bytes a second")
    verified: bool = Field(description="every output image is equal to the reference, byte for byte")
    stages: list[Stage] = []
    first_images: list[ImageSteps] = []
    parts: list[Part] = []
    workers: list[Worker] = []
    bottleneck: Bottleneck | None = None
    platform: Platform | None = None
    seed: int | None = None
    version: str = ""

    @model_validator(mode="before")
    @classmethod
    def _rate(cls, record: object) -> object:
        # The image filter prints its rate as images_per_s alone.
        if isinstance(record, dict) and "images_per_s" in record:
            return {"value": record["images_per_s"], "unit": "images/s"} | record
        return record


class Verdict(_Record):
    """The fastest verified row of a study; each reason names a part, its busy share and the rate it would need."""

    target: str
    flow: str
    kind: Kind
    value: float
    unit: str
    reasons: list[str]


class Percentiles(_Record):
    """What lies below which share of the samples, in the record's unit; p0 is the least, p100 the most."""

    p0: float
    p5: float
    p25: float
    p75: float
    p95: float
    p100: float


class ProbeRecord(_Record):
    """One micro-benchmark at one size: the median of its samples and their spread, (p75 - p25) / median."""

    name: str
    quantity: str
    unit: str
    value: float
    samples: list[float]
    spread: float
    percentiles: Percentiles | None = None
    time_s: float | None = Field(default=None, description="median time of one copy, pass or access")
    kind: Kind
    target: str
    device: str
    parameters: dict[str, Value]
    version: str = ""


class HpccPlace(_Record):
    """Where a rank ran: part 0 of 1 is a whole device; shared with other ranks or not."""

    rank: int
    host: str
    target: str
    device: str
    type: str = Field(default="", description="cpu, gpu, accelerator or other")
    pci: str | None = None
    part: int
    parts: int
    shared: bool
    cores: str = Field(default="", description="that the rank was bound to, as 0-3,8; empty: to none")


class HpccDevice(_Record):
    """What a device says of itself, null where its driver does not tell."""

    name: str
    platform: str
    vendor: str
    driver: str
    opencl: str
    type: str
    pci: str | None
    compute_units: int
    clock_mhz: int
    global_memory_bytes: int
    ecc: bool


class HpccLaunch(_Record):
    """When one replication of a kernel ran; seconds from the first start that the device of its rank saw."""

    rank: int
    replication: int
    start_s: float = Field(ge=0)
    end_s: float = Field(ge=0)


class HpccPowerOf(_Record):
    """What one device, or one zone of a processor, drew in the measured repetitions."""

    device: str
    average_w: float
    peak_w: float


class HpccPower(_Record):
    """What all devices together drew in the measured repetitions; where no source tells, nulls and the reason.

    Performance per watt is the best repetition of all ranks together over the peak (meyer2024 3.3.4).
    """

    source: str | None = Field(description="nvidia-smi, RAPL or the command that printed the watts")
    average_w: float | None = None
    peak_w: float | None = None
    energy_j: float | None = Field(default=None, description="average_w times seconds")
    seconds: float = Field(default=0, description="of the measured repetitions together")
    samples: int = Field(default=0, description="that fell into them")
    interval_s: float = Field(description="from sample to sample")
    devices: list[HpccPowerOf] = []
    per_watt: float | None = None
    per_watt_unit: str | None = None
    reason: str | None = Field(default=None, description="why there is no number")


class HpccSensors(_Record):
    """What the sensors of one device say, null where there is none."""

    device: str = Field(description="PCI id, or cpu")
    host: str
    driver: str | None = None
    clock_mhz: float | None = None
    memory_clock_mhz: float | None = None
    temperature_c: float | None = None
    memory_temperature_c: float | None = None
    ecc_corrected: int | None = Field(default=None, description="errors since the driver was loaded")
    ecc_uncorrected: int | None = Field(default=None, description="likewise")
    slowdowns: list[str] | None = Field(default=None, description="what held the clock down")


class HpccSensorsAround(_Record):
    """The sensors before the benchmark was set up, and right after its last repetition."""

    before: list[HpccSensors]
    after: list[HpccSensors]


class HpccBurnIn(_Record):
    """A run that was repeated until a time was over. The samples of its records are of rounds, the best repetition of
    each.
    """

    seconds: float = Field(ge=0)
    repetitions: int
    wrong_rounds: int = Field(description="whose results were wrong; they are looked at after each round")
    cut_short: bool = Field(description="by Ctrl-C; the rounds are whole")
    ends_s: list[float] = Field(description="of each round, from the start of the first")
    last_to_first: float | None = Field(default=None, description="the last round's value over the first one's")
    slowest_to_median: float | None = Field(default=None, description="the least of the rounds over their median")
    drift: float | None = Field(
        default=None, description="rise of the straight line through the rounds, as a share of their mean"
    )


class HpccRecord(_Record):
    """One quantity of a benchmark of HPC Challenge over all ranks (meyer2024 4.1, 4.2.5).

    The value is that of the best repetition; of each repetition the slowest rank counts.
    """

    name: str
    benchmark: str
    quantity: str
    unit: str
    value: float
    samples: list[float] = Field(description="of all repetitions")
    median: float
    spread: float = Field(description="(p75 - p25) / median of the samples")
    seconds: list[float] = Field(description="of the slowest rank of each repetition")
    across: Literal["average", "total"] = Field(description="over the ranks")
    kind: Kind
    validated: bool
    error: float | None = Field(description="null: no number")
    error_limit: float
    error_is: str
    run: Literal["base", "optimized"]
    target: str = Field(description="as it was typed")
    device: str
    expected: float | None = Field(description="what a model gives from this device's own probes")
    expected_spread: float | None = Field(description="(best - worst) / best of the probes")
    expected_from: str
    efficiency: float | None = Field(description="value / expected")
    variant: Literal["single", "ndrange"]
    kernel: str
    size: Literal["small", "standard"]
    parameters: dict[str, Value]
    parameters_from: str = Field(
        default="defaults", description="defaults, set, the side file of a binary, or the file of `hpcc tune`"
    )
    ranks: int
    grid: str
    scheme: str
    shared: bool = Field(description="ranks shared a device or its cores: no rate of a device")
    places: list[HpccPlace]
    launches: list[HpccLaunch] = Field(default=[], description="of the last repetition, in order of launch")
    device_info: HpccDevice
    burn_in: HpccBurnIn | None = Field(default=None, description="of a run with --for")
    power: HpccPower | None = None
    sensors: HpccSensorsAround | None = None
    version: str = ""


class HpccBuild(_Record):
    """What was made for a device that does not compile online, or was compiled before its runs."""

    benchmark: str
    tool: Literal["xrt", "intel", "opencl"]
    device: str = Field(description="the board, or the device's name")
    binary: str = Field(description="BINARY.json beside it says what it was compiled with")
    compiled: bool = Field(description="false: `make` in its folder makes it, with the vendor's compiler")
    files: list[str]
    parameters: dict[str, Value] = Field(description="that are compiled in")


class RecordedProcess(_Record):
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


class RecordedDevice(_Record):
    """What a device did for a recorded process from the start of its first command to the end of its last."""

    process: int = Field(description="place in `processes`")
    name: str
    platform: str
    driver: str
    type: str
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


class RecordedQueue(_Record):
    """A command queue; `forced`: the program did not ask for profiling."""

    device: int | None = Field(description="place in `devices`")
    forced: bool


class RecordedKernel(_Record):
    """The launches of one kernel on one device; times are of the device."""

    name: str
    device: int | None
    calls: int
    timed: int = Field(description="of them those that were complete and whose driver told when")
    work_items: int = Field(description="of all launches together")
    total_s: float
    mean_s: float | None
    p50_s: float | None
    p99_s: float | None


class RecordedTransfer(_Record):
    """The transfers of one kind on one device; a create call that brings content is timed by the host."""

    what: str
    device: int | None
    calls: int
    timed: int
    bytes: int
    total_s: float
    p50_s: float | None
    gb_per_s: float | None = Field(description="bytes of the timed ones over their time, 1e9 bytes a second")


class RecordedHost(_Record):
    """What the host did without a command."""

    what: str
    calls: int
    total_s: float
    longest_s: float


class RecordedOverhead(_Record):
    """What the layer itself took in the recorded calls."""

    calls: int
    total_s: float
    mean_ns: float | None
    p50_ns: float | None
    p99_ns: float | None
    share: float = Field(description="of the time from the first call to the last")


class RecordedCommand(_Record):
    """A call of a recorded program. Times are ns since `origin` on the host's clock, null where they are not known."""

    process: int = Field(description="place in `processes`")
    id: int = Field(description="within the process, from 1 in the order of the calls")
    what: str
    group: Literal["transfer", "kernel", "order", "host"]
    name: str | None = Field(description="of the kernel")
    queue: int | None = Field(description="place in `queues`")
    device: int | None = Field(description="place in `devices`")
    thread: int
    bytes: int
    global_size: list[int] | None
    local_size: list[int] | None = Field(description="null where the driver chose")
    blocking: bool
    waits: int = Field(description="events in its wait list")
    error: int = Field(description="of OpenCL, 0 for none")
    unfinished: bool = Field(description="not complete when the process ended")
    call_begin_ns: int
    call_end_ns: int
    overhead_ns: int = Field(description="of the layer, besides")
    queued_ns: int | None
    submit_ns: int | None
    start_ns: int | None
    end_ns: int | None
    gap_ns: int = Field(description="how long the device had nothing to do before it")
    gap_host_ns: int = Field(description="of it, how long the command was not queued yet")


class HpccTrial(_Record):
    """One run of a search for parameters; without a value it did not run, or its results were wrong."""

    settings: dict[str, int] = Field(description="what differs from the defaults")
    repetitions: int
    turn: int = Field(description="of several alike")
    value: float | None
    unit: str
    reason: str | None = Field(description="why there is no value")
    seconds: float


class HpccTuned(_Record):
    """The parameters that are best for a benchmark on a device, of those that were tried and were right."""

    benchmark: str
    device: str
    driver: str
    size: Literal["small", "standard"]
    run: Literal["base", "optimized"]
    variant: Literal["single", "ndrange"]
    ranks: int
    fixed: list[str] = Field(description="NAME=VALUE that were set by hand")
    settings: dict[str, int] = Field(description="what differs from the defaults")
    value: float
    default_value: float | None = Field(description="null: the defaults do not run here")
    unit: str
    complete: bool = Field(description="false: the budget ended the search; the same command goes on")
    trials: list[HpccTrial]
    file: str = Field(description="where later runs find it")


class ScaleRow(_Record):
    """One quantity of a benchmark on some ranks, of a row of runs with ever more of them (meyer2024 4.2).

    In weak scaling the problem grows with the ranks, in strong scaling it stays.
    """

    mode: Literal["weak", "strong"]
    name: str
    ranks: int
    grid: str
    unit: str
    value: float = Field(description="of all ranks together")
    speed_up: float | None = Field(description="over the fewest ranks, whose own is 1; null of a latency")
    efficiency: float | None = Field(description="speed_up over the factor by which there are more ranks")
    predicted: float | None = Field(
        default=None, description="ranks times what one rank alone reaches at their local size (meyer2024 4.2.3)"
    )
    validated: bool
    shared: bool = Field(description="ranks shared a device or its cores: no rate of a device")
    parameters: dict[str, Value] = Field(description="those that give the problem its size")


class CurvePoint(_Record):
    """What one rank alone reaches at a size: a point of the device's own curve."""

    size: int
    value: float
    unit: str


class AcceptanceCheck(_Record):
    """A record of a benchmark on one node beside what is expected of it, and beside the other nodes."""

    node: str
    benchmark: str
    name: str
    value: float | None = Field(default=None, description="null: it could not run")
    unit: str = ""
    low: float | None = Field(default=None, description="the least that passes")
    high: float | None = Field(default=None, description="the most that passes")
    passed: bool
    reason: str = Field(default="", description="why not")
    fleet_median: float | None = Field(default=None, description="of at least four nodes")
    deviations: float | None = Field(
        default=None, description="0.6745 (value - median) / MAD; null: the other nodes are all alike"
    )
    outlier: bool = Field(default=False, description="far from the median of the nodes")
    record: HpccRecord | None = None


class Device(_Record):
    """An OpenCL device of this machine."""

    target: str
    name: str
    platform: str
    driver: str
    type: str
    compute_units: int
    global_memory_bytes: int
    max_allocation_bytes: int


class Check(_Record):
    """Something that is installed or not, and what to do if it is missing."""

    name: str
    found: bool
    needed: bool = Field(description="whether anything fails without it")
    detail: str
    advice: str | None = None


class Setting(_Record):
    """The value of a setting and where it came from."""

    name: str
    value: Value | None
    origin: str


class Comparison(_Record):
    """A record of two files: new over old; the interval holds 95 % of what resampling the samples gives."""

    name: str
    unit: str
    kind: Kind
    old: float
    new: float
    ratio: float
    low: float | None
    high: float | None
    better: Literal["higher", "lower"]


Role = Literal["input", "derived", "predicted", "checked", "claim", "outside"]


class Structure(_Record):
    """What a model gives without calibrated inputs; least and most with an assumed one at an end of its range."""

    without_calibrated: float
    low: float
    low_with: str
    high: float
    high_with: str


class Recalibrated(_Record):
    """A calibrated number whose experiment was held out: found again from other experiments, or turned off."""

    key: str
    unit: str
    old: float
    new: float | None = Field(description="null: no other experiment tells it, and it is turned off")
    set: str


class HeldOut(_Record):
    """A published number that the model was not given: what it says then, beside what it says with it."""

    id: str
    board: str
    quantity: str
    unit: str
    published: float
    calibrated: float
    held_out: float
    error: float = Field(description="held_out / published - 1")
    recalibrated: list[Recalibrated]


class PaperRow(_Record):
    """A published number beside ours; `error` is ours / published - 1, null where either is no number."""

    id: str
    paper: str
    place: str
    quantity: str
    unit: str
    published: Value
    ours: Value | None
    error: float | None
    role: Role
    note: str
    same_as: str | None = Field(default=None, description="the row that states the same number and is scored")
    moved_by: list[str] = Field(default=[], description="changes of calibrated inputs that move it by more than 8 %")
    structure: Structure | None = None


class RoleScore(_Record):
    """The rows of one role, duplicates once."""

    rows: int
    agree: int | None = Field(
        default=None, description="within 15 % of the published value, claims that hold, arithmetic within 2 %"
    )
    mean_error: float | None = Field(default=None, description="mean of the absolute errors; of predicted rows")
    largest_error: float | None = Field(default=None, description="the largest absolute error; of predicted rows")


class PaperScore(_Record):
    """How a paper's numbers fare: those without a value of ours yet are `open`."""

    published: int
    compared: int
    duplicates: int
    open: int
    roles: dict[Role, RoleScore]


class HistoryRun(_Record):
    """A run in the results store."""

    id: int
    name: str | None
    kind: str
    start: str
    command: str
    host: str
    version: str
    complete: bool
    records: int


class Regression(_Record):
    """The newest value of a series of runs beside the earlier ones: same record, device, host and configuration."""

    name: str
    device: str
    host: str
    unit: str
    run: int = Field(description="the newest")
    earlier: int = Field(description="runs before it, at most 20")
    median: float = Field(description="of the earlier runs")
    noise: float = Field(description="1.4826 times their median distance from it, as a share of it")
    newest: float
    change: float = Field(description="newest / median - 1")
    regressed: bool = Field(description="worse by more than four times the noise, and by more than 2 %")


class CalibratedKey(_Record):
    """A number of a platform file that a calibration changed."""

    key: str
    old: float
    new: float
    unit: str


class CurveError(_Record):
    """How far a model's times are from measured ones: absolute errors over the sizes of one probe."""

    name: str
    which: Literal["fitted", "left out"]
    sizes: int
    median: float
    largest: float


class _File(_Record):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    schema_: str = Field(alias="schema")
    context: Context


class RunFile(_File):
    """`run APP --json FILE`."""

    schema_: Literal["isthmus.run/1"] = Field(default="isthmus.run/1", alias="schema")
    rows: list[Row]


class StudyFile(_File):
    """`study FILE` writes out/NAME/study.json."""

    schema_: Literal["isthmus.study/1"] = Field(default="isthmus.study/1", alias="schema")
    rows: list[Row]
    verdict: Verdict | None


class ProbeFile(_File):
    """`probe TARGET --json FILE`."""

    schema_: Literal["isthmus.probe/1"] = Field(default="isthmus.probe/1", alias="schema")
    records: list[ProbeRecord]


class HpccFile(_File):
    """`hpcc BENCH --json FILE`."""

    schema_: Literal["isthmus.hpcc/1"] = Field(default="isthmus.hpcc/1", alias="schema")
    records: list[HpccRecord]


class HpccBuildFile(_File):
    """`hpcc build BENCH --json FILE`."""

    schema_: Literal["isthmus.hpcc-build/1"] = Field(default="isthmus.hpcc-build/1", alias="schema")
    build: HpccBuild


class RecordFile(_File):
    """`record -- COMMAND` writes it; `records` come in the order in which the calls began."""

    schema_: Literal["isthmus.record/1"] = Field(default="isthmus.record/1", alias="schema")
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
    records: list[RecordedCommand]


class HpccTuneFile(_File):
    """`hpcc tune BENCH --json FILE`."""

    schema_: Literal["isthmus.hpcc-tune/1"] = Field(default="isthmus.hpcc-tune/1", alias="schema")
    tuned: HpccTuned


class HpccScaleFile(_File):
    """`hpcc scale BENCH --json FILE`."""

    schema_: Literal["isthmus.hpcc-scale/1"] = Field(default="isthmus.hpcc-scale/1", alias="schema")
    rows: list[ScaleRow]
    curve: list[CurvePoint] = Field(description="of HPL, by local size of the matrix")
    records: list[HpccRecord] = Field(description="of every run")


class AcceptanceFile(_File):
    """`hpcc acceptance --json FILE`."""

    schema_: Literal["isthmus.acceptance/1"] = Field(default="isthmus.acceptance/1", alias="schema")
    accepted: bool
    checks: list[AcceptanceCheck]


class DevicesFile(_File):
    """`devices --json FILE`."""

    schema_: Literal["isthmus.devices/1"] = Field(default="isthmus.devices/1", alias="schema")
    devices: list[Device]


class PlatformFile(_File):
    """`platform show TARGET --json FILE`."""

    schema_: Literal["isthmus.platform/1"] = Field(default="isthmus.platform/1", alias="schema")
    platform: Platform


class DoctorFile(_File):
    """`doctor --json FILE`."""

    schema_: Literal["isthmus.doctor/1"] = Field(default="isthmus.doctor/1", alias="schema")
    checks: list[Check]


class ConfigFile(_File):
    """`config show --json FILE`."""

    schema_: Literal["isthmus.config/1"] = Field(default="isthmus.config/1", alias="schema")
    settings: list[Setting]


class CompareFile(_File):
    """`compare OLD NEW --json FILE`."""

    schema_: Literal["isthmus.compare/1"] = Field(default="isthmus.compare/1", alias="schema")
    comparisons: list[Comparison]


class HistoryFile(_File):
    """`history --json FILE`."""

    schema_: Literal["isthmus.history/1"] = Field(default="isthmus.history/1", alias="schema")
    runs: list[HistoryRun]


class RegressionsFile(_File):
    """`history --regressions --json FILE`."""

    schema_: Literal["isthmus.regressions/1"] = Field(default="isthmus.regressions/1", alias="schema")
    regressions: list[Regression]


class CalibrateFile(_File):
    """`calibrate FILE --from RECORDS --json FILE`; of keys that stand together only the first was changed."""

    schema_: Literal["isthmus.calibrate/1"] = Field(default="isthmus.calibrate/1", alias="schema")
    file: str
    keys: list[CalibratedKey]
    together: list[list[str]] = Field(description="keys that the records cannot tell apart")
    silent: list[str] = Field(description="keys that the records say nothing of")
    curves: list[CurveError]
    median_fitted: float | None = Field(description="median absolute error over all fitted points")
    median_left_out: float | None = Field(description="the same at the sizes left out, of the probes that were fitted")
    runs_differ: float | None = Field(
        default=None, description="of several runs: half of their range over the median, of all points the median"
    )


class ReproduceFile(_File):
    """`reproduce [PAPER...] --json FILE`."""

    schema_: Literal["isthmus.reproduce/1"] = Field(default="isthmus.reproduce/1", alias="schema")
    rows: list[PaperRow]
    score: dict[str, PaperScore] = Field(description="by paper, and `all` of them together")
    held_out: list[HeldOut] = Field(default=[], description="with --hold-out: the rows of the experiment")


FILES: dict[str, type[_File]] = {
    "run": RunFile,
    "study": StudyFile,
    "probe": ProbeFile,
    "hpcc": HpccFile,
    "hpcc-scale": HpccScaleFile,
    "hpcc-build": HpccBuildFile,
    "record": RecordFile,
    "hpcc-tune": HpccTuneFile,
    "acceptance": AcceptanceFile,
    "devices": DevicesFile,
    "platform": PlatformFile,
    "doctor": DoctorFile,
    "config": ConfigFile,
    "compare": CompareFile,
    "history": HistoryFile,
    "regressions": RegressionsFile,
    "calibrate": CalibrateFile,
    "reproduce": ReproduceFile,
}
