"""The results of `explain`: causes of a low number, ranked."""

from pydantic import Field

from isthmus.records.base import File, Kind, Record


class Quantity(Record):
    """A number of a probe at a size."""

    probe: str
    size: int = Field(description="bytes; 0 of a probe that has none")
    value: float
    unit: str


class ExplainRow(Record):
    """A cause, or two together, at the severity that fits best."""

    cause: str
    set: list[str] = Field(description="the change of the model, as KEY=VALUE")
    error: float = Field(description="largest |ln(model / measured)|, 0.05 more of two causes, and the host's share")
    rank: int = Field(ge=1, description="causes that agree within 5 % at every given number share one")
    together: bool = Field(description="whether it takes two causes")
    ruled_out: bool = Field(description="whether a number is missed by over 25 % at every severity")
    predicted: list[Quantity] = Field(description="in the order of the numbers given")
    host_busy: float | None = Field(default=None, description="the host's, of the first number; null: untold")
    look: list[str] = Field(description="where a person sees whether it is so")


class WaterfallStep(Record):
    """What is left of a number's rate once one more thing is paid for."""

    number: str = Field(description="probe and size of the number given")
    what: str
    pays: str
    value: float
    unit: str
    kind: Kind


class Expectation(Record):
    """What a cause lets one expect of the number that is asked for, and where to look for the cause."""

    cause: str
    value: float | None
    unit: str | None
    look: list[str]


class ExplainAsk(Record):
    """What to measure next; without a probe the causes differ at none, and each says where to look."""

    probe: str | None
    size: int | None
    command: str | None
    expected: list[Expectation]


class ExplainVerdict(Record):
    """The causes of the first place."""

    causes: list[str] = Field(description="none where the model as it is agrees within 10 %, or nothing fits")
    as_modelled: bool = Field(description="whether the model as it is agrees within 10 %")
    base_error: float = Field(description="of the model as it is")
    says: str


class ExplainFile(File, kind="explain"):
    """`explain TARGET --json FILE`."""

    target: str
    measured: list[Quantity]
    cpu: float | None = Field(default=None, description="the host's busy share that was seen")
    rows: list[ExplainRow]
    waterfall: list[WaterfallStep]
    ask: ExplainAsk | None
    verdict: ExplainVerdict
