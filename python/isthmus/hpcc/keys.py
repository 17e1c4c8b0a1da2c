"""HPC Challenge 1.5's names of our figures, where quantity and precision are the same.

It computes in double precision. Its HPL looks for pivots and times the solve, its FFT is of one vector, its ring has
other messages: what we measure there keeps our name alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isthmus.records.hpcc import HpccRecord


@dataclass(frozen=True)
class Keys:
    """HPC Challenge's names of what a benchmark measures.

    `stars`: our records that are a rate of each rank while all work, HPC Challenge's "Star"; one process that works
    alone is "Single". `sizes` are named by the benchmark's parameters. `more` gives lines that are computed.
    """

    stars: Mapping[str, str] = field(default_factory=dict)
    sizes: Mapping[str, str] = field(default_factory=dict)
    more: "Callable[[HpccRecord], dict[str, str]]" = lambda _: {}

    def lines(self, records: "Sequence[HpccRecord]") -> dict[str, str]:
        """The lines NAME=VALUE with HPC Challenge's names and units; none where precision or quantity are not its.

        Wrong results have none either.
        """
        first = records[0]
        if not first.validated or first.parameters.get("DATA_TYPE", "double") != "double":
            return {}
        lines = {name: str(first.parameters[own]) for name, own in self.sizes.items() if own in first.parameters}
        ways = ("Star", "Single") if first.ranks == 1 else ("Star",)
        for one in (record for record in records if record.name in self.stars):
            lines |= {f"{way}{self.stars[one.name]}": f"{one.value:.6g}" for way in ways}
        return lines | self.more(first)


def random_access_keys(record: "HpccRecord") -> dict[str, str]:
    """One table of all ranks, and all of their updates: four of each word."""
    words = 2 ** int(record.parameters["TABLE_SIZE_LOG"])
    return {
        "MPIRandomAccess_N": str(words),
        "MPIRandomAccess_ExeUpdates": str(4 * words),
        "MPIRandomAccess_time": f"{min(record.seconds):.6g}",
        "MPIRandomAccess_GUPs": f"{record.ranks * record.value:.6g}",
    }


def ptrans_keys(record: "HpccRecord") -> dict[str, str]:
    """The grid of ranks, and the rate of all of them."""
    rows, columns = record.grid.split("x")
    return {"PTRANS_nprow": rows, "PTRANS_npcol": columns, "PTRANS_GBs": f"{record.value:.6g}"}
