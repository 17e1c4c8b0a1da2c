"""The stand-in for the tools of `reproduce`, called as functions."""

from pathlib import Path
from typing import Any

from tests.python.conftest import fake_tools

from isthmus.asking.experiments import Experiment
from isthmus.base.errors import IsthmusError
from isthmus.records.run import Row
from isthmus.reproduction.model_runs import NotOfferedError, ToolAnswers
from isthmus.running.tools import as_sets


class FakeAnswers(ToolAnswers):
    """The stand-in called as functions, and how often."""

    def __init__(self) -> None:
        super().__init__()
        self.runs: list[Experiment] = []

    def applications(self) -> list[str]:
        return list(fake_tools.APPLICATIONS)

    def flows(self, application: str, target: str) -> list[str]:
        raise NotOfferedError(application)

    def run(self, experiment: Experiment) -> Row:
        if experiment not in self.runs:
            self.runs.append(experiment)
        return Row.model_validate(fake_tools.row_of(experiment.request()))

    def probe(self, target: str, probe: str, sizes: Any, sets: Any) -> list[Any]:
        if probe not in ("h2d", "d2h"):
            raise NotOfferedError(probe)
        rate = fake_tools.transfer_rate(fake_tools.platform(target, as_sets(sets))[1])
        rates = {size: rate * size / (size + 65536) for size in sizes}
        return [
            {"parameters": {"size": size}, "value": value, "time_s": size / value * 1e-9}
            for size, value in rates.items()
        ]

    def platform(self, target: str, sets: Any) -> Any:
        from isthmus.records.run import Platform

        if Path(target.removeprefix("model:")).stem not in fake_tools.NAMES:
            raise NotOfferedError(target)
        try:
            return Platform.model_validate(fake_tools.description(*fake_tools.platform(target, as_sets(sets))))
        except SystemExit as refused:
            raise IsthmusError("refused") from refused

    def boards(self) -> list[str]:
        return list(fake_tools.NAMES)


def quietly(what: str, done: int, total: int) -> None:
    """Progress that nobody looks at."""
