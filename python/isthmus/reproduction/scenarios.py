"""Boards in one state: the rows that are evaluated in it, the time that takes, and the bounds of a row."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from isthmus.reproduction.counterparts import Model, Probed, Run, leaves
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
    found = [leaf for row_id in scenario.rows for leaf in leaves(published[row_id].counterpart, published)]
    runs = {(leaf.board, leaf.flow) for leaf in found if isinstance(leaf, Run) and leaf.of_images}
    probes = {repr(leaf) for leaf in found if isinstance(leaf, Probed | Model)}
    return image_s * scenario.models.images * len(runs) + probe_s * len(probes)
