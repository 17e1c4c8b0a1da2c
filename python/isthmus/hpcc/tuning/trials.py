"""The trials of a search, each kept when it is complete, so that a search that was killed goes on where it was."""

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from isthmus.base.errors import IsthmusError
from isthmus.hpcc.launch import launch_of
from isthmus.hpcc.measure import run
from isthmus.hpcc.tuning.search import BudgetSpentError, TrialRequest
from isthmus.records.hpcc import HpccTrial
from isthmus.running.tools import Interrupt, Request, also, stop_running

SHORTEST_LIMIT_S = 30.0
LIMIT_OF_FIRST = 10.0  # times what the first trial took


class Trials:
    """Answers questions of a search: from the file of trials where they were asked before, else by a run."""

    def __init__(
        self,
        path: Path,
        asked: Request,
        ranks: int,
        record: str,
        budget_s: float,
        on_trial: Callable[[HpccTrial], None],
    ) -> None:
        """`asked` is the request without candidate and repetitions; `record` names the record that is rated."""
        self._path = path
        self._asked = asked
        self._ranks = ranks
        self._record = record
        self._end = time.monotonic() + budget_s
        self._on_trial = on_trial
        self.done = _read(path)
        self._known = {
            TrialRequest(tuple(sorted(trial.settings.items())), trial.repetitions, trial.turn): trial
            for trial in self.done
        }

    def answer(self, request: TrialRequest) -> float | None:
        """The rate; None if the trial does not run or is wrong. A BudgetSpentError if no time is left for it."""
        trial = self._known.get(request)
        if trial is None:
            if time.monotonic() > self._end:
                raise BudgetSpentError
            trial = self._try(request)
            self._keep(request, trial)
        return trial.value

    def _try(self, request: TrialRequest) -> HpccTrial:
        begun = time.monotonic()
        outcome: dict[str, Any] = {"value": None, "unit": "", "reason": None}
        try:
            with TrialBudget(self._limit()) as limit:
                asked = also(self._asked, {"set": dict(request.candidate), "repeat": request.repetitions})
                records = run(asked, launch_of(self._ranks))
            (rated,) = [one for one in records if one.name == self._record]
            wrong = {"reason": f"wrong: {rated.error_is} {rated.error}"}
            outcome |= {"unit": rated.unit, **({"value": rated.value} if rated.validated else wrong)}
        except IsthmusError as error:
            outcome["reason"] = f"longer than {self._limit():.0f} s" if limit.passed else str(error)
        return HpccTrial(
            settings=dict(request.candidate),
            repetitions=request.repetitions,
            turn=request.turn,
            seconds=round(time.monotonic() - begun, 3),
            **outcome,
        )

    def _limit(self) -> float:
        return max(SHORTEST_LIMIT_S, LIMIT_OF_FIRST * self.done[0].seconds if self.done else 0.0)

    def _keep(self, request: TrialRequest, trial: HpccTrial) -> None:
        self.done.append(trial)
        self._known[request] = trial
        with self._path.open("a", encoding="utf-8") as file:
            file.write(trial.model_dump_json() + "\n")
        self._on_trial(trial)


class TrialBudget:
    """Ends the tools that run here when a time has passed."""

    def __init__(self, seconds: float) -> None:
        self.passed = False
        self._timer = threading.Timer(seconds, self._pass)

    def __enter__(self) -> "TrialBudget":
        self._timer.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._timer.cancel()

    def _pass(self) -> None:
        if not Interrupt.happened():
            self.passed = True
            stop_running()


def _read(path: Path) -> list[HpccTrial]:
    """The trials of a file; the last line may be half of one, and is cut off."""
    if not path.exists():
        return []
    text = path.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    try:
        if whole != text:
            path.write_bytes(whole)
        return [HpccTrial.model_validate(json.loads(line)) for line in whole.splitlines()]
    except ValueError as error:
        raise IsthmusError(f"{path}: not a file of trials: {error}", hint="remove it, or use --again.") from error
    except OSError as error:
        raise IsthmusError(f"{path}: cannot write: {error.strerror}") from error
