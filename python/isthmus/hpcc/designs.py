"""What of each benchmark is replicated on an FPGA, and in which memory bank each of its buffers lies.

Replications of STREAM, RandomAccess and FFT have buffers of their own, so each works in banks of its own (meyer2024
3.1.3, 3.1.4); those of GEMM, PTRANS and HPL share their matrices, which are spread over the banks.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from isthmus.errors import IsthmusError
from isthmus.hpcc.configurations import Banks, Configuration


@dataclass(frozen=True)
class Design:
    """The kernels of which there are NUM_REPLICATIONS, and the places of buffers by the names of kernel arguments.

    `own`: of a replication's own buffers, which of its `group` of banks. `shared`: of buffers that all replications
    use, the bank; the same argument is the same buffer in every kernel.
    """

    replicated: tuple[str, ...]
    own: Mapping[str, int]
    shared: Mapping[str, int]

    def banks(self, replications: int, banks: int) -> Banks:
        """The bank of each argument, for each replication."""
        group = max(self.own.values(), default=0) + 1
        own = {name: [(r * group + at) % banks for r in range(replications)] for name, at in self.own.items()}
        return own | {name: [at % banks] * replications for name, at in self.shared.items()}


DESIGNS = {
    "stream": Design(("stream",), {"in1": 0, "in2": 0, "out": 0}, {}),
    "random_access": Design(("random_access",), {"table": 0, "seeds": 0}, {}),
    "fft": Design(("fft",), {"in": 0, "twiddles": 0, "out": 1, "scratch": 1}, {}),
    "gemm": Design(("gemm",), {}, {"a": 0, "b": 1, "c": 2, "c_out": 3}),
    "ptrans": Design(("transpose",), {}, {"a": 0, "received": 0, "b": 1, "sources": 1, "c": 2}),
    "hpl": Design(("hpl_update",), {}, {"a": 0, "diagonal": 1, "left": 1, "top": 1}),
}


def design_of(benchmark: str) -> Design:
    """The design of a benchmark; an IsthmusError for b_eff, whose base run is host code alone."""
    if benchmark not in DESIGNS:
        raise IsthmusError(
            f"{benchmark}: expected a benchmark with a kernel: {', '.join(DESIGNS)}",
            hint="the base run of b_eff needs only host code (meyer2024 table 4.6)." if benchmark == "b_eff" else None,
        )
    return DESIGNS[benchmark]


def banks_of(configuration: Configuration, benchmark: str, replications: int) -> Banks:
    """The bank of each buffer argument in each replication; none where the board has no memory of its own."""
    if configuration.memory == "SVM":
        return {}
    usual = design_of(benchmark).banks(replications, configuration.banks)
    chosen = configuration.places.get(benchmark, {})
    for argument in chosen:
        if argument not in usual:
            raise IsthmusError(
                f"configuration {configuration.name}: {benchmark}.banks.{argument}: expected one of {', '.join(usual)}"
            )
    given = {name: [numbers[r % len(numbers)] for r in range(replications)] for name, numbers in chosen.items()}
    return {**usual, **given}
