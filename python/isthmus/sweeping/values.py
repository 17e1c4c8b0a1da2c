"""The values of a key: `8,16`, `1..16:x2`, `4KiB..1MiB:x4`, `100..500:+100MHz`."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from isthmus.base.errors import IsthmusError
from isthmus.base.units import BYTES, SCALES

MOST = 1_000_000  # points of a sweep
_NUMBER = re.compile(r"([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*(\S*)")
_RANGE = re.compile(r"([^.:]+(?:\.\d+)?)\.\.([^:]+)(?::(?:x(\d+(?:\.\d+)?)|\+(\d+(?:\.\d+)?)\s*(\S*)))?")


@dataclass(frozen=True)
class Axis:
    """A key or parameter, and its values as they are set."""

    key: str
    values: tuple[str, ...]


def read_axes(sets: Sequence[str]) -> list[Axis]:
    """Reads each --set; one with a single value holds for all points."""
    axes: dict[str, Axis] = {}
    for text in sets:
        key, assigned, values = text.partition("=")
        key = key.strip()
        if not assigned or not key:
            raise IsthmusError(f"--set '{text}': expected KEY=A,B,... or KEY=FIRST..LAST:x2")
        if key in axes:
            raise IsthmusError(f"--set {key}: is given twice; expected all of its values in one")
        axes[key] = Axis(key, _values(values, f"--set {key}"))
    return list(axes.values())


def points_of(axes: Sequence[Axis]) -> int:
    """The number of combinations."""
    return math.prod(len(axis.values) for axis in axes)


def number_of(value: str) -> float | None:
    """The number of a value, in bytes, s, Hz or B/s if it has such a unit; None if it is no number."""
    match = _NUMBER.fullmatch(value.strip())
    return float(match[1]) * SCALES.get(match[2], 1) if match else None


def _values(text: str, place: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for item in map(str.strip, text.split(",")):
        if not item:
            raise IsthmusError(f"{place}: expected a value between commas, got '{text}'")
        found.update(dict.fromkeys(_range(item, place) if _is_range(item) else [item]))
        if len(found) > MOST:
            raise _too_many(place)
    return tuple(found)


def _is_range(item: str) -> bool:
    """Tells a range from a path: two dots are in paths too, which begin with them or have a slash."""
    return ".." in item and "/" not in item and not item.startswith(".")


def _range(item: str, place: str) -> list[str]:
    match = _RANGE.fullmatch(item)
    ends = [_NUMBER.fullmatch(text.strip()) for text in match.groups()[:2]] if match else []
    if match is None or not all(ends):
        raise IsthmusError(f"{place}: expected FIRST..LAST, FIRST..LAST:x2 or FIRST..LAST:+N, got '{item}'")
    first, last = (end for end in ends if end is not None)
    unit = last[2] if not first[2] else first[2]
    of_sizes = first[2] in BYTES and last[2] in BYTES
    if first[2] and first[2] != last[2] and not of_sizes:
        raise IsthmusError(f"{place}: expected one unit in a range, got '{item}'")
    scale, end_scale = (BYTES[first[2]], BYTES[last[2]]) if of_sizes else (1, 1)
    low, high = float(first[1]) * scale, float(last[1]) * end_scale
    factor = float(match[3] or (1 if match[4] else 2))
    step = float(match[4] or 0) * (BYTES.get(match[5], scale) if of_sizes else 1)
    if low > high or (factor <= 1 and step == 0) or (factor > 1 and low <= 0):
        raise IsthmusError(f"{place}: expected a range that rises to its end, got '{item}'")
    numbers = [low]
    while (following := numbers[-1] * factor + step) <= high * (1 + 1e-12) and len(numbers) <= MOST:
        numbers.append(following)
    if len(numbers) > MOST:
        raise _too_many(place)
    return [f"{number / scale:.12g}{unit}" for number in numbers]


def _too_many(place: str) -> IsthmusError:
    return IsthmusError(f"{place}: more than {MOST:,} points; expected fewer values")
