"""The time of a described application on a chip whose ports move what its cores and its circuit share, by method, in
closed form over the curves of isthmus.advising.chip_probes (docs/advise.md).
"""

from isthmus.advising.formulas import Curve, Curves, RunTimes, at
from isthmus.descriptions.unit import Crossing, Unit
from isthmus.running.methods import ACP, HP_C, HP_NC, HPC

LINE = 64
IN_ORDER = 4096  # bytes of a burst from which a scattered one is as good as in order


def by_ports(curves: Curves, unit: Unit, messages: int, method: str) -> RunTimes:
    """A core computes, writes, has the circuit work and reads, one after the other; what a unit's bytes take hangs on
    how many of them there are, as the caches hold some.
    """
    many = unit.together
    times = ChipTimes(curves, unit, method)
    parts = {
        "host": unit.host_s,
        "cores write": times.written_s() / many,
        "maintenance": times.maintained_s() / many,
        "kernel": times.kernel_s() / many,
        "cores read": times.read_s() / many,
    }
    each = sum(parts.values()) * many
    return RunTimes(each * messages, each, parts)


class ChipTimes:
    """Seconds of a message's parts by one method."""

    def __init__(self, curves: Curves, unit: Unit, method: str) -> None:
        self._curves = curves
        self._unit = unit
        self._method = method
        self._sent = unit.sent * unit.together
        self._fetched = unit.fetched * unit.together

    def written_s(self) -> float:
        """Cores write what goes to the device, from memory of their own where it is pageable, and read it again where
        they do both.
        """
        return sum(self._used(one, "write", "own-load", "look") for one in self._side(True))

    def read_s(self) -> float:
        """Cores read what comes back, and write it where they do both."""
        return sum(self._used(one, "read", "own-store", "back") for one in self._side(False))

    def maintained_s(self) -> float:
        """Software keeps the buffers coherent that a launch touches, at each."""
        if self._method != HP_C.name:
            return 0.0
        into, out = (self._curves[f"{HP_C.name}/maintenance-{way}"] for way in ("in", "out"))
        many, launches = self._unit.together, self._launches
        read, written = (each * many / launches for each in (self._unit.device_read, self._unit.device_write))
        sent, fetched = min(read, self._sent), min(written, self._fetched)
        return launches * (at(into, sent) + at(out, fetched) - at(out, 0))

    def kernel_s(self) -> float:
        """The launches: traffic through the port and computation go on at once."""
        unit, launches = self._unit, self._launches
        none = at(self._kernel("in"), 0)
        computed = unit.compute_s * launches
        return none * launches + max(self.traffic_s(), computed)

    def traffic_s(self) -> float:
        """A message's bytes through the port, without the calls."""
        many = self._unit.together
        read, written = self._unit.device_read * many, self._unit.device_write * many
        first, output = min(read, self._sent or read), min(written, self._fetched or written)
        crossing = self._crossing_s(first, output) * self._scattered(first, output)
        again = at(self._of_port("kernel-again"), first) * (read / first - 1) if read > first else 0.0
        out = self._kernel("out")
        rewritten = at(out, written) - at(out, output)
        return crossing + again * self._scattered(read, 0) + rewritten * self._scattered(0, written)

    def _crossing_s(self, read: float, written: float) -> float:
        """The time of bytes both ways at once, and then of the rest of one way."""
        common = min(read, written)
        way = self._kernel("in" if read > written else "out")
        left = at(way, max(read, written)) - at(way, common)
        return at(self._kernel("both"), common) - at(self._kernel("in"), 0) + max(left, 0.0)

    def _scattered(self, read: float, written: float) -> float:
        """How much longer the bursts of the kernel make its traffic."""
        burst = self._unit.burst
        if not burst or burst >= IN_ORDER:
            return 1.0
        ways = {"in": read, "out": written}
        moved = sum(ways.values()) or 1.0
        longer = 0.0
        for way, size in ways.items():
            curve = [*self._of_port(f"burst-{way}"), (float(IN_ORDER), 1.0)]
            longer += size / moved * max(at(curve, max(burst, curve[0][0])), 1.0)
        return longer

    def _side(self, to_device: bool) -> list[Crossing]:
        return [one for one in self._unit.crossings if one.to_device == to_device]

    def _used(self, one: Crossing, base: str, own: str, twice: str) -> float:
        """What cores do with transfers that are alike, at the pace of as many bytes as a message has."""
        _, order = one.use
        held = max((self._sent + self._fetched) / 2, LINE)  # of units that have as many bytes each way
        took = at(self._cores(f"{base}-{order}"), held)
        if _is_used_twice(one):
            like = self._method if self._method == HP_NC.name else HPC.name
            took += at(self._curves[f"{like}/{twice}{'' if one.pinned else '-copied'}-{order}"], held)
        elif not one.pinned:
            took += max(at(self._curves[own], held), 0.0)
        return took * one.bytes * one.count * self._unit.together / held

    @property
    def _launches(self) -> float:
        return self._unit.launches * self._unit.together

    def _cores(self, name: str) -> Curve:
        """A curve of what cores do: with cacheable buffers of HP the same as with those of HPC."""
        return self._curves[f"{HPC.name if self._method == HP_C.name else self._method}/{name}"]

    def _of_port(self, name: str) -> Curve:
        """A curve of the method's port: uncached and flushed bytes cross HP alike."""
        return self._curves[f"{HP_NC.name if self._method == HP_C.name else self._method}/{name}"]

    def _kernel(self, way: str) -> Curve:
        """The kernel's curve; through a port that sees the caches it lies between that of bytes that cores leave there,
        written out of sequence or read again, and that of others, which they write past them.
        """
        past = self._of_port(f"kernel-{way}-sequential")
        share = self._cached_share() if self._method in (HPC.name, ACP.name) else 0.0
        if share == 0.0:
            return past
        cached = self._of_port(f"kernel-{way}-random")
        return [
            (x, share * at(cached, x) + (1 - share) * at(past, x)) for x in sorted({x for x, _ in (*past, *cached)})
        ]

    def _cached_share(self) -> float:
        """How much of what goes to the device cores leave in the caches."""
        moved = {one: one.bytes * one.count for one in self._side(True)}
        cached = sum(size for one, size in moved.items() if one.use[1] == "random" or _is_used_twice(one))
        return cached / sum(moved.values()) if moved else 0.0


def _is_used_twice(one: Crossing) -> bool:
    """Tells whether cores read what they have written, or write what they have read."""
    return one.use[0] != ("writes" if one.to_device else "reads")
