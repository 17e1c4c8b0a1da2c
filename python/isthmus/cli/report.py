"""`isthmus report [FILE...]`: records as one self-contained HTML file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from isthmus.base.configuration import resolve
from isthmus.base.errors import IsthmusError
from isthmus.base.files import write_atomically
from isthmus.cli.command import argument, plain, written
from isthmus.results.kinds import commands
from isthmus.show.session import Session

EXAMPLES = [
    "isthmus report",
    "isthmus report out/image-filter/study.json reproduce.json -o report.html",
    "isthmus report f1.json opencl.json --title 'F1 and this machine'",
    "isthmus report stream.json out/hpcc-hpl/scale.json",
]

KINDS = commands(lambda kind: kind.reported, "or")


def report(
    session: Session,
    files: Annotated[list[str] | None, argument("FILE", f"JSON file of {KINDS}.")] = None,
    output: Annotated[
        str, written("-o --output FILE", "The HTML file to write. [default: report.html]")
    ] = "report.html",
    title: Annotated[str | None, plain("--title TEXT", "Title of the page.")] = None,
) -> None:
    """Write results as one HTML file: verdict, tables, curves, timelines, inputs.

    FILE is a file that another command wrote with --json or --jsonl, or a record; several may be of different commands.
    Without FILE the page shows everything in the folder of the latest study. The page runs no script and needs no
    network.
    """
    from isthmus.report import gather, render_report

    paths = [Path(name) for name in files] if files else _latest_study()
    contents = gather(paths, title or _title(paths))
    write_atomically(Path(output), render_report(contents))
    session.lines([f"written: {output}, of {', '.join(map(str, paths))}"])
    session.next(f"xdg-open {output}")


def _title(paths: Sequence[Path]) -> str:
    first, *others = paths
    if first.name == "study.json":
        return f"Study {first.resolve().parent.name}"
    return f"{first.stem} and {len(others)} more" if others else first.stem


def _latest_study() -> list[Path]:
    out = Path(resolve("out").value)
    studies = sorted(out.glob("*/study.json"), key=lambda path: path.stat().st_mtime)
    if not studies:
        raise IsthmusError(
            f"FILE: expected files of records, there is no study in {out}", hint="see 'isthmus report -h'."
        )
    others = [path for path in sorted(studies[-1].parent.glob("*.json")) if path != studies[-1]]
    return [studies[-1], *others]
