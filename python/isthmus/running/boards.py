"""The numbers of a modelled board that commands look up."""

from collections.abc import Mapping, Sequence
from functools import cache

from isthmus.base.units import BYTES, CLOCKS
from isthmus.running.targets import is_model, platform
from isthmus.running.tools import Event


@cache
def _board(target: str, sets: tuple[str, ...]) -> Event:
    return platform(target, sets)


def number_of(target: str, sets: Sequence[str], kind: str, name: str) -> tuple[str, float, str] | None:
    """Key, value and unit of the number `name` of a board's first part of a kind; None if it has no such part."""
    board = _board(target, tuple(sets))
    section = next((part["name"] for part in board["parts"] if part["kind"] == kind), None)
    key = f"{section}.{name}"
    found: Mapping[str, object] | None = next((one for one in board["inputs"] if one["key"] == key), None)
    return None if found is None else (key, float(str(found["value"])), str(found.get("unit") or ""))


def clock_of(target: str, sets: Sequence[str]) -> float:
    """Hz of the kernels of a board, or of the circuit behind a chip's ports; 0 of one that has none."""
    found = number_of(target, sets, "kernel", "clock") or number_of(target, sets, "hp", "clock")
    return found[1] * CLOCKS[found[2]] if found else 0.0


def is_chip(target: str, sets: Sequence[str] = ()) -> bool:
    """Tells whether a board is a chip whose ports reach the memory of its processor (min2019)."""
    return is_model(target) and number_of(target, sets, "hp", "clock") is not None


def has_key(target: str, key: str) -> bool:
    """Tells whether a board has a number of that key."""
    return any(one["key"] == key for one in _board(target, ())["inputs"])


def room_of(target: str, sets: Sequence[str]) -> float | None:
    """Bytes that a board's circuits reach: its own memory, else the host's or what its table holds; None if unknown."""
    own, hosts = (number_of(target, sets, kind, "capacity") for kind in ("dram", "memory"))
    if own is not None:
        return own[1] * BYTES[own[2]]
    rooms = [hosts[1] * BYTES[hosts[2]]] if hosts else []
    inputs = _board(target, tuple(sets))["inputs"]
    if any(one["key"] == "translation.enabled" and one["value"] is True for one in inputs):
        entries, page = (number_of(target, sets, "translation", name) for name in ("entries", "page"))
        rooms += [entries[1] * page[1] * BYTES[page[2]]] if entries and page else []
    return min(rooms, default=None)
