"""Two files of results against each other: new over old for each record, with an interval where there are samples."""

import random
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from isthmus.base.errors import IsthmusError
from isthmus.base.names import nearest
from isthmus.base.parsing import checked, read_json
from isthmus.records.listings import Comparison
from isthmus.results.kinds import Kind, commands, kind_of, name_of, names, schema_of
from isthmus.results.values import TIMES, is_wrong, rate_of, record_name

RESAMPLES = 2000

Say = Callable[[str], None]


def compare_files(old: Path, new: Path, say: Say) -> list[Comparison]:
    """The records that both files hold, in the order of `old`; an IsthmusError if there are none.

    Wrong results have no rate: they are left out, and `say` gets a line.
    """
    files = {str(path): read_json(path) for path in (old, new)}
    for place, file in files.items():
        checked(_comparable(file, place).file_class, file, place)
    return compare_documents((files[str(old)], files[str(new)]), (str(old), str(new)), say)


def compare_documents(files: tuple[Any, Any], places: tuple[str, str], say: Say) -> list[Comparison]:
    """Compares the contents of two files; error messages call them by `places`."""
    old, new = (_comparable(file, place).records_in(file) for file, place in zip(files, places, strict=True))
    wrong = [record_name(record) for record in (*old, *new) if is_wrong(record)]
    if wrong:
        say(f"WRONG results are not compared: {', '.join(dict.fromkeys(wrong))}")
    before, after = _by_name(old), _by_name(new)
    found = [_compare(name, before[name], after[name]) for name in before if name in after]
    if not found:
        raise IsthmusError(f"{' and '.join(places)}: no record is in both")
    return found


def regressions(found: Sequence[Comparison], limit: float) -> list[Comparison]:
    """Comparisons that got worse by more than `limit` (0.05 is 5 %), and surely so where there is an interval."""
    return [item for item in found if _loss(item) > limit]


def _loss(item: Comparison) -> float:
    if item.better == "lower":
        return (item.low if item.low is not None else item.ratio) - 1
    return 1 - (item.high if item.high is not None else item.ratio)


def _comparable(file: object, place: str) -> Kind:
    kind = kind_of(file)
    if kind is not None and kind.compared:
        return kind
    name = name_of(file)
    guess = None if kind else nearest(name, names(lambda one: one.compared))
    raise IsthmusError(
        f"{place}: expected a file of {commands(lambda one: one.compared, 'or')}{name and f', got {name}'}",
        hint=guess and f"did you mean the schema '{schema_of(guess)}'?",
    )


def _by_name(records: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    right = (record for record in records if not is_wrong(record))
    return {record_name(record): record for record in right if rate_of(record) is not None}


def _compare(name: str, old: dict[str, Any], new: dict[str, Any]) -> Comparison:
    before, after = rate_of(old), rate_of(new)
    assert before is not None
    assert after is not None
    unit = old.get("unit", "images/s")
    low, high = _interval(old.get("samples", []), new.get("samples", []))
    return Comparison(
        name=name,
        unit=unit,
        kind=new["kind"],
        old=before,
        new=after,
        ratio=after / before,
        low=low,
        high=high,
        better="lower" if unit in TIMES else "higher",
    )


def _interval(old: Sequence[float], new: Sequence[float]) -> tuple[float | None, float | None]:
    """The 95 % interval of the ratio of the medians, by resampling with a fixed seed; none for single samples."""
    if len(old) < 2 or len(new) < 2:
        return None, None
    draw = random.Random(0)

    def median(samples: Sequence[float]) -> float:
        return statistics.median(draw.choices(samples, k=len(samples)))

    ratios = sorted(median(new) / median(old) for _ in range(RESAMPLES))
    return ratios[int(0.025 * RESAMPLES)], ratios[int(0.975 * RESAMPLES) - 1]
