"""`isthmus history [RUN [RUN]]`: what was run here before."""

from typing import TYPE_CHECKING, Annotated

import typer

from isthmus.cli.compare import percentage
from isthmus.cli.session import Session
from isthmus.errors import IsthmusError

if TYPE_CHECKING:
    from isthmus.records import HistoryRun

EXAMPLES = [
    "isthmus history",
    "isthmus history 12 --format json",
    "isthmus history before after --fail-over 5%",
]


def history(
    session: Session,
    wanted: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN", help="Numbers or saved names: one is shown, two are compared, new over old."),
    ] = None,
    fail_over: Annotated[
        str | None,
        typer.Option("--fail-over", metavar="PERCENT", help="Of two: exit with 1 if anything got worse by more."),
    ] = None,
) -> None:
    """Every run of run, study, probe and reproduce on this machine, kept in one file.

    Without RUN they are listed, the newest first. The file is ISTHMUS_STORE, or isthmus/results.duckdb in the user's
    data folder; --save NAME on those commands names a run.
    """
    names = wanted or []
    if fail_over is not None and len(names) != 2:
        raise IsthmusError("--fail-over: expected two runs to compare")
    if not names:
        return _list(session)
    if len(names) == 1:
        return _show(session, names[0])
    if len(names) == 2:
        return _compare(session, names[0], names[1], percentage(fail_over))
    raise IsthmusError(f"RUN: expected one or two runs, got {len(names)}")


def _list(session: Session) -> None:
    from isthmus.output import Result, Table
    from isthmus.records import HistoryFile
    from isthmus.store import runs, store_path

    found = runs()
    cells = [(str(run.id), run.name or "-", run.start, str(run.records), _command(run), run.host) for run in found]
    table = Table(
        ("run", "name", "start, UTC", "records", "command", "host"), cells, numbers=frozenset({"run", "records"})
    )
    session.emit(
        Result(
            HistoryFile(context=session.context(), runs=found),
            found,
            verdict=[f"{len(found)} runs in {store_path()}"],
            tables=[table] if found else [],
        )
    )
    session.next(f"isthmus history {found[0].id}" if found else "isthmus probe opencl:0 --save first")


def _command(run: "HistoryRun") -> str:
    return run.command if run.complete else f"{run.command} (ended early)"


def _show(session: Session, wanted: str) -> None:
    from isthmus.numbers import figure
    from isthmus.output import Result, Table
    from isthmus.records import FILES
    from isthmus.store import records_of, run_document

    document = run_document(wanted)
    kind = str(document["schema"]).partition("/")[0].removeprefix("isthmus.")
    file = FILES[kind].model_validate(document)
    records = list(getattr(file, "records", None) or getattr(file, "rows", []))
    cells = [
        (_name(record), figure(_value(record)), str(record.get("unit", "images/s")), str(record.get("kind", "-")))
        for record in records_of(document)
    ]
    context = document["context"]
    session.emit(
        Result(
            file,
            records,
            verdict=[f"{' '.join(context['argv'])}: {len(records)} records"],
            tables=[Table(("what", "value", "unit", "kind"), cells, numbers=frozenset({"value"}))],
            detail=[f"{context['start']} on {context['host']}, isthmus {context['version']}"],
        ),
        keep=False,
    )


def _name(record: dict[str, object]) -> str:
    from isthmus.compare import record_name

    return f"{record['id']} {record['quantity']}" if "id" in record else record_name(record)


def _value(record: dict[str, object]) -> float | None:
    value = record.get("value", record.get("images_per_s", record.get("ours")))
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _compare(session: Session, old: str, new: str, fail_over: float | None) -> None:
    from isthmus.cli.compare import show_comparison
    from isthmus.compare import compare_documents
    from isthmus.store import run_document

    show_comparison(session, compare_documents(run_document(old), run_document(new), f"{old} and {new}"), fail_over)
