"""The rows of `reproduce`: published, ours, error, role, span and note; and their score."""

from collections.abc import Mapping, Sequence
from statistics import mean, median

from isthmus.base.numbers import as_written, figure, is_number, rounds_to
from isthmus.records.base import Value
from isthmus.records.papers import ClaimValue, PaperRow, PaperScore, Role, RoleScore
from isthmus.reproduction.evaluation import Evaluation
from isthmus.reproduction.model_runs import NotOfferedError
from isthmus.reproduction.published import Paper, PublishedRow, Reading
from isthmus.reproduction.scenarios import Span

WITHIN = 0.15
AGREE = f"agree: within {WITHIN:.0%} of the published value, arithmetic that rounds to it, a claim that is true here"
ROLES: tuple[Role, ...] = ("input", "derived", "predicted", "checked", "claim", "outside")


def paper_rows(evaluation: Evaluation, papers: Mapping[str, Paper]) -> list[PaperRow]:
    """A row for each chosen number that we have a value of, or that no performance model can give."""
    paper_of = {row.id: name for name, paper in papers.items() for row in paper.row}
    found = []
    for row_id in evaluation.chosen:
        row, ours = evaluation.published[row_id], evaluation.ours(row_id)
        if ours is not None or row.kind == "outside":
            found.append(_paper_row(evaluation, row, paper_of[row_id], ours))
    return found


def score(rows: Sequence[PaperRow], papers: Mapping[str, Paper], chosen: Sequence[str]) -> dict[str, PaperScore]:
    """The score of each chosen paper and of all together."""
    counts = {name: len(papers[name].row) for name in chosen}
    scores = {name: _score([row for row in rows if row.paper == name], counts[name]) for name in chosen}
    return {**scores, "all": _score(rows, sum(counts.values()))}


def failing(rows: Sequence[PaperRow]) -> list[PaperRow]:
    """The disagreements, each number once: claims that are false here, then the errors, largest first."""
    wrong = [row for row in rows if row.same_as is None and agrees(row) is False]
    return sorted(wrong, key=lambda row: (row.error is not None, -abs(row.error or 0)))


def agrees(row: PaperRow) -> bool | None:
    """Tells whether ours agrees with what is published; None if the two cannot be compared."""
    if isinstance(row.ours, bool):
        return row.ours
    if row.error is None:
        return None
    if row.role != "checked":
        return abs(row.error) <= WITHIN
    assert isinstance(row.ours, (int, float))
    assert isinstance(row.published, (int, float))
    return rounds_to(row.ours, row.published)


def _score(rows: Sequence[PaperRow], published: int) -> PaperScore:
    once = [row for row in rows if row.same_as is None]
    by_role = {role: [row for row in once if row.role == role] for role in ROLES}
    return PaperScore(
        published=published,
        compared=sum(row.ours is not None for row in rows),
        duplicates=len(rows) - len(once),
        open=published - len(rows),
        false_claims=[row.id for row in once if row.ours is False],
        roles={role: _role_score(role, those) for role, those in by_role.items() if those},
    )


def _role_score(role: Role, rows: Sequence[PaperRow]) -> RoleScore:
    compared = role in ("derived", "predicted", "checked", "claim")
    predicted = [row for row in rows if role == "predicted" and row.error is not None]
    errors = [abs(row.error) for row in predicted if row.error is not None]
    spans = [_in_span(row) for row in predicted if row.span is not None]
    return RoleScore(
        rows=len(rows),
        agree=sum(agrees(row) is True for row in rows) if compared else None,
        mean_error=mean(errors) if errors else None,
        median_error=median(errors) if errors else None,
        largest_error=max(errors, default=None),
        in_span=sum(spans) if spans else None,
        without_error=[row.id for row in rows if role == "predicted" and row.error is None],
    )


def _in_span(row: PaperRow) -> bool:
    assert row.span is not None
    low, high = row.span
    return not isinstance(row.published, (bool, str)) and low <= row.published <= high


def _paper_row(evaluation: Evaluation, row: PublishedRow, paper: str, ours: Value | None) -> PaperRow:
    role, same_as = evaluation.role(row.id), evaluation.same_as(row.id)
    claim = role == "claim" and isinstance(ours, bool)
    judged = evaluation.judged(row.id)
    span = evaluation.span(row.id) if (role == "predicted" or judged) and same_as is None else None
    return PaperRow(
        id=row.id,
        paper=paper,
        place=", ".join(row.place),
        quantity=f"{row.platform}: {row.quantity}" + (f": {row.value}" if claim else ""),
        unit="" if claim else row.unit,
        published=True if claim else row.value,
        ours=ours,
        error=_error(ours, row.value),
        role=role,
        note="; ".join(_notes(evaluation, row, role, same_as, span)),
        judged=None if judged is None else ClaimValue(value=judged.value, unit=judged.unit),
        span=[span.low, span.high] if span is not None else None,
        same_as=same_as,
        moved_by=evaluation.moved_by(row.id),
    )


def _error(ours: Value | None, published: Value) -> float | None:
    numbers = [value for value in (ours, published) if is_number(value)]
    return numbers[0] / numbers[1] - 1 if len(numbers) == 2 and numbers[1] else None


def _notes(evaluation: Evaluation, row: PublishedRow, role: Role, same_as: str | None, span: Span | None) -> list[str]:
    notes = [text for text in (row.note, row.reason) if text]
    if same_as is not None:
        notes.append(f"same as {same_as}")
    notes += [f"reading '{reading.reading}': {_reading(evaluation, row, reading)}" for reading in row.readings]
    if role == "derived" and same_as is None:
        notes.append(f"determined by {', '.join(evaluation.reasons(row.id))}")
    judged = evaluation.judged(row.id)
    if judged is not None:
        notes.append(f"{figure(judged.value)} {judged.unit} here")
    if span is not None:
        widest = f", mostly by {span.mostly}" if span.mostly else ""
        notes.append(f"span of the assumed ranges: {figure(span.low)} to {figure(span.high)}{widest}")
    return notes


def _reading(evaluation: Evaluation, row: PublishedRow, reading: Reading) -> str:
    if reading.own is None:
        return f"{_text(reading.value)}"
    try:
        ours = evaluation.as_they_are().of(reading.own, row.unit_of(reading.own))
    except NotOfferedError:
        return f"{_text(reading.value)}, ours not there yet"
    error = _error(ours, reading.value)
    return f"{_text(reading.value)}, ours {_text(ours)}" + (f" ({error:+.1%})" if error is not None else "")


def _text(value: Value) -> str:
    return figure(float(value)) if is_number(value) else as_written(value)
