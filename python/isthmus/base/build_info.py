"""The version, commit and compiler that this installation was built from."""

import functools
import json
import re
from dataclasses import dataclass
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class BuildInfo:
    """`unknown` stands where a package run from its sources cannot know."""

    version: str
    commit: str = "unknown"
    compiler: str = "unknown"


@functools.cache
def build_info() -> BuildInfo:
    """Reads the build's file in the package; without it returns the version of the source tree."""
    file = _PACKAGE / "build.json"
    if file.is_file():
        return BuildInfo(**json.loads(file.read_text(encoding="utf-8")))
    project = _PACKAGE.parent.parent / "CMakeLists.txt"
    text = project.read_text(encoding="utf-8") if project.is_file() else ""
    match = re.search(r"project\(isthmus VERSION ([0-9.]+)", text)
    return BuildInfo(version=match[1] if match else "unknown")
