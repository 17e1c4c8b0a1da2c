"""The model's times for the same probes and sizes, for the numbers of a platform file."""

from collections.abc import Mapping, Sequence

from isthmus.asking.answers import probed_once
from isthmus.calibration.device_curves import Curves, channel_of, probe_of
from isthmus.running.tools import request_of

# Time is a straight line over the size but for the first packets and pages: these sizes tell it.
LONGEST = 64 << 20  # a longer run of the model takes a while and tells nothing new
GRID = (64, 1024, 4096, 16384, 65536, 262144, 1 << 20)


def model_times(target: str, names: Sequence[str], sizes: Sequence[int], sets: Mapping[str, float]) -> Curves:
    """Seconds by curve and size, from runs of the model with some numbers replaced (in base units)."""
    rounded = {key: float(f"{value:.9g}") for key, value in sets.items()}
    request = {"sizes": list(sizes), "repeat": 1, "grain": "fine", "set": rounded}
    curves: Curves = {}
    for channel in dict.fromkeys(map(channel_of, names)):
        curve_of_probe = {probe_of(name): name for name in names if channel_of(name) == channel}
        asked = request_of({**request, "PROBE": list(curve_of_probe), "channel": channel})
        for record in probed_once(target, asked, ("name", "parameters", "time_s")):
            curve = curves.setdefault(curve_of_probe[record["name"]], {})
            curve[int(record["parameters"]["size"])] = float(record["time_s"])
    return curves


def interpolated(grid: Mapping[int, float], size: int) -> float:
    """Seconds at a size between, or beyond, those of a curve: along the straight line of the nearest two."""
    known = sorted(grid)
    if size in grid or len(known) == 1:
        return grid.get(size, grid[known[0]])
    above = next((at for at, each in enumerate(known) if each > size), len(known) - 1)
    low, high = known[max(above, 1) - 1], known[max(above, 1)]
    return grid[low] + (grid[high] - grid[low]) * (size - low) / (high - low)


def like(target: str, points: Curves, sets: Mapping[str, float]) -> Curves:
    """The model's times at the points of measured curves, its runs no longer than the grid."""
    grid = model_times(target, list(points), GRID, sets)
    return {
        probe: {size: interpolated(grid[probe], size) for size in curve} for probe, curve in points.items() if curve
    }


def exactly(target: str, points: Curves) -> Curves:
    """The model's times at the points of measured curves, each from a run of that size; beyond `LONGEST` their line."""
    return {probe: _runs(target, probe, list(curve)) for probe, curve in points.items()}


def _runs(target: str, probe: str, sizes: Sequence[int]) -> dict[int, float]:
    within = [size for size in sizes if 0 < size <= LONGEST]
    beyond = [LONGEST // 2, LONGEST] if len(within) < len(sizes) and max(sizes) > LONGEST else []
    runs = model_times(target, [probe], [*within, *beyond] or [GRID[0]], {})[probe]
    return {size: interpolated(runs, size) for size in sizes}
