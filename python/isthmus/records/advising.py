"""The records of advice: the board and the flow that suit a described application."""

from typing import Literal

from pydantic import Field

from isthmus.records.base import File, Flow, Record, measured


class AdviseRow(Record):
    """A board, a flow and a method, and what they give."""

    rank: int = Field(gt=0)
    target: str
    flow: Flow
    method: str | None = Field(default=None, description="of keeping caches coherent, on boards with a choice")
    kind: Literal["modelled"] = "modelled"
    calibrated: bool = Field(
        default=True, description="whether the model of the board is calibrated by any measurement of it"
    )
    value: float = Field(description="in `unit`: of the run where there is one, else of the formula")
    unit: str
    low: float = Field(
        description="nine tenths of joint draws lie from `low` to `high`; without a run with the formula's error"
    )
    high: float
    formula: float
    run: float | None = Field(default=None, description="of the best three")
    r: float = Field(description="bytes of device memory touched for each that crosses (choi2019 4.1)")
    r_threshold: dict[str, float | None] = Field(
        description="against each board of shared memory: the r above which this one is ahead; null where it never is"
    )
    effective_gb_per_s: float = Field(description="bytes that the kernel touches, 1e9 a second (choi2019 4.1)")
    dma_gb_per_s: float | None = measured(description="of a unit's copies, where the board has a memory of its own")
    device_gb_per_s: float | None = measured(description="of its traffic on that memory")
    ctc: float = Field(description="time of computation over time of transfer: above 1 it is bound by computation")
    latency_s: float = Field(description="of a unit")
    line_latency_s: float = Field(description="of a line of 64 bytes there and back")
    cost: float | None = Field(default=None, description="of a unit, in the price's money")
    joules: float | None = Field(default=None, description="of a unit")
    meets: bool = Field(description="the latency that is needed")
    wins: float = Field(ge=0, le=1, description="the share of draws in which it is the best")
    reasons: list[str]


class AdviseMeasure(Record):
    """The uncertain number that decides, and what measures it."""

    input: str = Field(description="a key of the target's platform, or app.KEY of the description")
    target: str | None = None
    probe: str | None = Field(default=None, description="of isthmus probe; null for a number of the description")
    correlation: float = Field(description="of its ranks with those of the ratio of the two best, over the draws")


class AdviseTurn(Record):
    """What would have to become what for the second to win."""

    key: str = Field(description="app.KEY of the description")
    now: float = Field(description="in B, s or B/s")
    becomes: float


class AdviseVerdict(Record):
    """The best choice, and how sure that is."""

    target: str
    flow: Flow
    method: str | None = None
    clear: bool = Field(description="whether it is the best in 95 % of the draws")
    among: list[str] = Field(description="target, flow and method of each that is the best in some draws")
    wins: float = Field(ge=0, le=1)
    ratio_low: float | None = Field(default=None, description="times that it is better than the second")
    ratio_high: float | None = None
    measure: AdviseMeasure | None = Field(default=None, description="where there is no clear winner")
    would_change: AdviseTurn | None = Field(default=None, description="where there is one")
    reasons: list[str]


class AdviseBranch(Record):
    """The result of min2019's decision tree (V-B) for a transfer, on boards whose FPGA reaches a processor's memory."""

    transfer: int = Field(ge=0)
    direction: str
    bytes: float = Field(description="of one transfer")
    method: str
    path: list[str]
    cpu: str
    order: str
    costs_s: dict[str, float] | None = measured(
        description="with --tree measured: seconds of the transfer by method on the model, software included (V-B)"
    )
    least: str | None = measured(description="the method of which that is the least")


class AdviseCrossing(Record):
    """What crosses of a unit, whatever its kernel takes."""

    target: str
    flow: Flow
    method: str | None = None
    crossing_s: float


class AdviseFile(File, kind="advise"):
    """`advise` writes it; rows come in their rank."""

    application: str
    best: str
    units: int = Field(gt=0, description="of a run")
    rows: list[AdviseRow]
    verdict: AdviseVerdict
    tree: list[AdviseBranch]
    crossing: list[AdviseCrossing] = Field(description="of each row")
    matters_below_s: float | None = Field(
        description="the time of a unit's launches below which the two best boards are over a tenth apart; null: always"
    )
    left_out: dict[str, str] = Field(default_factory=dict, description="targets, each with the reason")
