"""The classes of choi2019's table 1: how a board is joined to its host, and whose memory its circuits work on.

Chips that contain both the circuits and the processor are a class of their own (min2019).
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from isthmus.records.listings import ListedPlatform
from isthmus.records.run import BoardPart, Platform

# Kinds of links that go over a peripheral interconnect, those that are one of processors, and ports on a chip.
PERIPHERAL: Mapping[str, str] = {"pcie": "PCIe", "capi": "CAPI over PCIe"}
OF_PROCESSORS: Mapping[str, str] = {"qpi": "QPI"}
ON_CHIP: Mapping[str, str] = {"hp": "HP", "hpc": "HPC", "acp": "ACP"}
NO_MEASUREMENT = "no measurement yet"
NAMES: Mapping[str, str] = {**PERIPHERAL, **OF_PROCESSORS, **ON_CHIP}


def classified(target: str, board: Platform) -> ListedPlatform:
    """A board in its classes."""
    kinds = {part.kind for part in board.parts}
    memory = "shared" if not kinds.isdisjoint({"cache", *ON_CHIP}) else "private" if "dram" in kinds else "none"
    links = Counter(_link(part, board) for part in board.parts if part.kind in NAMES)
    return ListedPlatform(
        target=target,
        name=board.name or target,
        integration=_integration(kinds),
        memory=memory,
        links=[f"{count} x {name}" if count > 1 else name for name, count in links.items()],
        calibrated=is_calibrated(item.role for item in board.inputs),
    )


def is_calibrated(roles: Iterable[str]) -> bool:
    """Tells whether a measurement of the board is published: then some number of its file was calibrated by it."""
    return "calibrated" in roles


def _integration(kinds: set[str]) -> str:
    peripheral, of_processors, on_chip = (not kinds.isdisjoint(those) for those in (PERIPHERAL, OF_PROCESSORS, ON_CHIP))
    if on_chip:
        return "one chip"
    if peripheral and of_processors:
        return "hybrid"
    return "PCIe" if peripheral else "processor interconnect" if of_processors else "none"


def _link(part: BoardPart, board: Platform) -> str:
    name = NAMES[part.kind]
    generation, lanes = (board.value(f"{part.name}.{key}") for key in ("generation", "lanes"))
    return f"{name} Gen{generation} x{lanes}" if generation is not None else name
