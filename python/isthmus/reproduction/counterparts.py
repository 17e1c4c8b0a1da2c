"""Our counterpart of a published number: a number of a board, a probe, a run, a plain function, or two of these.

A function of one's own takes the models (`ModelRuns`) and what its row gives it, such as the name of a board. It asks
`models.number(BOARD, "pcie.lanes")`, `models.of(COUNTERPART)` and, for a row by its id, `models.of(ID)`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from traceback import extract_tb
from types import FunctionType
from typing import TYPE_CHECKING, ClassVar, Literal, TypeGuard

from isthmus.base.errors import IsthmusError
from isthmus.base.names import unknown
from isthmus.base.numbers import is_number
from isthmus.base.sizes import parse_size
from isthmus.records.run import Row
from isthmus.reproduction.model_runs import APPLICATION, ModelRuns, NotOfferedError
from isthmus.reproduction.units import Amount, Between, Found, convert

if TYPE_CHECKING:
    from isthmus.reproduction.published import PublishedRow

Sort = Literal["input", "arithmetic", "model", "claim"]
STAGE, RATE = "stage", "rate"

PROBED = {RATE: "GB/s", "time": "s", "cycles": "", "accesses": "MOPS", "requests": ""}  # what a probe tells


class Counterpart(ABC):
    """Computes our value of a row.

    sort: what gives the value, by which the row gets its role; None if its parts do.
    unit: of the value, "" where any will do.
    boards: what may be the name of a board in it.
    parts: the rows, by id, and the counterparts that it is made of.
    """

    sort: ClassVar[Sort | None] = "model"

    @property
    def unit(self) -> str:
        return ""

    @property
    def boards(self) -> Sequence[str]:
        return ()

    @property
    def parts(self) -> "Sequence[str | Counterpart]":
        return ()

    @abstractmethod
    def found(self, models: ModelRuns, unit: str) -> Found:
        """The value on some models, in a unit."""

    def seen(self, published: "Mapping[str, PublishedRow]") -> str:
        """The observation: two rows of one observation, such as a time and its rate, are one prediction."""
        return repr(self)

    def stages(self, models: ModelRuns) -> dict[str, float]:
        """Seconds of each stage of the run of which it gives the whole time or rate."""
        return {}


@dataclass(frozen=True)
class OnBoard(Counterpart):
    """A counterpart of one board."""

    board: str

    @property
    def boards(self) -> Sequence[str]:
        return (self.board,)


@dataclass(frozen=True)
class Given(OnBoard):
    """What the description of a board says for a key."""

    sort = "input"
    key: str

    def found(self, models: ModelRuns, unit: str) -> Found:
        item = models.input(self.board, self.key)
        known = item.value if not isinstance(item.value, list) else str(item.value)
        return convert(float(known), item.unit or "", unit) if is_number(known) else known


@dataclass(frozen=True)
class Probed(OnBoard):
    """What a probe tells at a size: the `rate`, the `time` of one pass, its `cycles` of cache.clock, millions of
    `accesses` a second, or the `requests` that went over a channel.

    changes: KEY=VALUE,... of numbers of the board, of options of the probe (`channel=vh0`), and of what chooses among
    its records (`access=read`).
    """

    probe: str
    size: str
    changes: str = ""
    tell: str = RATE
    over: str = ""

    def __post_init__(self) -> None:
        if self.tell not in PROBED:
            raise unknown("way to tell", self.tell, list(PROBED))

    @property
    def unit(self) -> str:
        return PROBED[self.tell]

    def found(self, models: ModelRuns, unit: str) -> Found:
        size, changes = parse_size(self.size), listed(self.changes)
        if self.tell == "requests":
            return models.requests(self.board, self.probe, size, self.over, changes)
        if self.tell == "accesses":
            return convert(models.accesses(self.board, self.probe, size, changes) * 1e-6, self.unit, unit)
        if self.tell == RATE:
            return convert(models.probe(self.board, self.probe, [size], changes)[size], self.unit, unit)
        time = models.probe_time(self.board, self.probe, size, changes)
        if self.tell == "cycles":
            return time * models.number(self.board, "cache.clock") * 1e6
        return convert(time, self.unit, unit)

    def seen(self, published: "Mapping[str, PublishedRow]") -> str:
        return repr(replace(self, tell=RATE) if self.tell in ("time", "cycles") else self)


@dataclass(frozen=True)
class Run(OnBoard):
    """A field of the row of an application; of one `stage` its time, or the `rate` of the application's bytes.

    The image filter runs with 200 images. A dot in a field leads into a record: `latency.p50_s`.
    changes: NAME=VALUE,... of its parameters, of numbers of the board, `count`, and where ports move its buffers
    `delay` and `method` (the decision tree's where none is named).
    """

    application: str
    flow: str
    field: str
    changes: str = ""
    stage: str = ""

    @property
    def unit(self) -> str:
        name = self.field.rpartition(".")[2]
        if name in (RATE, "gb_per_s"):
            return "GB/s"
        if name == STAGE or (name.endswith("_s") and not name.endswith("_per_s")):
            return "s"
        return "B" if name.startswith("bytes_") else "1/s" if name == "value" else ""

    @property
    def of_images(self) -> bool:
        """Tells whether it is the run that grows with the images asked for."""
        return self.application == APPLICATION and not self.changes

    def found(self, models: ModelRuns, unit: str) -> Found:
        return convert(self._value(self._row(models)), self.unit, unit)

    def _row(self, models: ModelRuns) -> Row:
        if self.of_images:
            return models.run(self.board, self.flow)
        return models.application(self.board, self.application, self.flow, listed(self.changes))

    def _value(self, row: Row) -> float:
        if self.field == STAGE:
            return stage_s(row, self.stage)
        if self.field == RATE:
            return row.gb_per_s * row.elapsed_s / stage_s(row, self.stage)
        value: object = row.model_dump()
        for word in self.field.split("."):
            value = value.get(word) if isinstance(value, dict) else None
        if not is_number(value):
            raise NotOfferedError(f"a run of '{self.application}' has no number '{self.field}'")
        return float(value)

    def seen(self, published: "Mapping[str, PublishedRow]") -> str:
        whole = ("elapsed_s", "images_per_s", "gb_per_s")
        if not self.of_images:
            return repr(self)
        return repr(replace(self, field="" if self.field in whole else self.stage or self.field))

    def stages(self, models: ModelRuns) -> dict[str, float]:
        if not self.of_images or self.field not in ("elapsed_s", "images_per_s"):
            return {}
        return {stage.name: stage.time_s for stage in self._row(models).stages}


class _Function(Counterpart):
    """A plain function of models and of what its row gives it: boards and counterparts, the only ones that it may ask
    for, and values.
    """

    expected = "a number, or Amount(VALUE, UNIT)"

    def __init__(self, function: Callable[..., object], *given: object) -> None:
        if not isinstance(function, FunctionType):
            raise TypeError(f"expected a function, got {function!r}")
        self.function, self.given = function, given

    @property
    def boards(self) -> Sequence[str]:
        named = [word for word in self.given if isinstance(word, str)]
        return [*named, *(board for part in self.parts for board in part.boards)]

    @property
    def parts(self) -> "Sequence[Counterpart]":
        return [part for part in self.given if isinstance(part, Counterpart)]

    def seen(self, published: "Mapping[str, PublishedRow]") -> str:
        code = self.function.__code__
        return f"{code.co_filename}:{code.co_firstlineno}{self.given}"

    def found(self, models: ModelRuns, unit: str) -> Found:
        try:
            value = self.function(models.limited_to([*self.boards, *operands(self)]), *self.given)
        except IsthmusError:
            raise
        except Exception as error:
            raise IsthmusError(f"{self._place(error)}: {type(error).__name__}: {error}") from error
        if isinstance(value, Amount):
            return convert(value.value, value.unit, unit)
        if self._is_answer(value):
            return value
        raise IsthmusError(f"{self._place()}: expected {self.expected}, got {value!r}")

    def _is_answer(self, value: object) -> TypeGuard[Found]:
        return is_number(value)

    def _place(self, error: Exception | None = None) -> str:
        """FILE:LINE of the function, or of its line that raised an error."""
        code = self.function.__code__
        frames = extract_tb(error.__traceback__) if error else []
        lines = [frame.lineno for frame in frames if frame.filename == code.co_filename]
        return f"{code.co_filename}:{(lines or [code.co_firstlineno])[-1]}: {self.function.__name__}"


class Formula(_Function):
    """Arithmetic of the paper, on its own numbers or on those of boards: a function that returns a number."""

    sort = "arithmetic"


class Model(_Function):
    """What a function computes from probes and runs: a number, or the words of a row."""

    def _is_answer(self, value: object) -> TypeGuard[Found]:
        return isinstance(value, str) or is_number(value)


class Claim(_Function):
    """A statement of the paper: a function that returns whether it holds, or `Between`.

    spanned: whether the assumed inputs are taken to the ends of their ranges for the number that it is about.
    """

    sort = "claim"
    expected = "True, False or Between(...)"

    def __init__(self, function: Callable[..., bool | Between], *given: object, spanned: bool = True) -> None:
        super().__init__(function, *given)
        self.spanned = spanned

    def _is_answer(self, value: object) -> TypeGuard[Found]:
        return isinstance(value, bool | Between)


@dataclass(frozen=True)
class Same(Counterpart):
    """Our value of another row."""

    sort = None
    row: str

    @property
    def parts(self) -> "Sequence[str | Counterpart]":
        return (self.row,)

    def found(self, models: ModelRuns, unit: str) -> Found:
        return models.of(self.row, unit)

    def seen(self, published: "Mapping[str, PublishedRow]") -> str:
        return _seen(self.row, published)


@dataclass(frozen=True)
class Published(Counterpart):
    """The published number of a row, to be drawn in a figure."""

    sort = None
    row: str

    def found(self, models: ModelRuns, unit: str) -> Found:
        row = models.row(self.row)
        if not is_number(row.value):
            raise IsthmusError(f"row '{row.id}': expected a published number, got '{row.value}'")
        return convert(row.value, row.unit, unit)


@dataclass(frozen=True, repr=False)
class Combined(Counterpart):
    """A function of two numbers, each our value of a row, by its id, or of a counterpart, both in one unit."""

    sort = None
    function: Callable[[float, float], float]
    one: "str | Counterpart"
    other: "str | Counterpart"

    def __repr__(self) -> str:
        return f"{self.function.__name__}({self.one!r}, {self.other!r})"

    @property
    def boards(self) -> Sequence[str]:
        return [board for part in self.parts if isinstance(part, Counterpart) for board in part.boards]

    @property
    def parts(self) -> "Sequence[str | Counterpart]":
        return (self.one, self.other)

    def found(self, models: ModelRuns, unit: str) -> Found:
        units = [models.row(part).unit for part in self.parts if isinstance(part, str)]
        one, other = (models.number_of(part, units[0] if units else "") for part in self.parts)
        return self.function(one, other)

    def seen(self, published: "Mapping[str, PublishedRow]") -> str:
        if not self.is_ratio:
            return repr(self)
        seen = {_seen(part, published) for part in self.parts}
        return seen.pop() if len(seen) == 1 else f"{RATIO}{' / '.join(sorted(seen))}"

    @property
    def is_ratio(self) -> bool:
        return self.function in (over, percent)


RATIO = "ratio:"  # before the observation of what is no ratio of a run to itself


def over(one: float, other: float) -> float:
    return one / other


def percent(one: float, other: float) -> float:
    return 100 * one / other


def ratio(one: "str | Counterpart", other: "str | Counterpart") -> Combined:
    """Our value of one row, by its id, or counterpart over that of another."""
    return Combined(over, one, other)


def _seen(part: "str | Counterpart", published: "Mapping[str, PublishedRow]") -> str:
    counterpart = published[part].counterpart if isinstance(part, str) else part
    return str(part) if counterpart is None else counterpart.seen(published)


def leaves(whole: Counterpart | None, published: "Mapping[str, PublishedRow]") -> list[Counterpart]:
    """The counterparts that compute something themselves, through every ratio and reference to a row."""
    if whole is None or whole.sort is not None:
        return [whole] if whole else []
    below = (published[part].counterpart if isinstance(part, str) else part for part in whole.parts)
    return [leaf for part in below for leaf in leaves(part, published)]


def operands(whole: Counterpart | None) -> list[str]:
    """The rows that a counterpart is made of."""
    parts = whole.parts if whole else ()
    return [row for part in parts for row in ([part] if isinstance(part, str) else operands(part))]


def boards_of(leaf: Counterpart, known: Sequence[str]) -> list[str]:
    """The boards that a counterpart names: those that are installed, and platform files."""
    return [word for word in leaf.boards if word in known or word.endswith(".toml")]


def listed(changes: str) -> list[str]:
    """Each KEY=VALUE of a text with commas between."""
    return changes.split(",") if changes else []


def stage_s(row: Row, name: str) -> float:
    """Seconds of a stage of a run."""
    for stage in row.stages:
        if stage.name == name:
            return stage.time_s
    raise unknown("stage", name, [stage.name for stage in row.stages], f"{row.target} {row.flow}")
