"""Faults that users ask for in a run (docs/faults.md)."""

from isthmus.base.errors import IsthmusError
from isthmus.base.names import listed, meant
from isthmus.base.numbers import as_number

_PROBABILITY = "a probability 0..1"
_MOST = 2**31 - 1

# What each may be.
_EXPECTED = {
    "stall": _PROBABILITY,
    "drop": _PROBABILITY,
    "duplicate": _PROBABILITY,
    "corrupt": _PROBABILITY,
    "die": "a number of messages, 0 or more",
}
FAULTS = tuple(_EXPECTED)
FAULTS_HELP = (
    f"Inject faults: {listed(FAULTS[:-1], 'and')} are probabilities 0..1; with die=N the consumer dies "
    "after N messages. A link sends again what it loses."
)


def check_faults(faults: str | None, place: str) -> None:
    """Refuses a name that is no fault's, and a value that it cannot have; `place` is where they were written."""
    for given in faults.split(",") if faults is not None else ():
        name, equals, value = given.partition("=")
        if not equals:
            raise IsthmusError(f"{place}: expected NAME=VALUE,..., got '{given}'")
        if name not in _EXPECTED:
            raise IsthmusError(
                f"{place}: unknown fault '{name}': expected {listed(FAULTS, 'or')}", hint=meant(name, FAULTS)
            )
        if not _may_be(_EXPECTED[name], value):
            raise IsthmusError(f"{place}: {name}: expected {_EXPECTED[name]}, got '{value}'")


def _may_be(expected: str, value: str) -> bool:
    if expected != _PROBABILITY:
        return value.isascii() and value.isdigit() and int(value) <= _MOST
    number = as_number(value)
    return number is not None and 0 <= number <= 1
