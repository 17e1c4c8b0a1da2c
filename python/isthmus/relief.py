"""The change that would relieve a bottleneck: which number of the model to replace, and by what."""

import re

from isthmus.records import Input, Row
from isthmus.verdict import limit_of

_KEY = re.compile(r"[a-z_]+(?:\.[A-Za-z_0-9]+)+")
_TIMES = frozenset({"s", "ms", "us", "ns", "cycles"})


def relief(row: Row) -> str | None:
    """KEY=VALUE that makes the limiting part twice as fast, or None where no number of the model is behind it."""
    limit = limit_of(row)
    part = next((part for part in row.parts if limit is not None and part.name == limit.part), None)
    if part is None or row.platform is None:
        return None
    inputs = {item.key: item for item in row.platform.inputs}
    for key in _KEY.findall(part.resource):
        if key in inputs and _is_number(inputs[key]):
            return f"{key}={_twice_as_fast(inputs[key])}"
    return None


def _twice_as_fast(item: Input) -> str:
    assert isinstance(item.value, (int, float))
    value = item.value / 2 if item.unit in _TIMES else item.value * 2
    return f"{value:.9g}"


def _is_number(item: Input) -> bool:
    return isinstance(item.value, (int, float)) and not isinstance(item.value, bool)
