"""The tree of commands. Only the command that is typed is loaded."""

from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any

import typer

from isthmus import cmake_prefix
from isthmus.base.stdout import write_out
from isthmus.cli.command import CommandWithMembers, Group, Help, WholeHelp, command, examples_of, help_text
from isthmus.cli.commands import COMMANDS, SUMMARY, CommandEntry
from isthmus.cli.help import overview
from isthmus.cli.welcome import WELCOME


def app_with(name: str | None) -> typer.Typer:
    """The command `isthmus` with its subcommand `name`; without any if there is none of that name."""
    app = typer.Typer(
        cls=Group,
        add_completion=False,
        add_help_option=False,
        invoke_without_command=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback(help=SUMMARY)(_isthmus)
    if name in COMMANDS:
        _add(app, name, COMMANDS[name])
    return app


def _add(app: typer.Typer, name: str, known: CommandEntry) -> None:
    module = import_module(f"isthmus.cli.{name}")
    if not known.members:
        command(app, name, module.EXAMPLES, results=known.results, summary=known.summary)(getattr(module, name))
        return
    folder = _folder(app, name, known, module.EXAMPLES)
    if known.itself:
        command(folder, name, module.EXAMPLES, results=known.results, summary=known.summary)(getattr(module, name))
    for own_name, member in known.members.items():
        place = import_module(f"isthmus.cli.{member.module}") if member.module else module
        examples = getattr(place, member.examples)
        command(folder, own_name, examples, results=member.results)(getattr(place, member.function))


def _folder(app: typer.Typer, name: str, known: CommandEntry, examples: list[str]) -> typer.Typer:
    kind = CommandWithMembers if known.itself else Group
    folder = typer.Typer(cls=kind, add_help_option=False, invoke_without_command=True, rich_markup_mode=None)

    def show_help(context: typer.Context, help_short: Help = False, help_whole: WholeHelp = False) -> None:
        if context.invoked_subcommand is None:
            write_out(help_text(context, whole=False))

    show_help.__doc__ = known.summary
    examples_of(known.summary, examples)
    folder.callback()(show_help)
    app.add_typer(folder, name=name)
    return folder


def _version() -> str:
    from isthmus.cli.version import version_lines

    return "".join(f"{line}\n" for line in version_lines())


def _answering(name: str, text: Callable[[], str]) -> Any:
    """An option that prints something in place of a command."""

    def answer(value: bool) -> None:
        if value:
            write_out(text())
            raise typer.Exit()

    return typer.Option(name, is_eager=True, callback=answer)


def _isthmus(
    context: typer.Context,
    version: Annotated[bool, _answering("--version", _version)] = False,
    prefix: Annotated[bool, _answering("--cmake-prefix", lambda: f"{cmake_prefix()}\n")] = False,
    help_short: Annotated[bool, _answering("-h", lambda: overview(whole=False))] = False,
    help_whole: Annotated[bool, _answering("--help", lambda: overview(whole=True))] = False,
) -> None:
    if context.invoked_subcommand is None:
        write_out(WELCOME)
