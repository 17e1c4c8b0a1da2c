"""What is wrong with the experiments of a paper, told before the first of them runs."""

from collections.abc import Mapping
from pathlib import Path

from isthmus.errors import IsthmusError
from isthmus.names import unknown
from isthmus.probes import PROBES
from isthmus.reproduction.claims import CLAIMS
from isthmus.reproduction.expressions import KINDS, experiment_of, kind_of_expression, parts_of
from isthmus.reproduction.formulas import FORMULAS
from isthmus.reproduction.laboratory import Bench, target_of
from isthmus.reproduction.published import Paper, PublishedRow, place_of_row
from isthmus.sizes import parse_size
from isthmus.targets import FLOWS, check_target

SHAPES = {  # the words after the kind; those in brackets may be left out
    "input": "BOARD:KEY",
    "run": "BOARD:FLOW:FIELD[:NAME]",
    "rate": "BOARD:FLOW:NAME",
    "saturation": "BOARD:FLOW:KEY",
    "probe": "BOARD:PROBE:SIZE",
    "probe-time": "BOARD:PROBE:SIZE",
    "accesses": "BOARD:PROBE:SIZE:BURST",
}


def check_paper(path: Path, paper: Paper, published: Mapping[str, PublishedRow], bench: Bench) -> None:
    """Refuses an experiment that cannot be evaluated, with the line of its row."""
    for number, row in enumerate(paper.row):
        experiments = [row.experiment, *(reading.experiment for reading in row.readings)]
        try:
            if row.same_as is not None and row.same_as not in published:
                raise unknown("row", row.same_as, list(published))
            for expression in filter(None, experiments):
                _check(expression, published, bench)
            _refuse_circles(row, published)
        except IsthmusError as error:
            raise IsthmusError(f"{place_of_row(path, number)}: row '{row.id}': {error}") from error


def _check(expression: str, published: Mapping[str, PublishedRow], bench: Bench) -> None:
    kind, _, rest = expression.partition(":")
    if kind not in KINDS:
        raise unknown("experiment", kind, KINDS, expression)
    if kind in ("row", "ratio"):
        _check_parts(expression, published, bench)
        return
    name = rest.partition(":")[0]
    if kind in ("formula", "claim"):
        table: Mapping[str, object] = FORMULAS if kind == "formula" else CLAIMS
        if name not in table:
            raise unknown(kind, name, list(table), expression)
        return
    words, shape = rest.partition("@")[0].split(":"), SHAPES[kind].replace("]", "").split("[")
    least, most = (text.count(":") + 1 for text in (shape[0], "".join(shape)))
    if not least <= len(words) <= most:
        raise IsthmusError(f"experiment '{expression}': expected {kind}:{SHAPES[kind]}")
    _check_words(kind, words, rest.partition("@")[2], bench)


def _check_parts(expression: str, published: Mapping[str, PublishedRow], bench: Bench) -> None:
    parts = parts_of(expression)
    if kind_of_expression(expression) == "ratio" and len(parts) != 2:
        raise IsthmusError(f"experiment '{expression}': expected ratio:A / B")
    for part in parts:
        if ":" in part:
            _check(part, published, bench)
        elif part not in published:
            raise unknown("row", part, list(published), expression)


def _check_words(kind: str, words: list[str], sets: str, bench: Bench) -> None:
    board, second = words[0], words[1]
    check_target(target_of(board))
    inputs = {item.key for item in bench.platform(target_of(board), sets.split(",") if sets else ()).inputs}
    key = second if kind == "input" else words[2] if kind == "saturation" else None
    if key is not None and key not in inputs:
        raise unknown("key", key, sorted(inputs), board)
    if kind in ("run", "rate", "saturation") and second not in FLOWS:
        raise unknown("flow", second, FLOWS)
    if kind in ("probe", "probe-time", "accesses"):
        if second not in PROBES:
            raise unknown("probe", second, list(PROBES))
        for size in words[2:]:
            parse_size(size)


def _refuse_circles(row: PublishedRow, published: Mapping[str, PublishedRow]) -> None:
    """A row that is made of itself, through others, has no value."""
    waiting, seen = [row.id], set()
    while waiting:
        name = waiting.pop()
        made_of = [part for part in parts_of(experiment_of(published[name]) or "") if ":" not in part]
        if row.id in made_of:
            raise IsthmusError(f"experiment '{row.experiment or f'row:{row.same_as}'}': made of itself")
        waiting += [part for part in made_of if part in published and part not in seen]
        seen |= set(made_of)
