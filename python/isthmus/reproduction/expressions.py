"""Our value of the `experiment` of a published row; papers/README.md defines the language."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from isthmus.base.errors import IsthmusError
from isthmus.base.names import unknown
from isthmus.base.numbers import is_number
from isthmus.base.sizes import parse_size
from isthmus.records.base import Value
from isthmus.records.run import Row
from isthmus.reproduction.claims import CLAIMS, ClaimNumber, saturation
from isthmus.reproduction.formulas import FORMULAS
from isthmus.reproduction.model_runs import ModelRuns, NotOfferedError
from isthmus.reproduction.published import PublishedRow
from isthmus.reproduction.units import convert
from isthmus.reproduction.works import stage_s, works_of
from isthmus.running.methods import TREE

# What one probe gives.
PROBED = frozenset({"probe", "probe-time", "probe-cycles", "accesses", "requests", "crossing", "lead"})
CHANGED = PROBED | {"application"}  # in which numbers may be replaced
WHOLE = {"run", "rate", "saturation", "overtakes", "maintained", "reduction"}  # of more than one number
MODEL = CHANGED | WHOLE  # what the model computes
OF_TWO = ("ratio", "sum", "mean", "loss")  # values of rows and experiments, A / B
KINDS = (*sorted(MODEL), "input", *OF_TWO, "row", "formula", "claim")

STAGE = "stage"  # the field behind which the name of one stands

# The unit of what an experiment gives, and of the fields of a run; those that are not here have none, or an input's.
UNITS = {"rate": "GB/s", "saturation": "B", "probe": "GB/s", "probe-time": "s", "accesses": "MOPS"}
FIELDS = {
    **dict.fromkeys(("elapsed_s", "setup_s", STAGE), "s"),
    **dict.fromkeys(("images", "width", "height", "images_per_s", "size", "stencil"), ""),
    **{"gb_per_s": "GB/s", "bytes_per_image": "B", "bytes_per_pixel": "B"},
}

# Fields of an application's run; a dot leads into a record.
ROW_FIELDS = {
    **{"value": "1/s", "gb_per_s": "GB/s", "latency.p50_s": "s", "bytes_per_entry": "B"},
    **dict.fromkeys(("elapsed_s", STAGE), "s"),
    **dict.fromkeys(("cores", "aes_streams", "speedup.mean"), ""),
}


@dataclass(frozen=True)
class Evaluator:
    """Gives our values on one set of models; `published` resolves the ids of other rows."""

    models: ModelRuns
    published: Mapping[str, PublishedRow]

    def value(self, expression: str, unit: str) -> Value:
        """The value of an experiment in a unit; an IsthmusError names what is wrong with the expression."""
        kind, _, rest = expression.partition(":")
        if kind not in KINDS:
            raise unknown("experiment", kind, KINDS, expression)
        try:
            return self._value(kind, rest, unit)
        except (ValueError, KeyError) as error:
            raise IsthmusError(f"experiment '{expression}': {error}") from error

    def judged(self, expression: str) -> float | None:
        """The number that a claim is about; None if the experiment is no claim."""
        number = number_of(expression)
        return None if number is None else number.of(self.models, *expression.split(":")[2:-2])

    def of_row(self, row_id: str, unit: str | None = None) -> Value:
        """Our value of a published row, in its own unit unless one is given."""
        if row_id not in self.published:
            raise unknown("row", row_id, list(self.published))
        row = self.published[row_id]
        expression = experiment_of(row)
        if expression is None:
            raise IsthmusError(f"row '{row_id}' has no experiment")
        value = self.value(expression, row.unit)
        return value if unit is None or not is_number(value) else convert(float(value), row.unit, unit)

    def _known(self, row_id: str) -> float:
        """Our value of a row; the published one of a board that is not modelled."""
        row = self.published.get(row_id)
        return number_in(self.of_row(row_id) if row is None or experiment_of(row) else row.value)

    def stages(self, expression: str) -> dict[str, float]:
        """Seconds of each stage of the run whose whole time or rate an experiment gives; none for other experiments."""
        words = expression.split(":")
        if words[0] != "run" or words[3:] not in (["elapsed_s"], ["images_per_s"]):
            return {}
        return {stage.name: stage.time_s for stage in self.models.run(words[1], words[2]).stages}

    def _value(self, kind: str, rest: str, unit: str) -> Value:
        if kind == "row":
            return self.of_row(rest, unit)
        if kind in OF_TWO:
            return self._of_two(kind, rest, unit)
        if kind == "formula":
            name, _, argument = rest.partition(":")
            return FORMULAS[name].compute(self.models, argument)
        words = rest.split(":")
        if kind == "claim":
            return CLAIMS[words[0]].holds(self.models, self._known, *words[1:])
        return self._measured(kind, words, rest, unit)

    def _measured(self, kind: str, words: list[str], rest: str, unit: str) -> Value:
        if kind == "input":
            item = self.models.input(words[0], words[1])
            known = item.value if not isinstance(item.value, list) else str(item.value)
            return convert(float(known), item.unit or "", unit) if is_number(known) else known
        if kind == "run":
            return _field(self.models.run(words[0], words[1]), words[2:], unit)
        if kind == "rate":
            row = self.models.run(words[0], words[1])
            return convert(row.gb_per_s * row.elapsed_s / stage_s(row, words[2]), "GB/s", unit)
        if kind == "saturation":
            return convert(saturation(self.models, words[0], words[1], words[2]), "B", unit)
        if kind == "overtakes":
            first, second = (self.models.iterations(board, words[2], int(words[3])) for board in words[:2])
            return overtaken(first, second)
        if kind == "maintained":
            return 100 * self._maintained(words[0], [parse_size(size) for size in words[1].split(",")])
        if kind == "reduction":
            return 100 * self._reduction(words[0], words[1].split(","), works_of(words[2]))
        if kind == "application":
            return self._application(rest, unit)
        return self._probe(kind, rest, unit)

    def _application(self, rest: str, unit: str) -> float:
        place, _, sets = rest.partition("@")
        board, application, flow, name, *stage = place.split(":")
        row = self.models.application(board, application, flow, sets.split(",") if sets else [])
        if name == STAGE:
            return convert(stage_s(row, stage[0]), ROW_FIELDS[name], unit)
        value: object = row.model_dump()
        for word in name.split("."):
            value = value.get(word) if isinstance(value, dict) else None
        if not is_number(value):
            raise NotOfferedError(f"a run of '{application}' does not tell '{name}'")
        return convert(float(value), ROW_FIELDS[name], unit)

    def _maintained(self, board: str, sizes: list[int]) -> float:
        """The mean share of a core's maintenance in it and the transfer through HP, of both directions."""
        shares: list[float] = []
        for operation, transfer in (("flush", "port-tx"), ("invalidate", "port-rx")):
            kept = self.models.probe(board, "maintenance", sizes, [f"op={operation}"])
            moved = self.models.probe(board, transfer, sizes, ["port=hp", "state=written"])
            shares += [moved[size] / (kept[size] + moved[size]) for size in sizes]
        return math.fsum(shares) / len(shares)

    def _reduction(self, board: str, methods: list[str], works: list[tuple[str, list[str]]]) -> float:
        """The mean share of time that the tree's choice saves over works; the least of the methods."""
        saved: dict[str, list[float]] = {method: [] for method in methods}
        for application, changes in works:
            best = self.models.chosen_by_tree(board, application, changes, TREE)
            for method in methods:
                saved[method].append(1 - best / self.models.chosen_by_tree(board, application, changes, method))
        return min(math.fsum(of_method) / len(works) for of_method in saved.values())

    def _probe(self, kind: str, rest: str, unit: str) -> float:
        place, _, sets = rest.partition("@")
        board, probe, *size_texts = place.split(":")
        changes = sets.split(",") if sets else []
        if kind in ("crossing", "lead"):
            return self._between_channels(kind, board, probe, size_texts, changes)
        if kind == "requests":
            return self.models.requests(board, probe, parse_size(size_texts[0]), size_texts[1], changes)
        size, *burst = map(parse_size, size_texts)
        if kind == "accesses":
            return convert(self.models.accesses(board, probe, size, burst[0], changes) * 1e-6, "MOPS", unit)
        if kind == "probe":
            return convert(self.models.probe(board, probe, [size], changes)[size], "GB/s", unit)
        time = self.models.probe_time(board, probe, size, changes)
        if kind == "probe-cycles":
            return time * self.models.number(board, "cache.clock") * 1e6
        return convert(time, "s", unit)

    def _between_channels(self, kind: str, board: str, probe: str, words: list[str], changes: list[str]) -> float:
        """Compares two channels over lines: up to where the first is ahead, or by how many cycles at so many lines."""
        first, second, *numbers = words
        line = int(self.models.number(board, "cache.line"))
        if kind == "lead":
            size = line * int(numbers[0])
            times = [
                self.models.probe_time(board, probe, size, [*changes, f"channel={one}"]) for one in (second, first)
            ]
            return (times[0] - times[1]) * self.models.number(board, "cache.clock") * 1e6
        low, high, margin = int(numbers[0]), int(numbers[1]), float(numbers[2])
        lines = range(low, high + 1)  # each: where reads come in groups, the ratio is a saw
        ahead, behind = (
            self.models.probe(board, probe, [line * count for count in lines], [*changes, f"channel={one}"])
            for one in (first, second)
        )
        return crossing({count: ahead[line * count] / behind[line * count] for count in lines}, 1 + margin / 100)

    def _of_two(self, kind: str, rest: str, unit: str) -> float:
        texts = [text.strip() for text in rest.split(" / ")]
        units = [self.published[text].unit for text in texts if text in self.published]
        own = units[0] if units else ""
        values = (self.value(text, own) if ":" in text else self.of_row(text, own) for text in texts)
        over, under = map(number_in, values)
        if kind in ("sum", "mean"):
            return (over + under) / (2 if kind == "mean" else 1)
        whole = 100 if unit == "%" else 1
        return whole * (1 - over / under if kind == "loss" else over / under)


def overtaken(first: tuple[float, float], second: tuple[float, float]) -> float:
    """The iteration from which the first is ahead; each has the end of its first iteration and the time of more."""
    behind, gains = first[0] - second[0], second[1] - first[1]
    return math.inf if gains <= 0 < behind else max(1.0, 1 + math.ceil(behind / gains))


def crossing(ratios: Mapping[int, float], level: float) -> float:
    """The first place at which a ratio falls to a level, interpolated by logarithms; the end if it never does."""
    points = sorted(ratios.items())
    for (left, before), (right, after) in pairwise(points):
        if before >= level > after:
            part = math.log(before / level) / math.log(before / after)
            return float(left * (right / left) ** part)
    return float(points[0][0] if points[0][1] < level else points[-1][0])


def number_of(expression: str) -> ClaimNumber | None:
    """The number that a claim is about; None for a claim about none, and for any other experiment."""
    kind, _, rest = expression.partition(":")
    claim = CLAIMS.get(rest.partition(":")[0]) if kind == "claim" else None
    return None if claim is None else claim.number


def experiment_of(row: PublishedRow) -> str | None:
    """The source of our value of a row: its experiment, or the row that states the same number."""
    return row.experiment or (f"row:{row.same_as}" if row.same_as else None)


def kind_of_expression(expression: str) -> str:
    """The kind of an experiment: the word before the first colon."""
    return expression.partition(":")[0]


def parts_of(expression: str) -> list[str]:
    """The parts of an experiment: ids of rows and experiments; nothing if it has none."""
    kind, _, rest = expression.partition(":")
    return [part.strip() for part in rest.split(" / ")] if kind in OF_TWO else [rest] if kind == "row" else []


def operands(expression: str) -> list[str]:
    """The rows that an experiment is made of: those of a ratio and of a reference."""
    return [part for part in parts_of(expression) if ":" not in part]


def leaves(expression: str | None, published: Mapping[str, PublishedRow]) -> list[str]:
    """The experiments that compute something, through every ratio and reference to a row."""
    if expression is None:
        return []
    parts = parts_of(expression)
    below = [part if ":" in part else experiment_of(published[part]) for part in parts]
    return [leaf for part in below for leaf in leaves(part, published)] if parts else [expression]


def observation(expression: str, published: Mapping[str, PublishedRow]) -> str:
    """The observation of an experiment: one name for a time and its rate, a ratio and its inverse, or one run."""
    kind, _, rest = expression.partition(":")
    seen = [observation(part if ":" in part else experiment_of(published[part]) or part, published)
            for part in parts_of(expression)]  # fmt: skip
    if kind in ("row", "ratio"):
        return seen[0] if len(set(seen)) == 1 else f"ratio:{' / '.join(sorted(seen))}"
    words = rest.split(":")
    if kind == "run" and words[2:] in (["elapsed_s"], ["images_per_s"], ["gb_per_s"]):
        return f"run:{words[0]}:{words[1]}"
    if kind == "rate" or words[2:3] == ["stage"]:
        return f"run:{words[0]}:{words[1]}:{words[-1]}"
    return f"probe:{rest}" if kind in ("probe-time", "probe-cycles") else expression


def board_of(leaf: str, known: list[str]) -> str | None:
    """The board of an experiment that is made of no other: one that is installed, or a platform file."""
    words = leaf.partition("@")[0].split(":")
    return next((word for word in words[1:] if word in known or word.endswith(".toml")), None)


def _field(row: Row, words: list[str], unit: str) -> Value:
    name = words[0]
    if name == STAGE:
        return convert(stage_s(row, words[1]), FIELDS[name], unit)
    if name == "size":
        return f"{row.width} x {row.height}"
    if name == "stencil":
        taps = row.model_dump().get("taps")
        if taps is None:
            raise NotOfferedError("the tool does not say how many taps the filter has")
        side = math.isqrt(int(taps))
        return f"{side} x {side}"
    known = row.model_dump()
    value = known["bytes_per_image"] / (known["width"] * known["height"]) if name == "bytes_per_pixel" else known[name]
    if not is_number(value):
        raise IsthmusError(f"field '{name}' of a run is no number")
    return convert(float(value), FIELDS.get(name, ""), unit)


def number_in(value: Value) -> float:
    """The number that an experiment gives; an IsthmusError where it gives none."""
    if not is_number(value):
        raise IsthmusError(f"expected a number, got {value!r}")
    return float(value)
