"""The files of a new project: an actor, its program, a test and a study, with the project's name in them."""

import re
from pathlib import Path

from isthmus.build_info import build_info
from isthmus.errors import IsthmusError
from isthmus.files import read_text, write_atomically

TEMPLATE = Path(__file__).parent / "template"
_HIDDEN = {"gitignore": ".gitignore"}  # Under its own name it would hold in our own tree.


def project_name(folder: Path) -> str:
    """The name of the project in `folder`: a word that CMake takes for a target, made of the folder's name."""
    name = re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-")
    if not name or not name[0].isalpha():
        raise IsthmusError(f"DIR: expected a name that begins with a letter, got '{folder.name}'")
    return name


def write_project(folder: Path) -> list[Path]:
    """Writes the project and returns its files; an IsthmusError if the folder is there and not empty.

    On failure (a full disk) nothing is left behind.
    """
    name = project_name(folder)
    if folder.exists() and not folder.is_dir():
        raise IsthmusError(f"{folder}: is there already, and no folder")
    if folder.is_dir() and any(folder.iterdir()):
        raise IsthmusError(f"{folder}: is there already, and not empty")
    new = not folder.exists()
    written: list[Path] = []
    try:
        for template in sorted(TEMPLATE.iterdir()):
            if template.is_file():
                file = folder / _HIDDEN.get(template.name, template.name)
                text = read_text(template).replace("@NAME@", name).replace("@VERSION@", build_info().version)
                write_atomically(file, text)
                written.append(file)
    except BaseException:
        for file in written:
            file.unlink()
        if new and folder.exists():
            folder.rmdir()
        raise
    return written
