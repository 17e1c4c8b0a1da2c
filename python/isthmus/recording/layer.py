"""The paths of the layer and of the loader that comes with it."""

import os
from pathlib import Path

from isthmus.base.errors import IsthmusError

_PACKAGE = Path(__file__).resolve().parents[1]
_LAYER = "libisthmus-record-layer.so"


def layer_path() -> Path:
    """The layer: ISTHMUS_RECORD_LAYER where that is set, else the one of the installed package."""
    place = Path(os.environ.get("ISTHMUS_RECORD_LAYER") or _PACKAGE / "record" / _LAYER)
    if not place.is_file():
        raise IsthmusError(f"layer not found: {place}", hint="run 'make build', or set ISTHMUS_RECORD_LAYER to it.")
    return place.resolve()


def shipped_loader() -> list[Path]:
    """The loader that was packed with the layer, if it was."""
    place = _PACKAGE / "record" / "libOpenCL.so.1"
    return [place] if place.is_file() else []
