"""Rows of a machine small enough to compute by hand: what passes is bounded by a link, a kernel and a window."""

from collections.abc import Mapping, Sequence
from typing import Any

from isthmus.asking.experiments import Experiment
from isthmus.records.run import Row

KEYS = {"link.rate": 8.0, "kernel.rate": 10.0, "window.size": 4.0, "window.round_trip": 1.0}


def values_of(sets: Sequence[str], keys: Mapping[str, float]) -> dict[str, float]:
    """The numbers of the machine with KEY=VALUE in place of its own."""
    return {**keys, **{key: float(value) for key, _, value in (one.partition("=") for one in sets)}}


def _window(value: Mapping[str, float]) -> dict[str, Any]:
    size, held = int(value["window.size"]), value["window.round_trip"]
    return {"size": size, "unit": "entries", "taken": 100, "round_trip_s": held}


def row_of(experiment: Experiment, keys: Mapping[str, float] = KEYS, **changes: Any) -> Row:
    """The row of an experiment: messages of one byte, all parts at once."""
    value = values_of(experiment.sets, keys)
    rates = {
        "link": value["link.rate"],
        "kernel": value["kernel.rate"],
        "window": value["window.size"] / value["window.round_trip"],
    }
    rate = min(rates.values())
    own = {"link": ["link.rate"], "kernel": ["kernel.rate"], "window": ["window.size", "window.round_trip"]}
    parts = [
        {
            "name": name,
            "busy_s": rate / of_part,
            "starved_s": 1 - rate / of_part,
            "blocked_s": 0.0,
            "lifetime_s": 1.0,
            "keys": own[name],
            "works": name != "window",
            "window": _window(value) if name == "window" else None,
        }
        for name, of_part in rates.items()
    ]
    busiest, second = sorted(rates, key=lambda name: rates[name])[:2]
    return Row.model_validate(
        {
            "target": experiment.target,
            "device": "a board",
            "flow": experiment.flow,
            "kind": "modelled",
            "application": experiment.application,
            "messages": experiment.count,
            "bytes_per_message": 1,
            "elapsed_s": experiment.count / rate,
            "setup_s": 0.0,
            "value": rate,
            "unit": "messages/s",
            "gb_per_s": rate * 1e-9,
            "verified": True,
            "parts": parts,
            "bottleneck": {
                "part": busiest,
                "busy_share": 1.0,
                "next": second,
                "next_busy_share": rate / rates[second],
                "would_need": rates[second] / rate,
            },
            **changes,
        }
    )


def steps_of(target: str, sets: Sequence[str], keys: Mapping[str, float] = KEYS) -> dict[str, Any]:
    """Twice each rate and size, half of each time."""
    from isthmus.judging.remedies import Steps

    def steps(key: str, value: float) -> Steps:
        both = (value * 2, value / 2)
        return Steps(*((one,) for one in (both[::-1] if key.endswith("round_trip") else both)))

    return {key: steps(key, value) for key, value in values_of(sets, keys).items()}
