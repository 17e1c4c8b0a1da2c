"""The results of `sweep`: the rates of a study at many values of keys."""

from pydantic import Field

from isthmus.records.base import File, Flow, Record


class SweepRow(Record):
    """A point: the study's application on one target in one flow, with one value of each key."""

    point: dict[str, str] = Field(description="the value of each key, as it was set")
    application: str
    target: str
    channel: str | None = None
    flow: Flow
    value: float | None = Field(description="the rate; null where the output is wrong or the target refused the point")
    unit: str
    gb_per_s: float | None = Field(description="input payload, one direction, 1e9 bytes a second")
    p99_s: float | None = Field(default=None, description="latency of what is counted, where it is known")
    verified: bool | None = Field(description="null where it did not run")
    error: str | None = Field(default=None, description="why it did not run")
    key: str = Field(description="the hash of all that the row follows from")


class TornadoBar(Record):
    """What one assumed input does to one row of the study."""

    application: str
    target: str
    flow: Flow
    key: str
    ends: list[str] = Field(description="of its range, as far as the board takes them")
    key_unit: str = Field(description="of the ends")
    values: list[float | None] = Field(description="the rate at each")
    base: float = Field(description="the rate with all inputs as they are")
    low: float
    high: float
    swing: float = Field(description="(high - low) / base")
    unit: str


class SweepFile(File, kind="sweep"):
    """`sweep STUDY --json FILE`, and out/NAME/sweep.json."""

    rows: list[SweepRow]
    pareto: list[SweepRow] = Field(description="rows that no other beats in what --pareto asks for")
    tornado: list[TornadoBar]
