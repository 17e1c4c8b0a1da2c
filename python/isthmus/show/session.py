"""One invocation of the command: the place of results, messages on stderr, and the context of the JSON files."""

import io
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from isthmus.base.build_info import build_info
from isthmus.base.configuration import resolve
from isthmus.base.errors import IsthmusError
from isthmus.base.files import write_atomically
from isthmus.base.numbers import counted
from isthmus.base.ranks import launched_rank
from isthmus.base.stdout import write_out
from isthmus.base.texts import dump, to_csv, to_json, to_json_line
from isthmus.results.kinds import is_kept, journalled, schema_of
from isthmus.show.output import PIPE_WIDTH, Result, print_tables, to_markdown
from isthmus.show.progress import Progress

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console

    from isthmus.records.base import Context
    from isthmus.results.journal import Journal


HISTORY = "the results store (isthmus history)"


@dataclass
class Session:
    """The messages of one invocation; made from the options that every command takes."""

    format: str
    color: str
    quiet: bool
    progress_wanted: bool
    json: str | None = None
    csv: str | None = None
    jsonl: str | None = None
    save: str | None = None
    _started: float = field(default_factory=time.monotonic)
    _start: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    _streamed: str = ""
    _journal: "Journal | None" = None
    _complete: int = 0
    _places: dict[str, None] = field(default_factory=dict)

    @classmethod
    def from_flags(cls, flags: dict[str, Any]) -> "Session":
        """Makes a session from the values of the common options, None for an option that was not given."""
        session = cls(
            format=resolve("format", flags.get("format")).value,
            color=resolve("color", flags.get("color")).value,
            quiet=resolve("quiet", flags["quiet"] or None).value,
            progress_wanted=resolve("progress", False if flags["no_progress"] else None).value,
            json=flags.get("json"),
            csv=flags.get("csv"),
            jsonl=flags.get("jsonl"),
            save=flags.get("save"),
        )
        if [session.json, session.csv, session.jsonl].count("-") > 1:
            raise IsthmusError("--json, --csv and --jsonl: only one of them can be '-', the standard output")
        return session

    def progress(self) -> Progress:
        """A line of progress for long work; of the ranks that a launcher started, the first alone says it."""
        return Progress(self.progress_wanted and not self.quiet and not launched_rank())

    def note(self, text: str) -> None:
        """A remark on stderr."""
        if not self.quiet:
            self._say("note", text)

    def warn(self, text: str) -> None:
        """Something to know before the result is used; said also when quiet."""
        self._say("warning", text)

    def next(self, command: str) -> None:
        """The one next command worth typing."""
        if not self.quiet:
            self._say("next", command)

    def context(self, seed: int | None = None, complete: bool = True) -> "Context":
        """The context of a JSON file that is written now."""
        from isthmus.records.base import Context

        return Context(
            argv=["isthmus", *sys.argv[1:]],
            host=platform.node(),
            version=build_info().version,
            seed=seed,
            start=self._start,
            elapsed=round(time.monotonic() - self._started, 3),
            complete=complete,
        )

    def stream(self, record: "BaseModel") -> None:
        """Takes a record that is complete: into the journal, and as one JSON line if that was asked for."""
        self._complete += 1
        self._note_in_journal(record)
        if self.jsonl == "-":
            write_out(to_json_line(record))
        elif self.jsonl is not None:
            self._streamed += to_json_line(record)
            write_atomically(Path(self.jsonl), self._streamed)
            self.kept_in(self.jsonl)

    def kept_in(self, place: object) -> None:
        """Complete records lie there too, for `what_is_kept`."""
        self._places[str(place)] = None

    def what_is_kept(self) -> str:
        """Says how many records are complete, and where they are, for the person who ended the work."""
        if not self._complete or not self._places:
            return "nothing is kept" if self._complete else "no record was complete"
        verb = "is" if self._complete == 1 else "are"
        return f"{counted(self._complete, 'complete record')} {verb} kept in {' and '.join(self._places)}"

    def _note_in_journal(self, record: "BaseModel") -> None:
        from isthmus.results.journal import Journal
        from isthmus.results.store import store_path

        kind = journalled(record)
        if kind is None:
            return
        with suppress(OSError):  # a folder that cannot be written is reported when the run is kept
            if self._journal is None:
                self._journal = Journal(store_path(), schema_of(kind), dump(self.context(complete=False)))
            self._journal.add(to_json_line(record))
            self.kept_in(HISTORY)

    def emit(self, result: Result, keep: bool = True, text: str | None = None) -> None:
        """Writes the result where it was asked for: files, and the standard output in the chosen format, or as `text`.

        Before that a new one goes into the results store. Neither the store nor a file that cannot be written keeps a
        result from being shown.
        """
        if keep:
            self._conclude(result.file)
        self._complete = len(result.records)
        try:
            self._write(self.json, lambda: to_json(result.file))
            self._write(self.csv, lambda: to_csv(result.records))
        finally:
            if text is None:
                self._emit_on_stdout(result)
            else:
                write_out(text)

    def _conclude(self, file: "BaseModel") -> None:
        """Stores the file; its journal is then no run that ended early."""
        kept = is_kept(file) and self.keep(file)
        if kept:
            self.kept_in(HISTORY)
        if self._journal is None:
            return
        if kept or not is_kept(file):
            self._journal.discard()
        else:
            with suppress(IsthmusError):  # it was said that the run is not kept
                self._journal.hand_over(dump(file))

    def _write(self, file: str | None, text: Callable[[], str]) -> None:
        if file not in (None, "-"):
            write_atomically(Path(str(file)), text())
            self.kept_in(file)

    def _emit_on_stdout(self, result: Result) -> None:
        if self.json == "-":
            write_out(to_json(result.file))
        elif self.csv == "-":
            write_out(to_csv(result.records))
        elif self.jsonl != "-":
            self._print(result)

    def keep(self, file: "BaseModel") -> bool:
        """Puts a result into the results store; one that cannot be kept is a warning, and False."""
        from isthmus.results.store import keep

        try:
            keep(dump(file), self.save)
        except IsthmusError as error:
            self.warn(f"this run is not kept: {error}")
            return False
        return True

    def lines(self, lines: Sequence[str]) -> None:
        """Plain lines on the standard output: lists and plans."""
        write_out("".join(f"{line}\n" for line in lines))

    def _print(self, result: Result) -> None:
        if self.format == "json":
            write_out(to_json(result.file))
        elif self.format == "csv":
            write_out(to_csv(result.records))
        elif self.format == "md":
            write_out(to_markdown(result))
        else:
            text = io.StringIO()
            print_tables(result, self._console(sys.stdout, text))
            write_out("".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines()))

    def _say(self, kind: str, text: str) -> None:
        console = self._console(sys.stderr)
        styled = {"note": "dim", "warning": "yellow", "next": "cyan"}[kind]
        console.print(f"[{styled}]{kind}:[/{styled}] ", end="")
        console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _console(self, stream: TextIO, into: TextIO | None = None) -> "Console":
        """Draws for `stream`; its text is kept in `into` if that is given."""
        from rich.console import Console

        # OpenMPI gives ranks a terminal of its own, whoever reads their output.
        terminal = stream.isatty() and launched_rank() is None
        unwanted = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        plain = self.color == "never" or (self.color == "auto" and unwanted)
        return Console(
            file=into or stream,
            force_terminal=self.color == "always" or terminal,
            color_system=None if plain or not (self.color == "always" or terminal) else "standard",
            width=None if terminal else PIPE_WIDTH,
            highlight=False,
        )
