"""Numbers as people read them: units stand in the heading or behind the number."""

import math
from decimal import Decimal
from typing import TypeGuard


def is_number(value: object) -> TypeGuard[int | float]:
    """Tells whether it is a number, which true and false are none of."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_number(text: str) -> float | None:
    """The number of a text; None if the text is no number."""
    try:
        return float(text)
    except ValueError:
        return None


def as_written(value: object) -> str:
    """A value as files and commands write it: `true` and `false`, anything else as it is."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def figure(value: float | None, digits: int = 3) -> str:
    """Writes at least `digits` significant digits without an exponent: 1370, 2.59, 0.232; a dash for none."""
    if value is None:
        return "-"
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{decimals}f}"


def scaled(value: float | None) -> str:
    """As `figure`, but below a thousandth with an exponent, a multiple of three: 187e-9."""
    if not value or abs(value) >= 1e-3:
        return figure(value)
    exponent = 3 * math.floor(math.log10(abs(value)) / 3)
    return f"{figure(value / 10.0**exponent)}e{exponent}"


def rounds_to(result: float, written: Decimal | int | float) -> bool:
    """Tells whether `result` is `written` to the digits that are written."""
    exponent = Decimal(str(written)).as_tuple().exponent
    assert isinstance(exponent, int)
    return abs(result - float(written)) <= 0.5 * 10.0**exponent * (1 + 1e-9)


def counted(number: int, noun: str, grouped: bool = False) -> str:
    """`1 rank`, `2 ranks`; `20,480 values`."""
    return f"{format(number, ',' if grouped else '')} {noun}{'' if number == 1 else 's'}"


def grouped(value: float | None) -> str:
    """A rate: three significant digits, whole above a hundred, thousands grouped: 1,370."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else figure(value)


def percent(share: float | None) -> str:
    """A share as whole percent: `96 %`; below ten with one digit."""
    if share is None:
        return "-"
    return f"{share * 100:.0f} %" if abs(share) >= 0.1 or share == 0 else f"{share * 100:.1f} %"


def seconds(value: float) -> str:
    """A span with the unit a person would choose: `340 ns`, `1.25 us`, `0.68 s`."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if abs(value) >= 0.1 * scale if unit == "s" else abs(value) >= scale:
            return f"{figure(value / scale)} {unit}"
    return f"{figure(value / 1e-9)} ns"
