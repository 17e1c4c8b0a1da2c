"""`isthmus record -- COMMAND`: what any program does with OpenCL."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isthmus.cli.command import plain, written
from isthmus.cli.session import Session
from isthmus.errors import IsthmusError

if TYPE_CHECKING:
    from isthmus.recording.journal import Journal

EXAMPLES = [
    "isthmus record -- ./app --its --own options",
    "isthmus record -o app.json --trace app.perfetto-trace -- ./app",
    "isthmus record -- clpeak --transfer-bandwidth && isthmus report clpeak.record.json",
]

Command = Annotated[list[str] | None, typer.Argument(metavar="-- COMMAND", help="The program and its own options.")]
Output = Annotated[
    str | None, plain("-o --output FILE", "The record; a folder: PROGRAM.record.json in it. [default: here]")
]
Json = Annotated[
    str | None, written("--json FILE", "The record here too; '-' is stdout, the program's own then goes to stderr.")
]
TraceTo = Annotated[str | None, written("--trace FILE", "Write the timeline for Perfetto (ui.perfetto.dev).")]
Loader = Annotated[
    str | None, plain("--loader FILE", "OpenCL loader for the program. [default: its own if that knows layers]")
]
Recover = Annotated[str | None, plain("--recover DIR", "Make a record of the journals of a recording that was killed.")]


def record(
    session: Session,
    command: Annotated[
        list[str] | None, typer.Argument(metavar="-- COMMAND", help="The program and its own options.")
    ] = None,
    output: Output = None,
    json: Json = None,
    trace: TraceTo = None,
    loader: Loader = None,
    recover: Recover = None,
) -> None:
    """The transfers, kernels and gaps of any OpenCL program, unchanged.

    The program runs as it would alone, with an OpenCL layer between it and its driver that turns profiling on in each
    queue; the program sees the properties that it asked for. Exit code: the program's own, 128 and the signal's number
    if one ended it; 2 with an error line if the layer was never called.
    """
    from isthmus.files import check_writable
    from isthmus.recording.launch import environment_of, journal_folder, run_program

    if recover is not None:
        return _recover(session, Path(recover), output, json, trace)
    if not command:
        raise IsthmusError("COMMAND: expected a program after --", hint="see 'isthmus record -h'.")
    target = None if json == "-" and output is None else _target(output, Path(command[0]).name)
    if target is not None:
        check_writable(target, "--output")
    with journal_folder(target.parent if target else Path.cwd()) as folder:
        environment = environment_of(command[0], folder, loader)
        code = run_program(command, environment, stdout=sys.stderr if json == "-" else None)
        journals = _journals(folder, command, code)
        _write(session, journals, command, code, target, json, trace)
    raise typer.Exit(code)


def _target(output: str | None, program: str) -> Path:
    """The file of the record."""
    name = f"{program}.record.json"
    if output is None:
        return Path(name)
    return Path(output) / name if output.endswith("/") or Path(output).is_dir() else Path(output)


def _journals(folder: Path, command: list[str], code: int) -> "list[Journal]":
    from isthmus.recording.journal import read_journals

    journals = read_journals(folder)
    if not journals:
        ended = f" and ended with code {code}" if code else ""
        raise IsthmusError(
            f"{command[0]}: the OpenCL layer was never called: the program made no OpenCL call{ended}, or has a loader "
            "of its own that knows no layers",
            hint="'ldd' shows its loader, --loader FILE gives it another.",
        )
    return journals


def _recover(session: Session, folder: Path, output: str | None, json: str | None, trace: str | None) -> None:
    from isthmus.recording.journal import read_journals

    journals = read_journals(folder)
    if not journals:
        raise IsthmusError(f"--recover {folder}: expected a folder with journals (*.journal)")
    command = journals[0].texts["command"].get(0, "").split(" ")
    target = None if json == "-" and output is None else _target(output, Path(command[0]).name)
    _write(session, journals, command, None, target, json, trace)


def _write(
    session: Session,
    journals: "list[Journal]",
    command: list[str],
    code: int | None,
    target: Path | None,
    json: str | None,
    trace: str | None,
) -> None:
    from isthmus.files import write_atomically
    from isthmus.output import Result
    from isthmus.recording import tables
    from isthmus.recording.document import document, make_head
    from isthmus.recording.perfetto import trace_of
    from isthmus.recording.timeline import make_timeline
    from isthmus.stdout import write_out

    line = make_timeline(journals)
    head = make_head(line, session.context(complete=all(one.process["ended"] for one in journals)), command, code)
    for file in [target, Path(json) if json not in (None, "-") else None]:
        if file is not None:
            write_atomically(file, document(head, line))
    if trace is not None:
        write_atomically(Path(trace), trace_of(line))
    if json == "-" or session.format == "json":
        for piece in document(head, line):
            write_out(piece)
        return
    detail = [*tables.detail(head), f"written: {target}, {len(line.commands)} calls"]
    summed = [*head.kernels, *head.transfers]
    session.emit(Result(head, summed, tables.verdict(head), tables.tables(head), detail), keep=False)
    session.next(f"isthmus report {target}")
