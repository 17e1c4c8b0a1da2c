"""`isthmus compare OLD NEW`: did it get faster or slower?"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from isthmus.base.errors import AnswerIsNoError, IsthmusError
from isthmus.base.numbers import as_number, figure
from isthmus.cli.command import argument, plain
from isthmus.results.kinds import commands
from isthmus.show.output import Result, Table
from isthmus.show.session import Session

if TYPE_CHECKING:
    from isthmus.records.listings import Comparison

EXAMPLES = [
    "isthmus compare old.json new.json",
    "isthmus compare old.json new.json --fail-over 5%",
]

KINDS = commands(lambda kind: kind.compared, "or")


def compare(
    session: Session,
    old: Annotated[str, argument("OLD", f"A JSON file of {KINDS}.")],
    new: Annotated[str, argument("NEW", "The JSON file to compare with OLD.")],
    fail_over: Annotated[
        str | None, plain("--fail-over PERCENT", "Exit with 1 if any value got worse by more than this.")
    ] = None,
) -> None:
    """Compare two files of results.

    The ratio is NEW over OLD. If both files have samples of a value, the interval holds 95 % of the ratios of resampled
    medians, and --fail-over counts a value only if the whole interval is worse.
    """
    from isthmus.results.compare import compare_files

    limit = percentage(fail_over)
    show_comparison(session, compare_files(Path(old), Path(new), session.warn), limit)


def show_comparison(session: Session, found: "Sequence[Comparison]", limit: float | None) -> None:
    """Prints what got faster and slower; AnswerIsNoError if anything got worse by more than `limit` (0.05 is 5 %)."""
    from isthmus.records.base import KIND_WORDS
    from isthmus.records.listings import CompareFile
    from isthmus.results.compare import regressions

    columns = ("what", "old", "new", "unit", "kind", "new / old", "95 % interval", "better")
    cells = [
        (
            item.name,
            figure(item.old),
            figure(item.new),
            item.unit,
            KIND_WORDS[item.kind],
            f"{item.ratio:.3f}",
            f"{item.low:.3f} to {item.high:.3f}" if item.low is not None and item.high is not None else "-",
            item.better,
        )
        for item in found
    ]
    worse = regressions(found, limit if limit is not None else 0.0)
    verdict = f"{len(worse)} of {len(found)} got worse" + (
        f" by more than {100 * limit:.4g}%" if limit is not None else ""
    )
    table = Table(columns, cells, numbers=frozenset({"old", "new", "new / old", "95 % interval"}))
    file = CompareFile(context=session.context(), comparisons=list(found))
    session.emit(Result(file, found, verdict=[verdict], tables=[table]))
    if worse and limit is not None:
        raise AnswerIsNoError(f"worse by more than {100 * limit:.4g}%: {', '.join(item.name for item in worse)}")


def percentage(text: str | None) -> float | None:
    """The share that a --fail-over of 5% means; None without the option."""
    if text is None:
        return None
    value = as_number(text.removesuffix("%"))
    if value is None or not 0 <= value < 100:
        raise IsthmusError(f"--fail-over: expected a percentage, as in 5%, got '{text}'")
    return value / 100
