"""The file of a device's binary with the parameters that are compiled in: BINARY.json."""

import hashlib
import json
from pathlib import Path
from typing import Any

from isthmus.base.errors import IsthmusError
from isthmus.base.files import read_text
from isthmus.base.parsing import from_json


def path_of(binary: Path) -> Path:
    """The path of a binary's side file."""
    return binary.with_name(f"{binary.name}.json")


def text_of(content: dict[str, Any]) -> str:
    """A side file as text, a line a key."""
    return json.dumps(content, indent=2) + "\n"


def hash_of(text: str | bytes) -> str:
    """SHA-256."""
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def check(binary: Path) -> None:
    """An IsthmusError if the binary is another than its side file was written for, as far as that shows.

    What is missing or unreadable is left to the one who loads it.
    """
    if not (binary.is_file() and path_of(binary).is_file()):
        return
    try:
        wanted = from_json(read_text(path_of(binary))).get("binary_sha256")
    except (ValueError, AttributeError):
        return
    if wanted is not None and wanted != hash_of(binary.read_bytes()):
        raise IsthmusError(f"{binary}: not the binary that {path_of(binary)} was written for: its hash differs")
