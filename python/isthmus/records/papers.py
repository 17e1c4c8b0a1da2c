"""The papers' numbers beside ours."""

from typing import Literal

from pydantic import Field

from isthmus.records.base import File, Record, Value

Role = Literal["input", "derived", "predicted", "checked", "claim", "outside"]


class Structure(Record):
    """What a model gives without calibrated inputs; least and most with an assumed one at an end of its range."""

    without_calibrated: float
    low: float
    low_with: str
    high: float
    high_with: str


class Recalibrated(Record):
    """A calibrated number whose experiment was held out: found again from other experiments, or turned off."""

    key: str
    unit: str
    old: float
    new: float | None = Field(description="null: no other experiment tells it, and it is turned off")
    set: str


class HeldOut(Record):
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


class PaperRow(Record):
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


class RoleScore(Record):
    """The rows of one role, duplicates once."""

    rows: int
    agree: int | None = Field(
        default=None, description="within 15 % of the published value, claims that hold, arithmetic within 2 %"
    )
    mean_error: float | None = Field(default=None, description="mean of the absolute errors; of predicted rows")
    largest_error: float | None = Field(default=None, description="the largest absolute error; of predicted rows")


class PaperScore(Record):
    """How a paper's numbers fare: those without a value of ours yet are `open`."""

    published: int
    compared: int
    duplicates: int
    open: int
    roles: dict[Role, RoleScore]


class ReproduceFile(File):
    """`reproduce [PAPER...] --json FILE`."""

    schema_: Literal["isthmus.reproduce/1"] = Field(default="isthmus.reproduce/1", alias="schema")
    rows: list[PaperRow]
    score: dict[str, PaperScore] = Field(description="by paper, and `all` of them together")
    held_out: list[HeldOut] = Field(default=[], description="with --hold-out: the rows of the experiment")
