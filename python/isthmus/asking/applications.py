"""Applications: those that come with Isthmus, by name, and programs and descriptions of one's own, by path."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isthmus.base.errors import IsthmusError
from isthmus.base.files import meant_file
from isthmus.base.names import unknown
from isthmus.running.application import (
    RUN_TOOL,
    Application,
    Parameter,
    application_of,
    is_description,
    is_program,
    tool_of,
)
from isthmus.running.offers import offered
from isthmus.running.tools import Event, Request, as_sets, collect, placed, request_of


def applications() -> list[str]:
    """The names of the applications that come with Isthmus."""
    return list(_offered(RUN_TOOL))


def _offered(tool: str) -> dict[str, Event]:
    """The applications of a tool, by name."""
    return {str(one["name"]): one for one in offered(tool).get("applications", ())}


def describe(application: str, place: str | None = None) -> Application:
    """Asks an application for its description; an IsthmusError, with the nearest name, if there is none.

    `place` is where it is written, as FILE:LINE.
    """
    if is_description(application):
        return _of_description(application, f"{place}: " if place else "")
    if is_program(application):
        return _program(application, f"{place}: " if place else "")
    told = _offered(RUN_TOOL)
    if application not in told:
        raise unknown("application", application, list(told), place)
    return _described(told[application])


def flows_of(application: str, target: str, sets: Sequence[str] = ()) -> list[str]:
    """Flows of an application, a name or a program's path, that a target offers, as its tool says."""
    tool = tool_of(application)
    known = _offered(tool)
    on_boards = known.get(application, next(iter(known.values()))).get("on", {})
    if target in on_boards and not sets:
        return list(on_boards[target])
    return list(ask(application, {"on": target, "set": as_sets(sets)})["flows"])


def next_run(target: str, flow: str) -> str | None:
    """The command that runs the image filter on a target, in that flow if the target has it; None without a flow."""
    flows = flows_of("image-filter", target)
    if not flows:
        return None
    return f"isthmus run image-filter --on {target} --flow {flow if flow in flows else flows[0]}"


def described_with(typed: str, application: Application, parameters: Sequence[str]) -> Application:
    """Asks again with NAME=VALUE of its parameters: a file may hold another number of what is counted."""
    return _described(ask(typed, dict(as_sets(parameters)))) if parameters else application


def buffers_of(typed: str, parameters: Sequence[str]) -> list[dict[str, Any]]:
    """Asks an application about its buffers that ports of an FPGA move."""
    return list(ask(typed, dict(as_sets(parameters))).get("buffers", []))


def ask(typed: str, options: Request) -> Event:
    """The tool's answer about an application with these options, all of which it checks."""
    tool = tool_of(typed)
    (told,) = collect(tool, request_of({**application_of(typed), "list": True, **options}), "application")
    return told


def _of_description(path: str, prefix: str) -> Application:
    # Most commands have none and need not wait until its reader is imported.
    from isthmus.descriptions.application import read_described

    if not Path(path).is_file():
        raise IsthmusError(f"{prefix}description '{path}': no such file", hint=meant_file(Path(path), "*.toml"))
    return read_described(path).application


def _program(path: str, prefix: str) -> Application:
    if not Path(path).is_file():
        hint = meant_file(Path(path)) or "build it first."
        raise IsthmusError(f"{prefix}program '{path}': no such file", hint=hint)
    if not os.access(path, os.X_OK):
        raise IsthmusError(f"{prefix}program '{path}': cannot be run, it is not executable")
    with placed({path: f"{prefix}program '{path}':"}):
        told = list(_offered(path).values())
    if not told:
        raise IsthmusError(f"{prefix}program '{path}': does not say which application it is (--describe)")
    return _described(told[0])


def _described(event: Event) -> Application:
    try:
        parameters = [Parameter(**{**one, "choices": tuple(one.get("choices", ()))}) for one in event["parameters"]]
        return Application(
            name=event["name"],
            counted=event["counted"],
            count=event["count"],
            bytes_each=event["bytes_each"],
            flows=tuple(event["flows"]),
            parameters={one.name: one for one in parameters},
            shares_buffers=bool(event.get("buffers")),
        )
    except (KeyError, TypeError) as error:
        raise IsthmusError(
            f"application '{event.get('name')}': its program does not say {error}", hint="build it with this version."
        ) from None
