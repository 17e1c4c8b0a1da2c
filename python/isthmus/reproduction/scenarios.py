"""Boards in one state: the rows that are evaluated in it, the time that takes, and the bounds of a row."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from isthmus.reproduction.claims import REQUESTS
from isthmus.reproduction.expressions import experiment_of, kind_of_expression, leaves
from isthmus.reproduction.model_runs import ModelRuns
from isthmus.reproduction.published import PublishedRow

Purpose = Literal["as they are", "few images", "calibrated", "end", "other", "corner"]


@dataclass(frozen=True)
class Scenario:
    """Boards in one state, and the rows that are evaluated in it."""

    purpose: Purpose
    name: str
    models: ModelRuns
    rows: tuple[str, ...]


@dataclass(frozen=True)
class Span:
    """What a row can be with the assumed inputs anywhere in their ranges, and the one that alone does most of it."""

    low: float
    high: float
    mostly: str | None


def experiments_s(scenario: Scenario, published: Mapping[str, PublishedRow], image_s: float, probe_s: float) -> float:
    """About how long the experiments of a scenario take on one core, each once."""
    found = {leaf for row_id in scenario.rows for leaf in leaves(experiment_of(published[row_id]), published)}
    runs = {":".join(leaf.split(":")[:3]) for leaf in found if kind_of_expression(leaf) in ("run", "rate")}
    sweeps = sum(kind_of_expression(leaf) == "saturation" for leaf in found) * len(REQUESTS)
    probes = sum(kind_of_expression(leaf).startswith("probe") for leaf in found)
    images = scenario.models.images * len({run.partition(":")[2] for run in runs})
    return image_s * (images + scenario.models.sweep_images * sweeps) + probe_s * probes
