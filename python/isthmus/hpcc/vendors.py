"""What the two vendors' tools are given: the source, the Makefile, and where each buffer lies."""

from collections.abc import Mapping
from dataclasses import dataclass

from isthmus.hpcc.benchmarks import Banks, Design
from isthmus.hpcc.configurations import Configuration
from isthmus.hpcc.kernel_source import kernels, replicated
from isthmus.records import Value

INCLUDES = '#include "hls.h"\n#include "types.h"\n\n'


@dataclass(frozen=True)
class Work:
    """One benchmark to be compiled for one board."""

    benchmark: str
    configuration: Configuration
    design: Design
    parameters: Mapping[str, Value]
    banks: Banks
    source: str  # of the single-work-item kernels

    @property
    def replications(self) -> int:
        """How many copies there are of the kernels that are replicated."""
        return int(self.parameters["NUM_REPLICATIONS"])

    @property
    def defines(self) -> str:
        """The parameters as a compiler takes them."""
        return " ".join(f"-D{name}={value}" for name, value in self.parameters.items())


def files_of(work: Work) -> dict[str, str]:
    """The files of a work by their names; the headers of the kernels come beside them."""
    return _xrt(work) if work.configuration.tool == "xrt" else _intel(work)


def binary_of(work: Work) -> str:
    """The name of what the tool makes."""
    return f"{work.benchmark}.{'xclbin' if work.configuration.tool == 'xrt' else 'aocx'}"


def _xrt(work: Work) -> dict[str, str]:
    names = [kernel.name for kernel in kernels(work.source)]
    return {
        f"{work.benchmark}.cl": INCLUDES + work.source,
        "compile.cfg": _compile_configuration(names),
        "link.cfg": _link_configuration(work),
        "Makefile": _xrt_makefile(work, names),
    }


def _compile_configuration(names: list[str]) -> str:
    lines = ["# An AXI port of its own for each buffer, so that each can have its own bank.", "[hls]"]
    return "".join(f"{line}\n" for line in [*lines, *(f"max_memory_ports={name}" for name in names)])


def _link_configuration(work: Work) -> str:
    lines = [
        f"# {work.configuration.board}: compute units, and the memory bank of each of their buffers.",
        "[connectivity]",
    ]
    places = []
    for kernel in kernels(work.source):
        copies = work.replications if kernel.name in work.design.replicated else 1
        units = [f"{kernel.name}_{copy}" for copy in range(copies)]
        lines.append(f"nk={kernel.name}:{copies}:{'.'.join(units)}")
        for copy, unit in enumerate(units):
            for argument in kernel.buffers:
                bank = work.banks[argument][copy]
                places.append(f"sp={unit}.{argument}:{work.configuration.memory}[{bank}]")
    return "".join(f"{line}\n" for line in [*lines, *places])


def _xrt_makefile(work: Work, names: list[str]) -> str:
    objects = " ".join(f"build/{name}.xo" for name in names)
    return f"""# {work.benchmark} for {work.configuration.board} ({work.configuration.source}).
# make: the binary {binary_of(work)}. make TARGET=sw_emu or hw_emu: for emulation. make report: estimates alone.
VPP ?= v++
PLATFORM ?= {work.configuration.platform}
TARGET ?= hw
DEFINES := -DISTHMUS_XILINX {work.defines}
FLAGS := -t $(TARGET) --platform $(PLATFORM) --save-temps --temp_dir build/$(TARGET)

.PHONY: all report clean
all: {binary_of(work)}

report: {objects}

build/%.xo: {work.benchmark}.cl hls.h types.h compile.cfg
\t@mkdir -p build
\t$(VPP) -c $(FLAGS) --config compile.cfg -k $* -I. $(DEFINES) -o $@ $<

{binary_of(work)}: {objects} link.cfg
\t$(VPP) -l $(FLAGS) --config link.cfg -o $@ {objects}

clean:
\trm -rf build {binary_of(work)}
"""


def _intel(work: Work) -> dict[str, str]:
    def place(_kernel: str, argument: str, copy: int) -> str:
        # The types of memory of a board have names; banks of one type are chosen by the host when it allocates.
        if work.configuration.memory != "HBM":
            return ""
        return f'__attribute__((buffer_location("HBM{work.banks[argument][copy]}")))'

    source = replicated(work.source, work.design.replicated, work.replications, place)
    return {f"{work.benchmark}.cl": INCLUDES + source, "Makefile": _intel_makefile(work)}


def _intel_makefile(work: Work) -> str:
    # Buffers that only one replication uses are kept in its bank; others are spread by the board.
    apart = work.configuration.memory == "DDR" and bool(work.design.own)
    flags = "-fpc -fp-relaxed" + (" -no-interleaving=default" if apart else "")
    return f"""# {work.benchmark} for {work.configuration.board} ({work.configuration.source}).
# make: the binary {binary_of(work)}. make emulate: for emulation. make report: estimates alone.
AOC ?= aoc
BOARD ?= {work.configuration.platform}
FLAGS ?= {flags}
DEFINES := -DISTHMUS_INTEL {work.defines}
SOURCES := {work.benchmark}.cl hls.h types.h

.PHONY: all report emulate clean
all: {binary_of(work)}

{binary_of(work)}: $(SOURCES)
\t$(AOC) -board=$(BOARD) $(FLAGS) $(DEFINES) -I. -o $@ $<

report: $(SOURCES)
\t$(AOC) -rtl -report -board=$(BOARD) $(FLAGS) $(DEFINES) -I. -o {work.benchmark}.aocr $<

emulate: $(SOURCES)
\t$(AOC) -march=emulator $(DEFINES) -I. -o {binary_of(work)} $<

clean:
\trm -rf {work.benchmark} {work.benchmark}.aocr {work.benchmark}.aoco {binary_of(work)}
"""
