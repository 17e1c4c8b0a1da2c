"""Runs of applications, and studies."""

from typing import Literal

from pydantic import Field, model_validator

from isthmus.base.grain import GRAIN, Grain
from isthmus.base.numbers import is_number
from isthmus.records.base import LOAD, File, Flow, Kind, Record, Share, Value, measured


class Stage(Record):
    """A stage of a flow: its time and its share of the elapsed time (stages may overlap).

    A stage of a modelled stream is a part's work: it has that part's time and its share, of the whole run.
    """

    name: str
    time_s: float
    share: Share


class Step(Record):
    """Something that an image went through; the times count from the start of the flow."""

    name: str
    begin_s: float = Field(ge=0)
    end_s: float = Field(ge=0)


class ImageSteps(Record):
    """The steps of an image through a flow."""

    image: int = Field(ge=0)
    steps: list[Step]


class Window(Record):
    """A bound of the requests in flight in a model: tags, credits, buffers of a pool."""

    size: int = Field(gt=0, description="how many entries there are, in `unit`")
    unit: str = Field(description="what an entry is")
    taken: int = Field(ge=0, description="entries that were taken in the run, each as often as it was")
    round_trip_s: float = Field(ge=0, description="from taking to return or, if sooner, to the last output; on average")


class Part(Record):
    """A part of a modelled machine: busy + starved + blocked = lifetime, the whole run's.

    What works is busy while it does and starved once it has finished, a window while no entry is free for who is next,
    a poll while something waits for its next round.
    """

    name: str
    busy_s: float
    starved_s: float
    blocked_s: float
    lifetime_s: float
    works: bool = Field(default=True, description="a window and a poll do not: what comes after them may fill them")
    keys: list[str] = Field(
        default_factory=list, description="of the platform, from which its pace comes; the most direct first"
    )
    window: Window | None = None

    @property
    def busy_share(self) -> float:
        """The share of the run for which it is busy; for a window, for which it is full."""
        return self.busy_s / self.lifetime_s if self.lifetime_s > 0 else 0.0

    @property
    def under_way(self) -> float | None:
        """How many entries of a window were under way on average: Little's law, L = (taken / lifetime) * round trip.

        No entry counts after the last output.
        """
        if self.window is None or self.lifetime_s <= 0:
            return None
        return self.window.taken / self.lifetime_s * self.window.round_trip_s


class Effect(Record):
    """The effect of one changed number of the model in a short run."""

    part: str = Field(description="whose pace the number sets")
    change: str = Field(description="KEY=VALUE, as --set takes it")
    raises: float = Field(gt=-1, description="the rate, by this share; below 0 it falls")


class Bottleneck(Record):
    """The part that sets the pace, and how many times faster it must be for `next` to be the limit.

    With `effects` it was found by running the model again with one number changed at a time, and `relief` is the change
    that raises the rate; without a part none of them holds the run. Without effects the part is the one that is busiest
    or holds most of the path. A path share is of the chain of steps, each waiting for the one before, that lasts as
    long as the run; where there is none, the part is the limit because it is busy nearly all the time.
    """

    part: str | None
    busy_share: Share | None = None
    relief: str | None = None
    effects: list[Effect] = Field(default_factory=list, description="the greatest first")
    path_share: Share | None = None
    next: str | None = None
    next_busy_share: Share | None = None
    next_path_share: Share | None = None
    would_need: float | None = None


class Input(Record):
    """A number that a model was given, where it comes from and its role."""

    key: str
    value: Value | list[Value]
    unit: str | None = None
    source: str | None = None
    role: Literal["datasheet", "configuration", "calibrated", "assumed", "set"]
    range: list[Value] | None = None
    why: str | None = None
    date: str | None = Field(default=None, description="of a calibration from records")
    line: int | None = None


class BoardPart(Record):
    """A part of a board: a section of its file."""

    name: str = Field(description="as its section is called: link.vh0")
    kind: str
    channel: str | None = Field(default=None, description="what commands call a link")


class Platform(Record):
    """The description that a model was built from, and its hash."""

    file: str
    name: str | None = None
    sha256: str
    parts: list[BoardPart] = Field(default_factory=list)
    inputs: list[Input]

    @property
    def links(self) -> list[str]:
        """What commands call its links."""
        return [part.channel for part in self.parts if part.channel is not None]

    def of_kind(self, *kinds: str) -> list[str]:
        """The names of its parts of these kinds."""
        return [part.name for part in self.parts if part.kind in kinds]

    def value(self, key: str) -> Value | list[Value] | None:
        """The value of a key; None if it has none."""
        return next((item.value for item in self.inputs if item.key == key), None)

    def number(self, key: str) -> float | None:
        """The number of a key, in its own unit; None where the board has no such number."""
        value = self.value(key)
        return float(value) if is_number(value) else None

    def usual(self, key: str) -> str:
        """KIND.NAME of a key of this board, whatever its section is called."""
        section, _, last = key.rpartition(".")
        kinds = {part.name: part.kind for part in self.parts}
        return f"{kinds.get(section, section.rpartition('.')[2])}.{last}"


class Worker(Record):
    """A thread of the target native and the actors that it ran in turn."""

    core: int | None = Field(description="as the operating system numbers it; none if the thread was not pinned")
    actors: list[str]


class Difference(Record):
    """The first difference from the reference, and the number of differences; images are messages of bytes."""

    message: int = Field(ge=0)
    offset: int = Field(ge=0, description="in elements of the message")
    expected: Value
    got: Value
    elements: int = Field(gt=0, description="that differ")
    of_elements: int
    messages: int = Field(gt=0, description="that hold them")
    of_messages: int
    column: int | None = measured(description="of an image")
    row: int | None = measured(description="of an image")
    channel: int | None = measured(description="of an image: red, green, blue, alpha")


class Latency(Record):
    """How long something took, over all of a run."""

    p50_s: float = Field(ge=0)
    p99_s: float = Field(ge=0)
    p999_s: float = Field(ge=0)
    max_s: float = Field(ge=0)


class Speedup(Record):
    """How many times faster something is, in each of several trials."""

    mean: float = Field(gt=0)
    min: float = Field(gt=0)
    max: float = Field(gt=0)


class Faults(Record):
    """How often something went wrong on purpose (docs/faults.md)."""

    stalled: int = Field(ge=0, description="pauses of either end of the link")
    dropped: int = Field(ge=0, description="TLPs that did not arrive")
    duplicated: int = Field(ge=0, description="TLPs that arrived twice")
    replayed: int = Field(ge=0, description="TLPs that were sent again")
    corrupted: int = Field(ge=0, description="TLPs, or packets of a network, whose check sequence did not fit")


class Row(Record):
    """One application on one target in one flow."""

    target: str = Field(description="as it was typed")
    device: str
    flow: Flow
    channel: str | None = Field(
        default=None,
        description="the link that a modelled board with several was reached by; none where transfers go over all",
    )
    kind: Kind
    grain: Grain | None = measured(description=GRAIN)
    application: str
    parameters: dict[str, Value] = Field(default_factory=dict, description="of the application, as they held")
    value: float = Field(description="the rate, in `unit`")
    unit: str = Field(description="what is counted, a second: images/s, messages/s")
    count: int = Field(gt=0, description="of what is counted")
    counted: str = Field(description="images, messages, ...")
    in_message: int | None = measured(gt=1, description="how many of them a message holds, if several")
    bytes_each: int = Field(description="input payload of one of them")
    latency: Latency | None = measured(
        description="of each of them, from its acquire or enqueue to its output; of a coarse model of those simulated"
    )
    overhead_share: float | None = measured(
        le=1, description="of the elapsed time: no kernel of the device computes, where messages are copied to it"
    )
    iteration_ends_s: list[float] | None = measured(
        description="of an application that iterates: when each iteration of each message ended, from the start"
    )
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
    accesses_per_lookup: float | None = measured(description="of hash-lookup: entries that a look-up reads, on average")
    selected_share: float | None = measured(ge=0, le=1, description="of table-select: of the rows, those selected")
    speedup: Speedup | None = measured(description="of merkle-tree: over the same block, hashed by the core alone")
    first_touch_share: float | None = measured(ge=0, le=1, description="of draws: lines that none before was of")
    from_cache_share: float | None = measured(
        ge=0, le=1, description="of draws: lines that came as soon as one that the host's cache has"
    )
    formula_speedup: float | None = measured(
        gt=0, description="(hash + memory) / (hash + cache) by the two times below: gemieux2018, equation 2"
    )
    memory_read_s: float | None = measured(ge=0, description="what a line takes at its first touch, the core alone")
    cache_read_s: float | None = measured(
        ge=0, description="what it takes afterwards while the cache has it, if any line was read again"
    )
    hashes_per_s: float | None = measured(gt=0)
    tasks_per_s: float | None = measured(gt=0)
    lost: int | None = measured(ge=0, description="packets of a network that did not come back")
    reordered: int | None = measured(ge=0, description="packets that came back after a later one")
    cores: float | None = measured(ge=0, description="of the host that were at work with packets, on average")
    task_times: Latency | None = measured(description="of task-graph: from a core's taking a task to its value")
    waiting_times: Latency | None = measured(description="from the last value that a task takes to a core's taking it")
    method: str | None = measured(
        description="how buffers are kept coherent that ports move: one of all, or by a decision tree"
    )
    methods: dict[str, str] | None = measured(description="that of each such buffer")
    rewrite: str | None = measured(description="how the program was rewritten")
    delay: int | None = measured(ge=0, description="messages that the FPGA comes after")
    verified: bool = Field(
        description="every output is equal to the reference, floats within rounding, else byte for byte"
    )
    difference: Difference | None = measured(description="of a run that is not verified")
    faults: Faults | None = measured(description="of a run that was asked for some")
    samples: list[float] | None = measured(description="the rates of the runs of which `value` is the median")
    spread: float | None = measured(ge=0, description="(p75 - p25) / median of the samples")
    warmup: int | None = measured(ge=0, description="runs before them that do not count")
    load: float | None = measured(ge=0, le=1, description=LOAD)
    stages: list[Stage] = Field(default_factory=list)
    first_images: list[ImageSteps] = Field(default_factory=list)
    parts: list[Part] = Field(default_factory=list)
    compute_units: int | None = Field(default=None, description="copies of the kernel, of the target native")
    workers: list[Worker] = Field(default_factory=list)
    bottleneck: Bottleneck | None = Field(default=None, description="of a row that is verified")
    platform: Platform | None = None
    seed: int | None = None
    version: str = ""

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_versions(cls, record: object) -> object:
        # They named by what is counted how many and how large they are, and the rate of images.
        if not isinstance(record, dict) or "counted" in record:
            return record
        counted = "images" if "images" in record else "messages"
        known = {
            "counted": counted,
            "count": record.get(counted),
            "bytes_each": record.get(f"bytes_per_{counted[:-1]}", 0),
            "value": record.get("images_per_s"),
            "unit": f"{counted}/s",
        }
        return {key: value for key, value in known.items() if value is not None} | record


class Verdict(Record):
    """The fastest verified row of an application in a study.

    Each reason names a part, its busy share and the rate it would need. Where it is not `judged`, the rows in
    `within_spread` may be as fast: their samples and its own overlap.
    """

    application: str = ""
    target: str
    flow: str
    channel: str | None = Field(default=None, description="as in the row")
    method: str | None = Field(default=None, description="as in the row")
    rewrite: str | None = Field(default=None, description="as in the row")
    delay: int | None = Field(default=None, description="as in the row")
    parameters: dict[str, Value] = Field(
        default_factory=dict, description="of the row: those in which the rows of its target and flow differ"
    )
    kind: Kind
    value: float
    unit: str
    judged: bool = True
    within_spread: list[str] = Field(default_factory=list, description="targets and flows")
    reasons: list[str]


class ModelLimit(Record):
    """Something that no part of the models knows: an entry of docs/model-limits.md that touches what is shown."""

    id: str
    what: str
    error: Literal["model too fast", "model too slow", "either"]
    why: str = Field(description="the error's reason")
    matters: str = Field(description="for which questions")


class RunFile(File, kind="run"):
    """`run APP --json FILE`."""

    rows: list[Row]


class StudyFile(File, kind="study"):
    """`study FILE` writes out/NAME/study.json."""

    rows: list[Row]
    verdict: Verdict | None = Field(description="of a study of one application; null where no output is right")
    verdicts: list[Verdict] = Field(default_factory=list, description="of each application")
    limits: list[ModelLimit] = Field(default_factory=list, description="of the modelled rows")
