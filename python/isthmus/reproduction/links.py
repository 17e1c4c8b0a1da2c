"""What links between a processor and an FPGA are sold with, as several papers say it."""

from isthmus.reproduction.model_runs import ModelRuns
from isthmus.reproduction.units import Amount

# GT/s of a lane and payload bits a bit on the wire, by generation (PCI Express Base Specification 3.0, 4.2).
TRANSFER_RATE = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0}
ENCODING = {1: 8 / 10, 2: 8 / 10, 3: 128 / 130, 4: 128 / 130, 5: 128 / 130}


def link_advertised(models: ModelRuns, board: str, channel: str) -> Amount:
    """Bandwidth of one link of a board: over PCIe before encoding, else of its cache's port (choi2019 table 2)."""
    (link,) = (part for part in models.parts(board) if part.channel == channel)
    if link.kind in ("pcie", "capi"):
        lanes, generation = (
            float(str(models.input(board, f"{link.name}.{key}").value)) for key in ("lanes", "generation")
        )
        return Amount(lanes * TRANSFER_RATE[int(generation)] / 8, "GB/s")
    lines = models.number(board, "cache.clock") / models.number(board, "cache.interval")
    return Amount(models.number(board, "cache.line") * lines / 1e3, "GB/s")


def links_advertised(models: ModelRuns, board: str) -> Amount:
    """Bandwidth of all links together (choi2019 table 2, gemieux2018 III.A)."""
    channels = [part.channel for part in models.parts(board) if part.channel is not None]
    return Amount(sum(link_advertised(models, board, channel).value for channel in channels), "GB/s")
