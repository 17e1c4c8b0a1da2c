"""Models fitted to measurements."""

from typing import Literal

from pydantic import Field

from isthmus.records.base import File, Record


class CalibratedKey(Record):
    """A number of a platform file that a calibration changed.

    One that is at an end of its range is not called calibrated: the records want it beyond.
    """

    key: str
    old: float
    new: float
    unit: str
    at_end: Literal["least", "most"] | None = Field(default=None, description="the end of its range at which it is")


class CurveError(Record):
    """How far a model's times are from measured ones: absolute errors over the sizes of one probe."""

    name: str
    which: Literal["fitted", "left out"]
    sizes: int
    median: float
    largest: float


class CalibrateFile(File, kind="calibrate"):
    """`calibrate FILE --from RECORDS --json FILE`; of keys that stand together only the first was changed."""

    file: str
    keys: list[CalibratedKey]
    together: list[list[str]] = Field(description="keys whose effects the records cannot distinguish")
    silent: list[str] = Field(description="keys that the records say nothing of")
    curves: list[CurveError]
    median_fitted: float | None = Field(description="median absolute error over all fitted points")
    median_left_out: float | None = Field(description="the same at the sizes left out, of the probes that were fitted")
    runs_differ: float | None = Field(
        default=None, description="of several runs: half of their range over the median, of all points the median"
    )
