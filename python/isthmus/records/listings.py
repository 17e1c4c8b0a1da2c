"""The output of commands that only look: devices, doctor, config, history, compare, platform (board or system)."""

from typing import Literal

from pydantic import Field

from isthmus.records.base import File, Kind, Record, Value
from isthmus.records.run import BoardPart, ModelLimit, Platform


class Device(Record):
    """An OpenCL device of this machine."""

    target: str
    name: str
    platform: str
    driver: str
    type: str
    compute_units: int
    global_memory_bytes: int
    max_allocation_bytes: int


class Check(Record):
    """Something that is installed or not, and what to do if it is missing."""

    name: str
    found: bool
    needed: bool = Field(description="whether anything fails without it")
    detail: str
    advice: str | None = None


class ConfigurationEntry(Record):
    """The value of a key of the configuration and where it came from."""

    name: str
    value: Value | None
    origin: str


class Comparison(Record):
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


class HistoryRun(Record):
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


class Regression(Record):
    """The newest value of a series of runs, and the earlier ones: same record, device, host and configuration."""

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


class DevicesFile(File, kind="devices"):
    """`devices --json FILE`."""

    devices: list[Device]


class PlatformFile(File, kind="platform"):
    """`platform show TARGET --json FILE`."""

    platform: Platform
    limits: list[ModelLimit] = Field(default_factory=list, description="that touch its numbers")


class ListedPlatform(Record):
    """A modelled board that is installed, in the classes of choi2019's table 1."""

    target: str
    name: str
    integration: str = Field(description="PCIe, processor interconnect, hybrid, or one chip")
    memory: str = Field(description="that circuits work on: private or shared")
    links: list[str] = Field(description="what joins it to its host")
    calibrated: bool = Field(description="whether any number of it is calibrated by a measurement of the board")


class PlatformsFile(File, kind="platforms"):
    """`platform list --json FILE`."""

    platforms: list[ListedPlatform]


class SystemNode(Record):
    """A host of a system."""

    name: str
    host: list[BoardPart] = Field(description="its parts")


class SystemBoard(Record):
    """A board of a system, in one of its hosts."""

    name: str
    node: str
    platform: str = Field(description="what its file calls it")
    file: str
    sha256: str = Field(description="of its platform")


class SystemWire(Record):
    """A wire from a link of a board to a root port of its own."""

    board: str
    channel: str = Field(description="what commands call the link")
    node: str


class System(Record):
    """Boards in their hosts, and what is wired to what."""

    file: str
    name: str
    sha256: str
    nodes: list[SystemNode]
    boards: list[SystemBoard]
    wires: list[SystemWire]


class SystemFile(File, kind="system"):
    """`platform show SYSTEM.toml --json FILE`."""

    system: System


class DoctorFile(File, kind="doctor"):
    """`doctor --json FILE`."""

    checks: list[Check]


class ConfigFile(File, kind="config"):
    """`config show --json FILE`."""

    settings: list[ConfigurationEntry]


class CompareFile(File, kind="compare"):
    """`compare OLD NEW --json FILE`."""

    comparisons: list[Comparison]


class HistoryFile(File, kind="history"):
    """`history --json FILE`."""

    runs: list[HistoryRun]


class RegressionsFile(File, kind="regressions"):
    """`history --regressions --json FILE`."""

    regressions: list[Regression]
