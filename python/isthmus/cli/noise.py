"""Warnings of measurements that spread, or that other processes disturbed."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from isthmus.base.numbers import percent
from isthmus.show.session import Session

if TYPE_CHECKING:
    from isthmus.records.hpcc import HpccRecord
    from isthmus.records.probe import ProbeRecord
    from isthmus.records.run import Row

NOISY = 0.05  # (p75 - p25) / median
LOADED = 0.1  # of the usable cores, that others took

NamedValues = Sequence[tuple[str, float]]


def warn_if_noisy(session: Session, spreads: NamedValues, loads: NamedValues = ()) -> None:
    """Prints one line for all records, by quantity, that names the noisiest ones and what to do."""
    said = []
    if loaded := [one for one in loads if one[1] > LOADED]:
        name, worst = max(loaded, key=lambda one: one[1])
        said.append(
            f"other programs used {percent(worst)} of the cores during {name}; "
            "the result is slower than on an idle machine"
        )
    if noisy := [one for one in spreads if one[1] > NOISY]:
        name, worst = max(noisy, key=lambda one: one[1])
        what = f"{len(noisy)} of {len(spreads)} records"
        said.append(f"{what} spread by more than {NOISY:.0%} ({name}: {worst:.0%})")
    if said:
        todo = "end other programs and measure again" if loaded else "close other programs or raise --repeat"
        session.warn(f"{'; '.join(said)}; {todo}")


def warn_of_rows(session: Session, rows: "Iterable[Row]") -> None:
    """Prints such a line for runs of applications."""
    right = [(f"{row.target} {row.flow}", row) for row in rows if row.verified and row.kind == "measured"]
    spreads = [(name, row.spread) for name, row in right if row.spread is not None and len(row.samples or ()) > 1]
    warn_if_noisy(session, spreads, [(name, row.load) for name, row in right if row.load is not None])


def loads_of(records: "Iterable[ProbeRecord | HpccRecord]") -> NamedValues:
    """The load of other processes while each record was measured, if it is known."""
    return [(record.name, record.load) for record in records if record.load is not None]
