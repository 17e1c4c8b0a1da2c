"""Ranks: processes that an MPI launcher started."""

import os


def launched_rank() -> int | None:
    """This process's rank if an MPI launcher started it: `mpirun -n 2 isthmus hpcc stream`."""
    for name in ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"):
        if name in os.environ:
            return int(os.environ[name])
    return None
