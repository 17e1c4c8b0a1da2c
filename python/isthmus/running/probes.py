"""The probes that `isthmus-probe` offers, as it describes them."""

from collections.abc import Sequence
from dataclasses import dataclass

from isthmus.running.offers import offered
from isthmus.running.tools import Event

STAGED, PINNED = "staged copies", "pinned copies"  # what a probe's bytes may cross
COPIES = (STAGED, PINNED)
STREAMS = "streams"
LAUNCHES = "launches"
SHARED_MEMORY = "shared memory"
REPEAT = 20  # samples of a size on a real device at most; a model gives the same again, but for a refresh of its memory


@dataclass(frozen=True)
class Probe:
    """A probe; `sizes` are those that it looks at, in bytes, a range of them if asked for; None: any.

    `curve`: it has one value a size. `in_study`: each target of a study is asked for it. `fitted`: models are
    calibrated with it; `compared`: a calibrated model is compared with it.
    """

    name: str
    meaning: str
    crosses: str
    on_models_alone: bool
    curve: bool
    in_study: bool
    fitted: bool
    compared: bool
    quantity: str
    sizes: Sequence[int] | None


def all_probes() -> dict[str, Probe]:
    """All probes by name, in the order of the tool."""
    return {one["name"]: _probe(one) for one in offered("isthmus-probe")["probes"]}


def _probe(event: Event) -> Probe:
    known = {name: event[name] for name in Probe.__annotations__}
    sizes = event["sizes"]
    if isinstance(sizes, dict):
        known["sizes"] = range(sizes["multiples_of"], sizes["most"] + 1, sizes["multiples_of"])
    return Probe(**known)


def is_curve(name: str) -> bool:
    """Tells whether records of that name are points of a line over sizes; not of a probe that there is no more."""
    return name in all_probes() and all_probes()[name].curve


def meaning_of(name: str) -> str:
    """The meaning of a probe, in short; its name if there is no such probe."""
    return all_probes()[name].meaning.partition(",")[0] if name in all_probes() else name


def fitted_probes() -> list[str]:
    """The probes that models are calibrated with."""
    return [name for name, probe in all_probes().items() if probe.fitted]
