"""The changes that may relieve a modelled run: keys at their next value, with the most that each gives."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from isthmus.base.groups import grouped_by
from isthmus.records.run import Part, Row
from isthmus.running.tools import as_sets, collect, request_of

# A step of a key makes at most twice as fast what depends on it.
STEP = 2.0
# Relief that no reader would notice.
_NEGLIGIBLE = 0.01
# From this busy share on, the size of a window is tried whatever the shares say: while one waits for an entry, others
# may be waiting for what that entry would start.
_HELD = 0.05


@dataclass(frozen=True)
class Steps:
    """The values of a key one step from a board's own, in the unit of its input; more than one where it depends."""

    faster: tuple[float, ...] = ()
    slower: tuple[float, ...] = ()


@dataclass(frozen=True)
class Remedy:
    """A key at a value; `most` is the largest share by which the rate is expected to rise."""

    part: str
    key: str
    value: float
    most: float


def steps_of(target: str, sets: Sequence[str]) -> dict[str, Steps]:
    """The steps of every key of a model with `sets` applied."""
    found = collect("isthmus-platform", request_of({"TARGET": target, "set": as_sets(sets), "steps": True}), "steps")
    return {event["key"]: Steps(tuple(event["faster"]), tuple(event["slower"])) for event in found}


def remedies(row: Row, steps: Mapping[str, Steps]) -> list[Remedy]:
    """The keys of the row's parts, each at its next faster values; those that may give most come first.

    While parts wait for each other, what is done in half the time shortens a run by at most half of the time for which
    it is busy, and a larger window by all of the time for which none was free; and no change of another key lets a part
    do its work in less time than it is busy for.
    """
    busy = {part.name: part.busy_share for part in row.parts}
    found = []
    for key, owners in _owners(row.parts).items():
        left = max(_NEGLIGIBLE, 1 - sum(_taken_away(part, key) for part in owners))
        others = [busy[part.name] for part in row.parts if part.works and key not in part.keys]
        most = 1 / max([left, *others]) - 1
        part = max(owners, key=lambda owner: (busy[owner.name], owner.works))
        found += [Remedy(part.name, key, value, most) for value in steps.get(key, Steps()).faster]
    return sorted((one for one in found if one.most >= _NEGLIGIBLE), key=lambda one: -one.most)


def slower(row: Row, steps: Mapping[str, Steps]) -> list[Remedy]:
    """The keys of the row's parts, each at its next slower values; those of the busiest parts come first."""
    busiest = sorted(row.parts, key=lambda part: part.busy_share, reverse=True)
    return [
        Remedy(part.name, key, value, 0.0)
        for part in busiest
        for key in part.keys
        for value in steps.get(key, Steps()).slower
    ]


def _taken_away(part: Part, key: str) -> float:
    """The share of a run which it may be shorter by when a step of the key relieves the part."""
    if part.works:
        return part.busy_share * (1 - 1 / STEP)
    sizes_it = part.window is not None and part.keys[0] == key
    return 1.0 if sizes_it and part.busy_share >= _HELD else part.busy_share


def _owners(parts: Iterable[Part]) -> dict[str, list[Part]]:
    pairs = grouped_by(lambda pair: pair[0], ((key, part) for part in parts for key in part.keys))
    return {key: [part for _, part in owners] for key, owners in pairs.items()}
