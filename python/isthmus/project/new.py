"""The files of a new project: an actor, its program, a test and a study, with the project's name in them."""

import re
import shutil
from pathlib import Path

from isthmus.base.build_info import build_info
from isthmus.base.errors import IsthmusError
from isthmus.base.files import read_text, write_atomically


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Targets that CMake's generators make themselves (cmake-policies(7), CMP0037), and what the project would hide.
_OF_CMAKE = _words("all clean depend edit help install package preinstall test uninstall")
_OF_ISTHMUS = frozenset({"isthmus", "build", "main"})
# Keywords of C++20 ([lex.key]) and what reads like one where a name is expected.
_OF_CPP = _words(
    """alignas alignof asm auto bool break case catch char class concept const consteval constexpr constinit continue
    decltype default delete do double else enum explicit export extern false float for friend goto if inline int long
    mutable namespace new noexcept nullptr operator private protected public register requires return short signed
    sizeof static struct switch template this throw true try typedef typeid typename union unsigned using virtual void
    volatile wchar while and bitand bitor compl not or xor std"""
)
_RESERVED = {"CMake": _OF_CMAKE, "C++": _OF_CPP, "the project itself": _OF_ISTHMUS}

TEMPLATE = Path(__file__).parent / "template"
_HIDDEN = {"gitignore": ".gitignore"}  # Under its own name it would hold in our own tree.


def project_name(folder: Path) -> str:
    """The name of the project in `folder`: a word that CMake takes for a target, made of the folder's name."""
    name = re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-")
    if not name or not name[0].isalpha():
        raise IsthmusError(f"DIR: expected a name that begins with a letter, got '{folder.name}'")
    for owner, names in _RESERVED.items():
        if name in names:
            raise IsthmusError(f"DIR: '{name}' is a name of {owner}", hint=f"another folder, as in 'my-{name}'.")
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
        for template in sorted(TEMPLATE.rglob("*")):
            if template.is_file():
                file = folder / template.relative_to(TEMPLATE).with_name(_HIDDEN.get(template.name, template.name))
                text = read_text(template).replace("@NAME@", name).replace("@VERSION@", build_info().version)
                write_atomically(file, text)
                written.append(file)
    except BaseException:
        for made in folder.iterdir() if folder.exists() else ():
            shutil.rmtree(made) if made.is_dir() else made.unlink()
        if new and folder.exists():
            folder.rmdir()
        raise
    return written
