"""`isthmus platform show TARGET`: what a model is made of, where its numbers come from, and the boards of a system."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from isthmus.asking.applications import next_run
from isthmus.base.errors import IsthmusError
from isthmus.base.files import write_atomically
from isthmus.base.flows import STREAM
from isthmus.base.names import select
from isthmus.base.numbers import as_written, counted
from isthmus.cli.command import Sets, argument, plain, written
from isthmus.running.limits import as_records, named, of_keys
from isthmus.running.targets import described_platforms, is_model, read_platform, system
from isthmus.running.tools import Event
from isthmus.show.output import Result, Table
from isthmus.show.session import Session

if TYPE_CHECKING:
    from isthmus.records.run import Platform

ROLES = ("datasheet", "configuration", "calibrated", "assumed", "set")
EXAMPLES = ["isthmus platform show model:aws-f1", "isthmus platform list", "isthmus platform new 'My board'"]
NEW_EXAMPLES = [
    "isthmus platform new 'My board'",
    "isthmus platform new lab --like model:alpha-data-7v3 --out lab.toml",
]
SHOW_EXAMPLES = [
    "isthmus platform show model:aws-f1",
    "isthmus platform show model:aws-f1 'link.*' host.copy.rate",
    "isthmus platform show model:aws-f1 --set link.pcie.lanes=8 --format csv",
    "isthmus platform show rack.toml",
]
LIST_EXAMPLES = ["isthmus platform list"]


def show(
    session: Session,
    target: Annotated[str, argument("TARGET", "model:NAME, FILE.toml of a board, or SYSTEM.toml of hosts and boards.")],
    keys: Annotated[list[str] | None, argument("KEY", "Names or globs of keys, as in 'link.*'. [default: all]")] = None,
    sets: Sets = None,
) -> None:
    """Show every number of a modelled board with its unit, source and role.

    Roles: datasheet (known before any measurement), configuration (how the measured system was set up), calibrated
    (taken from a published measurement), assumed (ours, with a range and the reason). For a system file: its hosts,
    its boards and their wiring.
    """
    from isthmus.records.listings import PlatformFile
    from isthmus.running.integration import NO_MEASUREMENT, is_calibrated

    if not is_model(target) and ":" not in target:
        target = f"model:{target}"
    if not is_model(target):
        raise IsthmusError(f"TARGET: '{target}' is a real device; expected model:NAME or FILE.toml")
    if (several := system(target, sets or [])) is not None:
        if keys:
            raise IsthmusError(f"KEY: '{keys[0]}' is of one board, and {target} is a system of boards")
        _show_system(session, several)
        session.next(f"isthmus probe {target}")
        return
    whole = read_platform(target, sets or [])
    chosen = select("key", keys or [], [item.key for item in whole.inputs])
    found = whole.model_copy(update={"inputs": [item for item in whole.inputs if item.key in chosen]})
    of_all = f" of {len(whole.inputs)}" if len(found.inputs) < len(whole.inputs) else ""
    numbers = f"{len(found.inputs)}{of_all} numbers"
    measured = "" if is_calibrated(item.role for item in whole.inputs) else f"; {NO_MEASUREMENT}"
    limits = of_keys(found.usual(item.key) for item in found.inputs)
    session.emit(
        Result(
            PlatformFile(context=session.context(), platform=found, limits=as_records(limits)),
            found.inputs,
            verdict=[f"{found.name or target}, model: {numbers}: {_roles(found)}{measured}"],
            tables=[_table(found)],
            detail=[f"{found.file}, sha256 {found.sha256}", named(limits)],
        )
    )
    session.next(next_run(target, STREAM) or f"isthmus probe {target}")


def new(
    session: Session,
    name: Annotated[str, argument("NAME", "Name of the board.")],
    like: Annotated[
        str, plain("--like TARGET", "Board whose parts and numbers are copied. [default: model:aws-f1]")
    ] = "model:aws-f1",
    out: Annotated[str | None, written("--out FILE", "File to write. [default: NAME.toml here]")] = None,
) -> None:
    """Write a commented file for a board of your own, which works as it is.

    Each key has a comment with its meaning. Each number is copied from another board and marked as assumed: replace it.
    """
    from isthmus.calibration.template import template

    stem = "-".join("".join(letter if letter.isalnum() else " " for letter in name.lower()).split())
    if not stem or name.endswith(".toml"):
        raise IsthmusError(f"NAME: expected what the board is called, got '{name}'", hint="--out names the file.")
    file = Path(out or f"{stem}.toml")
    if file.suffix != ".toml":
        raise IsthmusError(f"--out: expected a name that ends in .toml, got '{file}'")
    if not is_model(like):
        raise IsthmusError(f"--like: expected model:NAME or FILE.toml, got '{like}'")
    if file.exists():
        raise IsthmusError(f"{file}: is there already", hint="choose another --out.")
    write_atomically(file, template(name, str(file), like, {}))
    session.lines([str(file)])
    session.next(f"isthmus platform show {file if '/' in str(file) else f'./{file}'}")


def list_platforms(session: Session) -> None:
    """List the modelled boards that are installed, as targets.

    Each row says how the board is joined to its host and whose memory its circuits work on, by the classes of Choi et
    al., TRETS 2019, table 1 (choi2019).
    """
    from isthmus.records.listings import PlatformsFile
    from isthmus.records.run import Platform
    from isthmus.running.integration import NO_MEASUREMENT, classified

    found = [classified(target, Platform.model_validate(event)) for target, event in described_platforms().items()]
    cells = [
        (
            one.target,
            one.name,
            one.integration,
            one.memory,
            ", ".join(one.links),
            "calibrated" if one.calibrated else NO_MEASUREMENT,
        )
        for one in found
    ]
    table = Table(("target", "board", "integration", "memory", "links", "by measurements"), cells)
    session.emit(Result(PlatformsFile(context=session.context(), platforms=found), found, tables=[table]))
    if found:
        session.next(f"isthmus platform show {found[0].target}")


def _show_system(session: Session, event: Event) -> None:
    from isthmus.records.listings import System, SystemFile

    found = System.model_validate(event)
    wires = {board.name: [wire.channel for wire in found.wires if wire.board == board.name] for board in found.boards}
    boards = [
        (board.name, board.node, board.platform, board.file, ", ".join(wires[board.name]) or "-")
        for board in found.boards
    ]
    nodes = [(node.name, ", ".join(part.name for part in node.host)) for node in found.nodes]
    parts = ((found.nodes, "node"), (found.boards, "board"), (found.wires, "wire"))
    holds = ", ".join(counted(len(those), what) for those, what in parts)
    session.emit(
        Result(
            SystemFile(context=session.context(), system=found),
            found.boards,
            verdict=[f"{found.name}, system: {holds}"],
            tables=[
                Table(("node", "parts of its host"), nodes, title="Nodes"),
                Table(("board", "node", "platform", "file", "wired links"), boards, title="Boards"),
            ],
            detail=[f"{found.file}, sha256 {found.sha256}"],
        )
    )


def _table(found: "Platform") -> Table:
    cells = [
        (
            item.key,
            f"{_text(item.value)}{f' {item.unit}' if item.unit else ''}",
            item.role,
            item.source or "-",
            f"{_text(item.range)}{f': {item.why}' if item.why else ''}" if item.range else item.why or "-",
        )
        for item in found.inputs
    ]
    columns = ("key", "value", "role", "source", "range and reason")
    return Table(columns, cells, below="range and reason", key_columns=1)


def _roles(found: "Platform") -> str:
    counts = {role: sum(item.role == role for item in found.inputs) for role in ROLES}
    return ", ".join(f"{count} {role}" for role, count in counts.items() if count)


def _text(value: object) -> str:
    return " to ".join(map(as_written, value)) if isinstance(value, list) else as_written(value)
