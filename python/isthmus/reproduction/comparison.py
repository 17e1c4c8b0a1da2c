"""The rows of `reproduce`: published, ours, error, role and what to know beside it; and their score."""

from collections.abc import Mapping, Sequence

from isthmus.numbers import figure
from isthmus.records import PaperRow, PaperScore, Role, RoleScore, Structure
from isthmus.reproduction.laboratory import NotOfferedError
from isthmus.reproduction.published import Paper, PublishedRow, Reading, Value
from isthmus.reproduction.survey import Survey

WITHIN = 0.15
EXACT = 0.02  # The papers round their own arithmetic to two digits.
ROLES: tuple[Role, ...] = ("input", "derived", "predicted", "checked", "claim", "outside")


def paper_rows(survey: Survey, papers: Mapping[str, Paper]) -> list[PaperRow]:
    """A row for each chosen number that we have a value of, or that no performance model can give."""
    paper_of = {row.id: name for name, paper in papers.items() for row in paper.row}
    found = []
    for row_id in survey.chosen:
        row, ours = survey.published[row_id], survey.ours(row_id)
        if ours is not None or row.kind == "outside":
            found.append(_paper_row(survey, row, paper_of[row_id], ours))
    return found


def score(rows: Sequence[PaperRow], papers: Mapping[str, Paper], chosen: Sequence[str]) -> dict[str, PaperScore]:
    """The score of each chosen paper and of all together."""
    counts = {name: len(papers[name].row) for name in chosen}
    scores = {name: _score([row for row in rows if row.paper == name], counts[name]) for name in chosen}
    return {**scores, "all": _score(rows, sum(counts.values()))}


def _score(rows: Sequence[PaperRow], published: int) -> PaperScore:
    once = [row for row in rows if row.same_as is None]
    by_role = {role: [row for row in once if row.role == role] for role in ROLES}
    return PaperScore(
        published=published,
        compared=sum(row.ours is not None for row in rows),
        duplicates=len(rows) - len(once),
        open=published - len(rows),
        roles={role: _role_score(role, those) for role, those in by_role.items() if those},
    )


def _role_score(role: Role, rows: Sequence[PaperRow]) -> RoleScore:
    errors = [abs(row.error) for row in rows if row.error is not None]
    agree: int | None = None
    if role == "claim":
        agree = sum(row.ours is True for row in rows)
    elif role in ("derived", "predicted", "checked"):
        agree = sum(error <= (EXACT if role == "checked" else WITHIN) for error in errors)
    scored = errors if role == "predicted" else []
    return RoleScore(
        rows=len(rows),
        agree=agree,
        mean_error=sum(scored) / len(scored) if scored else None,
        largest_error=max(scored, default=None),
    )


def _paper_row(survey: Survey, row: PublishedRow, paper: str, ours: Value | None) -> PaperRow:
    role = survey.role(row.id)
    claim = role == "claim" and isinstance(ours, bool)
    structure = survey.structure_of(row.id) if role in ("derived", "predicted") else None
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
        note="; ".join(_notes(survey, row, structure)),
        same_as=row.same_as,
        moved_by=survey.moved_by(row.id),
        structure=structure,
    )


def _error(ours: Value | None, published: Value) -> float | None:
    numbers = [value for value in (ours, published) if isinstance(value, (int, float)) and not isinstance(value, bool)]
    return numbers[0] / numbers[1] - 1 if len(numbers) == 2 and numbers[1] else None


def _notes(survey: Survey, row: PublishedRow, structure: Structure | None) -> list[str]:
    notes = [text for text in (row.note, row.reason) if text]
    if row.same_as is not None:
        notes.append(f"same as {row.same_as}")
    if row.readings:
        notes += [f"reading '{reading.reading}': {_reading(survey, row, reading)}" for reading in row.readings]
    if structure is not None:
        notes.append(
            f"structure alone, model: {figure(structure.without_calibrated)} without calibrated inputs, "
            f"{figure(structure.low)} ({structure.low_with}) to {figure(structure.high)} ({structure.high_with})"
        )
    return notes


def _reading(survey: Survey, row: PublishedRow, reading: Reading) -> str:
    if reading.experiment is None:
        return f"{_text(reading.value)}"
    try:
        ours = survey.as_they_are().value(reading.experiment, _unit(row, reading.experiment))
    except NotOfferedError:
        return f"{_text(reading.value)}, ours not there yet"
    error = _error(ours, reading.value)
    return f"{_text(reading.value)}, ours {_text(ours)}" + (f" ({error:+.1%})" if error is not None else "")


def _unit(row: PublishedRow, experiment: str) -> str:
    """The unit of a reading: that of the row, but a part of a ratio is told in its own."""
    return "" if row.unit == "x" and not experiment.startswith(("ratio", "row")) else row.unit


def _text(value: Value) -> str:
    return figure(float(value)) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
