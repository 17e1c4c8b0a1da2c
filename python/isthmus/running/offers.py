"""What the tools offer, as each says once (`--describe`): kept in the user's cache until the tool is another."""

import json
import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from isthmus.base.build_info import build_info
from isthmus.base.caches import read_cached, warn_of_cache, write_cached
from isthmus.base.files import user_folder
from isthmus.running.tools import Event, describe_tool, tool_path

Stamp = list[list[Any]]


def offered(tool: str) -> Event:
    """The description of a tool, by name or path.

    It is asked for anew where the tool has changed, or a file that its answer is made of.
    """
    path = tool_path(tool).resolve()
    kept = user_folder("cache") / "offers" / f"{path.name}-{sha256(os.fsencode(path)).hexdigest()[:16]}.json"
    found = read_cached(kept)
    if found is not None and found.keys() != {"stamp", "made_of", "offers"}:
        warn_of_cache(kept, "expected what isthmus wrote")
    elif found is not None and found["stamp"] == stamp_of([str(path), *found["made_of"]]):
        return dict(found["offers"])
    answer = describe_tool(tool)
    made_of = answer.pop("made_of", [])
    document = {"stamp": stamp_of([str(path), *made_of]), "made_of": made_of, "offers": answer}
    write_cached(kept, json.dumps(document))
    return answer


def stamp_of(files: Sequence[str]) -> Stamp:
    """What changes with the bytes of files, cheap to get, and what a tool's answer depends on beside them."""
    return [[build_info().version, os.environ.get("ISTHMUS_PLATFORMS", "")], *map(_changes, files)]


def _changes(file: str) -> list[Any]:
    try:
        status = Path(file).stat()
    except OSError:
        return [file]
    return [file, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
