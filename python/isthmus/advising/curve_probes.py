"""The measurements behind the curves of a board: probes, and units of few bytes whose kernel computes nothing."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from isthmus.base.units import CLOCKS, TIMES
from isthmus.descriptions.unit import WORD, Crossing, Unit, arguments
from isthmus.running.application import DESCRIBED_TOOL
from isthmus.running.tools import Event, as_sets, assignments, collect, pairs_of, request_of

KIB, MIB = 1024, 1024 * 1024
COPIES = ("h2d", "d2h", "h2d-pinned", "d2h-pinned", "h2d-alloc")
COPY_SIZES = (64, 4 * KIB, 64 * KIB, MIB, 2 * MIB)  # from 1 MiB on a copy's time is affine in its size
BURSTS = (64, 256, KIB, 0)
IN_ORDER = 64 * KIB  # where a curve over bursts has what is touched in order
PASSED = MIB // 2  # bytes of a kernel whose memory's pace is looked at
MESSAGES = 24
SHARED_MESSAGES = 12  # with three under way
FIRST_MESSAGES = 8  # messages whose steps a row has
STREAM_SIZES = (64, 4 * KIB, 64 * KIB, 256 * KIB)  # and a message's period before that
SHARED_SIZES = (64, 4 * KIB, 32 * KIB)
AGAIN_SIZES = (4 * KIB, 48 * KIB, 160 * KIB, 256 * KIB)  # a circuit's cache holds 64 or 128 KiB
PASSES = 1
LONG_S = {"stream": 1e-3, "shared": 5e-5}  # that a kernel or a host takes when nothing else is to matter

Points = list[tuple[float, float]]


@dataclass
class MeasuredCurves:
    """Curves of one board with some overrides, as they are measured."""

    target: str
    sets: tuple[str, ...]
    board: Event
    curves: dict[str, Points] = field(default_factory=dict)

    def clock_hz(self, key: str) -> float:
        """The clock of that key, Hz."""
        item = self._input(key)
        return float(item["value"]) * CLOCKS[item["unit"]]

    def _input(self, key: str) -> Event:
        found: Event = next(item for item in self.board["inputs"] if item["key"] == key)
        return found

    def _add(self, name: str, x: float, y: float) -> None:
        self.curves.setdefault(name, []).append((x, y))


@dataclass
class CurveProbes(MeasuredCurves):
    """Curves of a board beside a host; each method adds those of a part of it."""

    rows: dict[str, dict[str, Any]] = field(default_factory=dict)  # of runs, by how they were started

    def copies(self) -> None:
        """Measures copies by size, and the time of a launch without its kernel."""
        for record in self._probe(COPIES, COPY_SIZES):
            size = record["parameters"]["size"]
            self._add(record["name"], size, size / record["value"] * 1e-9)
        (launch,) = self._probe(["launch"], [64])
        calls = sum(
            float(item["value"]) * TIMES[item["unit"]]
            for item in (self._input("host.call.enqueue"), self._input("host.call.wake"))
        )
        # The host goes on while the kernel is started; the probe waits for its end.
        self._add("launch", 0, launch["value"] * TIMES[launch["unit"]] - calls)

    def memory(self) -> None:
        """Seconds a byte of the device's memory by burst: read, written, and both at once."""
        started = self.curves["launch"][0][1]
        ways = {
            "kernel-read": (WORD, True, False),
            "kernel-write": (WORD, False, True),
            "kernel-both": (PASSED, True, True),
        }
        for burst in BURSTS:
            for name, (size, reads, writes) in ways.items():
                crossings = tuple(
                    Crossing(way, True, size, 1)
                    for way, resident in ((True, reads and not writes), (False, writes and not reads))
                    if not resident
                )
                read, written = (PASSED if moves else size for moves in (reads, writes))
                row = self._run("offload", Unit(crossings, 1, 0.0, read, written, burst, 0.0), 1, fine=True)
                took = next(stage["time_s"] for stage in row["stages"] if stage["name"] == "kernel")
                self._add(name, burst or IN_ORDER, (took - started) / PASSED)

    def passing(self, flow: str, sizes: Sequence[int]) -> None:
        """A unit's time by size where each byte passes once: one way and both, alone and one after the other."""
        for size in sizes:
            for way, sent, fetched in (("in", size, WORD), ("out", WORD, size), ("both", size, size)):
                period, alone, queued = self._paced(flow, Unit.there_and_back(sent, fetched))
                self._add(f"{flow}-{way}", size, period)
                self._add(f"{flow}-{way}-alone", size, alone)
                self._add(f"{flow}-{way}-queued", size, queued)
            busy, _, _ = self._paced(flow, Unit.there_and_back(size, WORD, host_s=LONG_S[flow]))
            self._add(f"{flow}-call", size, busy - LONG_S[flow])
        for size in sizes:
            period, _, queued = self._paced(flow, Unit.there_and_back(size, size, compute_s=LONG_S[flow]))
            self._add(f"{flow}-slots", size, queued / period)

    def again(self) -> None:
        """A unit of shared memory that is read where it lies: the first time, each further time, its output, and each
        further launch.
        """
        for size in AGAIN_SIZES:
            first = self._alone(size, WORD, 1, 1)
            self._add("shared-first", size, first)
            self._add("shared-pass", size, (self._alone(size, WORD, 1, 1 + PASSES) - first) / PASSES)
            written = self._alone(4 * KIB, size, 1, 2)
            self._add("shared-output", size, written - self._alone(4 * KIB, WORD, 1, 2))
            self._add("shared-relaunch", size, self._alone(4 * KIB, size, 2, 2) - written)

    def _alone(self, sent: int, fetched: int, launches: int, passes: int) -> float:
        unit = Unit.there_and_back(sent, fetched)
        unit = replace(unit, launches=launches, device_read=sent * passes, device_write=fetched * launches)
        return float(self._run("shared", unit, 1, in_place="yes")["elapsed_s"])

    def _paced(self, flow: str, unit: Unit) -> tuple[float, float, float]:
        """Seconds from unit to unit, of the first alone, and of one where others are before it."""
        messages = SHARED_MESSAGES if flow == "shared" else MESSAGES
        row = self._run(flow, unit, messages)
        first = row["first_units"]
        told = first[FIRST_MESSAGES - 1]["steps"][-1]["end_s"]
        begin = first[0]["steps"][0]["begin_s"]
        period = (row["elapsed_s"] - told) / (messages - FIRST_MESSAGES)
        return period, first[0]["steps"][-1]["end_s"] - begin, row["latency"]["p50_s"]

    def _run(self, flow: str, unit: Unit, count: int, fine: bool = False, **said: str) -> dict[str, Any]:
        made = pairs_of(arguments(unit, flow, self.clock_hz("kernel.clock"), "curve", "units")) | said
        asked = {"on": self.target, "flow": flow, "count": count, "grain": "fine" if fine else "coarse"}
        request = request_of({**asked, "set": as_sets((*assignments(made), *self.sets))})
        key = json.dumps(request)
        if key not in self.rows:  # a unit of one word is the same one way and both
            (self.rows[key],) = collect(DESCRIBED_TOOL, request, "row")
        return self.rows[key]

    def _probe(self, probes: Sequence[str], sizes: Sequence[int]) -> list[Event]:
        asked = {"TARGET": self.target, "PROBE": list(probes), "sizes": list(sizes), "repeat": 1}
        return collect("isthmus-probe", request_of({**asked, "set": as_sets(self.sets)}), "record")
