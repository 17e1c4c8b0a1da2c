"""The scaling of a benchmark over ranks: the sizes of each run, speed-up and efficiency, and HPL's prediction."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from isthmus.base.errors import IsthmusError
from isthmus.base.names import meant
from isthmus.base.spread import Interval, apart, likely
from isthmus.hpcc.benchmarks import BENCHMARKS, benchmark_of
from isthmus.records.hpcc import HpccRecord, ScaleRow

Mode = Literal["weak", "strong"]
Parameters = Mapping[str, bool | int | float | str]

MODES: tuple[Mode, ...] = ("weak", "strong")


def check_modes(benchmark: str, modes: Sequence[str]) -> list[Mode]:
    """The modes; an IsthmusError for one that there is not, or that the benchmark does not have."""
    for mode in modes:
        if mode not in MODES:
            raise IsthmusError(f"--mode: expected weak or strong, got '{mode}'", hint=meant(mode, MODES))
        if mode == "strong" and not benchmark_of(benchmark).growth.size:
            raise IsthmusError(f"--mode strong: expected weak for {benchmark}, whose ranks have problems of their own")
    return [mode for mode in MODES if mode in modes]


def size_at(benchmark: str, mode: Mode, first: Parameters, factor: float) -> dict[str, int]:
    """The size for `factor` times the ranks of a first run with these parameters; empty where it is the same."""
    growth = BENCHMARKS[benchmark].growth
    if not growth.size or (mode == "strong") == growth.of_all:
        return {}
    size = int(first[growth.size])
    if growth.logarithm:
        return {growth.size: size + round(math.log2(factor))}
    exact = size * factor ** (growth.power if mode == "weak" else -growth.power)
    step = _step(benchmark, first)
    return {growth.size: max(step, round(exact / step) * step)}


def _step(benchmark: str, first: Parameters) -> int:
    """The divisor of the size: whole blocks or transforms, for every replication if they share it."""
    growth = BENCHMARKS[benchmark].growth
    blocks = math.prod(int(first[name]) for name in growth.blocks) << sum(int(first[name]) for name in growth.logs)
    return blocks if growth.of_all else blocks * int(first["NUM_REPLICATIONS"])


def local_size(size: int, ranks: int) -> int:
    """The side of a square matrix with as many values as one rank has of a larger one."""
    return round(size / math.sqrt(ranks))


def together(record: HpccRecord) -> float:
    """The rate of all ranks together."""
    return record.value * (record.ranks if record.across == "average" and record.quantity != "latency" else 1)


def rows_of(mode: Mode, runs: Sequence[Sequence[HpccRecord]]) -> list[ScaleRow]:
    """A row for each quantity of each run; the first run has the fewest ranks."""
    size = BENCHMARKS[runs[0][0].benchmark].growth.size
    rows = []
    for records in runs:
        for record, first in zip(records, runs[0], strict=True):
            latency = record.quantity == "latency"
            speed_up = None if latency or first.value == 0 else together(record) / together(first)
            more = record.ranks / first.ranks
            low, high = _reached(record)
            rows.append(
                ScaleRow(
                    mode=mode,
                    name=record.name,
                    ranks=record.ranks,
                    grid=record.grid,
                    unit=record.unit,
                    value=together(record),
                    low=low,
                    high=high,
                    speed_up=speed_up,
                    efficiency=None if speed_up is None else speed_up / more,
                    judged=record.ranks == first.ranks or apart((low, high), _reached(first)),
                    validated=record.validated,
                    shared=record.shared,
                    parameters={size: record.parameters[size]} if size else {},
                )
            )
    return rows


def _reached(record: HpccRecord) -> Interval:
    """The interval in which the median of all ranks' rate is likely to lie."""
    low, high = likely(record.samples)
    factor = together(record) / record.value if record.value else 0.0
    return low * factor, high * factor


def predicted(rows: Sequence[ScaleRow], curve: Mapping[int, float]) -> list[ScaleRow]:
    """Rows of HPL's strong scaling with what its size curve lets expect (meyer2024 4.2.3).

    The performance of each device follows from the size of its local matrix alone; communication has no term of its
    own. Ranks that share a device have no device of that curve, so there is no number for them.
    """

    def of(row: ScaleRow) -> float:
        return row.ranks * curve[local_size(int(row.parameters["MATRIX_SIZE"]), row.ranks)]

    return [
        row.model_copy(update={"predicted": of(row)}) if row.mode == "strong" and not row.shared else row
        for row in rows
    ]
