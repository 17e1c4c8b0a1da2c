"""The causes that a board's number may have: a table, each a list of changes of the model by severity."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from isthmus.base.numbers import is_number
from isthmus.explaining.changes import Access, Change
from isthmus.explaining.measurement import TO_DEVICE, TO_HOST
from isthmus.records import Platform
from isthmus.running.coherence import KEPT_BY

KIB = 1 << 10
PIECES = tuple(KIB << shift for shift in (2, 4, 6, 8, 10))  # 4 KiB to 1 MiB
CALLS = (2, 4, 8, 16)  # times host.call.transfer
TRIPS_US = (10, 30, 100, 300)  # of a hypervisor
_ALLOCATED = (("h2d", "h2d-alloc"), ("h2d-pinned", "h2d-alloc"), ("latency", "h2d-alloc"))
_STAGED = (("h2d-pinned", "h2d"), ("d2h-pinned", "d2h"))
# Distance in links, GB/s and ns of each: near, as servers of those years are, and far.
_HOPS = ((1, 16, 60), (1, 10, 150), (2, 10, 150), (1, 5, 150))
# Walks at once, and ns of each.
_WALKS = ((4, 250), (2, 500), (1, 250), (1, 500), (1, 1000))


@dataclass(frozen=True)
class Cause:
    """Something that may be other on the user's machine than in the model, mildest first.

    `look`: the command or place by which a person sees whether it is so.
    """

    name: str
    look: str
    changes: tuple[Change, ...]


def causes_of(board: Platform) -> list[Cause]:
    """Those that a board has the parts for, and is not already modelled with."""
    found = [cause for make in _TABLE for cause in make(_Board(board))]
    return [cause for cause in found if cause.changes]


class _Board:
    """What the table asks of a board."""

    def __init__(self, board: Platform) -> None:
        self._values = {item.key: item.value for item in board.inputs}
        self._parts = board.parts

    def of_kind(self, *kinds: str) -> list[str]:
        """The names of its parts of these kinds."""
        return [part.name for part in self._parts if part.kind in kinds]

    def number(self, key: str) -> float | None:
        """What the key has, in its own unit; None where the board has no such number."""
        value = self._values.get(key)
        return float(value) if is_number(value) else None

    def is_on(self, part: str) -> bool:
        """Whether a part that may be off is on."""
        return self._values.get(f"{part}.enabled") is True

    def channels(self) -> list[str]:
        """What commands call its links."""
        return [part.channel for part in self._parts if part.channel]


_Make = Callable[[_Board], Iterable[Cause]]


def _halved(
    kind: str, key: str, name: str, look: str, kinds: tuple[str, ...], least: int, board: _Board
) -> list[Cause]:
    """A key of every link at half of its value, a quarter and so on."""
    found = []
    for part in board.of_kind(*kinds):
        full = board.number(f"{part}.{key}")
        values = [] if full is None else _below(int(full), least)
        changes = tuple(Change(sets=(f"{part}.{key}={value}{kind}",)) for value in values)
        several = len(board.of_kind(*kinds)) > 1
        found.append(Cause(f"{name}, {part}" if several else name, look, changes))
    return found


def _below(full: int, least: int) -> list[int]:
    values = []
    while (full := full // 2) >= least:
        values.append(full)
    return values


def _lower_generation(board: _Board) -> Iterator[Cause]:
    links = board.of_kind("pcie", "capi")
    for part in links:
        own = int(board.number(f"{part}.generation") or 1)
        changes = tuple(Change(sets=(f"{part}.generation={value}",)) for value in range(own - 1, 0, -1))
        name = "lower generation" + (f", {part}" if len(links) > 1 else "")
        yield Cause(name, "lspci -vv -s BDF: LnkSta, Speed", changes)


def _staged(board: _Board) -> Iterator[Cause]:
    if board.of_kind("dma"):
        yield Cause(
            "pageable copy",
            "whether the program copies from mapped or CL_MEM_ALLOC_HOST_PTR memory",
            (Change(instead=_STAGED),),
        )
        yield Cause(
            "allocation", "whether buffers are made between the times that are taken", (Change(instead=_ALLOCATED),)
        )


def _descriptors(board: _Board) -> Iterator[Cause]:
    for part in board.of_kind("dma"):
        own = board.number(f"{part}.descriptors_in_flight") or 1
        changes = (Change(sets=(f"{part}.descriptors_in_flight=1",)),) if own > 1 else ()
        yield Cause("one descriptor in flight", "the driver's queue depth or descriptor prefetch", changes)


def _pieces(board: _Board) -> Iterator[Cause]:
    if board.of_kind("dma"):
        changes = tuple(Change(piece=size) for size in reversed(PIECES))
        yield Cause("pieces, a call each", "isthmus record -- PROGRAM: bytes of a transfer", changes)


def _registers(board: _Board) -> Iterator[Cause]:
    if not board.of_kind("mmio") or not board.of_kind("dma"):
        return
    for name, probe, direction, look in (
        ("stores without write combining", "mmio-store", TO_DEVICE, "/sys/kernel/debug/x86/pat_memtype_list"),
        ("loads", "mmio-load", TO_HOST, "perf record: whether the time is in a loop of loads"),
    ):
        changes = tuple(Change(access=Access(probe, size, direction)) for size in (64, 8, 4))
        yield Cause(name, look, changes)


def _calls(board: _Board) -> Iterator[Cause]:
    for part in board.of_kind("call"):
        own = board.number(f"{part}.transfer") or 0
        changes = tuple(Change(sets=(f"{part}.transfer={own * times:.9g}",)) for times in CALLS) if own else ()
        yield Cause("driver call", "strace -c -f PROGRAM, perf stat: calls and context switches of a copy", changes)


def _hypervisor(board: _Board) -> Iterator[Cause]:
    for part in board.of_kind("hypervisor"):
        changes = tuple(Change(sets=(f"{part}.enabled=true", f"{part}.cost={trip}us")) for trip in TRIPS_US)
        yield Cause("hypervisor", "systemd-detect-virt", () if board.is_on(part) else changes)


def _numa(board: _Board) -> Iterator[Cause]:
    for part in board.of_kind("numa"):
        changes = tuple(
            Change(
                sets=(
                    f"{part}.enabled=true",
                    f"{part}.distance={hops}",
                    f"{part}.rate={rate}GB/s",
                    f"{part}.latency={late}ns",
                )
            )
            for hops, rate, late in _HOPS
        )
        look = "/sys/bus/pci/devices/BDF/numa_node, and numactl --show"
        yield Cause("NUMA hop", look, () if board.is_on(part) else changes)


def _iommu(board: _Board) -> Iterator[Cause]:
    for part in board.of_kind("iommu"):
        changes = tuple(
            Change(
                sets=(
                    f"{part}.enabled=true",
                    f"{part}.entries=64",
                    f"{part}.ways=4",
                    f"{part}.page=4KiB",
                    f"{part}.walks={walks}",
                    f"{part}.walk_latency={late}ns",
                )
            )
            for walks, late in _WALKS
        )
        look = "/proc/cmdline: intel_iommu, iommu=pt; /sys/class/iommu"
        yield Cause("IOMMU walks", look, () if board.is_on(part) else changes)


def _starts(board: _Board) -> Iterator[Cause]:
    if board.of_kind("cache"):
        changes = tuple(Change(chosen=(("start", start),)) for start in ("cold", "flushed", "warm"))
        yield Cause("state of the caches", "what wrote or read the buffer last, and how much since", changes)


def _links(board: _Board) -> Iterator[Cause]:
    channels = board.channels()
    if board.of_kind("cache") and len(channels) > 1:
        yield Cause(
            "another link",
            "the virtual channel that the circuit asks for",
            tuple(Change(chosen=(("channel", channel),)) for channel in channels),
        )


def _ports(board: _Board) -> Iterator[Cause]:
    kinds = ("hp", "hpc", "acp")
    if not board.of_kind(*kinds):
        return
    yield Cause(
        "another port",
        "the block design: which port the circuit's AXI master is wired to",
        tuple(Change(chosen=(("port", kind),)) for kind in kinds if board.of_kind(kind)),
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
        tuple(Change(chosen=(("state", state),)) for state in ("written", "read", "flushed", "streamed")),
    )


def _link_keys() -> list[_Make]:
    pcie = ("pcie",)
    return [
        partial(_halved, "", "lanes", "fewer lanes", "lspci -vv -s BDF: LnkSta, Width", ("pcie", "capi"), 1),
        _lower_generation,
        partial(_halved, "B", "max_payload", "smaller payload", "lspci -vv -s BDF: DevCtl, MaxPayload", pcie, 128),
        partial(
            _halved,
            "B",
            "max_read_request",
            "smaller read request",
            "lspci -vv -s BDF: DevCtl, MaxReadReq",
            pcie,
            128,
        ),
        partial(_halved, "", "tags", "fewer tags", "lspci -vv -s BDF: DevCtl, ExtTag; the core's own number", pcie, 1),
    ]


_TABLE: list[_Make] = [
    *_link_keys(),
    *(_staged, _descriptors, _pieces, _registers, _calls, _hypervisor, _numa, _iommu),
    *(_starts, _links, _ports),
]
