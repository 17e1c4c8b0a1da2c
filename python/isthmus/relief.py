"""The change that would relieve a bottleneck: which number of the model to replace, and by what."""

import math

from isthmus.records import Input, Row
from isthmus.verdict import limit_of

_SURELY = 1.25  # beyond the factor at which two parts limit alike
_TIMES = frozenset({"s", "ms", "us", "ns", "cycles"})


def relief(row: Row) -> str | None:
    """KEY=VALUE that makes the limiting part so fast that another is the limit; None where no number is behind it.

    The factor is a power of two, for some numbers (lanes) take nothing else.
    """
    limit = limit_of(row)
    part = next((part for part in row.parts if limit is not None and part.name == limit.part), None)
    if limit is None or part is None or row.platform is None:
        return None
    factor = 2.0 ** max(1, math.ceil(math.log2(_SURELY * (limit.would_need or 1.0))))
    inputs = {item.key: item for item in row.platform.inputs}
    for key in part.keys:
        if key in inputs and _is_number(inputs[key]):
            return f"{key}={_faster(inputs[key], factor)}"
    return None


def _faster(item: Input, factor: float) -> str:
    assert isinstance(item.value, (int, float))
    value = item.value / factor if item.unit in _TIMES else item.value * factor
    return f"{value:.9g}"


def _is_number(item: Input) -> bool:
    return isinstance(item.value, (int, float)) and not isinstance(item.value, bool)
