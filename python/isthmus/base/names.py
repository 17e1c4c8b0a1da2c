"""Choosing by name or glob, with the nearest name suggested for one that is unknown."""

import difflib
import fnmatch
from collections.abc import Iterable, Sequence

from isthmus.base.errors import IsthmusError

SHOWN = 12  # names in one line of error


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name a person most likely meant, or None if none is near."""
    by_lower = {candidate.lower(): candidate for candidate in known}
    matches = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.5)
    return by_lower[matches[0]] if matches else None


def meant(name: str, known: Iterable[str]) -> str | None:
    """The hint that names the nearest name; None if none is near."""
    guess = nearest(name, known)
    return f"did you mean '{guess}'?" if guess else None


def listed(words: Iterable[str], last: str) -> str:
    """`a, b and c` where `last` is `and`."""
    *before, end = words
    return f"{', '.join(before)} {last} {end}" if before else end


def unknown(kind: str, name: str, known: Sequence[str], place: str | None = None) -> IsthmusError:
    """The error for a name that does not exist: what exists, or the one that was meant.

    `place` is where the name stands, as FILE:LINE.
    """
    more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
    shown = (", ".join(known[:SHOWN]) or "none") + more
    hint = meant(name, _families(known) if name.endswith(".*") else known) or f"known: {shown}."
    prefix = f"{place}: " if place else ""
    return IsthmusError(f"{prefix}unknown {kind} '{name}'", hint=hint)


def _families(names: Iterable[str]) -> list[str]:
    """`link.*` and `link.pcie.*` of `link.pcie.lanes`."""
    parts = [name.split(".") for name in names]
    return list(dict.fromkeys(".".join([*each[:at], "*"]) for each in parts for at in range(1, len(each))))


def select(kind: str, patterns: Sequence[str], known: Sequence[str]) -> list[str]:
    """The known names that the patterns (names or globs) choose, in known order; all if there is no pattern.

    A pattern that chooses nothing is an IsthmusError with the nearest name.
    """
    if not patterns:
        return list(known)
    for pattern in patterns:
        if not fnmatch.filter(known, pattern):
            raise unknown(kind, pattern, known)
    return [name for name in known if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]
