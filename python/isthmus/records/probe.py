"""Probes of targets."""

from pydantic import Field

from isthmus.base.grain import GRAIN, Grain
from isthmus.records.base import LOAD, File, Kind, Record, Value, measured


class Percentiles(Record):
    """What lies below which share of the samples, in the record's unit; p0 is the least, p100 the most."""

    p0: float
    p5: float
    p25: float
    p50: float | None = Field(default=None, description="the record's value")
    p75: float
    p95: float
    p99: float | None = None
    p100: float


class ProbeRecord(Record):
    """One micro-benchmark at one size: the median of its samples and their spread, (p75 - p25) / median."""

    name: str
    quantity: str
    unit: str
    value: float
    samples: list[float]
    spread: float
    percentiles: Percentiles | None = None
    time_s: float | None = Field(default=None, description="median time of one copy, pass or access")
    verified: bool | None = measured(description="whether the bytes that arrived are those that were sent, of a port's")
    load: float | None = measured(ge=0, le=1, description=LOAD)
    host_busy: float | None = measured(
        ge=0, le=1, description="of a model with one sample: the share of the time in which host and driver worked"
    )
    kind: Kind
    grain: Grain | None = measured(description=GRAIN)
    target: str
    device: str
    parameters: dict[str, Value]
    version: str = ""


class ProbeFile(File, kind="probe"):
    """`probe TARGET --json FILE`."""

    records: list[ProbeRecord]
