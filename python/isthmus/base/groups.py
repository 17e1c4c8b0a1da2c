"""Groups things by a common key."""

from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
Key = TypeVar("Key")


def grouped_by(key: Callable[[Item], Key], items: Iterable[Item]) -> dict[Key, list[Item]]:
    """The items of each key; keys and items in the order in which they come."""
    found: dict[Key, list[Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found
