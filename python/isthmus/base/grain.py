"""The grain of modelled runs: how closely a model follows what crosses."""

from typing import Literal

from isthmus.base.errors import IsthmusError

Grain = Literal["fine", "coarse"]
DEFAULT: Grain = "coarse"
GRAIN = "of a model, as it was really run: fine has every packet, burst and word, coarse counts what repeats"


def chosen(fine: bool, coarse: bool) -> Grain | None:
    """The grain that the flags --fine and --coarse ask for; None without either."""
    if fine and coarse:
        raise IsthmusError("--fine, --coarse: expected one of the two, got both")
    return "fine" if fine else "coarse" if coarse else None
