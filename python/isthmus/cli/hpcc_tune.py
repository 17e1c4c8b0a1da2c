"""`isthmus hpcc tune BENCH`: the parameters that are best on this device."""

import shlex
from typing import TYPE_CHECKING, Annotated

from isthmus.base.durations import parse_duration
from isthmus.base.errors import IsthmusError
from isthmus.base.numbers import figure
from isthmus.cli.command import List, argument, plain
from isthmus.cli.hpcc_options import Placement, RunOptions
from isthmus.hpcc.benchmarks import BENCHMARKS
from isthmus.running.tools import assignments
from isthmus.show.output import Result, Table
from isthmus.show.session import Session

if TYPE_CHECKING:
    from isthmus.hpcc.tuning.search import Candidate
    from isthmus.hpcc.tuning.tune import TuningRequest
    from isthmus.records.hpcc import HpccTrial, HpccTuningResult

EXAMPLES = [
    "isthmus hpcc tune gemm --budget 60s",
    "isthmus hpcc tune gemm --set DATA_TYPE=double --on opencl:0",
    "isthmus hpcc tune stream --variant single --size small --json -",
]


def tune(
    session: Session,
    work: RunOptions,
    placing: Placement,
    benchmark: Annotated[str | None, argument("BENCH", "A benchmark that --list names.")] = None,
    budget: Annotated[
        str, plain("--budget TIME", "Start no trial after this time, such as 60s or 1h. [default: 5min]")
    ] = "5min",
    again: Annotated[bool, plain("--again", "Forget the trials of earlier searches.")] = False,
    list_: List = False,
) -> None:
    """Find the parameters with which a benchmark runs best on this device.

    The search varies one parameter after the other: quick trials first, then runs in turn with the best so far. Only
    configurations with right results count; one that is refused, crashes or hangs is recorded too. Every trial is
    saved at once: the same command goes on where Ctrl-C, a power cut or the budget ended it. 'isthmus hpcc BENCH' with
    the same options uses the parameters that were found, and its records say so; --no-tuned ignores them. Parameters of
    --set stay as they are. --list shows the values to be tried.
    """
    if list_:
        return session.lines(_listed())
    if benchmark is None:
        raise IsthmusError("BENCH: expected a benchmark", hint="'isthmus hpcc tune --list' names them.")
    from isthmus.hpcc.tuning.tune import tune as search

    run = work.run(benchmark, placing.ranks, placing.shape, placing.grid)
    trials = _TrialProgress(session, parse_duration(budget, "--budget"))
    with trials.progress:
        tuned = search(run, trials.budget_s, again, trials.trial, trials.better)
    return _show(session, tuned, run)


class _TrialProgress:
    """The progress line of trials."""

    def __init__(self, session: Session, budget_s: float) -> None:
        self.budget_s = budget_s
        self.progress = session.progress()
        self._session = session
        self._spent = 0.0
        self._rates: dict[tuple[tuple[str, int], ...], str] = {}

    def trial(self, trial: "HpccTrial") -> None:
        self._spent += trial.seconds
        if trial.value is not None:
            self._rates[tuple(sorted(trial.settings.items()))] = f"{figure(trial.value)} {trial.unit}"
        self.progress.update("tuning, seconds", min(int(self._spent), int(self.budget_s)), int(self.budget_s) or 1)

    def better(self, candidate: "Candidate") -> None:
        rate = self._rates.get(tuple(sorted(candidate.items())))
        if rate is not None:
            self.progress.wipe()
            self._session.note(f"{rate} with {_written(candidate)}")


def _written(candidate: "Candidate") -> str:
    return " ".join(assignments(candidate)) or "the defaults"


def _listed() -> list[str]:
    lines = []
    for benchmark, row in BENCHMARKS.items():
        for form, space in row.spaces.items():
            values = [f"{name}: {', '.join(map(str, values))}" for name, values in space.items()]
            lines.append(f"{benchmark}, {form}  {'; '.join(values)}")
    return lines


def _show(session: Session, tuned: "HpccTuningResult", run: "TuningRequest") -> None:
    from isthmus.records.hpcc import HpccTuneFile

    default = figure(tuned.default_value) if tuned.default_value else "no rate"
    failed = sum(trial.value is None for trial in tuned.trials)
    state = "" if tuned.complete else "; the budget is spent, the same command goes on"
    verdict = (
        f"{tuned.benchmark}: {figure(tuned.value)} {tuned.unit} with {_written(tuned.settings)}, the defaults give "
        f"{default}; {len(tuned.trials)} trials, {failed} did not run or were wrong{state}"
    )
    rows = [
        (_written(trial.settings), str(trial.repetitions), figure(trial.value), trial.unit or (trial.reason or ""))
        for trial in tuned.trials
    ]
    table = Table(
        ("candidate", "repetitions", "best", "unit or reason"), rows, numbers=frozenset({"repetitions", "best"})
    )
    file = HpccTuneFile(context=session.context(), tuned=tuned)
    session.emit(Result(file, tuned.trials, verdict=[verdict], tables=[table], detail=[f"kept in {tuned.file}"]))
    ranks = ["-n", str(run.ranks)] if run.ranks > 1 else []
    session.next(shlex.join(["isthmus", "hpcc", *run.words(), *ranks]))
