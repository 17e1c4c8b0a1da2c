"""Changes of a model: keys at other values, another probe, pieces of a call each, accesses to registers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from isthmus.asking.predictions import Pairs, Prediction, Query
from isthmus.base.sizes import format_size
from isthmus.explaining.measurement import Measurement
from isthmus.running.methods import Method


@dataclass(frozen=True)
class Access:
    """An access that replaces copies of one direction: loads or stores of a few bytes each, which are not combined."""

    probe: str  # mmio-store or mmio-load
    size: int
    direction: str


@dataclass(frozen=True)
class Change:
    """The difference of a cause from the model as it is.

    `instead`: probes whose number another probe's is; `piece`: bytes of a call; `chosen`: options of the probe.
    """

    sets: tuple[str, ...] = ()
    instead: tuple[tuple[str, str], ...] = ()
    piece: int | None = None
    access: Access | None = None
    chosen: Pairs = ()
    method: Method | None = None

    @property
    def told(self) -> list[str]:
        """Each part of the change, as KEY=VALUE."""
        told = list(self.sets)
        told += [f"probe={name}" for name in dict.fromkeys(other for _, other in self.instead)]
        told += [f"pieces={format_size(self.piece)}"] if self.piece else []
        told += [f"access={self.access.probe} of {format_size(self.access.size)}"] if self.access else []
        told += [f"method={self.method.name}"] if self.method else []
        return told + [f"{name}={value}" for name, value in self.chosen]

    def of(self, number: Measurement) -> "Way":
        """The measurement of a number under this change."""
        query = number.query
        if self.access is not None and self.access.direction == number.direction:
            combined: Pairs = (("write_combining", False),) if self.access.probe == "mmio-store" else ()
            accesses = -(-number.size // self.access.size)
            return Way(Query(self.access.probe, self.access.size, self.sets, (), combined), accesses, working=True)
        chosen = {**dict(query.chosen), **dict(self.chosen)}
        probe = dict(self.instead).get(query.probe, query.probe)
        query = replace(query, probe=probe, sets=self.sets, chosen=tuple(sorted(chosen.items())))
        if self.method is not None:
            return _moved_by(self.method, query)
        if self.piece is None or number.direction is None or number.size <= self.piece:
            return Way(query)
        return Way(replace(query, size=self.piece), -(-number.size // self.piece))

    def with_other(self, other: "Change") -> "Change | None":
        """Both changes at once; None if they change the same thing."""
        keys = [{one.partition("=")[0] for one in change.sets} for change in (self, other)]
        if keys[0] & keys[1] or (self.instead and other.instead) or (self.chosen and other.chosen):
            return None
        if (self.method and (other.method or other.chosen)) or (other.method and self.chosen):
            return None
        if (self.piece and other.piece) or (self.access and other.access):
            return None
        return Change(
            sets=(*self.sets, *other.sets),
            instead=self.instead or other.instead,
            piece=self.piece or other.piece,
            access=self.access or other.access,
            chosen=self.chosen or other.chosen,
            method=self.method or other.method,
        )


@dataclass(frozen=True)
class Way:
    """What is asked of the model, how often it happens, and whether the host works all the time of it; `beside`: what
    a core does once besides, in the same time.
    """

    query: Query
    times: int = 1
    working: bool = False
    beside: tuple[Query, ...] = ()

    @property
    def queries(self) -> tuple[Query, ...]:
        """All queries of the model."""
        return (self.query, *self.beside)

    def answer(self, answers: Mapping[Query, Prediction | None]) -> Prediction | None:
        """The answer to all queries together; None if the model has none."""
        one, *others = (answers[query] for query in self.queries)
        besides = [other.seconds for other in others if other is not None]
        if one is None or len(besides) < len(others):
            return None
        working = one.seconds if self.working else one.working_s
        work = None if working is None else working * self.times + sum(besides)
        return Prediction(one.seconds * self.times + sum(besides), work)


def _moved_by(method: Method, query: Query) -> Way:
    """The queries about a buffer that a method keeps coherent (docs/coherence.md)."""
    if query.probe == "memcpy" and not method.cached:
        return Way(replace(query, variant=(("from", "noncacheable"), ("to", "cacheable"))))
    if not query.probe.startswith("port-"):
        return Way(query)
    to_fpga = query.probe == "port-tx"
    chosen = {**dict(query.chosen), "port": method.port, "state": method.state(to_fpga)}
    beside = [Query("maintenance", query.size, query.sets, (), (("op", op),)) for op in method.maintenance(to_fpga)]
    return Way(replace(query, chosen=tuple(sorted(chosen.items()))), beside=tuple(beside))
