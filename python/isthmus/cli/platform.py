"""`isthmus platform show TARGET`: the numbers of a model, where they come from and their roles."""

from typing import TYPE_CHECKING, Annotated

import typer

from isthmus.cli.command import Sets
from isthmus.cli.session import Session

if TYPE_CHECKING:
    from isthmus.output import Table
    from isthmus.records import Platform

ROLES = ("datasheet", "calibrated", "assumed", "set")
EXAMPLES = ["isthmus platform show model:aws-f1", "isthmus platform list"]
SHOW_EXAMPLES = [
    "isthmus platform show model:aws-f1",
    "isthmus platform show model:aws-f1 --set link.pcie.lanes=8 --format csv",
]
LIST_EXAMPLES = ["isthmus platform list"]
SUMMARY = """The modelled boards: which there are, and the numbers that each is made of."""


def show(
    session: Session,
    target: Annotated[str, typer.Argument(metavar="TARGET", help="model:NAME or FILE.toml.")],
    sets: Sets = None,
) -> None:
    """Every number of a model with its unit, source and role.

    Roles: datasheet (known before any measurement), calibrated (taken from a published measurement), assumed (ours,
    with a range and the reason).
    """
    from isthmus.errors import IsthmusError
    from isthmus.output import Result
    from isthmus.records import Platform, PlatformFile
    from isthmus.targets import check_target, is_model, platform

    if not is_model(target) and ":" not in target:
        target = f"model:{target}"
    check_target(target)
    if not is_model(target):
        raise IsthmusError(f"TARGET: '{target}' is a real device; expected model:NAME or FILE.toml")
    found = Platform.model_validate(platform(target, sets or []))
    session.emit(
        Result(
            PlatformFile(context=session.context(), platform=found),
            found.inputs,
            verdict=[f"{found.name or target}, model: {len(found.inputs)} numbers: {_roles(found)}"],
            tables=[_table(found)],
            detail=[f"{found.file}, sha256 {found.sha256}"],
        )
    )
    session.next(f"isthmus run image-filter --on {target} --flow stream")


def list_platforms(session: Session) -> None:
    """The modelled boards that are installed, as targets."""
    from isthmus.targets import platforms

    session.lines(platforms())


def _table(found: "Platform") -> "Table":
    from isthmus.output import Table

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
    if isinstance(value, list):
        return " to ".join(map(_text, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
