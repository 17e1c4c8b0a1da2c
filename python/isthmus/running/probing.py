"""Running micro-benchmarks through `isthmus-probe`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from isthmus.base.grain import DEFAULT, Grain
from isthmus.running.probes import REPEAT, all_probes
from isthmus.running.targets import is_model
from isthmus.running.tools import Event, Request, as_sets, collect, record_of, request_of, run_tool, value_of

if TYPE_CHECKING:
    from isthmus.records.probe import ProbeRecord

# Enough for the curves and the waterfall of a study's report, in a few seconds.
STUDY_SIZES = tuple(64 << shift for shift in (0, 4, 6, 8, 10, 12, 14, 16, 18))

OPTIONS = ("channel", "start", "port", "state", "op", "buffers", "load")  # that choose what a model is probed for


@dataclass(frozen=True)
class Probing:
    """Some probes of one target at some sizes; without `samples` as many as suit the target."""

    target: str
    probes: Sequence[str] = ()
    sizes: Sequence[int] = ()
    samples: int | None = None
    bursts: Sequence[int] = ()
    sets: Sequence[str] = ()
    offset: int = 0
    channel: str | None = None
    grain: Grain = DEFAULT  # of a model: the coarsest that will do
    start: str | None = None  # of shared memory: what caches hold before, several by commas
    port: str | None = None  # of a processor's memory: those of the FPGA, several by commas
    state: str | None = None  # likewise: what a core has done to the buffer before
    op: str | None = None  # of maintenance: flush, invalidate
    buffers: str | None = None  # likewise: into which a size is cut, several by commas
    load: str | None = None  # likewise: accesses of each other core
    whole_lines: bool = False  # sizes of part of a cache's line are left out: nobody asked for them

    def repeat(self) -> int:
        """Samples of each size: of a model one, for it gives the same again."""
        return self.samples or (1 if is_model(self.target) else REPEAT)

    def request(self) -> Request:
        """The request to `isthmus-probe`."""
        return request_of(
            {
                "TARGET": self.target,
                "PROBE": list(self.probes),
                "sizes": list(self.sizes),
                "repeat": self.repeat(),
                "whole-lines": self.whole_lines,
                "burst": list(self.bursts),
                "offset": self.offset,
                **{name: listed_values(getattr(self, name)) for name in OPTIONS},
                "grain": self.grain if is_model(self.target) else None,
                "set": as_sets(self.sets),
            }
        )


def listed_values(text: str | None) -> list[int | float | str]:
    """The values of a text, with commas between; none of no text."""
    return list(map(value_of, text.split(","))) if text else []


def run_probing(
    probing: Probing, on_record: "Callable[[ProbeRecord], None]", on_event: Callable[[Event], None]
) -> None:
    """Hands on each record when it is measured, progress and notes to `on_event`."""
    from isthmus.records.probe import ProbeRecord

    def sort(event: Event) -> None:
        if event["event"] == "record":
            on_record(ProbeRecord.model_validate(record_of(event)))
        else:
            on_event(event)

    run_tool("isthmus-probe", probing.request(), sort)


def probe_for_study(probing: Probing, on_event: Callable[[Event], None]) -> "list[ProbeRecord]":
    """The curves of a target at a few sizes, its latencies, and the waterfall at the largest size.

    Only probes that the board's parts serve run; `probing` says the target and how it is modelled.
    """
    served = [all_probes()[name] for name in served_by(probing.target, probing.sets)]
    records: list[ProbeRecord] = []
    for curve, sizes in ((True, STUDY_SIZES), (False, STUDY_SIZES[-1:])):
        names = [probe.name for probe in served if probe.in_study and probe.curve == curve]
        if names:
            run_probing(replace(probing, probes=names, sizes=sizes, whole_lines=True), records.append, on_event)
    return records


def served_by(target: str, sets: Sequence[str] = ()) -> list[str]:
    """The probes that a target has the parts for; of a real device all but those that only a model can tell."""
    request = request_of({"TARGET": target, "list": True, "set": as_sets(sets)})
    (found,) = collect("isthmus-probe", request, "probes")
    return list(found["names"])
