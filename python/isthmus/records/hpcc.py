"""HPC Challenge: runs, builds, trials, scaling, acceptance."""

from typing import Literal

from pydantic import Field

from isthmus.records.base import LOAD, File, Kind, Record, Value, measured


class HpccPlace(Record):
    """The device on which a rank ran, shared with other ranks or not; part 0 of 1 is a whole device."""

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


class HpccDevice(Record):
    """The properties of a device, null where its driver does not give them."""

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


class HpccLaunch(Record):
    """When one replication of a kernel ran; seconds from the first start that the device of its rank saw."""

    rank: int
    replication: int
    phase: str = Field(default="", description="communication or update (meyer2024 figure 4.5); empty: it has none")
    step: int = Field(default=0, description="of the algorithm, whose phase it is")
    start_s: float = Field(ge=0)
    end_s: float = Field(ge=0)


class HpccPowerOf(Record):
    """What one device, or one zone of a processor, drew in the measured repetitions."""

    device: str
    average_w: float
    peak_w: float


class HpccPower(Record):
    """The power of all devices together in the measured repetitions; without a source, nulls and the reason.

    Performance per watt is the best repetition of all ranks together over the peak (meyer2024 3.3.4).
    """

    source: str | None = Field(description="nvidia-smi, RAPL or the command that printed the watts")
    average_w: float | None = None
    peak_w: float | None = None
    energy_j: float | None = Field(default=None, description="average_w times seconds")
    seconds: float = Field(default=0, description="of the measured repetitions together")
    samples: int = Field(default=0, description="that the watts stand on: those that fell into the repetitions")
    around: bool = Field(
        default=False,
        description="no sample fell into them: these are the last one before, those between, and the first one after",
    )
    interval_s: float = Field(description="from sample to sample")
    devices: list[HpccPowerOf] = Field(default_factory=list)
    per_watt: float | None = None
    per_watt_unit: str | None = None
    reason: str | None = Field(default=None, description="why there is no number")


class HpccSensors(Record):
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


class HpccSensorsAround(Record):
    """The sensors before the benchmark was set up, and right after its last repetition."""

    before: list[HpccSensors]
    after: list[HpccSensors]


class HpccBurnIn(Record):
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


class HpccRecord(Record):
    """One quantity of a benchmark of HPC Challenge over all ranks (meyer2024 4.1, 4.2.5).

    The value is that of the best repetition; of each repetition the slowest rank counts.
    """

    name: str
    benchmark: str
    quantity: str
    unit: str
    value: float = Field(
        description="of the best repetition; where `validated` is false, how fast wrong results came: no result"
    )
    samples: list[float] = Field(description="of all repetitions")
    median: float
    spread: float = Field(description="(p75 - p25) / median of the samples")
    seconds: list[float] = Field(description="of the slowest rank of each repetition")
    load: float | None = measured(ge=0, le=1, description=LOAD + "; of the host where it was the largest")
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
    expected_s: float | None = Field(
        default=None, description="how long a repetition's work lasts at what is expected of a rate"
    )
    judged: bool = Field(
        default=True,
        description="whether the rate would have been refused if no probe allowed it: not where nothing is expected, "
        "or expected_s is less than 1 ms (20 ms where others took a quarter of the cores, or ranks share a device)",
    )
    efficiency: float | None = Field(description="value / expected; of a latency expected / value")
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
    working_set_bytes: int | None = Field(default=None, description="that a repetition's work touches on one rank")
    cache_bytes: int | None = Field(
        default=None,
        description="of the last-level caches of a rank's device; null of GPUs and boards, "
        "whose drivers do not agree on the level of the cache that they report",
    )
    launches: list[HpccLaunch] = Field(default=[], description="of the last repetition, in order of launch")
    device_info: HpccDevice
    burn_in: HpccBurnIn | None = Field(default=None, description="of a run with --for")
    power: HpccPower | None = None
    sensors: HpccSensorsAround | None = None
    version: str = ""


class HpccBuild(Record):
    """What was made for a device that does not compile online, or was compiled before its runs."""

    benchmark: str
    tool: Literal["xrt", "intel", "opencl"]
    device: str = Field(description="the board, or the device's name")
    binary: str = Field(description="BINARY.json next to it has its parameters")
    compiled: bool = Field(description="false: `make` in its folder makes it, with the vendor's compiler")
    files: list[str]
    parameters: dict[str, Value] = Field(description="that are compiled in")


class HpccTrial(Record):
    """One run of a search for parameters; without a value it did not run, or its results were wrong."""

    settings: dict[str, int] = Field(description="what differs from the defaults")
    repetitions: int
    turn: int = Field(description="of several alike")
    value: float | None
    unit: str
    reason: str | None = Field(description="why there is no value")
    seconds: float


class HpccTuningResult(Record):
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


class ScaleRow(Record):
    """One quantity of a benchmark on some ranks, of a row of runs with ever more of them (meyer2024 4.2).

    In weak scaling the problem grows with the ranks, in strong scaling it stays.
    """

    mode: Literal["weak", "strong"]
    name: str
    ranks: int
    grid: str
    unit: str
    value: float = Field(description="of all ranks together")
    low: float | None = Field(
        default=None, description="of all ranks together, the least that the median of the repetitions is likely to be"
    )
    high: float | None = Field(default=None, description="likewise the most: with low an interval of 95 %")
    speed_up: float | None = Field(description="over the fewest ranks, whose own is 1; null of a latency")
    efficiency: float | None = Field(description="speed_up over the factor by which there are more ranks")
    predicted: float | None = Field(
        default=None, description="ranks times what one rank alone reaches at their local size (meyer2024 4.2.3)"
    )
    judged: bool = Field(
        default=True, description="false: its samples and those of the fewest ranks overlap, so that neither is faster"
    )
    validated: bool
    shared: bool = Field(description="ranks shared a device or its cores: no rate of a device")
    parameters: dict[str, Value] = Field(description="those that give the problem its size")


class CurvePoint(Record):
    """What one rank alone reaches at a size: a point of the device's own curve."""

    size: int
    value: float
    unit: str


class AcceptanceCheck(Record):
    """A record of a benchmark on one node, with its expected value and the values of the other nodes."""

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


class HpccFile(File, kind="hpcc"):
    """`hpcc BENCH --json FILE`."""

    records: list[HpccRecord]


class HpccBuildFile(File, kind="hpcc-build"):
    """`hpcc build BENCH --json FILE`."""

    build: HpccBuild


class HpccTuneFile(File, kind="hpcc-tune"):
    """`hpcc tune BENCH --json FILE`."""

    tuned: HpccTuningResult


class HpccScaleFile(File, kind="hpcc-scale"):
    """`hpcc scale BENCH --json FILE`."""

    rows: list[ScaleRow]
    curve: list[CurvePoint] = Field(description="of HPL, by local size of the matrix")
    records: list[HpccRecord] = Field(description="of every run")


class AcceptanceFile(File, kind="acceptance"):
    """`hpcc acceptance --json FILE`."""

    accepted: bool
    checks: list[AcceptanceCheck]
