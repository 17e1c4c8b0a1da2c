"""Every experiment of the papers and the command that does it here, as a page: of papers/*.toml and papers/coverage."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import Field

from isthmus.base.files import data_folder, read_text
from isthmus.base.groups import grouped_by
from isthmus.base.parsing import checked, toml
from isthmus.records.base import TomlTable
from isthmus.reproduction.counterparts import Counterpart, Probed, Run, leaves, listed
from isthmus.reproduction.model_runs import DISTINGUISHING, OF_RUNS, OPTIONS, target_of
from isthmus.reproduction.papers import read_papers
from isthmus.reproduction.published import Paper, PublishedRow

HEAD = """\
# What of the papers runs here

This page lists each place of a paper that states measured numbers or claims, with the command that does the experiment
here. `isthmus reproduce PAPER` prints all of a paper's numbers beside ours, with errors. *n of m* are the numbers of a
place that it compares; "not yet" says why it does not compare the others. Statements on parts, set-ups and markets are
no experiments. The tables are made of papers/; a test runs each command with `--dry-run`.
"""


class ListedExperiment(TomlTable):
    """One experiment of a paper whose boards are not modelled."""

    place: str
    what: str
    commands: list[str] = Field(default=[])
    not_yet: str = ""


class PaperCoverage(TomlTable):
    """A paper whose experiments are listed by hand."""

    title: str
    experiment: list[ListedExperiment]


def document() -> str:
    """The page docs/coverage.md of the site."""
    papers = read_papers()
    published = {row.id: row for paper in papers.values() for row in paper.row}
    modelled = [_paper(name, paper, published) for name, paper in papers.items()]
    listed = map(_listed, sorted((data_folder("papers") / "coverage").glob("*.toml")))
    return "".join([HEAD, *modelled, *listed])


def commands_of(row: PublishedRow, paper: str, published: Mapping[str, PublishedRow]) -> list[list[str]]:
    """The words of the commands that give our value of a row; none where nothing gives it."""
    return [command_of(leaf) or ["reproduce", paper, "--no-spans"] for leaf in leaves(row.counterpart, published)]


def command_of(leaf: Counterpart) -> list[str] | None:
    """The words of the command that does it; None where only `reproduce` does."""
    if isinstance(leaf, Probed):
        words = ["probe", target_of(leaf.board), leaf.probe, "--sizes", leaf.size]
        return [*words, *_options(leaf.changes, OPTIONS)]
    if isinstance(leaf, Run):
        words = ["run", leaf.application, "--on", target_of(leaf.board), "--flow", leaf.flow]
        return [*words, "--fine"] if leaf.of_images else [*words, *_options(leaf.changes, OF_RUNS)]
    return None


def _options(changes: str, known: Sequence[str]) -> list[str]:
    """What is changed as options that the command knows, else as parameters and keys of the board."""
    return [
        word
        for name, _, value in (change.partition("=") for change in listed(changes))
        if name not in DISTINGUISHING
        for word in ((f"--{name}", value) if name in known else ("--set", f"{name}={value}"))
    ]


def _paper(name: str, paper: Paper, published: Mapping[str, PublishedRow]) -> str:
    stated = (
        row
        for row in paper.row
        if row.kind in ("output", "claim") or (row.kind == "outside" and row.place[0].startswith("fig"))
    )
    places = grouped_by(lambda row: row.place[0], stated)
    commands = {
        place: [words for row in rows for words in commands_of(row, name, published)] for place, rows in places.items()
    }
    for place in places:
        if any(figure.name.startswith(place) for figure in paper.figures):
            commands[place].append(["reproduce", name, "--no-spans", "--figures"])
    rows = [_place(place, found, commands[place]) for place, found in places.items()]
    return _table(f"{name}: {paper.title}", rows)


def _place(place: str, rows: list[PublishedRow], words: list[list[str]]) -> str:
    commands = dict.fromkeys(map(shlex.join, words))
    given = [row for row in rows if row.counterpart is not None]
    what = f"{rows[0].quantity}, {rows[0].platform}" if len(rows) == 1 else "; ".join(_quantities(rows))
    missing = dict.fromkeys(row.reason or "no experiment here" for row in rows if row.counterpart is None)
    how = [*(f"`isthmus {command}`" for command in commands), *(f"not yet: {reason}" for reason in missing)]
    return _row(place, what, f"{len(given)} of {len(rows)}", how)


def _quantities(rows: list[PublishedRow]) -> Iterator[str]:
    """Three of them at most."""
    quantities = list(dict.fromkeys(row.quantity for row in rows))
    yield from quantities[:3]
    if len(quantities) > 3:
        yield f"and {len(quantities) - 3} more"


def _listed(path: Path) -> str:
    paper = checked(PaperCoverage, toml(read_text(path), path), path)
    rows = []
    for one in paper.experiment:
        how = [f"`{words}`" for words in one.commands] or [f"not yet: {one.not_yet}"]
        rows.append(_row(one.place, one.what, "on a device" if one.commands else "", how))
    return _table(f"{path.stem}: {paper.title}", rows)


def _table(title: str, rows: list[str]) -> str:
    return f"\n## {title}\n\n| place | what | compared | command |\n|---|---|---|---|\n{''.join(rows)}"


def _row(place: str, what: str, compared: str, how: list[str]) -> str:
    cells = (place, what, compared, "<br>".join(how))
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |\n"
