"""Sizes in bytes as people write them: `64B,4KiB..64MiB:x2`."""

import re

from isthmus.base.errors import IsthmusError
from isthmus.base.units import BYTES

LARGEST = 1 << 50
MOST = 1000

_SIZE = re.compile(r"(\d{1,18})(B|KiB|MiB|GiB)")
_RANGE = re.compile(r"([^.:]+)\.\.([^.:]+)(?::(?:x(\d{1,18})|\+([^:+]+)))?")


def parse_size(text: str) -> int:
    """Bytes of one size, a whole number and a unit: `4KiB` is 4096."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise IsthmusError(f"size '{text}': expected a whole number and B, KiB, MiB or GiB, as in 4KiB")
    size = int(match[1]) * BYTES[match[2]]
    if not 0 < size <= LARGEST:
        raise IsthmusError(f"size '{text}': expected 1B to {format_size(LARGEST)}")
    return size


def format_size(size: int) -> str:
    """The shortest exact way to write a size: 4096 is `4KiB`, 100 is `100B`."""
    unit = max((unit for unit, scale in BYTES.items() if size % scale == 0), key=BYTES.__getitem__)
    return f"{size // BYTES[unit]}{unit}"


def parse_sizes(text: str) -> list[int]:
    """Bytes of a list of sizes and ranges, each once, in the order written.

    A range is `FIRST..LAST` with the step `:xN` (times N, default 2) or `:+SIZE`; LAST is in it if the steps meet it.
    """
    sizes: dict[int, None] = {}
    for item in text.split(","):
        sizes.update(dict.fromkeys(_range(item) if ".." in item else [parse_size(item)]))
        if len(sizes) > MOST:
            raise IsthmusError(f"sizes '{text}': more than {MOST} of them")
    return list(sizes)


def _range(text: str) -> list[int]:
    match = _RANGE.fullmatch(text.strip())
    if match is None:
        raise IsthmusError(f"sizes '{text}': expected FIRST..LAST, FIRST..LAST:x2 or FIRST..LAST:+4KiB")
    first, last = parse_size(match[1]), parse_size(match[2])
    factor = int(match[3] or (1 if match[4] else 2))
    step = parse_size(match[4]) if match[4] else 0
    if first > last or (factor < 2 and step == 0):
        raise IsthmusError(f"sizes '{text}': expected a range that rises to its end")
    sizes = [first]
    while (following := sizes[-1] * factor + step) <= last and len(sizes) <= MOST:
        sizes.append(following)
    return sizes
