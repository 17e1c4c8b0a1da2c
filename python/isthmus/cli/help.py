"""The layout of help: the meaning, examples, usage, then the options."""

import shutil
import textwrap
from collections.abc import Sequence

from isthmus.cli.commands import COMMANDS, EXAMPLES, OPTIONS, SUMMARY

EXIT_CODES = "Exit codes: 0 done; 1 done and the answer is no; 2 could not run; 130 after Ctrl-C."

HelpEntries = Sequence[tuple[str, str]]


def overview(whole: bool) -> str:
    """The help of the command itself, short or whole."""
    options = [(flag, text) for flag, text in OPTIONS.items() if whole or flag == "--version"]
    commands = [(name, known.summary) for name, known in COMMANDS.items()]
    return help_page("isthmus", SUMMARY, EXAMPLES, "COMMAND [OPTIONS]", commands=commands, options=options, whole=whole)


def help_page(
    path: str,
    summary: str,
    examples: Sequence[str],
    usage: str,
    detail: str = "",
    commands: HelpEntries = (),
    arguments: HelpEntries = (),
    parameters: HelpEntries = (),
    options: HelpEntries = (),
    whole: bool = False,
) -> str:
    """A page of help; `path` is the command as it is typed."""
    lines = [*textwrap.wrap(f"{path}: {summary}", _width()), "", "Examples:"]
    lines += [f"  {example}" for example in examples]
    lines += ["", f"Usage: {path} {usage}"]
    if whole and detail:
        lines += ["", *textwrap.wrap(" ".join(detail.split()), _width())]
    titles = ("Commands:", "Arguments:", "Parameters of the application:", "Options:")
    for title, rows in zip(titles, (commands, arguments, parameters, options), strict=True):
        if rows:
            lines += ["", title, *_columns(rows)]
    lines += ["", EXIT_CODES if whole else f"All options: {path} --help"]
    return "\n".join(lines) + "\n"


def _columns(rows: HelpEntries) -> list[str]:
    left = min(26, max(len(name) for name, _ in rows))
    lines = []
    for name, text in rows:
        wrapped = textwrap.wrap(text, max(20, _width() - left - 4)) or [""]
        head = f"  {name.ljust(left)}  "
        lines += [head + wrapped[0]] if len(name) <= left else [f"  {name}", " " * (left + 4) + wrapped[0]]
        lines += [" " * (left + 4) + line for line in wrapped[1:]]
    return lines


def _width() -> int:
    return min(100, shutil.get_terminal_size((100, 24)).columns)
