"""The first images, messages, ... of a run: when each was in which step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from isthmus.base.numbers import seconds
from isthmus.records.run import Row, Step
from isthmus.report.axes import Tick, every
from isthmus.show.output import Table
from isthmus.show.verdict import kind_of, place_of

LINE = 22  # pixels from image to image
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))
_NAMED_TIMES = 5


@dataclass(frozen=True)
class Bar:
    """A step of an image or message, in percent of the shown time; `style` is its place among the steps."""

    begin: float
    width: float
    style: int
    title: str


def bar(begin: float, end: float, of: float, style: int, title: str) -> Bar:
    """A bar from begin to end of a time that lasts `of`, in any unit."""
    return Bar(round(100 * begin / of, 3), round(100 * max(0.0, end - begin) / of, 3), style, title)


@dataclass(frozen=True)
class Lane:
    """A line of bars, such as those of an image."""

    name: str
    top: int
    bars: list[Bar]


@dataclass(frozen=True)
class TimelineChart:
    """Lanes over one time: first images of a row of a study, replications of a kernel, or bars of a figure."""

    label: str
    steps: list[str]
    times: list[Tick]
    lanes: list[Lane]
    height: int
    end: str
    table: Table
    names: list[str] = field(default_factory=list)
    """The meaning of the lanes' names, where it is not plain."""
    wide: bool = False
    """Tells whether the names of the lanes are words."""


def timelines(rows: Sequence[Row], named: bool, how: Callable[[Row], str]) -> list[TimelineChart]:
    """A timeline for each row that is right and has its first images, `how` after its place; `named` after its
    application too.
    """
    shown = [row for row in rows if row.verified and _end(row) > 0]
    return [_timeline(row, f"{row.application}, " if named else "", how(row)) for row in shown]


def _timeline(row: Row, prefix: str, how: str) -> TimelineChart:
    one = row.counted.removesuffix("s")
    end = _end(row)
    steps = list(dict.fromkeys(step.name for image in row.first_images for step in image.steps))
    lanes = [
        Lane(
            str(image.image),
            number * LINE,
            [
                bar(step.begin_s, step.end_s, end, steps.index(step.name), f"{one} {image.image}, {_told(step)}")
                for step in image.steps
            ],
        )
        for number, image in enumerate(row.first_images)
    ]
    label = f"{prefix}{place_of(row)}, {how}, {kind_of(row)}"
    return TimelineChart(label, steps, ticks(end), lanes, len(lanes) * LINE, seconds(end), _table(row, label))


def _told(step: Step) -> str:
    return f"{step.name}: {seconds(step.begin_s)} to {seconds(step.end_s)}"


def _end(row: Row) -> float:
    return max((step.end_s for image in row.first_images for step in image.steps), default=0.0)


def ticks(end: float) -> list[Tick]:
    scale, unit = next(((scale, unit) for scale, unit in _UNITS if end >= scale), (1e-9, "ns"))
    step = every(0, end, _NAMED_TIMES)
    count = int(end / step + 1e-9)
    return [
        Tick(round(100 * number * step / end, 3), f"{number * step / scale:g} {unit}") for number in range(count + 1)
    ]


def _table(row: Row, label: str) -> Table:
    columns = (row.counted.removesuffix("s"), "step", "begin", "end")
    cells = [
        (str(image.image), step.name, seconds(step.begin_s), seconds(step.end_s))
        for image in row.first_images
        for step in image.steps
    ]
    return Table(columns, cells, numbers=frozenset({"begin", "end"}), title=f"first {row.counted} of {label}")
