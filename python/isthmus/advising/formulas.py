"""The time of a described application in each flow, in closed form over the curves of a board (docs/advise.md).

Times are seconds, sizes bytes. A curve is a list of points (x, y) with x rising.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from isthmus.descriptions.unit import Crossing, Unit

Curve = Sequence[tuple[float, float]]
Curves = Mapping[str, Curve]

AT_ONCE = 2  # messages that the flow overlap has buffers for
SETTLED = 24  # messages after which each takes as long as the one before


@dataclass(frozen=True)
class RunTimes:
    """The time of a run of so many units, and the parts of one unit: the time of each part without the others."""

    elapsed_s: float
    latency_s: float
    parts: Mapping[str, float] = field(default_factory=dict)

    @property
    def limit(self) -> str:
        """The part that takes longest."""
        return max(self.parts, key=lambda part: self.parts[part])


def at(curve: Curve, x: float) -> float:
    """The value of a curve at `x`, on the straight line between the points beside it or, beyond them, the last two."""
    if len(curve) == 1:
        return curve[0][1]
    place = min(max(bisect_left(curve, (x, float("-inf"))), 1), len(curve) - 1)
    (low, first), (high, second) = curve[place - 1], curve[place]
    return first + (second - first) * (x - low) / (high - low)


def within(curve: Curve, x: float) -> float:
    """Interpolates a curve; beyond its ends the value is that of the end."""
    return at(curve, min(max(x, curve[0][0]), curve[-1][0]))


def copy_s(curves: Curves, crossing: Crossing) -> float:
    """One transfer: a blocking call of the host thread, with the allocation of the pinned memory that pageable bytes
    pass through (choi2019 3.2.1).
    """
    way = "h2d" if crossing.to_device else "d2h"
    if crossing.pinned:
        return at(curves[f"{way}-pinned"], crossing.bytes)
    allocation = at(curves["h2d-alloc"], crossing.bytes) - at(curves["h2d"], crossing.bytes)
    return at(curves[way], crossing.bytes) + max(allocation, 0.0)


def copies_s(curves: Curves, unit: Unit, to_device: bool) -> float:
    """The time of all copies of a unit in one direction, one after the other."""
    return sum(copy_s(curves, one) * one.count for one in unit.crossings if one.to_device == to_device)


def memory_s(curves: Curves, unit: Unit) -> float:
    """The time of a unit's traffic at the device's memory: reads beside writes, then what is left of the larger."""
    burst = unit.burst or curves["kernel-both"][-1][0]
    burst = min(burst, curves["kernel-both"][-1][0])
    both = min(unit.device_read, unit.device_write)
    way = "kernel-read" if unit.device_read > both else "kernel-write"
    left = max(unit.device_read, unit.device_write) - both
    return both * at(curves["kernel-both"], burst) + left * at(curves[way], burst)


def kernel_s(curves: Curves, unit: Unit) -> float:
    """A unit's launches: memory and computation go on at once."""
    each = max(unit.compute_s * unit.launches, memory_s(curves, unit))
    return unit.launches * at(curves["launch"], 0) + each


def offload(curves: Curves, unit: Unit, messages: int) -> RunTimes:
    """Copy in, kernel, copy out, one after the other (stacc table IV)."""
    parts = {
        "host": unit.host_s,
        "to device": copies_s(curves, unit, True),
        "kernel": kernel_s(curves, unit),
        "to host": copies_s(curves, unit, False),
    }
    each = sum(parts.values()) * unit.together
    return RunTimes(each * messages, each, parts)


def overlap(curves: Curves, unit: Unit, messages: int) -> RunTimes:
    """The same with two buffers: one thread copies in, another out, and the kernel goes on meanwhile; a buffer is used
    again when it is free.
    """
    many = unit.together
    ins = (unit.host_s + copies_s(curves, unit, True)) * many
    kernel = kernel_s(curves, unit) * many
    outs = copies_s(curves, unit, False) * many
    parts = {"host and to device": ins / many, "kernel": kernel / many, "to host": outs / many}
    begun: list[float] = []
    copied: list[float] = []
    computed: list[float] = []
    fetched: list[float] = []

    def end(of: list[float], back: int) -> float:
        return of[-back] if len(of) >= back else 0.0

    for _ in range(min(messages, SETTLED)):
        begun.append(max(end(copied, 1), end(fetched, AT_ONCE + 1)))
        copied.append(max(begun[-1], end(computed, AT_ONCE)) + ins)
        computed.append(max(copied[-1], end(computed, 1), end(fetched, AT_ONCE)) + kernel)
        fetched.append(max(computed[-1], end(fetched, 1)) + outs)
    each = fetched[-1] - fetched[-2] if len(fetched) > 1 else 0.0
    elapsed = fetched[-1] + each * (messages - len(fetched))
    return RunTimes(elapsed, fetched[-1] - begun[-1], parts)


def stream(curves: Curves, unit: Unit, messages: int) -> RunTimes:
    """Words in, through the kernel and out at once; a unit takes what its slowest part does (stacc III)."""
    return _through(curves, "stream", unit, messages)


def shared(curves: Curves, unit: Unit, messages: int) -> RunTimes:
    """Bytes stay where they are: a circuit that takes each once passes them on, one that reads again starts for each
    unit and reads at the rate of its link (choi2019 4.1).
    """
    if unit.streams:
        return _through(curves, "shared", unit, messages)
    first, relaunch = curves["shared-first"], curves["shared-relaunch"]
    started, again = at(first, 0), at(relaunch, 0)
    read = at(first, min(unit.device_read, unit.sent)) - started
    read += max(unit.device_read / unit.sent - 1, 0.0) * at(curves["shared-pass"], unit.sent)
    written = at(relaunch, unit.fetched) - again
    launch = max(unit.compute_s, read / unit.launches, written)
    parts = {
        "host": unit.host_s,
        "launches": started + (unit.launches - 1) * again,
        "kernel": unit.launches * launch,
        "output": max(at(curves["shared-output"], unit.fetched) - written, 0.0),
    }
    each = sum(parts.values())
    return RunTimes(each * unit.together * messages, each, parts)


def _through(curves: Curves, flow: str, unit: Unit, messages: int) -> RunTimes:
    """Computes a stream: its slowest part sets the pace, and units wait before it in all buffers that there are, each a
    little longer than the one before until these are full; half of them no longer than the one in the middle.
    """
    many = unit.together
    sent, fetched = unit.sent * many, unit.fetched * many

    def of(what: str, most: float = math.inf) -> float:
        one_way, other_way, both = (f"{flow}-{way}{what}" for way in ("in", "out", "both"))
        return mixed(curves, one_way, other_way, both, min(sent, most), min(fetched, most))

    computed = unit.compute_s * unit.launches * many
    parts = {
        "crossing": of(""),
        "kernel": computed,
        "host": unit.host_s * many + at(curves[f"{flow}-call"], sent),
    }
    period = max(parts.values())
    known = curves[f"{flow}-both"][-1][0]
    # Behind the curve a unit alone takes longer by what its bytes cross in, whatever the step between its last points.
    crossed = max(of("-alone"), of("-alone", known) + of("") - of("", known))
    alone = crossed + computed + unit.host_s * many
    full = {
        "crossing": of("-queued"),
        "kernel": within(curves[f"{flow}-slots"], sent) * period,
        "host": alone,
    }[max(parts, key=lambda part: parts[part])]
    queued = alone + (messages - 1) / 2 * (period - max(parts["host"], 0.0))
    taken = {part: time / many for part, time in parts.items()}
    return RunTimes(alone + period * (messages - 1), max(min(queued, full), alone), taken)


def mixed(curves: Curves, sent: str, fetched: str, both: str, to_device: float, to_host: float) -> float:
    """The time of bytes in both directions: first at the rate of both together, the rest at that of one."""
    common = min(to_device, to_host)
    one, most = (sent, to_device) if to_device > to_host else (fetched, to_host)
    return at(curves[both], common) + max(at(curves[one], most) - at(curves[one], common), 0.0)


FORMULAS: Mapping[str, Callable[[Curves, Unit, int], RunTimes]] = {
    "offload": offload,
    "overlap": overlap,
    "stream": stream,
    "shared": shared,
}
