"""Acceptance of nodes: each runs the benchmarks that are expected of it and is compared with that and the others."""

import statistics
from collections.abc import Callable, Sequence

from isthmus.base.errors import IsthmusError
from isthmus.base.groups import grouped_by
from isthmus.hpcc.centre.expectations import Bounds, Expectations, ExpectedRun
from isthmus.hpcc.centre.nodes import Fleet
from isthmus.hpcc.measure import run
from isthmus.hpcc.tuning.tune import TuningRequest, tuned_before
from isthmus.records.hpcc import AcceptanceCheck, HpccRecord
from isthmus.running.tools import Event, Launch, Request, also

# The modified z-score is 0.6745 * |value - median| / MAD, MAD being the median of the distances from the median
# (Iglewicz and Hoaglin 1993: 3.5).
MOST_DEVIATIONS = 3.5
SCALE = 0.6745
FEWEST = 4  # nodes, below which a median says nothing of any of them
LEAST_DISTANCE = 0.02  # of the median: closer ones are no outliers, however alike the others are


def accept(
    expectations: Expectations,
    fleet: Fleet,
    ranks: int,
    seconds: float | None,
    on_event: Callable[[str, Event], None],
    on_check: Callable[[AcceptanceCheck], None],
) -> None:
    """Runs every benchmark on one node after the other and reports each check as it is made, without the fleet."""
    for node in fleet.nodes:
        for wanted in expectations.benchmark:
            for check in _checks(wanted, node, fleet, ranks, seconds, on_event):
                on_check(check)


def _checks(
    wanted: ExpectedRun,
    node: str,
    fleet: Fleet,
    ranks: int,
    seconds: float | None,
    on_event: Callable[[str, Event], None],
) -> list[AcceptanceCheck]:
    count = wanted.ranks or ranks
    request = also(wanted.request(), {"for": seconds})
    try:
        request = also(request, _tuned(wanted, count, fleet.launch(node, 1)))
        records = run(request, fleet.launch(node, count), lambda event: on_event(node, event))
    except IsthmusError as error:
        return [AcceptanceCheck(node=node, benchmark=wanted.name, name=wanted.name, passed=False, reason=str(error))]
    return [_check(record, wanted.expect.get(record.name), node) for record in records]


def _tuned(wanted: ExpectedRun, ranks: int, launch: Launch) -> Request:
    """The request for what was tuned for such a run on the device of the node that `launch` reaches."""
    alike = wanted.model_dump(include={"on", "size", "variant", "optimized", "grid", "scheme"})
    asked = TuningRequest(benchmark=wanted.name, shape=None, ranks=ranks, sets=wanted.sets(), **alike)
    found = tuned_before(asked, launch) if wanted.tuned else None
    return {} if found is None else found.request()


def _check(record: HpccRecord, bounds: Bounds | None, node: str) -> AcceptanceCheck:
    reason = _complaint(record, bounds)
    return AcceptanceCheck(
        node=node,
        benchmark=record.benchmark,
        name=record.name,
        value=record.value,
        unit=record.unit,
        low=None if bounds is None or bounds.low == float("-inf") else bounds.low,
        high=None if bounds is None or bounds.high == float("inf") else bounds.high,
        passed=reason == "",
        reason=reason,
        record=record,
    )


def _complaint(record: HpccRecord, bounds: Bounds | None) -> str:
    if not record.validated:
        return f"results are wrong: {record.error_is} {record.error}, limit {record.error_limit:.3g}"
    if bounds is None:
        return ""
    if bounds.unit is not None and bounds.unit != record.unit:
        return f"expected in {bounds.unit}, got {record.unit}"
    if record.value < bounds.low:
        return f"{record.value:.4g} {record.unit} is below {bounds.low:.4g}"
    if record.value > bounds.high:
        return f"{record.value:.4g} {record.unit} is above {bounds.high:.4g}"
    return ""


def against_fleet(checks: Sequence[AcceptanceCheck]) -> list[AcceptanceCheck]:
    """The checks with the median of all nodes and how far from it each is, in robust deviations, outliers marked."""
    alike = grouped_by(lambda check: check.name, checks)
    return [_beside(check, [one.value for one in alike[check.name] if one.value is not None]) for check in checks]


def _beside(check: AcceptanceCheck, values: Sequence[float]) -> AcceptanceCheck:
    if check.value is None or len(values) < FEWEST:
        return check
    median = statistics.median(values)
    distance = check.value - median
    spread = statistics.median(abs(value - median) for value in values)
    deviations = SCALE * distance / spread if spread > 0 else None
    far = abs(distance) > LEAST_DISTANCE * abs(median)
    outlier = far and (deviations is None or abs(deviations) > MOST_DEVIATIONS)
    return check.model_copy(update={"fleet_median": median, "deviations": deviations, "outlier": outlier})
