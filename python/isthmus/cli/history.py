"""`isthmus history [RUN [RUN]]`: what was run here before."""

from typing import Annotated

from isthmus.base.errors import AnswerIsNoError, IsthmusError
from isthmus.base.numbers import counted, figure, percent
from isthmus.cli.command import argument, plain
from isthmus.cli.compare import percentage, show_comparison
from isthmus.results.kinds import KINDS, name_of
from isthmus.results.store import all_records, run_document, runs, store_path
from isthmus.show.output import Result, Table, table_of
from isthmus.show.session import Session

EXAMPLES = [
    "isthmus history",
    "isthmus history 12 --format json",
    "isthmus history before after --fail-over 5%",
    "isthmus history --regressions --fail-on-regression",
]


def history(
    session: Session,
    wanted: Annotated[
        list[str] | None,
        argument(
            "RUN", "Number or saved name of a run: one RUN is shown; two are compared, the second over the first."
        ),
    ] = None,
    fail_over: Annotated[
        str | None, plain("--fail-over PERCENT", "With two runs: exit with 1 if any value got worse by more than this.")
    ] = None,
    look: Annotated[
        bool, plain("--regressions", "Compare the newest run of each command line with the spread of the earlier ones.")
    ] = False,
    fail_on_regression: Annotated[
        bool,
        plain(
            "--fail-on-regression",
            "Do as --regressions, and exit with 1 if any value got worse by more than the noise.",
        ),
    ] = False,
) -> None:
    """List and compare the runs that are kept.

    Without RUN the command lists the kept runs, the newest first. Runs are kept in the file that ISTHMUS_STORE names,
    or in isthmus/results.sqlite in the user's data folder. The option --save NAME of run, study and the others names a
    run.
    """
    names = wanted or []
    if look or fail_on_regression:
        return _regressions(session, names, fail_on_regression)
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
    from isthmus.records.listings import HistoryFile

    found = runs()
    cells = [
        (
            str(run.id),
            run.name or "-",
            run.start,
            str(run.records),
            run.command + ("" if run.complete else " (ended early)"),
            run.host,
        )
        for run in found
    ]
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


def _show(session: Session, wanted: str) -> None:
    from isthmus.show.tables import records_table

    document = run_document(wanted)
    kind = KINDS[name_of(document)]
    file = kind.file_class.model_validate(document)
    records = kind.records_in(vars(file))
    context = document["context"]
    session.emit(
        Result(
            file,
            records,
            verdict=[f"{' '.join(context['argv'])}: {counted(len(records), 'record')}"],
            tables=[records_table(kind.records_in(document))],
            detail=[f"{context['start']} on {context['host']}, isthmus {context['version']}"],
        ),
        keep=False,
    )


def _regressions(session: Session, names: list[str], fail: bool) -> None:
    from isthmus.records.listings import RegressionsFile
    from isthmus.results.regressions import FEWEST, regressions

    if names:
        raise IsthmusError(f"--regressions: looks at every run, got '{names[0]}'")
    found = regressions(all_records())
    worse = [one for one in found if one.regressed]
    table = table_of(
        found,
        {
            "what": lambda one: one.name,
            "device": lambda one: one.device,
            "earlier runs": lambda one: str(one.earlier),
            "median": lambda one: figure(one.median),
            "noise": lambda one: percent(one.noise),
            "newest": lambda one: figure(one.newest),
            "unit": lambda one: one.unit,
            "change": lambda one: percent(one.change),
            "verdict": lambda one: "REGRESSED" if one.regressed else "-",
        },
        numbers={"earlier runs", "median", "noise", "newest", "change"},
    )
    said = f"{len(worse)} of {len(found)} series with at least {FEWEST} earlier runs got worse beyond their noise"
    file = RegressionsFile(context=session.context(), regressions=found)
    session.emit(Result(file, found, verdict=[said], tables=[table] if found else []))
    if worse and fail:
        raise AnswerIsNoError(f"worse beyond the noise: {', '.join(one.name for one in worse)}")


def _compare(session: Session, old: str, new: str, fail_over: float | None) -> None:
    from isthmus.results.compare import compare_documents

    found = compare_documents((run_document(old), run_document(new)), (old, new), session.warn)
    show_comparison(session, found, fail_over)
