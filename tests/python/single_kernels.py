"""Kernels of one work-item as clang compiles them for a vendor: what their loops do with memories, and replays."""

import ctypes
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isthmus.hpcc.kernel_source import kernels

TRACE = Path(__file__).parent / "memory_trace.c"
MACROS = {"xrt": "ISTHMUS_XILINX", "intel": "ISTHMUS_INTEL"}
# As its vendor's compiler is told, but each memory tells where it is.
HEADER = """
#include "hls.h"
#undef MEMORY
#define MEMORY(type, name, depth, banks) type name[depth][banks]; \\
  trace_memory(#name, (ulong)name, sizeof name, sizeof name[0][0], banks)
void trace_memory(__constant char* name, ulong base, ulong size, ulong value, ulong banks);
int trace_begin(int id, ulong array, ulong distance);
void trace_next(void);
int trace_end(void);
"""
# All functions are inlined and hinted loops unrolled, as HLS does; nothing else is made of the loops. Twice: some loops
# are unrolled too late for their arrays to become registers.
OPTIMIZED = (
    "-O2 -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -mllvm -inline-threshold=1000000 "
    "-mllvm -disable-loop-idiom-all -mllvm -disable-branch-fold -mllvm -disable-tail-duplicate "
    "-mllvm -disable-early-taildup -target x86_64-linux-gnu -mavx2 -fPIC -w -fsanitize=kernel-address "
    "-mllvm -asan-stack=0 -mllvm -asan-globals=0 -mllvm -asan-opt=0 -mllvm -asan-use-stack-safety=0 "
    "-mllvm -asan-instrumentation-with-call-threshold=0 "
)
NOT_YET = "-mllvm -asan-instrument-reads=0 -mllvm -asan-instrument-writes=0 -mllvm -asan-instrument-byval=0"
OPENCL = "-x cl -cl-std=CL1.2 -Xclang -finclude-default-header -Xclang -fdeclare-opencl-builtins"
LATE_WHERE_NONE_IS_GIVEN = 64

_LOOP = re.compile(r"(?:(INDEPENDENT)\((\w+),\s*([^\n]+)\)|(WAIVED)\((\w+)\))?\s*\bPIPELINED\s+for\s*\(")


@dataclass(frozen=True)
class Use:
    """What an iteration of a pipelined loop does with a memory; `most`: accesses that one of its banks must serve."""

    function: str
    loop: int
    memory: str
    banks: int
    most: int
    loads: int
    stores: int
    bytes: int

    @property
    def interval(self) -> int:
        """The initiation interval that two ports a bank allow; 0: memory outside the chip."""
        return -(-self.most // 2)


@dataclass(frozen=True)
class Loop:
    """A pipelined loop of a source: its function, and what is said of the dependences through an array."""

    function: str
    array: str
    distance: str  # as the source has it; empty: waived


def loops_of(source: str) -> list[Loop]:
    """The pipelined loops of a source, in their order."""
    return [
        Loop(_function_at(source, match.start()), match[2] or match[5] or "", match[3] or "")
        for match in _LOOP.finditer(source)
    ]


def traced(source: str) -> str:
    """The source, whose pipelined loops say where they begin, go on and end, and whose functions are all inlined."""
    parts = []
    done = 0
    for each, match in enumerate(_LOOP.finditer(source)):
        array = match[2] or match[5] or "0"
        distance = match[3] or (LATE_WHERE_NONE_IS_GIVEN if match[5] else 0)
        end = _closing(source, match.end() - 1)
        parts.append(source[done : match.start()])
        parts.append(f"\nfor (int once = trace_begin({each}, (ulong){array}, {distance}); once; once = trace_end())\n")
        head = source[match.start() : end]
        parts.append(head + (" " if head.rstrip().endswith(";") else ", ") + "trace_next()")
        done = end
    return re.sub(r"^(?=\w+ \w+\()", "static ", "".join([*parts, source[done:]]), flags=re.MULTILINE)


def _function_at(source: str, place: int) -> str:
    names = re.findall(r"^(?:__kernel )?\w+ (\w+)\([^;{]*\{", source[:place], re.MULTILINE)
    return str(names[-1])


def _closing(text: str, start: int) -> int:
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    raise ValueError(f"no ')' closes the '(' at {start}")


def buffer(*shape: int, dtype: Any = np.float32) -> "np.ndarray[Any, Any]":
    """Zeros where the widest vector may lie."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    whole = np.zeros(size + 128, np.uint8)
    start = -whole.ctypes.data % 128
    made: np.ndarray[Any, Any] = whole[start : start + size].view(dtype).reshape(shape)
    return made


class Traced:
    """The kernels of a folder that `hpcc build` wrote, compiled for this machine with what their vendor is told."""

    def __init__(self, folder: Path, benchmark: str, tool: str, cheat: Mapping[str, str] = {}) -> None:
        (defines,) = re.findall(r"^DEFINES := (.*)$", (folder / "Makefile").read_text(), re.MULTILINE)
        assert defines.split()[0] == f"-D{MACROS[tool]}"
        source = (folder / f"{benchmark}.cl").read_text()
        for right, wrong in cheat.items():
            assert right in source, right
            source = source.replace(right, wrong)
        self.source = source
        self.loops = loops_of(source)
        said = len(re.findall(r"\b(?:INDEPENDENT|WAIVED|ivdep|xcl_dependence)\b", source))
        assert said == sum(loop.array != "" for loop in self.loops), (
            "all that is said of dependences is before PIPELINED"
        )
        self.kernels = [kernel.name for kernel in kernels(source)]
        scratch = Path(tempfile.mkdtemp(dir=folder.parent))
        assert '#include "hls.h"' in source
        (scratch / "traced.cl").write_text(traced(source.replace('#include "hls.h"', HEADER)))
        compiler = ["clang-15", *OPTIMIZED.split()]
        words = [*OPENCL.split(), *NOT_YET.split(), f"-I{folder}", *defines.split()]
        _run([*compiler, *words, "-S", "-emit-llvm", "traced.cl", "-o", "traced.ll"], scratch)
        _run([*compiler, "-c", "traced.ll", "-o", "traced.o"], scratch)
        _run(["clang-15", "-O2", "-fPIC", "-shared", "-o", "traced.so", "traced.o", str(TRACE), "-lm"], scratch)
        self._library = ctypes.CDLL(str(scratch / "traced.so"))
        self._library.trace_error.restype = ctypes.c_char_p
        self._library.trace_replayed.restype = ctypes.c_uint64
        self._report = scratch / "report"

    def uses(self, calls: Sequence[tuple[str, Sequence[Any]]]) -> list[Use]:
        """What the loops of kernels do; each call is a kernel and its arguments (arrays are buffers)."""
        self._library.trace_reset(0)
        self._call(calls)
        self._library.trace_report(os.fsencode(self._report))
        found = []
        for line in self._report.read_text().splitlines():
            number, copy, memory, *numbers = line.split()
            function = self.loops[int(number)].function.removesuffix("_0")  # of the only copy
            found.append(Use(function, int(copy), memory, *map(int, numbers)))
        return found

    def replay(self, calls: Sequence[tuple[str, Sequence[Any]]]) -> int:
        """Runs kernels with stores that land late, and tells how many did."""
        self._library.trace_reset(1)
        self._call(calls)
        return int(self._library.trace_replayed())

    def run(self, calls: Sequence[tuple[str, Sequence[Any]]]) -> None:
        """Runs kernels as they are."""
        self._library.trace_reset(0)
        self._call(calls)

    def _call(self, calls: Sequence[tuple[str, Sequence[Any]]]) -> None:
        for name, arguments in calls:
            held = [
                (f"{name}[{each}]".encode(), array)
                for each, array in enumerate(arguments)
                if isinstance(array, np.ndarray)
            ]
            for label, array in held:
                self._library.trace_memory(
                    label, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes), ctypes.c_size_t(1),
                    ctypes.c_size_t(0),
                )  # fmt: skip
            kernel = getattr(self._library, name if name in self.kernels else f"{name}_0")
            kernel(*(ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else a for a in arguments))
            error = self._library.trace_error().decode()
            assert not error, f"{name}: {error}"


def _run(words: list[str], folder: Path) -> None:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
