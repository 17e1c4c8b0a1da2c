"""Records of HPC Challenge for people: a verdict, a table, and the summary lines that HPC Challenge writes."""

import re
from collections.abc import Callable, Sequence

from isthmus.base.numbers import counted, figure, percent
from isthmus.base.sizes import format_size
from isthmus.hpcc.benchmarks import benchmark_of
from isthmus.records.hpcc import HpccPlace, HpccRecord
from isthmus.show.output import Table, table_of


def verdict(records: Sequence[HpccRecord]) -> str:
    """Tells whether the results are right, on what, and in which run."""
    first = records[0]
    right = "validated" if first.validated else "WRONG"
    shared = ", shared" if first.shared else ""
    devices = [place.device for place in first.places] or [first.device]
    error = "no number" if first.error is None else f"{first.error:.3g}"
    return (
        f"{first.benchmark}: {right} ({first.error_is} {error}, limit {first.error_limit:.3g}), "
        f"{first.run} run, {counted(first.ranks, 'rank')}{shared}, measured on {' and '.join(dict.fromkeys(devices))}"
    )


def table(records: Sequence[HpccRecord]) -> Table:
    """A row for each quantity."""
    columns: dict[str, Callable[[HpccRecord], str]] = {
        "benchmark": lambda one: one.name,
        "best": lambda one: figure(one.value if one.validated else None),
        "unit": lambda one: one.unit,
        "median": lambda one: figure(one.median if one.validated else None),
        "spread": lambda one: percent(one.spread),
        "expected, model": lambda one: figure(one.expected),
        "of expected": lambda one: percent(one.efficiency if one.validated else None),
        "over ranks": lambda one: one.across,
    }
    return table_of(records, columns, numbers=columns.keys() - {"benchmark", "unit", "over ranks"})


def unjudged_lines(records: Sequence[HpccRecord]) -> list[str]:
    """A line on the rates that were not compared with the probes, because the work is too short."""
    short = [one for one in records if not one.judged and one.expected_s is not None]
    if not short:
        return []
    names = short[0].name if len(short) == 1 else f"{len(short)} of {len(records)} records of {short[0].benchmark}"
    longest = max(one.expected_s or 0 for one in short)
    return [
        f"{names}: the rate was not judged: at what is expected the work lasts {figure(longest * 1e3)} ms"
        f"{' at most' if len(short) > 1 else ''}, too short to judge; a larger size is judged"
    ]


CACHES = 4  # times the last-level caches, from which on memory sets the rate (STREAM's rule)


def cache_lines(records: Sequence[HpccRecord]) -> list[str]:
    """A line where caches hold a part of what is measured as memory's rate."""
    one = records[0]
    if not benchmark_of(one.benchmark).from_memory or one.working_set_bytes is None or one.cache_bytes is None:
        return []
    if one.working_set_bytes >= CACHES * one.cache_bytes:
        return []
    return [
        f"{one.benchmark}: works on {format_size(one.working_set_bytes)} next to last-level caches of "
        f"{format_size(one.cache_bytes)}: below {CACHES} times as much the rate is also that of the caches"
    ]


def power_line(records: Sequence[HpccRecord]) -> str:
    """Says what power the devices drew, and the best performance per watt; or why that is unknown."""
    power = records[0].power
    if power is None or power.peak_w is None:
        return f"power: unknown, {power.reason if power else 'not sampled'}"
    drawn = (
        f"power: {figure(power.average_w)} W on average, {figure(power.peak_w)} W at most, "
        f"{counted(power.samples, 'sample')} of {power.source}{' around the repetitions' if power.around else ''}"
    )
    known = [one.power for one in records if one.power and one.power.per_watt and one.unit == records[0].unit]
    best = max(known, key=lambda one: one.per_watt or 0, default=None)
    return drawn if best is None else f"{drawn}; best value over peak {figure(best.per_watt)} {best.per_watt_unit}"


def summary_lines(records: Sequence[HpccRecord]) -> str:
    """`name=value` lines between marks, as HPC Challenge ends its output file; booleans are 1 and 0.

    Figures that HPC Challenge measures alike are there under its names too. Wrong results have no figures.
    """
    first = records[0]
    lines = ["Begin of Summary section.", f"VersionIsthmus={first.version}", f"CommWorldProcs={first.ranks}"]
    lines += [f"{name}={value}" for name, value in _setting(first).items()]
    lines += [f"{name}={value}" for name, value in first.parameters.items()]
    for one in records if first.validated else []:
        lines += [f"{name}={value}" for name, value in _figures(one).items()]
    lines += [f"{name}={value}" for name, value in benchmark_of(first.benchmark).keys.lines(records).items()]
    lines += [f"{name}={value}" for name, value in _power(first).items()]
    lines += [f"{_key(first.error_is)}={_number(first.error)}", f"ErrorLimit={first.error_limit:.6g}"]
    lines += [f"Success={int(first.validated)}", "End of Summary section."]
    return "".join(f"{line}\n" for line in lines)


def _setting(record: HpccRecord) -> dict[str, str]:
    """The place and the parameters of a run."""
    return {
        "Hostname": ",".join(dict.fromkeys(place.host for place in record.places)),
        "Device": record.device,
        "Driver": record.device_info.driver,
        "Pci": ",".join(dict.fromkeys(place.pci for place in record.places if place.pci)),
        "Run": record.run,
        "Variant": record.variant,
        "Grid": record.grid,
        "Scheme": record.scheme,
        "Shared": str(int(record.shared)),
    }


def _figures(record: HpccRecord) -> dict[str, str]:
    """The value, and what the model expects of it where it does."""
    key = _key(record.name)
    figures = {f"{key}_{record.unit.replace('/', 'p')}": f"{record.value:.6g}"}
    if record.expected is not None:
        figures[f"{key}_Expected"] = f"{record.expected:.6g}"
    if record.power is not None and record.power.per_watt is not None:
        figures[f"{key}_PerWatt"] = f"{record.power.per_watt:.6g}"
    return figures


def _power(record: HpccRecord) -> dict[str, str]:
    """The power of all devices together, if it is known."""
    power = record.power
    if power is None or power.average_w is None:
        return {}
    drawn = {"Power_Average_W": power.average_w, "Power_Peak_W": power.peak_w, "Energy_J": power.energy_j}
    return {name: _number(value) for name, value in drawn.items()}


def _key(name: str) -> str:
    return "_".join(part.capitalize() for part in re.split(r"\W+|_", name) if part)


def _number(value: float | None) -> str:
    return "nan" if value is None else f"{value:.6g}"


def map_lines(places: Sequence[HpccPlace]) -> list[str]:
    """The lines of the map: the place of each rank."""
    return [
        f"rank {place.rank}: {place.host}, {place.target}{_part(place)}, {place.device}{_cores(place)}"
        for place in places
    ]


def _cores(place: HpccPlace) -> str:
    if not place.cores:
        return ""
    return f", core{'s' if set(place.cores) & set(',-') else ''} {place.cores}"


def _part(place: HpccPlace) -> str:
    if place.shared:
        return " (shared)"
    return f" part {place.part + 1} of {place.parts}" if place.parts > 1 else ""
