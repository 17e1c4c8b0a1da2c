"""`hpcc --dry-run`: what a run would do on its ranks and devices, and how long it would take."""

from collections import Counter
from typing import Any

from isthmus.base.numbers import counted, figure
from isthmus.hpcc.launch import launch_of
from isthmus.hpcc.tables import map_lines
from isthmus.records.hpcc import HpccPlace
from isthmus.results.store import newest
from isthmus.running.tools import Event, Request, assignments, collect
from isthmus.show.progress import duration

# The assumed rates of a device without a known run: operations a second for each of its compute units, and
# bytes a second of its memory, each rather too few. Hosts fill and look through the buffers, value by value.
ASSUMED_OPERATIONS = {"cpu": 20e9, "gpu": 50e9}
ASSUMED_BYTES = {"cpu": 5e9, "gpu": 500e9}
ASSUMED_OF_OTHERS = 5e9
ASSUMED_BYTES_OF_HOST = 0.3e9
START_S = 2.0  # to start ranks and compile kernels

SAME = ("benchmark", "variant", "size", "run", "ranks", "grid", "parameters")


def plan_of(request: Request, ranks: int, launcher: str | None = None) -> Event:
    """The plan of `isthmus-hpcc` for a request; an IsthmusError if it could not run."""
    (plan,) = collect("isthmus-hpcc", {**request, "plan": True}, "plan", launch_of(ranks, launcher))
    return plan


def lines_of(plan: Event) -> list[str]:
    """The plan for people: time, sizes, memory, devices."""
    seconds, basis = estimate(plan)
    shape = f"{counted(plan['ranks'], 'rank')}, grid {plan['grid']}, {plan['size']} size, {plan['run']} run"
    times = counted(plan["repetitions"], "repetition")
    if plan["burn_in_s"]:
        times = f"for {duration(plan['burn_in_s'])}, in rounds of {times}"
    sizes = " ".join(assignments(plan["parameters"]))
    device = plan["device_info"]
    return [
        f"{plan['benchmark']}, {shape}, {times}: about {duration(seconds)} ({basis})",
        f"sizes: {sizes} ({plan['parameters_from']})",
        f"memory: {_size(plan['memory_bytes'])} a rank, of {_size(device['global_memory_bytes'])}"
        f" that {device['name']} has{_together(plan)}",
        *map_lines([HpccPlace.model_validate(place) for place in plan["places"]]),
    ]


def _together(plan: Event) -> str:
    """The memory that the ranks of a shared device need together."""
    ranks = _sharing(plan)
    return f"; {ranks} ranks share it and need {_size(ranks * plan['memory_bytes'])}" if ranks > 1 else ""


def _sharing(plan: Event) -> int:
    """The most ranks that take turns on one device, or on one part of it."""
    return max(Counter((place["host"], place["target"], place["part"]) for place in plan["places"]).values())


def _size(size: int) -> str:
    unit, factor = ("GiB", 2**30) if size >= 2**30 else ("MiB", 2**20)
    return f"{figure(size / factor)} {unit}"


def estimate(plan: Event) -> tuple[float, str]:
    """Seconds from the start of the command to its end, and where they come from."""
    known = newest("hpcc", lambda file: _is_of(file, plan))
    if known is not None:
        before = known["records"][0]
        burnt = before.get("burn_in") or {}
        work = known["context"]["elapsed"] - START_S
        again = (plan["burn_in_s"] or plan["repetitions"]) / (burnt.get("seconds") or len(before["samples"]))
        return float(START_S + max(work, 0.0) * again), "as the last such run here"
    return _assumed_s(plan), "no such run is known here: the device's rates are assumed"


def _is_of(file: dict[str, Any], plan: Event) -> bool:
    """Tells whether a kept file is of a whole run that did the same on the same devices."""
    records = file["records"]
    if not records or not file["context"]["complete"] or bool(records[0].get("burn_in")) != bool(plan["burn_in_s"]):
        return False
    first = records[0]
    devices = [[place["device"] for place in one["places"]] for one in (first, plan)]
    return devices[0] == devices[1] and all(first.get(name) == plan[name] for name in SAME)


def _assumed_s(plan: Event) -> float:
    """The time on an unknown device: the repetitions and the one before them, and the work of the hosts."""
    device = plan["device_info"]
    operations = ASSUMED_OPERATIONS.get(device["type"], ASSUMED_OF_OTHERS) * max(1, device["compute_units"])
    once = max(
        plan["operations"] / operations, plan["traffic_bytes"] / ASSUMED_BYTES.get(device["type"], ASSUMED_OF_OTHERS)
    )
    repeated = plan["burn_in_s"] or (plan["repetitions"] + 1) * once * _sharing(plan)
    return float(START_S + repeated + plan["memory_bytes"] / ASSUMED_BYTES_OF_HOST)
