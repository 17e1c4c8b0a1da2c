"""`isthmus record -- COMMAND`: what any program does with OpenCL."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isthmus.base.errors import IsthmusError
from isthmus.base.files import check_writable, write_atomically
from isthmus.base.stdout import write_out
from isthmus.cli.command import argument, counting, plain, written
from isthmus.recording.launch import environment_of, journal_folder, run_program
from isthmus.show.output import Result
from isthmus.show.session import Session

if TYPE_CHECKING:
    from isthmus.recording.journal import LayerJournal

EXAMPLES = [
    "isthmus record -- ./app --its --own options",
    "isthmus record -o app.json --trace app.perfetto-trace -- ./app",
    "isthmus record --summary -- ./app-of-millions-of-launches",
    "isthmus record -- clpeak --transfer-bandwidth && isthmus report clpeak.record.json",
]

_CALLS = 100_000

Command = Annotated[list[str] | None, argument("-- COMMAND", "The program and its own options.")]
Output = Annotated[
    str | None, plain("-o --output FILE", "The record to write, or its folder. [default: PROGRAM.record.json here]")
]
Json = Annotated[
    str | None,
    written("--json FILE", "Write the record here too; with '-' (stdout) the program's stdout goes to stderr."),
]
TraceTo = Annotated[
    str | None, written("--trace FILE", "Write the timeline of these calls for Perfetto (ui.perfetto.dev).")
]
Loader = Annotated[
    str | None, plain("--loader FILE", "OpenCL loader for the program. [default: the program's, if it supports layers]")
]
Calls = Annotated[
    int | None,
    counting("--calls N", f"How many calls, from the first on, the record lists one by one. [default: {_CALLS}]"),
]
Summary = Annotated[bool, plain("--summary", "List no calls one by one, only their totals.")]
Recover = Annotated[
    str | None, plain("--recover DIR", "Make the record of a recording that was killed, from its folder DIR.")
]


def record(
    session: Session,
    command: Command = None,
    output: Output = None,
    json: Json = None,
    trace: TraceTo = None,
    calls: Calls = None,
    summary: Summary = False,
    loader: Loader = None,
    recover: Recover = None,
) -> None:
    """Record the transfers, kernels and gaps of any OpenCL program, unchanged.

    The program runs as it would alone, with an OpenCL layer between it and its driver that turns profiling on in each
    queue; the program sees the properties that it asked for. The record holds the first calls one by one, and what all
    of them add up to. The exit code is the program's own, or 128 and the signal's number if one ended it, or 2 with an
    error line if the layer was never called.
    """
    if summary and (calls is not None or trace is not None):
        raise IsthmusError(f"--summary: expected no {'--calls' if calls is not None else '--trace'} with it")
    outputs = _Outputs(output, json, trace, 0 if summary else calls or _CALLS)
    if recover is not None:
        return _recover(session, Path(recover), outputs)
    if not command:
        raise IsthmusError("COMMAND: expected a program after --", hint="see 'isthmus record -h'.")
    target = outputs.target(command)
    if target is not None:
        check_writable(target, "--output")
    with journal_folder(target.parent if target else Path.cwd()) as folder:
        environment = environment_of(command[0], folder, loader)
        code = run_program(command, environment, stdout=sys.stderr if json == "-" else None)
        journals = _journals(folder, command, code)
        _write(session, journals, command, code, outputs)
    raise typer.Exit(code)


@dataclass(frozen=True)
class _Outputs:
    """The options for the record's file, and for the number of calls that it keeps one by one."""

    output: str | None
    json: str | None
    trace: str | None
    calls: int

    def target(self, command: list[str]) -> Path | None:
        """The file of the record; none if it goes to the standard output alone."""
        return None if self.json == "-" and self.output is None else _target(self.output, Path(command[0]).name)


def _target(output: str | None, program: str) -> Path:
    """The file of the record."""
    name = f"{program}.record.json"
    if output is None:
        return Path(name)
    return Path(output) / name if output.endswith("/") or Path(output).is_dir() else Path(output)


def _journals(folder: Path, command: list[str], code: int) -> "list[LayerJournal]":
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


def _recover(session: Session, folder: Path, outputs: _Outputs) -> None:
    from isthmus.recording.journal import read_journals

    journals = read_journals(folder)
    if not journals:
        raise IsthmusError(f"--recover {folder}: expected a folder with journals (*.journal)")
    _write(session, journals, journals[0].texts["command"].get(0, "").split(" "), None, outputs)


def _write(
    session: Session, journals: "list[LayerJournal]", command: list[str], code: int | None, outputs: _Outputs
) -> None:
    from isthmus.recording import tables
    from isthmus.recording.document import document, make_head
    from isthmus.recording.perfetto import trace_of
    from isthmus.recording.timeline import make_timeline

    line = make_timeline(journals)
    context = session.context(complete=all(one.process["ended"] for one in journals))
    head = make_head(line, context, command, code, outputs.calls)
    target = outputs.target(command)
    for file in [target, Path(outputs.json) if outputs.json not in (None, "-") else None]:
        if file is not None:
            write_atomically(file, document(head, line, outputs.calls))
    if outputs.trace is not None:
        write_atomically(Path(outputs.trace), trace_of(line, outputs.calls))
    if outputs.json == "-" or session.format == "json":
        for piece in document(head, line, outputs.calls):
            write_out(piece)
        return
    detail = [*tables.detail(head), f"written: {target}, {line.commands.rows} calls"]
    summed = [*head.kernels, *head.transfers]
    session.emit(Result(head, summed, tables.verdict(head), tables.tables(head), detail), keep=False)
    session.next(f"isthmus report {target}")
