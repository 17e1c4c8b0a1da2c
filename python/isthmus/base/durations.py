"""Spans of time as people write them: `90s`, `5min`, `1h`."""

import re

from isthmus.base.errors import IsthmusError

_UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0}
_SPAN = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(s|min|h)")


def parse_duration(text: str, place: str) -> float:
    """Seconds of a number and a unit; `place` is the option that an IsthmusError names."""
    match = _SPAN.fullmatch(text.strip())
    if match is None or float(match[1]) == 0:
        raise IsthmusError(f"{place}: expected a number and s, min or h, as in 90s, got '{text}'")
    return float(match[1]) * _UNITS[match[2]]
