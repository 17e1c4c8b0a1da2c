"""The causes that a board's number may have: a table, each a list of changes of the model by severity."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from isthmus.explaining.changes import Access, Change
from isthmus.explaining.measurement import TO_DEVICE, TO_HOST
from isthmus.records.run import Platform
from isthmus.running.methods import KEPT_BY

KIB = 1 << 10
PIECES = tuple(KIB << shift for shift in (2, 4, 6, 8, 10))  # 4 KiB to 1 MiB
CALLS = (2, 4, 8, 16)  # times host.call.transfer
_ALLOCATED = (("h2d", "h2d-alloc"), ("h2d-pinned", "h2d-alloc"), ("latency", "h2d-alloc"))
_STAGED = (("h2d-pinned", "h2d"), ("d2h-pinned", "d2h"))
_TRIPS = [{"cost": f"{trip}us"} for trip in (10, 30, 100, 300)]
# Near, as servers of those years are, and far.
_HOPS = [
    {"distance": links, "rate": f"{rate}GB/s", "latency": f"{late}ns"}
    for links, rate, late in ((1, 16, 60), (1, 10, 150), (2, 10, 150), (1, 5, 150))
]
# Walks at once, and ns of each.
_WALKS = [
    {"entries": 64, "ways": 4, "page": "4KiB", "walks": walks, "walk_latency": f"{late}ns"}
    for walks, late in ((4, 250), (2, 500), (1, 250), (1, 500), (1, 1000))
]


@dataclass(frozen=True)
class Cause:
    """Something that may be other on the user's machine than in the model, mildest first.

    `look`: the command or place by which a person sees whether it is so.
    """

    name: str
    look: str
    changes: tuple[Change, ...]


def causes_of(board: Platform) -> list[Cause]:
    """The causes for which the board has the parts, and with which it is not modelled already."""
    found = [cause for make in _TABLE for cause in make(board)]
    return [cause for cause in found if cause.changes]


_Make = Callable[[Platform], Iterable[Cause]]
_Below = Callable[[int], Sequence[int]]  # values below a key's own, the next first


def _lowered(
    key: str, unit: str, name: str, look: str, kinds: tuple[str, ...], values_below: _Below, board: Platform
) -> Iterator[Cause]:
    """A key of every link at the values below its own."""
    parts = board.of_kind(*kinds)
    for part in parts:
        own = board.number(f"{part}.{key}")
        values = [] if own is None else values_below(int(own))
        changes = tuple(Change(sets=(f"{part}.{key}={value}{unit}",)) for value in values)
        yield Cause(f"{name}, {part}" if len(parts) > 1 else name, look, changes)


def _halves_from(least: int) -> _Below:
    """A half, a quarter and so on."""
    return lambda full: [full >> power for power in range(1, full.bit_length()) if full >> power >= least]


def _staged(board: Platform) -> Iterator[Cause]:
    if board.of_kind("dma"):
        yield Cause(
            "pageable copy",
            "whether the program copies from mapped or CL_MEM_ALLOC_HOST_PTR memory",
            (Change(instead=_STAGED),),
        )
        yield Cause(
            "allocation", "whether buffers are made between the times that are taken", (Change(instead=_ALLOCATED),)
        )


def _descriptors(board: Platform) -> Iterator[Cause]:
    for part in board.of_kind("dma"):
        own = board.number(f"{part}.descriptors_in_flight") or 1
        changes = (Change(sets=(f"{part}.descriptors_in_flight=1",)),) if own > 1 else ()
        yield Cause("one descriptor in flight", "the driver's queue depth or descriptor prefetch", changes)


def _pieces(board: Platform) -> Iterator[Cause]:
    if board.of_kind("dma"):
        changes = tuple(Change(piece=size) for size in reversed(PIECES))
        yield Cause("pieces, a call each", "isthmus record -- PROGRAM: bytes of a transfer", changes)


def _registers(board: Platform) -> Iterator[Cause]:
    if not board.of_kind("mmio") or not board.of_kind("dma"):
        return
    for name, probe, direction, look in (
        ("stores without write combining", "mmio-store", TO_DEVICE, "/sys/kernel/debug/x86/pat_memtype_list"),
        ("loads", "mmio-load", TO_HOST, "perf record: whether the time is in a loop of loads"),
    ):
        changes = tuple(Change(access=Access(probe, size, direction)) for size in (64, 8, 4))
        yield Cause(name, look, changes)


def _calls(board: Platform) -> Iterator[Cause]:
    for part in board.of_kind("call"):
        own = board.number(f"{part}.transfer") or 0
        changes = tuple(Change(sets=(f"{part}.transfer={own * times:.9g}",)) for times in CALLS) if own else ()
        yield Cause("driver call", "strace -c -f PROGRAM, perf stat: calls and context switches of a copy", changes)


def _switched_on(
    kind: str, name: str, look: str, severities: Iterable[Mapping[str, object]], board: Platform
) -> Iterator[Cause]:
    """A part that may be off, on with these values of its keys."""
    for part in board.of_kind(kind):
        changes = tuple(
            Change(sets=tuple(f"{part}.{key}={value}" for key, value in {"enabled": "true", **values}.items()))
            for values in severities
        )
        yield Cause(name, look, () if board.value(f"{part}.enabled") is True else changes)


def _one_of(option: str, values: Iterable[str]) -> tuple[Change, ...]:
    """The probe with each value of an option."""
    return tuple(Change(chosen=((option, value),)) for value in values)


def _starts(board: Platform) -> Iterator[Cause]:
    if board.of_kind("cache"):
        changes = _one_of("start", ("cold", "flushed", "warm"))
        yield Cause("state of the caches", "what wrote or read the buffer last, and how much since", changes)


def _links(board: Platform) -> Iterator[Cause]:
    channels = board.links
    if board.of_kind("cache") and len(channels) > 1:
        yield Cause("another link", "the virtual channel that the circuit asks for", _one_of("channel", channels))


def _ports(board: Platform) -> Iterator[Cause]:
    kinds = ("hp", "hpc", "acp")
    if not board.of_kind(*kinds):
        return
    yield Cause(
        "another port",
        "the block design: which port the circuit's AXI master is wired to",
        _one_of("port", (kind for kind in kinds if board.of_kind(kind))),
    )
    if board.of_kind("maintenance"):
        yield Cause(
            "another method",
            "how the buffer is allocated, and whether the driver flushes it (docs/coherence.md)",
            tuple(Change(method=method) for method in KEPT_BY if board.of_kind(method.port)),
        )
    yield Cause(
        "state of the buffer",
        "what the program did to the buffer before: written, read, flushed, or streamed",
        _one_of("state", ("written", "read", "flushed", "streamed")),
    )


def _link(key: str, name: str, look: str, values_below: _Below, unit: str = "", also: tuple[str, ...] = ()) -> _Make:
    return partial(_lowered, key, unit, name, f"lspci -vv -s BDF: {look}", ("pcie", *also), values_below)


_TABLE: list[_Make] = [
    _link("lanes", "fewer lanes", "LnkSta, Width", _halves_from(1), also=("capi",)),
    _link("generation", "lower generation", "LnkSta, Speed", lambda own: range(own - 1, 0, -1), also=("capi",)),
    _link("max_payload", "smaller payload", "DevCtl, MaxPayload", _halves_from(128), "B"),
    _link("max_read_request", "smaller read request", "DevCtl, MaxReadReq", _halves_from(128), "B"),
    _link("tags", "fewer tags", "DevCtl, ExtTag; the core's own number", _halves_from(1)),
    *(_staged, _descriptors, _pieces, _registers, _calls),
    partial(_switched_on, "hypervisor", "hypervisor", "systemd-detect-virt", _TRIPS),
    partial(_switched_on, "numa", "NUMA hop", "/sys/bus/pci/devices/BDF/numa_node, and numactl --show", _HOPS),
    partial(_switched_on, "iommu", "IOMMU walks", "/proc/cmdline: intel_iommu, iommu=pt; /sys/class/iommu", _WALKS),
    *(_starts, _links, _ports),
]
