"""The steps from the advertised bandwidth to that of an application (choi2019 figure 5)."""

from collections.abc import Sequence
from dataclasses import dataclass

from isthmus.base.groups import grouped_by
from isthmus.base.sizes import format_size
from isthmus.base.spread import apart, likely
from isthmus.records.probe import ProbeRecord
from isthmus.report.curves import label_of

# What each step pays for beyond the one before.
PAYS = {
    "advertised": "what the lanes carry",
    "packets": "headers and framing of packets of the largest payload",
    "DMA": "descriptors, driver calls and the DMA engine, from pinned memory",
    "copy": "the copy from pageable to pinned memory",
    "end to end": "the allocation of the buffer",
}


@dataclass(frozen=True)
class Fall:
    """One step: what is left, as a number and as shares of the first step, and the share of the step before it lost.

    No share is lost if the samples of both overlap.
    """

    what: str
    pays: str
    value: float
    unit: str
    left: float
    before: float
    lost: float | None


@dataclass(frozen=True)
class Waterfall:
    """The steps of one target at one size."""

    label: str
    size: str
    falls: list[Fall]
    measured: bool


def waterfalls(records: Sequence[ProbeRecord]) -> list[Waterfall]:
    """The steps of each target at the largest size that was probed."""
    by_label = grouped_by(label_of, (record for record in records if "step" in record.parameters))
    return [_waterfall(label, found) for label, found in by_label.items()]


def _waterfall(label: str, records: Sequence[ProbeRecord]) -> Waterfall:
    size = max(int(record.parameters["size"]) for record in records)
    last = {int(record.parameters["step"]): record for record in records if record.parameters["size"] == size}
    steps = [record for _, record in sorted(last.items())]
    most = max(record.value for record in steps) or 1.0
    falls = []
    for number, record in enumerate(steps):
        before = steps[number - 1].value if number else record.value
        what = str(record.parameters.get("what", ""))
        falls.append(
            Fall(
                what=what,
                pays=PAYS.get(what, ""),
                value=record.value,
                unit=record.unit,
                left=record.value / most,
                before=before / most,
                lost=_lost(steps[number - 1], record) if number else None,
            )
        )
    return Waterfall(label, format_size(size), falls, records[0].kind == "measured")


def _lost(before: ProbeRecord, after: ProbeRecord) -> float | None:
    """The share that a step loses; None if noise hides it, or a device does the later step without the earlier."""
    if not apart(likely(before.samples), likely(after.samples)) or after.value >= before.value:
        return None
    return 1 - after.value / before.value
