"""Which port of a processor, and how its caches stay coherent: the decision tree of min2019 V-B, figure 5."""

from typing import Literal

Direction = Literal["cpu-to-fpga", "fpga-to-cpu", "fpga-to-fpga"]
Method = Literal["hp-nc", "hp-c", "hpc", "acp"]

LARGE = 16 * 2**20  # bytes: beyond them most of a buffer is in memory and in no cache (V-B, of figure 3)
SMALL = 64 * 2**10  # below them all of it is still in the cache


def decide(
    direction: Direction,
    mostly_written: bool,
    sequential: bool,
    size: float,
    read_at_once: bool,
    reorder_work: bool,
    busy_memory: bool,
) -> tuple[Method, list[str]]:
    """The method, and each question on the way to it with its answer.

    mostly_written: cores write the buffer and hardly read it. sequential: in order, or it can be made so. size: bytes
    of the buffer. read_at_once: the FPGA reads right after the writes. reorder_work: other work, with over 16 MB of
    accesses, can come in between. busy_memory: other tasks use memory a lot.
    """
    path = [f"direction: {direction}"]
    if direction == "fpga-to-fpga":
        return "hp-nc", path
    if direction == "fpga-to-cpu":
        return "hpc", path
    if _asked(path, "mostly written by the CPU", mostly_written) and _asked(
        path, "written in sequence, or can be", sequential
    ):
        return "hp-nc", path
    if _asked(path, "larger than 16 MiB", size > LARGE):
        return "hpc", path
    if _asked(path, "smaller than 64 KiB and read at once", size < SMALL and read_at_once):
        return "acp", path
    if _asked(path, "other work can come before the read", reorder_work):
        return "hpc", path
    return ("hpc" if _asked(path, "other tasks keep memory busy", busy_memory) else "hp-c"), path


def _asked(path: list[str], question: str, answer: bool) -> bool:
    path.append(f"{question}: {'yes' if answer else 'no'}")
    return answer
