"""The energy counters of processors: the kernel's powercap tree (Running Average Power Limit)."""

import time
from dataclasses import dataclass
from pathlib import Path

from isthmus.base.errors import IsthmusError, saying
from isthmus.hpcc.power.samples import Clock, Polling, Sample

ROOT = Path("/sys/class/powercap")
_MICROJOULE = 1e-6


@dataclass(frozen=True)
class Zone:
    """A counter of microjoules that begins again after `most`."""

    name: str
    counter: Path
    most: int

    def energy(self) -> int:
        """Microjoules since some time."""
        return int(_text(self.counter))


def rapl(root: Path = ROOT) -> Polling:
    """Samples of the packages and their memory; an IsthmusError that says why there are none."""
    return Polling("RAPL", Counters(zones(root)).read)


def zones(root: Path) -> list[Zone]:
    """Packages, and the memory of each where it is counted by itself; cores are parts of a package."""
    found = []
    for folder in sorted(root.glob("intel-rapl:*")):
        name = _text(folder / "name")
        package = folder.name.split(":")[1]
        if name.startswith("package") or name == "dram":
            label = name if name.startswith("package") else f"dram-{package}"
            found.append(Zone(label, folder / "energy_uj", int(_text(folder / "max_energy_range_uj"))))
    if not found:
        raise IsthmusError(f"{root}: no energy counters (RAPL)")
    for zone in found:
        zone.energy()
    return found


class Counters:
    """Counters that are read again and again: the mean power since the last time."""

    def __init__(self, zones: list[Zone], clock: Clock = time.monotonic) -> None:
        """Keeps zones and clock; reads nothing yet."""
        self._zones = zones
        self._clock = clock
        self._last: tuple[float, list[int]] | None = None

    def read(self) -> Sample | None:
        """The watts of each zone since the last reading; None for the first one."""
        now, energies = self._clock(), [zone.energy() for zone in self._zones]
        before, self._last = self._last, (now, energies)
        if before is None or now <= before[0]:
            return None
        watts = {}
        for zone, energy, earlier in zip(self._zones, energies, before[1], strict=True):
            spent = energy - earlier if energy >= earlier else energy - earlier + zone.most
            watts[zone.name] = spent * _MICROJOULE / (now - before[0])
        return Sample(now, watts, since=before[0])


def _text(path: Path) -> str:
    with saying(str(path)):
        return path.read_text().strip()
