"""The tree of commands."""

from typing import Annotated

import typer

from isthmus.cli import calibrate, compare, config, devices, doctor, history, platform, probe, reproduce, run, study
from isthmus.cli.command import Group, Help, WholeHelp, command, examples_of, help_text
from isthmus.cli.welcome import WELCOME
from isthmus.stdout import write_out

app = typer.Typer(
    cls=Group,
    add_completion=False,
    add_help_option=False,
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _show_version(value: bool) -> None:
    if value:
        from isthmus.cli.version import version_lines

        write_out("".join(f"{line}\n" for line in version_lines()))
        raise typer.Exit()


@app.callback()
def isthmus(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_show_version, help="Version, commit, compiler, OpenCL, MPI."
        ),
    ] = False,
    help_short: Help = False,
    help_whole: WholeHelp = False,
) -> None:
    """How data crosses between a CPU and an FPGA: seen, modelled, compared and chosen."""
    if context.invoked_subcommand is None:
        write_out(WELCOME)


examples_of(
    isthmus.__doc__ or "",
    [
        "isthmus devices",
        "isthmus run image-filter --on model:aws-f1 --flow stream",
        "isthmus study examples/image-filter.toml",
    ],
)


def _folder(name: str, summary: str, examples: list[str]) -> typer.Typer:
    folder = typer.Typer(cls=Group, add_help_option=False, invoke_without_command=True, rich_markup_mode=None)

    def show_help(context: typer.Context, help_short: Help = False, help_whole: WholeHelp = False) -> None:
        if context.invoked_subcommand is None:
            write_out(help_text(context, whole=False))

    show_help.__doc__ = summary
    examples_of(summary, examples)
    folder.callback()(show_help)
    app.add_typer(folder, name=name)
    return folder


command(app, "devices", devices.EXAMPLES)(devices.devices)
command(app, "run", run.EXAMPLES)(run.run)
command(app, "study", study.EXAMPLES)(study.study)
command(app, "probe", probe.EXAMPLES)(probe.probe)
command(app, "reproduce", reproduce.EXAMPLES)(reproduce.reproduce)
command(app, "compare", compare.EXAMPLES)(compare.compare)
command(app, "calibrate", calibrate.EXAMPLES)(calibrate.calibrate)
command(app, "history", history.EXAMPLES)(history.history)
command(app, "doctor", doctor.EXAMPLES)(doctor.doctor)

_platform = _folder("platform", platform.SUMMARY, platform.EXAMPLES)
command(_platform, "show", platform.SHOW_EXAMPLES)(platform.show)
command(_platform, "new", platform.NEW_EXAMPLES, results=False)(platform.new)
command(_platform, "list", platform.LIST_EXAMPLES, results=False)(platform.list_platforms)

_config = _folder("config", config.SUMMARY, config.EXAMPLES)
command(_config, "show", config.EXAMPLES)(config.show)
