"""The measurements behind the curves of a chip whose ports move what its cores and its circuit share (min2019): units
whose kernel computes nothing, by the method that keeps their buffers coherent.
"""

from dataclasses import replace

from isthmus.advising.curve_probes import KIB, MIB, MeasuredCurves
from isthmus.descriptions.unit import WORD, Unit, arguments
from isthmus.running.application import DESCRIBED_TOOL
from isthmus.running.methods import ACP, HP_C, HP_NC, HPC
from isthmus.running.tools import as_sets, collect, request_of

ORDERS = ("sequential", "random")
FEW = (64, 64 * KIB)
# By method and order: from the last on a curve is straight, which those of caches are not before they are full.
SIZES = {
    ("hp-nc", "sequential"): FEW,
    ("hp-nc", "random"): FEW,
    ("hp-c", "sequential"): FEW,
    ("hpc", "sequential"): (64, 8 * KIB, 64 * KIB, 512 * KIB),  # stores in sequence go past the caches behind 8 KiB
    ("hpc", "random"): (64, 64 * KIB, 512 * KIB, 2 * MIB),
    ("acp", "sequential"): (64, 64 * KIB, 512 * KIB, 5 * MIB // 4),
    ("acp", "random"): (64, 64 * KIB, 512 * KIB, 5 * MIB // 4),
}
BURSTS = (64, 256)
BURSTS_OF = 64 * KIB  # bytes of a unit whose kernel's bursts are looked at
SMALL = 64 * KIB  # bytes up to which a run has MORE units, of which the first few fill the caches
LARGE = MIB  # bytes from which one unit fills them
WRITTEN = 2 * MIB  # bytes that are looked at only as cores write them and the kernel reads them
MORE = 3


class ChipProbes(MeasuredCurves):
    """Curves of a chip; each is called METHOD/NAME, and has seconds by bytes."""

    def measure(self) -> None:
        """All of them."""
        for method, order in SIZES:
            if method == HP_C.name:
                self._maintenance()
            else:
                self._crossing(method, order)
        for method in (HP_NC.name, HPC.name, ACP.name):
            self._bursts(method)
        for method in (HP_NC.name, HPC.name):
            for order in ORDERS:
                self._used_twice(method, order)
        self._own()

    def _crossing(self, method: str, order: str) -> None:
        """What cores do with a unit and its kernel, which goes both ways and one way alone, and is read again."""
        for size in SIZES[method, order]:
            if size >= WRITTEN:
                took = self._stages(method, Unit.there_and_back(size, WORD, order=order))
                self._add(f"{method}/write-{order}", size / 2, took["write"] / 2)
                self._add(f"{method}/kernel-in-{order}", size, took["kernel"])
                continue
            took = self._stages(method, Unit.there_and_back(size, size, order=order))
            self._add(f"{method}/write-{order}", size, took["write"])
            self._add(f"{method}/read-{order}", size, took["read"])
            if (method, order) == (HP_NC.name, "random"):
                continue  # it crosses HP as in sequence
            into = self._stages(method, Unit.there_and_back(size, WORD, order=order))["kernel"]
            self._add(f"{method}/kernel-both-{order}", size, took["kernel"])
            self._add(f"{method}/kernel-in-{order}", size, into)
            self._add(
                f"{method}/kernel-out-{order}",
                size,
                self._stages(method, Unit.there_and_back(WORD, size, order=order))["kernel"],
            )
            if order == "sequential":
                again = replace(Unit.there_and_back(size, WORD, order=order), device_read=2 * size)
                self._add(f"{method}/kernel-again", size, self._stages(method, again)["kernel"] - into)

    def _maintenance(self) -> None:
        """What software does to keep a unit coherent, of bytes to the device and of others."""
        for size in SIZES[HP_C.name, "sequential"]:
            self._add(
                "hp-c/maintenance-in", size, self._stages(HP_C.name, Unit.there_and_back(size, WORD))["maintenance"]
            )
            self._add(
                "hp-c/maintenance-out", size, self._stages(HP_C.name, Unit.there_and_back(WORD, size))["maintenance"]
            )

    def _bursts(self, method: str) -> None:
        """How much longer scattered bursts take than all in order."""
        for name, one in (("in", Unit.there_and_back(BURSTS_OF, WORD)), ("out", Unit.there_and_back(WORD, BURSTS_OF))):
            usual = self._stages(method, one)["kernel"]
            for burst in BURSTS:
                took = self._stages(method, replace(one, burst=burst))["kernel"]
                self._add(f"{method}/burst-{name}", burst, took / usual)

    def _used_twice(self, method: str, order: str) -> None:
        """What cores take longer that also read what they have written, and write what they have read: of bytes that
        are used where they are shared, and of those that are copied, whose stores do not continue each other.
        """
        for size in FEW:
            for pinned, kind in ((True, ""), (False, "-copied")):
                took = self._stages(method, Unit.there_and_back(size, size, pinned=pinned, order=order, cpu="both"))
                for stage, name in (("write", "look"), ("read", "back")):
                    usual = dict(self.curves[f"{method}/{stage}-{order}"])[size]
                    self._add(f"{method}/{name}{kind}-{order}", size, took[stage] - usual)

    def _own(self) -> None:
        """What cores take longer that copy from and to memory of their own."""
        for size in SIZES[HPC.name, "sequential"]:
            took = self._stages(HPC.name, Unit.there_and_back(size, size, pinned=False))
            for stage, name in (("write", "load"), ("read", "store")):
                usual = dict(self.curves[f"{HPC.name}/{stage}-sequential"])[size]
                self._add(f"own-{name}", size, took[stage] - usual)

    def _stages(self, method: str, unit: Unit) -> dict[str, float]:
        """Seconds of each stage of a unit that comes after others."""
        largest = max(unit.sent, unit.fetched)
        if largest <= SMALL:
            return self._run(method, unit, MORE)
        if largest >= LARGE or method != ACP.name:
            return self._run(method, unit, 1)
        one, two = self._run(method, unit, 1), self._run(method, unit, 2)
        return {name: 2 * took - one[name] for name, took in two.items()}

    def _run(self, method: str, unit: Unit, units: int) -> dict[str, float]:
        """Seconds of each stage of a unit, on average."""
        made = arguments(unit, "shared", self.clock_hz("port.hp.clock"), "curve", "units", by_ports=True)
        asked = {"on": self.target, "flow": "shared", "count": units, "method": method}
        (row,) = collect(DESCRIBED_TOOL, request_of({**asked, "set": as_sets((*made, *self.sets))}), "row")
        return {stage["name"]: stage["time_s"] / units for stage in row["stages"]}
