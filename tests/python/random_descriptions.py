"""Descriptions drawn at random, small enough to be run in every choice."""

import random
from typing import Any

from isthmus.descriptions.description import Description, description_of

KIB, MIB = 1024, 1024 * 1024


def draw(drawing: random.Random) -> Description:
    """The next."""
    document = document_of(drawing)
    return description_of(document, "drawn")


def document_of(drawing: random.Random) -> dict[str, Any]:
    """What a person would have written."""
    transfers = [_transfer(drawing, way) for way in ("to-device", "to-host") for _ in range(drawing.choice((1, 1, 2)))]
    sent = sum(one["bytes"] * one["count"] for one in transfers if one["direction"] == "to-device")
    time = _between(drawing, 2e-6, 2e-3)
    kernel: dict[str, Any] = {"time": _ranged(drawing, time)}
    if drawing.random() < 0.5:
        kernel["device_read"] = int(sent * drawing.choice((1, 2, 5, 20)))
        kernel["launches"] = drawing.choice((1, 1, 2, 5))
    if drawing.random() < 0.3:
        kernel["burst"] = drawing.choice((64, 256, 4096))
    return {
        "application": {"name": "drawn", "units": "12 units"},
        "transfer": transfers,
        "kernel": kernel,
        "host": {"time": _between(drawing, 1e-6, 1e-3) if drawing.random() < 0.5 else 0},
        "need": {"best": drawing.choice(("rate", "rate", "latency"))},
    }


def _transfer(drawing: random.Random, direction: str) -> dict[str, Any]:
    usual = "writes" if direction == "to-device" else "reads"
    return {
        "direction": direction,
        "bytes": round(_between(drawing, 64, 1 * MIB)),
        "count": drawing.choice((1, 1, 1, 2, 4)),
        "host": drawing.choice(("pageable", "pinned")),
        "cpu": drawing.choice((usual, usual, "both")),
        "order": drawing.choice(("sequential", "sequential", "random")),
    }


def _ranged(drawing: random.Random, value: float) -> Any:
    if drawing.random() < 0.5:
        return value
    return {"value": value, "range": [value / _between(drawing, 1, 3), value * _between(drawing, 1, 3)]}


def _between(drawing: random.Random, low: float, high: float) -> float:
    return float(low * (high / low) ** drawing.random())
