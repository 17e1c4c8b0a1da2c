"""What may relieve a modelled run: the keys behind its parts, each at its next value, and what each gives at most."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from isthmus.records import Part, Row
from isthmus.targets import collect_steps

# A step of a key makes at most twice as fast what depends on it.
STEP = 2.0
# Relief that no reader would notice.
_NEGLIGIBLE = 0.01


@dataclass(frozen=True)
class Steps:
    """The values of a key one step from a board's own, in the unit of its input; more than one where it depends."""

    faster: tuple[float, ...] = ()
    slower: tuple[float, ...] = ()


@dataclass(frozen=True)
class Candidate:
    """A key at a value; `most` bounds the share by which the rate rises."""

    part: str
    key: str
    value: float
    most: float


def steps_of(target: str, sets: Sequence[str]) -> dict[str, Steps]:
    """The steps of every key of a model with `sets` applied."""
    return {
        event["key"]: Steps(tuple(event["faster"]), tuple(event["slower"])) for event in collect_steps(target, sets)
    }


def candidates(row: Row, steps: Mapping[str, Steps]) -> list[Candidate]:
    """Each key of the row's parts at its next faster values, those that may give most first.

    While parts wait for each other, what is done in half the time shortens a run by at most half of the time for which
    it is busy; and no change of another key lets a part do its work in less time than it is busy for.
    """
    busy = {part.name: part.busy_share for part in row.parts}
    found = []
    for key, owners in _owners(row.parts).items():
        serial = 1 / (1 - min(1.0, sum(busy[part.name] for part in owners)) * (1 - 1 / STEP)) - 1
        others = [busy[part.name] for part in row.parts if part.works and key not in part.keys]
        most = min(serial, 1 / max([*others, _NEGLIGIBLE]) - 1)
        part = max(owners, key=lambda owner: (busy[owner.name], owner.works))
        found += [Candidate(part.name, key, value, most) for value in steps.get(key, Steps()).faster]
    return sorted((one for one in found if one.most >= _NEGLIGIBLE), key=lambda one: -one.most)


def slower(row: Row, steps: Mapping[str, Steps]) -> list[Candidate]:
    """Each key of the row's parts at its next slower values, those of the busiest parts first."""
    busiest = sorted(row.parts, key=lambda part: part.busy_share, reverse=True)
    return [
        Candidate(part.name, key, value, 0.0)
        for part in busiest
        for key in part.keys
        for value in steps.get(key, Steps()).slower
    ]


def _owners(parts: Iterable[Part]) -> dict[str, list[Part]]:
    owners: dict[str, list[Part]] = {}
    for part in parts:
        for key in part.keys:
            owners.setdefault(key, []).append(part)
    return owners
