"""Columns of whole numbers in as few bytes as their values need, for a program may make tens of millions of calls."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Rows = slice | Array

_WIDTHS = (np.int8, np.int16, np.int32)
_AT_ONCE = 1 << 17


def narrow(values: Array) -> Array:
    """The same values in the narrowest type that holds them. Sums of two such columns need a wider one."""
    found: Array = values.astype(_width(values), copy=False)
    return found


def _width(values: Array) -> "type[np.signedinteger[Any]]":
    least, most = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    return next((one for one in _WIDTHS if np.iinfo(one).min <= least and most <= np.iinfo(one).max), np.int64)


def pieces(length: int) -> Iterator[slice]:
    """Slices of all rows, each small enough that work on it takes little memory."""
    for begin in range(0, length, _AT_ONCE):
        yield slice(begin, min(begin + _AT_ONCE, length))


def rows_where(length: int, holds: Callable[[slice], Array]) -> Array:
    """The rows for which `holds` is true, ascending; it is asked piece by piece."""
    found = [part.start + np.flatnonzero(holds(part)).astype(np.int32) for part in pieces(length)]
    return np.concatenate(found) if found else np.zeros(0, np.int32)


def ascending(values: Array) -> bool:
    """Tells whether no value is below the one before."""
    return all(bool((values[part][1:] >= values[part][:-1]).all()) for part in pieces(len(values))) and bool(
        (values[_AT_ONCE::_AT_ONCE] >= values[_AT_ONCE - 1 : -1 : _AT_ONCE]).all()
    )


class Column:
    """A column that is filled in any order; it grows wider where a value does not fit."""

    def __init__(self, length: int, fill: int = 0) -> None:
        self.values: Array = np.full(length, fill, np.int8)

    def put(self, rows: Rows, values: Array) -> None:
        """Sets these rows."""
        width = np.dtype(_width(values))
        if width.itemsize > self.values.itemsize:
            self.values = self.values.astype(width)
        self.values[rows] = values


class ColumnBuffer:
    """Columns that come piece by piece and have no more rows than `room`; what is not filled takes no memory."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._values: dict[str, Array] = {}
        self._filled: dict[str, int] = defaultdict(int)

    def add(self, name: str, values: Array) -> None:
        """The next piece of a column."""
        begin = self._filled[name]
        width = np.dtype(_width(values))
        known = self._values.get(name)
        if known is None or width.itemsize > known.itemsize:
            self._values[name] = np.zeros(self._room, width)
            if known is not None:
                self._values[name][:begin] = known[:begin]
        self._filled[name] = begin + len(values)
        self._values[name][begin : self._filled[name]] = values

    def columns(self) -> dict[str, Array]:
        """All columns by name."""
        return {name: values[: self._filled[name]] for name, values in self._values.items()}


class Columns(Mapping[str, Array]):
    """Columns of equal length."""

    def __init__(self, columns: dict[str, Array], length: int) -> None:
        self._columns = columns
        self.rows = length

    def __getitem__(self, name: str) -> Array:
        return self._columns[name]

    def __setitem__(self, name: str, values: Array) -> None:
        self._columns[name] = values

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def take(self, name: str) -> Array:
        """A column that is not needed here any more."""
        return self._columns.pop(name)

    def reorder(self, order: Array) -> None:
        """Puts the rows in this order."""
        for name in self._columns:
            self._columns[name] = self._columns[name][order]


def joined(tables: list[Columns]) -> Columns:
    """The rows of one table after those of the other; the tables are empty then."""
    if len(tables) == 1:
        return tables[0]
    rows = sum(table.rows for table in tables)
    names = list(tables[0]) if tables else []
    return Columns({name: np.concatenate([table.take(name) for table in tables]) for name in names}, rows)
