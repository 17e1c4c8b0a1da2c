"""The entry of the command: exit codes, and one line on stderr for whatever went wrong."""

import os
import re
import sys
from collections.abc import Sequence

from isthmus.base.errors import AnswerIsNoError, IsthmusError

# How the parser complains about an argument too many.
_EXTRA = re.compile(r"unexpected extra arguments? ?(?:\(s\) )?\(([^\s)]+)")


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command and exits: 0 done, 1 the answer is no, 2 could not run, 130 after Ctrl-C."""
    argv = list(sys.argv[1:] if arguments is None else arguments)
    # Looking for pydantic's plugins, of which none is meant, reads what every installed package says of itself.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    sys.exit(run(argv))


def run(argv: Sequence[str]) -> int:
    """Runs the command with these arguments and returns its exit code."""
    try:
        text = _known_by_heart(list(argv))
        return _invoke(list(argv)) if text is None else _say(text)
    except AnswerIsNoError as answer:
        _complain(str(answer))
        return 1
    except KeyboardInterrupt as interrupt:
        _complain("; ".join(["interrupted", *map(str, interrupt.args)]))
        return 130
    except BrokenPipeError:
        return 0  # The reader has what it wanted.
    except Exception as error:
        if _debug(argv):
            import traceback

            traceback.print_exc()
        _complain(_message(error))
        return 2


def _known_by_heart(argv: list[str]) -> str | None:
    """The answer where no command, and so no parser of commands, is needed."""
    from isthmus.cli.help import overview
    from isthmus.cli.welcome import WELCOME

    return {(): WELCOME, ("-h",): overview(whole=False), ("--help",): overview(whole=True)}.get(tuple(argv))


def _say(text: str) -> int:
    from isthmus.base.stdout import write_out

    write_out(text)
    return 0


def _invoke(argv: list[str]) -> int:
    import typer
    from typer.main import get_command

    from isthmus.cli.app import app_with

    name = next((word for word in argv if not word.startswith("-")), None)
    # Not through typer's own main: it would answer Ctrl-C, closed pipes and errors differently.
    command = get_command(app_with(name))
    try:
        with command.make_context("isthmus", argv) as context:
            command.invoke(context)
    except typer.Exit as done:
        return done.exit_code
    return 0


def _message(error: Exception) -> str:
    if isinstance(error, IsthmusError):
        return str(error)
    if _is_of_usage(error):
        return _usage_message(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return f"{type(error).__name__}: {error}; help: run it again with --debug and report what it shows."


def _is_of_usage(error: Exception) -> bool:
    """Tells whether the parser complains of what was typed: those descend from one class, in each version of typer."""
    import typer

    return isinstance(error, typer.BadParameter.__mro__[2])


def _usage_message(error: Exception) -> str:
    message = str(error.format_message()) if hasattr(error, "format_message") else str(error)
    context = getattr(error, "ctx", None)
    option = getattr(error, "option_name", None)
    if context is not None and option is not None and option.startswith("-"):
        from isthmus.base.names import nearest

        options = [name for param in context.command.params for name in [*param.opts, *param.secondary_opts]]
        # Without the dashes, which all of them share.
        guess = nearest(option.strip("-"), [name.removeprefix("--") for name in options])
        if option not in options:
            message = f"unknown option '{option}'" + (f"; help: did you mean '--{guess}'?" if guess else "")
    elif extra := _EXTRA.search(message):
        message = f"unexpected argument '{extra[1]}'"
    if "help:" not in message:
        from isthmus.cli.command import command_path

        path = command_path(context) if context is not None else "isthmus"
        message = f"{message[:1].lower()}{message[1:].rstrip('.')}; help: see '{path} -h'."
    return message


def _debug(argv: Sequence[str]) -> bool:
    from isthmus.base.configuration import resolve

    try:
        return bool(resolve("debug", True if "--debug" in argv else None).value)
    except IsthmusError:
        return False


def _complain(message: str) -> None:
    print(f"error: {' '.join(message.split())}", file=sys.stderr)
