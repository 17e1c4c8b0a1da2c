"""The ways to keep a buffer coherent that a chip's cores and its FPGA share, as tools take them (min2019, V.B)."""

from dataclasses import dataclass

from isthmus.base.names import unknown

TREE = "tree"  # as the decision tree says, each buffer by itself


@dataclass(frozen=True)
class Method:
    """A way to keep a buffer coherent: the port that moves it, and what cores do to it (min2019, tables I and II)."""

    name: str
    meaning: str
    port: str
    sent: str  # what was done to a buffer before the FPGA reads it,
    fetched: str  # and before it writes it
    cached: bool = True
    maintained: bool = False  # by a core, at each transfer

    def state(self, to_fpga: bool) -> str:
        """The state of a buffer before it is moved."""
        return self.sent if to_fpga else self.fetched

    def maintenance(self, to_fpga: bool) -> tuple[str, ...]:
        """A core's operations on the lines of a buffer that is moved."""
        return (("flush",) if to_fpga else ("flush", "invalidate")) if self.maintained else ()


HP_NC = Method("hp-nc", "cores do not cache the buffer", "hp", "flushed", "flushed", cached=False)
HP_C = Method("hp-c", "a core flushes it", "hp", "flushed", "flushed", maintained=True)
HPC = Method("hpc", "the interconnect asks the caches", "hpc", "written", "read")
ACP = Method("acp", "the FPGA accesses the second-level cache", "acp", "written", "read")
KEPT_BY = (HP_NC, HP_C, HPC, ACP)
METHODS = tuple(method.name for method in KEPT_BY)
MEANINGS = (*(f"{method.name} ({method.meaning})" for method in KEPT_BY), f"{TREE} (the decision tree chooses)")


def check_method(method: str, place: str) -> None:
    """Refuses a word of a file that is no method; an IsthmusError names `place`."""
    if method not in (names := [*METHODS, TREE]):
        raise unknown("method", method, names, place)
