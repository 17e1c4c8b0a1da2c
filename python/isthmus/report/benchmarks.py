"""Runs of HPC Challenge: each quantity's value, the model's expectation, and the power and sensors of the devices."""

from collections.abc import Sequence
from dataclasses import dataclass

from isthmus.base.numbers import counted, figure
from isthmus.hpcc.tables import power_line, verdict
from isthmus.records.hpcc import HpccRecord, HpccSensors
from isthmus.show.output import Table


@dataclass(frozen=True)
class BenchmarkQuantity:
    """A record; its value and its expectation as shares of the largest of either among those of its unit."""

    record: HpccRecord
    share: float
    expected: float | None


@dataclass(frozen=True)
class BenchmarkRun:
    """The records of one run."""

    label: str
    verdict: str
    right: bool
    conditions: str
    quantities: list[BenchmarkQuantity]
    power: str
    sensors: Table


def runs_of(records: Sequence[HpccRecord]) -> list[BenchmarkRun]:
    """Separates the runs: a name that comes again begins another run."""
    groups: list[list[HpccRecord]] = []
    for record in records:
        if not groups or record.benchmark != groups[-1][0].benchmark or any(r.name == record.name for r in groups[-1]):
            groups.append([])
        groups[-1].append(record)
    return [_run(group) for group in groups]


def label_of(record: HpccRecord) -> str:
    """Says what was run where."""
    return f"{record.benchmark}, {place_of(record)}"


def place_of(record: HpccRecord) -> str:
    """Says where it was run."""
    shared = ", shared" if record.shared else ""
    return f"{record.target}, {record.device}, {counted(record.ranks, 'rank')}{shared}"


def _run(records: Sequence[HpccRecord]) -> BenchmarkRun:
    first = records[0]
    parameters = ", ".join(f"{name} {value}" for name, value in first.parameters.items())
    return BenchmarkRun(
        label=label_of(first),
        verdict=verdict(records),
        right=first.validated,
        conditions=f"{first.variant}, {first.size}, grid {first.grid}; {parameters}",
        quantities=_quantities(records),
        power=power_line(records),
        sensors=_sensors(first),
    )


def _quantities(records: Sequence[HpccRecord]) -> list[BenchmarkQuantity]:
    found = []
    for record in records:
        alike = [one for one in records if one.unit == record.unit]
        most = max((value for one in alike for value in (one.value, one.expected or 0.0)), default=0.0) or 1.0
        expected = None if record.expected is None else record.expected / most
        found.append(BenchmarkQuantity(record, record.value / most, expected))
    return found


def _sensors(record: HpccRecord) -> Table:
    columns = ("device", "when", "clock, MHz", "memory clock, MHz", "temperature, C", "ECC corrected", "uncorrected")
    around = record.sensors
    readings = [("before", around.before), ("after", around.after)] if around else []
    rows = [_readings(when, one) for when, sensors in readings for one in sensors]
    known = [row for row in rows if any(cell != "-" for cell in row[2:])]
    return Table((*columns, "slowed by"), known, numbers=frozenset(columns[2:]), title="Sensors")


def _readings(when: str, one: HpccSensors) -> tuple[str, ...]:
    numbers = (one.clock_mhz, one.memory_clock_mhz, one.temperature_c, one.ecc_corrected, one.ecc_uncorrected)
    slowed = "-" if one.slowdowns is None else ", ".join(one.slowdowns) or "nothing"
    return (f"{one.host} {one.device}", when, *map(figure, numbers), slowed)
