"""The papers' numbers and ours."""

from typing import Annotated, Literal

from pydantic import Field

from isthmus.records.base import File, Record, Value

Role = Literal["input", "derived", "predicted", "checked", "claim", "outside"]


Ends = Annotated[list[float], Field(min_length=2, max_length=2)]


class Recalibration(Record):
    """A calibrated number whose experiment was held out: found again from other experiments, or turned off."""

    key: str
    unit: str
    old: float
    new: float | None = Field(description="null: no other experiment determines it, and it is turned off")
    set: str


class HeldOutNumber(Record):
    """A published number that the model was not given: the model's value without it, and with it."""

    id: str
    board: str
    quantity: str
    unit: str
    published: float
    calibrated: float
    held_out: float
    error: float = Field(description="held_out / published - 1")
    recalibrated: list[Recalibration]


class ClaimValue(Record):
    """A number that a claim is about."""

    value: float
    unit: str


class PaperRow(Record):
    """A published number and ours; `error` is ours / published - 1, null where either is no number."""

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
    span: Ends | None = Field(
        default=None,
        description="of a predicted row, or of what a claim is about: least and most of ours with the assumed inputs "
        "anywhere in their ranges",
    )
    judged: ClaimValue | None = Field(default=None, description="of a claim: the number that it is about, on the model")
    same_as: str | None = Field(
        default=None, description="the row that is scored for it: the same number, or the rate of the same run"
    )
    moved_by: list[str] = Field(default=[], description="changes of calibrated inputs that determine it")


class RoleScore(Record):
    """The rows of one role, duplicates once."""

    rows: int
    agree: int | None = Field(
        default=None, description="within 15 % of the published value, claims that hold, arithmetic that rounds to it"
    )
    mean_error: float | None = Field(default=None, description="mean of the absolute errors; of predicted rows")
    median_error: float | None = Field(default=None, description="their median; of predicted rows")
    largest_error: float | None = Field(default=None, description="the largest absolute error; of predicted rows")
    in_span: int | None = Field(
        default=None,
        description="predicted rows whose published value lies in the span; null where no span was asked for",
    )
    without_error: list[str] = Field(default=[], description="predicted rows that are published as 0 or in words")


class PaperScore(Record):
    """How a paper's numbers fare: those without a value of ours yet are `open`."""

    published: int
    compared: int
    duplicates: int
    open: int
    false_claims: list[str] = Field(default=[], description="rows that the paper claims and that are false here")
    roles: dict[Role, RoleScore]


class FigureSeries(Record):
    """A curve of a figure: our values, of models, or the published ones, by place; null where there is none."""

    name: str
    kind: Literal["modelled", "published"]
    values: list[float | None]


class PaperFigure(Record):
    """A figure of a paper, drawn again from models."""

    paper: str
    name: str
    title: str
    x_label: str
    x_unit: str
    x: list[int | float | str]
    y_label: str
    y_unit: str
    stacked: bool = Field(default=False, description="the values of a series are the parts of a whole")
    series: list[FigureSeries]


class ReproduceFile(File, kind="reproduce"):
    """`reproduce [PAPER...] --json FILE`."""

    rows: list[PaperRow]
    score: dict[str, PaperScore] = Field(description="by paper, and `all` of them together")
    held_out: list[HeldOutNumber] = Field(default=[], description="with --hold-out: the rows of the experiment")
    figures: list[PaperFigure] = Field(default=[], description="with --figures: the papers' figures, drawn again")
