"""The kernels of a source in OpenCL C: where each stands, its arguments in global memory, and copies of it."""

import re
from collections.abc import Callable
from dataclasses import dataclass

_KERNEL = re.compile(r"(?:SINGLE_WORK_ITEM\s+)?__kernel\s+void\s+(\w+)\s*\(")


@dataclass(frozen=True)
class KernelSource:
    """A kernel: its text, from its attributes to the brace that ends it, and its arguments that point to buffers."""

    name: str
    start: int
    end: int
    buffers: tuple[str, ...]


def kernels(source: str) -> list[KernelSource]:
    """The kernels of a source, in their order."""
    found = []
    for match in _KERNEL.finditer(source):
        signature_end = _closing(source, match.end() - 1, "()")
        body_end = _closing(source, source.index("{", signature_end), "{}")
        signature = source[match.end() : signature_end]
        buffers = [argument.split()[-1] for argument in signature.split(",") if "__global" in argument]
        found.append(KernelSource(match[1], match.start(), body_end + 1, tuple(name.lstrip("*") for name in buffers)))
    return found


def replicated(source: str, names: tuple[str, ...], count: int, place: Callable[[str, str, int], str]) -> str:
    """The source with `count` copies NAME_0, NAME_1, ... of each kernel of `names` in its place.

    place(kernel, argument, copy) is an attribute that is put before an argument in global memory, or nothing; kernels
    that are not copied have it too.
    """
    parts = []
    done = 0
    for kernel in kernels(source):
        parts.append(source[done : kernel.start])
        text = source[kernel.start : kernel.end]
        copies = range(count) if kernel.name in names else [None]
        parts.append("\n\n".join(_copy(text, kernel, copy, place) for copy in copies))
        done = kernel.end
    return "".join([*parts, source[done:]])


def _copy(text: str, kernel: KernelSource, copy: int | None, place: Callable[[str, str, int], str]) -> str:
    body = text.index("{")
    signature = text[:body]
    for argument in kernel.buffers:
        attribute = place(kernel.name, argument, copy or 0)
        declared = re.compile(rf"__global(?=[^,]*\b{argument}\b\s*[,)])")
        signature = declared.sub(f"{attribute} __global" if attribute else "__global", signature, count=1)
    if copy is not None:
        signature = re.sub(rf"\b{kernel.name}\b", f"{kernel.name}_{copy}", signature, count=1)
    return signature + text[body:]


def _closing(text: str, start: int, pair: str) -> int:
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == pair[0]) - (text[at] == pair[1])
        if depth == 0:
            return at
    raise ValueError(f"no '{pair[1]}' closes the '{pair[0]}' at {start}")
