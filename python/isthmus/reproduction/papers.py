"""Papers: of each the numbers, NAME.toml, and the Python file beside it, NAME.py, that says what computes them here.

A Python file is run when its paper is read: those of papers/ that come with Isthmus, and of others only what is named.
"""

import ast
from collections.abc import Sequence
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from isthmus.base.errors import IsthmusError
from isthmus.base.files import data_folder, read_text
from isthmus.base.names import unknown
from isthmus.reproduction.counterparts import Counterpart
from isthmus.reproduction.model_runs import ModelRuns
from isthmus.reproduction.published import Paper, PublishedRow, line_of_row, read_numbers

TEMPLATES = Path(__file__).parent / "new_paper"


def paper_names() -> list[str]:
    """The short names of the papers that are installed."""
    return sorted(path.stem for path in data_folder("papers").glob("*.py"))


def read_papers(own: Sequence[Path] = ()) -> dict[str, Paper]:
    """Every installed paper and those of some files, by short name; anything wrong in a file is an IsthmusError."""
    papers = {name: read_paper(data_folder("papers") / f"{name}.py") for name in paper_names()}
    for path in own:
        if path.stem in papers:
            raise IsthmusError(f"{path}: a paper '{path.stem}' is there already", hint="rename the file.")
        paper = read_paper(path)
        known = {row.id: name for name, other in papers.items() for row in other.row}
        for number, row in enumerate(paper.row):
            if row.id in known or row.id in {before.id for before in paper.row[:number]}:
                there = known.get(row.id, path.stem)
                place = line_of_row(path.with_suffix(".toml"), number)
                raise IsthmusError(f"{place}: key 'id': '{row.id}' is there already, in {there}")
        papers[path.stem] = paper
    return papers


def read_paper(path: Path) -> Paper:
    """The paper of a Python file, which is run, and of the numbers beside it."""
    names = run(path)
    paper = read_numbers(path.with_suffix(".toml"))
    rows = {row.id: row for row in paper.row}
    for row_id, own in _table(path, names, "ROWS").items():
        _known(path, rows, row_id).computed_by(_checked(path, row_id, own))
    for row_id, of_row in names.get("READINGS", {}).items():
        readings = {reading.reading: reading for reading in _known(path, rows, row_id).readings}
        for text, own in of_row.items():
            if text not in readings:
                raise unknown("reading", text, list(readings), place_of(path, text))
            readings[text].computed_by(_checked(path, text, own))
    return paper.with_figures(names.get("FIGURES", []))


def run(path: Path) -> dict[str, Any]:
    """The names that a Python file defines; an IsthmusError with file and line if it cannot be run."""
    text, module = read_text(path), ModuleType(path.stem)
    try:
        exec(compile(text, str(path), "exec"), module.__dict__)
    except SyntaxError as error:
        raise IsthmusError(f"{path}:{error.lineno}: not Python: {error.msg}") from error
    except Exception as error:
        lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == str(path)]
        said = str(error) if isinstance(error, IsthmusError) else f"{type(error).__name__}: {error}"
        raise IsthmusError(f"{path}:{(lines or [1])[-1]}: {said}") from error
    return module.__dict__


def check_paper(path: Path, paper: Paper, models: ModelRuns) -> None:
    """Computes each row of a paper of one's own, with few images; an IsthmusError has the line of what cannot be."""
    for row in paper.row:
        read = [(one.own, row.unit_of(one.own)) for one in row.readings if one.own]
        try:
            if row.counterpart is not None:
                models.of(row.id)
            for own, unit in read:
                models.of(own, unit)
        except IsthmusError as error:
            raise IsthmusError(f"{place_of(path, row.id)}: row '{row.id}': {error}") from error
    for figure in paper.figures:
        for name in figure.series:
            figure.curve(name)


def place_of(path: Path, word: str) -> str:
    """FILE:LINE at which a text stands in a Python file; line 1 if it is put together."""
    nodes = ast.walk(ast.parse(read_text(path)))
    lines = [node.lineno for node in nodes if isinstance(node, ast.Constant) and node.value == word]
    return f"{path}:{min(lines, default=1)}"


def new_paper(path: Path) -> dict[Path, str]:
    """The files of a paper of one's own, to begin with, that can be used as they are, and their texts."""
    return {
        path.with_suffix(suffix): read_text(TEMPLATES / f"paper{suffix}").replace("NAME", path.stem)
        for suffix in (".py", ".toml")
    }


def _checked(path: Path, name: str, own: Any) -> Counterpart:
    if not isinstance(own, Counterpart):
        raise IsthmusError(f"{place_of(path, name)}: '{name}': expected Probed(...), Claim(...) or so, got {own!r}")
    return own


def _table(path: Path, names: dict[str, Any], name: str) -> dict[str, Any]:
    found = names.get(name)
    if not isinstance(found, dict):
        raise IsthmusError(f"{path}:1: expected {name} = {{ID: what computes our value, ...}}")
    return found


def _known(path: Path, rows: dict[str, PublishedRow], row_id: str) -> PublishedRow:
    if row_id not in rows:
        raise unknown("row", row_id, list(rows), place_of(path, row_id))
    return rows[row_id]
