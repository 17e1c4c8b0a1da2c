"""One unit of a described application, as numbers alone."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from isthmus.descriptions.description import Description
from isthmus.running.tools import assignments

WORD = 64  # bytes that a circuit moves in a cycle
MOST_TOGETHER = 16  # units of a message at most, where counts are no whole numbers
LARGE = 64 * 2**20  # bytes of so many units, whose run takes long
HARDLY = 0.01  # of a unit's bytes


@dataclass(frozen=True)
class Crossing:
    """Transfers of a unit that are alike."""

    to_device: bool
    pinned: bool
    bytes: float  # of each
    count: float
    cpu: str | None = None  # what cores do with them: writes, reads or both; None: not known
    order: str | None = None  # in which order: sequential or random

    @property
    def use(self) -> tuple[str, str]:
        """What cores do with the bytes and in which order, with what is not known as it mostly is."""
        return self.cpu or ("writes" if self.to_device else "reads"), self.order or "sequential"


@dataclass(frozen=True)
class Unit:
    """A unit: bytes and seconds."""

    crossings: tuple[Crossing, ...]
    launches: float
    compute_s: float  # of a launch, memory apart
    device_read: float  # of all launches
    device_write: float
    burst: float  # in which memory is touched; 0: in order
    host_s: float

    @classmethod
    def of(cls, description: Description) -> "Unit":
        """The unit of a description, with its values as they are."""
        crossings = tuple(
            Crossing(one.to_device, one.host == "pinned", one.bytes.value, one.count.value, one.cpu, one.order)
            for one in description.transfers
        )
        kernel = description.kernel
        sent, fetched = _moved(crossings, True), _moved(crossings, False)
        launches = kernel.launches.value
        compute = kernel.time.value if kernel.time else sent / kernel.rate.value / launches if kernel.rate else 0.0
        return cls(
            crossings=crossings,
            launches=launches,
            compute_s=compute,
            device_read=kernel.device_read.value if kernel.device_read else sent,
            # A smaller transfer than it was, as in a draw, does not leave more behind.
            device_write=max(kernel.device_write.value if kernel.device_write else 0.0, fetched),
            burst=kernel.burst.value if kernel.burst else 0.0,
            host_s=description.host_time.value,
        )

    @classmethod
    def there_and_back(
        cls,
        sent: int,
        fetched: int,
        compute_s: float = 0.0,
        host_s: float = 0.0,
        pinned: bool = True,
        **use: str | None,
    ) -> "Unit":
        """A unit of one transfer each way, of which `use` is what cores do, whose kernel touches each byte once."""
        crossings = (Crossing(True, pinned, sent, 1, **use), Crossing(False, pinned, fetched, 1, **use))
        return cls(crossings, 1, compute_s, sent, fetched, 0.0, host_s)

    @property
    def sent(self) -> float:
        """Bytes to the device."""
        return _moved(self.crossings, True)

    @property
    def fetched(self) -> float:
        """Bytes to the host."""
        return _moved(self.crossings, False)

    @property
    def streams(self) -> bool:
        """Tells whether each word may come once and leave once, so that no memory has to keep it."""
        return (
            self.sent > 0
            and self.fetched > 0
            and 0 < self.device_read <= self.sent
            and self.device_write <= self.fetched
            and self.launches <= 1
        )

    @property
    def reads_again(self) -> bool:
        """Tells whether a circuit can read a unit where it lies: each launch writes all of the output."""
        writes = self.device_write / self.launches
        return self.sent > 0 and self.fetched > 0 and self.device_read > 0 and abs(writes - self.fetched) < WORD

    @property
    def single(self) -> "Unit":
        """The same for messages of one unit: what crosses now and then is a part of its bytes in each."""

        def whole(one: Crossing) -> Crossing:
            return one if one.count == int(one.count) else replace(one, bytes=max(one.bytes * one.count, 1.0), count=1)

        return replace(self, crossings=tuple(map(whole, self.crossings)))

    @property
    def together(self) -> int:
        """Units of a message in which all counts are whole, as near as 16 units come to that; of large units the counts
        of transfers that hardly add to their bytes do not matter.
        """
        moved = self.sent + self.fetched
        least = moved * HARDLY if MOST_TOGETHER * moved > LARGE else 0
        counts = [one.count for one in self.crossings if one.bytes * one.count >= least] + [self.launches]
        parts = [Fraction(count).limit_denominator(MOST_TOGETHER).denominator for count in counts]
        return min(math.lcm(*parts), MOST_TOGETHER)


def _moved(crossings: tuple[Crossing, ...], to_device: bool) -> float:
    return sum(one.bytes * one.count for one in crossings if one.to_device == to_device)


def arguments(unit: Unit, flow: str, clock_hz: float, name: str, units: str, by_ports: bool = False) -> tuple[str, ...]:
    """NAME=VALUE of `isthmus-described` for a unit in a flow on a board whose kernels have that clock.

    by_ports: of a chip, whose ports move what its cores and its circuit share.
    """
    streams = flow in ("stream", "shared") and unit.streams and not by_ports
    in_place = flow == "shared" and not streams and not by_ports
    unit = unit.single if in_place else unit  # each launch writes all of a message's output there
    many = 1 if in_place else unit.together
    launches = 1 if streams else max(1, round(unit.launches * many))  # a circuit that words pass starts once
    values: dict[str, object] = {
        "name": name,
        "counted": units,
        "in_message": many,
        "transfers": ",".join(_transfers(unit, many, by_ports)),
        "launches": launches,
        "cycles": round(unit.compute_s * clock_hz * (unit.launches * many if streams else 1)),
        "device_read": round(unit.device_read * many),
        "device_write": _written(unit, many, in_place),
        "burst": 0 if streams else round(unit.burst),
        "host_time": round(unit.host_s * many * 1e9),
        "in_place": "ports" if by_ports else "yes" if in_place else "no",
    }
    return assignments(values)


def _written(unit: Unit, many: int, in_place: bool) -> int:
    """Bytes that the kernel writes of a message: all that goes to the host, in whole words, at least.

    Each launch writes all of them where the message lies in the host's memory.
    """
    back = (one for one in unit.crossings if not one.to_device)
    words = sum(WORD * math.ceil(round(one.bytes) / WORD) * round(one.count * many) for one in back)
    if in_place:
        return words * max(1, round(unit.launches * many))
    return max(round(unit.device_write * many), words)


def _transfers(unit: Unit, many: int, with_use: bool) -> list[str]:
    """DIRECTION:MEMORY:BYTESxCOUNT of those that a message has, with what cores do where that matters."""
    found = []
    for one in unit.crossings:
        count = round(one.count * many)
        way = "to-device" if one.to_device else "to-host"
        memory = "pinned" if one.pinned else "pageable"
        use = ":".join(("", *one.use)) if with_use else ""
        found += [f"{way}:{memory}:{round(one.bytes)}x{count}{use}"] if count else []
    return found
