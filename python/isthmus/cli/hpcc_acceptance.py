"""`isthmus hpcc acceptance`: whether nodes reach what a centre expects of them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from isthmus.base.durations import parse_duration
from isthmus.base.errors import AnswerIsNoError
from isthmus.base.files import write_atomically
from isthmus.base.numbers import counted, figure
from isthmus.cli.command import plain, written
from isthmus.cli.hpcc_options import For, Ranks
from isthmus.show.events import Listener
from isthmus.show.output import Result, Table, table_of
from isthmus.show.session import Session

if TYPE_CHECKING:
    from isthmus.records.hpcc import AcceptanceCheck

EXAMPLES = [
    "isthmus hpcc acceptance --expect expect.toml --junit acceptance.xml",
    "isthmus hpcc acceptance --expect expect.toml --nodes n01,n02,n03 --launcher ssh",
    "isthmus hpcc acceptance --expect expect.toml --hosts hosts --for 1h --json acceptance.json",
]


def acceptance(
    session: Session,
    expect: Annotated[str, plain("--expect FILE", "TOML file of benchmarks and the values that they must reach.")],
    ranks: Ranks = 1,
    nodes: Annotated[str | None, plain("--nodes NODE,...", "Names of the nodes to test.")] = None,
    hosts: Annotated[
        str | None, plain("--hosts FILE", "File of node names, one a line. [default: Slurm's nodes, or this one]")
    ] = None,
    launcher: Annotated[
        str | None,
        plain("--launcher mpirun|srun|ssh|WORDS", "Command that starts ranks; WORDS may hold {node} and {ranks}."),
    ] = None,
    for_: For = None,
    junit: Annotated[str | None, written("--junit FILE", "Write the checks as JUnit XML.")] = None,
    outliers_fail: Annotated[
        bool, plain("--outliers-fail", "Fail a node that is far from the median of all nodes.")
    ] = False,
) -> None:
    """Test whether nodes reach what a centre expects of them.

    The benchmarks of the file run on one node after the other; their results must be right and their values within
    what is expected. Values far from the median of all nodes are marked. The exit code is 1 if a check failed.
    """
    from isthmus.hpcc.centre.acceptance import accept
    from isthmus.hpcc.centre.expectations import read_expectations
    from isthmus.hpcc.centre.nodes import fleet_of

    expectations = read_expectations(Path(expect), ranks)
    fleet = fleet_of(nodes, hosts, expectations.nodes, launcher)
    seconds = parse_duration(for_, "--for") if for_ else None
    checks: list[AcceptanceCheck] = []

    def take(check: "AcceptanceCheck") -> None:
        checks.append(check)
        session.stream(check)

    with Listener(session) as listener:
        try:
            accept(
                expectations,
                fleet,
                ranks,
                seconds,
                lambda node, event: listener({**event, "what": f"{node}: {event.get('what', '')}"}),
                take,
            )
        except KeyboardInterrupt:
            if checks:
                _show(session, checks, junit, complete=False)
            raise
    shown = _show(session, checks, junit, complete=True)
    failed = [check for check in shown if not check.passed or (outliers_fail and check.outlier)]
    if failed:
        names = dict.fromkeys(f"{check.node} ({check.name})" for check in failed)
        why = failed[0].reason or "far from the median of all nodes"
        raise AnswerIsNoError(f"not accepted: {', '.join(names)}; {failed[0].node}: {why}")


def _show(
    session: Session, checks: "list[AcceptanceCheck]", junit: str | None, complete: bool
) -> "list[AcceptanceCheck]":
    from isthmus.hpcc.centre.acceptance import against_fleet
    from isthmus.hpcc.centre.junit import junit as as_junit
    from isthmus.records.hpcc import AcceptanceFile

    judged = against_fleet(checks)
    failed = sum(not check.passed for check in judged)
    outliers = sum(check.outlier for check in judged)
    nodes = counted(len({check.node for check in judged}), "node")
    verdict = f"{nodes}: {failed} of {len(judged)} checks failed, {outliers} outliers, measured"
    if junit is not None:
        write_atomically(Path(junit), as_junit(judged))
    file = AcceptanceFile(context=session.context(complete=complete), accepted=failed == 0, checks=judged)
    session.emit(Result(file, judged, [verdict], [_table(judged)]))
    return judged


def _table(checks: "list[AcceptanceCheck]") -> Table:
    return table_of(
        checks,
        {
            "node": lambda check: check.node,
            "record": lambda check: check.name,
            "value": lambda check: figure(check.value),
            "unit": lambda check: check.unit,
            "least": lambda check: figure(check.low),
            "most": lambda check: figure(check.high),
            "median of nodes": lambda check: figure(check.fleet_median),
            "check": lambda check: ("passed" if check.passed else "FAILED") + (", outlier" if check.outlier else ""),
            "reason": lambda check: check.reason or "-",
        },
        numbers={"value", "least", "most", "median of nodes"},
        below="reason",
    )
