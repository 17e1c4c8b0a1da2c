"""The base of every command: the common options, help with the examples first, and a session."""

import dataclasses
import functools
import inspect
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from isthmus.asking.application_options import TypedOptions
from isthmus.asking.applications import describe
from isthmus.base.configuration import KNOWN, count_of
from isthmus.base.files import check_writable
from isthmus.base.names import unknown
from isthmus.base.stdout import write_out
from isthmus.cli.commands import COMMANDS
from isthmus.cli.help import help_page
from isthmus.show.session import Session

_EXAMPLES: dict[str, list[str]] = {}
_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_TYPED = "typed"  # the parameter of a function that takes options of applications
_CONTEXT = "context_of_parser"
_APPLICATION = "isthmus.application"  # the application that help is asked for

PORTS = "hp (past the caches), hpc (coherent, by the interconnect) or acp (coherent, through the second-level cache)"


def _read(words: str) -> tuple[list[str], str | None]:
    """The names of an option, and what stands for its value, of `-o --output FILE`."""
    names = [word for word in words.split() if word.startswith("-")]
    return names, " ".join(words.split()[len(names) :]) or None


def plain(words: str, text: str, parser: Callable[[Any], Any] | None = None) -> Any:
    """An option that is read as its type says; `words` are its names and what stands for its value."""
    names, metavar = _read(words)
    return typer.Option(*names, metavar=metavar, help=text, parser=parser)


def argument(metavar: str, text: str, check: Callable[[str | None], str | None] | None = None) -> Any:
    """What is typed without a name; `metavar` stands for it in help, `check` refuses what is no such word."""
    return typer.Argument(metavar=metavar, help=text, callback=check)


def configured(words: str, text: str) -> Any:
    """An option whose value, if it is not given, comes from the configuration (`isthmus config show`)."""
    default = KNOWN[_read(words)[0][-1].strip("-")].default
    return plain(words, text + (f" [default: {default}]" if default is not None else ""))


def counting(words: str, text: str) -> Any:
    """An option that counts."""
    return plain(words, text, lambda word: count_of(word, _read(words)[0][-1]))


def written(words: str, text: str) -> Any:
    """An option that names a file to be written, '-' apart: one that cannot be is refused before any work is done."""

    def parse(word: str) -> str:
        if word != "-":
            check_writable(Path(word), _read(words)[0][-1])
        return word

    return plain(words, text, parse)


def given(option: Any, default: Any = None) -> Any:
    """A field of a data class that stands for an option."""
    return dataclasses.field(default=default, metadata={"option": option})


Help = Annotated[
    bool,
    typer.Option("-h", is_eager=True, callback=lambda ctx, value: _help(ctx, value, False), help="Show a short help."),
]
WholeHelp = Annotated[
    bool,
    typer.Option(
        "--help", is_eager=True, callback=lambda ctx, value: _help(ctx, value, True), help="Show the whole help."
    ),
]
Sets = Annotated[
    list[str] | None,
    plain(
        "--set KEY=VALUE",
        "Replace a number of the modelled board ('isthmus platform show' lists them), in its unit by default.",
    ),
]
Fine = Annotated[bool, plain("--fine", "Model every packet, burst and word, which is slower.")]
Coarse = Annotated[
    bool,
    plain(
        "--coarse", "Model a repeated pattern once and count its repetitions, mostly within 1 % of --fine. [default]"
    ),
]
List = Annotated[bool, plain("--list", "List the names that this command accepts, and stop.")]
DryRun = Annotated[bool, plain("--dry-run", "Print the plan and an estimate of its time, and stop.")]


@dataclasses.dataclass
class Common:
    """Options of every command."""

    quiet: bool = given(plain("-q --quiet", "Write no progress, notes or hints to stderr."), False)
    no_progress: bool = given(plain("--no-progress", "Write no progress to stderr."), False)
    color: str | None = given(configured("--color auto|always|never", "When to colour the output."))
    debug: bool = given(plain("--debug", "Show a traceback with an error."), False)
    help_short: Help = False
    help_whole: WholeHelp = False


@dataclasses.dataclass
class Results:
    """Options of commands with results."""

    format: str | None = given(configured("--format table|json|csv|md", "Form of the result on stdout."))
    json: str | None = given(written("--json FILE", "Write the result as JSON; '-' is stdout."))
    csv: str | None = given(written("--csv FILE", "Write the records as CSV; '-' is stdout."))
    jsonl: str | None = given(written("--jsonl FILE", "Write each record as a JSON line once it is complete."))
    save: str | None = given(plain("--save NAME", "Name the run in the results store (isthmus history)."))


class Command(TyperCommand):
    """A command whose help is ours: what it does, examples, then the options."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Writes the whole help."""
        formatter.write(help_text(ctx, whole=True))


class CommandOfApplications(Command):
    """A command that also has the options of its applications, --NAME VALUE; it has them as `typed`."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Keeps the options that are not its own for the function."""
        own, typed = self._apart(args)
        ctx.meta[_APPLICATION] = self.make_parser(ctx).parse_args(list(own))[0].get("app")
        left = super().parse_args(ctx, own)
        ctx.meta[_TYPED] = TypedOptions(typed, [name.strip("-") for one in self.params for name in one.opts])
        return left

    def _apart(self, args: Sequence[str]) -> tuple[list[str], list[tuple[str, str | None]]]:
        """Separates the command's own words from the other options, which lose their dashes and keep their values."""
        valued = {name for one in self.params if not getattr(one, "is_flag", False) for name in one.opts}
        known = valued | {name for one in self.params for name in one.opts}
        own: list[str] = []
        others: list[tuple[str, str | None]] = []
        words = iter(args)
        for word in words:
            name, assigned, value = word.partition("=")
            if name.startswith("--") and name != "--" and name not in known:
                others.append((name.removeprefix("--"), value if assigned else next(words, None)))
            else:
                own += [word, *islice(words, int(word in valued))]
        return own, others


class Group(TyperGroup):
    """The command `isthmus` and its folders of commands."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name; for an unknown one an IsthmusError with the nearest."""
        if cmd_name not in self.commands and not cmd_name.startswith("-"):
            raise unknown("command", cmd_name, list(self.commands if ctx.parent else COMMANDS))
        return super().get_command(ctx, cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Writes the whole help."""
        formatter.write(help_text(ctx, whole=True))


class CommandWithMembers(Group):
    """A folder of commands that is a command itself: a first word that is no member goes to its own command."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Puts the command's own name before words that name no member."""
        named = bool(args) and args[0] in self.commands and args[0] != self.name
        return super().parse_args(ctx, args if named else [str(self.name), *args])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command and the words that are left for it; its own is typed without a name."""
        name, command, rest = super().resolve_command(ctx, args)
        return "" if name == self.name else name, command, rest


def command_path(ctx: Any) -> str:
    """The command as it is typed."""
    return str(ctx.command_path).rstrip()


def command(
    app: typer.Typer, name: str, examples: list[str], results: bool = True, summary: str = ""
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Adds a function to `app` as the command `name`; its first parameter is the session, the rest its own options.

    A parameter of a data class stands for an option a field, one called `typed` for the options of applications.
    `summary` stands in place of its own in help.
    """

    def register(function: Callable[..., None]) -> Callable[..., None]:
        own_summary, _, detail = (function.__doc__ or "").partition("\n\n")
        function.__doc__ = f"{summary or own_summary}\n\n{inspect.cleandoc(detail)}".rstrip()
        _EXAMPLES[inspect.cleandoc(function.__doc__ or "")] = examples
        parameters = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
        declared = [one for one in parameters if one.name != _TYPED]
        takes_typed = len(declared) < len(parameters)
        groups: dict[str, Any] = {one.name: one.annotation for one in declared if _is_group(one.annotation)}
        own = [option for one in declared for option in (_options_of(one.annotation) if one.name in groups else [one])]
        common = [option for group in ([Results] if results else []) + [Common] for option in _options_of(group)]

        @functools.wraps(function)
        def invoke(**values: Any) -> None:
            session = Session.from_flags({one.name: values.pop(one.name) for one in common})
            context = values.pop(_CONTEXT)
            if takes_typed:
                values[_TYPED] = context.meta[_TYPED]
            for name, last in _given_twice(values.get("sets") or (), values.get(_TYPED, TypedOptions())).items():
                session.note(f"{name}: given more than once, {last} holds")
            for key, group in groups.items():
                values[key] = group(**{one.name: values.pop(one.name) for one in dataclasses.fields(group)})
            try:
                function(session, **values)
            except KeyboardInterrupt as interrupt:
                raise KeyboardInterrupt(session.what_is_kept()) from interrupt

        of_typer = inspect.Parameter(_CONTEXT, _KEYWORD, annotation=typer.Context)
        options = [option.replace(kind=_KEYWORD) for option in (of_typer, *own, *common)]
        signature = inspect.Signature(options)
        invoke.__signature__ = signature  # type: ignore[attr-defined]
        invoke.__annotations__ = {parameter.name: parameter.annotation for parameter in signature.parameters.values()}
        kind = CommandOfApplications if takes_typed else Command
        app.command(name, cls=kind, add_help_option=False)(invoke)
        return function

    return register


def _is_group(annotation: object) -> bool:
    """Tells whether a type is a data class, whose fields are options."""
    return isinstance(annotation, type) and dataclasses.is_dataclass(annotation)


def _options_of(group: Any) -> list[inspect.Parameter]:
    """An option for each field of a data class."""
    hints = get_type_hints(group, include_extras=True)
    for one in dataclasses.fields(group):
        for made in one.metadata.values():
            hints[one.name] = Annotated[hints[one.name], made]
    return [
        inspect.Parameter(one.name, _KEYWORD, default=one.default, annotation=hints[one.name])
        for one in dataclasses.fields(group)
    ]


def _given_twice(sets: Sequence[str], typed: TypedOptions) -> dict[str, str | None]:
    """Keys, and options of applications, that are given more than once, each with its last value, which holds."""
    pairs = [(f"--{name}", value) for name, value in typed.options]
    pairs += [(f"--set {key.strip()}", value) for key, _, value in (text.partition("=") for text in sets)]
    names = [name for name, _ in pairs]
    return {name: value for name, value in pairs if names.count(name) > 1}


def help_text(ctx: Any, whole: bool) -> str:
    """The help of the command of `ctx`: short, or whole with every option and the exit codes."""
    command = ctx.command
    text = inspect.cleandoc(command.help or "")
    summary, _, rest = text.partition("\n\n")
    own = [param for param in command.params if whole or param.name not in {*vars(Common()), *vars(Results())}]
    return help_page(
        command_path(ctx),
        " ".join(summary.split()),
        _EXAMPLES.get(text, []),
        " ".join(_usage(command)),
        detail=rest,
        commands=[(name, _first_line(sub.help)) for name, sub in _members(ctx).items() if name != command.name],
        arguments=[(param.metavar, param.help) for param in own if whole and param.param_type_name == "argument"],
        parameters=_parameters_of(ctx.meta.get(_APPLICATION)) if whole else [],
        options=[(_flags(param), param.help or "") for param in own if param.param_type_name == "option"],
        whole=whole,
    )


def _parameters_of(application: str | None) -> list[tuple[str, str]]:
    """The options of an application, for help."""
    if application is None:
        return []

    described = describe(application)
    counted = (f"--{described.counted} N", f"number of {described.counted}, as --count N. [default: {described.count}]")
    return [*((f"--{one.name} {one.metavar}", one.told) for one in described.parameters.values()), counted]


def _members(ctx: Any) -> dict[str, Any]:
    """The other commands of the one of `ctx`, if it is a folder or stands for one."""
    folder = ctx.command if hasattr(ctx.command, "commands") else ctx.parent and ctx.parent.command
    own = folder is ctx.command or (isinstance(folder, CommandWithMembers) and folder.name == ctx.command.name)
    return dict(folder.commands) if own else {}


def examples_of(text: str, examples: list[str]) -> None:
    """Gives the group whose help is `text` its examples."""
    _EXAMPLES[inspect.cleandoc(text)] = examples


def _help(ctx: typer.Context, value: bool, whole: bool) -> None:
    if value:
        write_out(help_text(ctx, whole))
        raise typer.Exit()


def _usage(command: Any) -> list[str]:
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    names = [f"{param.metavar or param.name.upper()}{'...' if param.nargs == -1 else ''}" for param in arguments]
    shown = [name if param.required else f"[{name}]" for name, param in zip(names, arguments, strict=True)]
    # What is typed after -- comes last.
    before, after = ([name for name in shown if ("-- " in name) is last] for last in (False, True))
    return [*before, *(["COMMAND"] if hasattr(command, "commands") else []), "[OPTIONS]", *after]


def _flags(param: Any) -> str:
    names = ", ".join([*param.opts, *param.secondary_opts])
    return f"{names} {param.metavar}" if param.metavar else names


def _first_line(text: str | None) -> str:
    return " ".join(inspect.cleandoc(text or "").partition("\n\n")[0].split())
