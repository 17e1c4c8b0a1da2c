"""HPC Challenge 1.5's names of our figures, where quantity and precision are the same.

It computes in double precision. Its HPL looks for pivots and times the solve, its FFT is of one vector, its ring has
other messages: what we measure there keeps our name alone.
"""

from collections.abc import Callable, Sequence

from isthmus.records import HpccRecord

# Ours that are a rate of each rank while all work: HPC Challenge's "Star"; one process that works alone is "Single".
_STARS = {
    "stream.copy": "STREAM_Copy",
    "stream.scale": "STREAM_Scale",
    "stream.add": "STREAM_Add",
    "stream.triad": "STREAM_Triad",
    "gemm": "DGEMM_Gflops",
}
# Sizes, by the benchmark's parameters.
_SIZES: dict[str, dict[str, str]] = {
    "stream": {"STREAM_VectorSize": "ARRAY_SIZE"},
    "gemm": {"DGEMM_N": "MATRIX_SIZE"},
    "ptrans": {"PTRANS_n": "MATRIX_SIZE", "PTRANS_nb": "BLOCK_SIZE"},
}


def hpc_challenge(records: Sequence[HpccRecord]) -> dict[str, str]:
    """The lines NAME=VALUE with HPC Challenge's names and units; none where precision or quantity are not its.

    Wrong results have none either.
    """
    first = records[0]
    if not first.validated or first.parameters.get("DATA_TYPE", "double") != "double":
        return {}
    sizes = _SIZES.get(first.benchmark, {})
    lines = {name: str(first.parameters[own]) for name, own in sizes.items() if own in first.parameters}
    for one in records:
        lines |= dict.fromkeys(_stars(one), f"{one.value:.6g}")
    special: dict[str, Callable[[HpccRecord], dict[str, str]]] = {"random_access": _random_access, "ptrans": _ptrans}
    return lines | special[first.benchmark](first) if first.benchmark in special else lines


def _stars(record: HpccRecord) -> list[str]:
    name = _STARS.get(record.name)
    if name is None:
        return []
    return [f"Star{name}", f"Single{name}"] if record.ranks == 1 else [f"Star{name}"]


def _random_access(record: HpccRecord) -> dict[str, str]:
    """One table of all ranks, and all of their updates: four of each word."""
    words = 2 ** int(record.parameters["TABLE_SIZE_LOG"])
    return {
        "MPIRandomAccess_N": str(words),
        "MPIRandomAccess_ExeUpdates": str(4 * words),
        "MPIRandomAccess_time": f"{min(record.seconds):.6g}",
        "MPIRandomAccess_GUPs": f"{record.ranks * record.value:.6g}",
    }


def _ptrans(record: HpccRecord) -> dict[str, str]:
    rows, columns = record.grid.split("x")
    return {"PTRANS_nprow": rows, "PTRANS_npcol": columns, "PTRANS_GBs": f"{record.value:.6g}"}
