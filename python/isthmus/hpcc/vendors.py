"""The input of the two vendors' tools: the source, the Makefile, and the place of each buffer."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from isthmus.base.files import read_text
from isthmus.hpcc.benchmarks import Banks, Design
from isthmus.hpcc.configurations import Configuration
from isthmus.hpcc.kernel_source import kernels, replicated
from isthmus.hpcc.side_file import hash_of
from isthmus.records.base import Value

MAKEFILES = Path(__file__).with_name("makefiles")
INCLUDES = '#include "hls.h"\n#include "types.h"\n\n'
COMPILE = "# An AXI port of its own for each buffer, so that each can have its own bank.\n[hls]\n"
EMULATOR = "Intel(R) FPGA Emulation Device"


@dataclass(frozen=True)
class VendorBuild:
    """One benchmark to be compiled for one board."""

    benchmark: str
    configuration: Configuration
    design: Design
    parameters: Mapping[str, Value]
    banks: Banks  # none where the board spreads all buffers over its memory itself
    source: str  # of the single-work-item kernels

    @property
    def replications(self) -> int:
        """The number of copies of the replicated kernels."""
        return int(self.parameters["NUM_REPLICATIONS"])

    @property
    def binary(self) -> str:
        """The name of the binary."""
        return f"{self.benchmark}.{'xclbin' if self.configuration.tool == 'xrt' else 'aocx'}"

    @property
    def defines(self) -> str:
        """The vendor and the parameters as a compiler takes them."""
        vendor = "ISTHMUS_XILINX" if self.configuration.tool == "xrt" else "ISTHMUS_INTEL"
        return " ".join([f"-D{vendor}", *(f"-D{name}={value}" for name, value in self.parameters.items())])

    @property
    def placing(self) -> str:
        """The flag of the compiler for buffers that the host places in banks; none where the source places them."""
        apart = self.configuration.tool == "intel" and self.configuration.memory == "DDR" and bool(self.banks)
        return "-no-interleaving=default" if apart else ""

    @property
    def flags(self) -> str:
        """The other flags of the compiler, unless make is given other FLAGS."""
        return "" if self.configuration.tool == "xrt" else "-fpc -fp-relaxed"


def files_of(work: VendorBuild) -> dict[str, str]:
    """The files of a work by their names; the headers of the kernels come with them."""
    return _xrt(work) if work.configuration.tool == "xrt" else _intel(work)


def binary_of(work: VendorBuild) -> str:
    """The path of the binary that make makes, with the folder of its target, platform, defines and flags."""
    key = hash_of(f"{work.defines} {work.placing} {work.flags}")[:8]
    return f"hw-{work.configuration.platform.replace('/', '-')}-{key}/{work.binary}"


def _xrt(work: VendorBuild) -> dict[str, str]:
    names = [kernel.name for kernel in kernels(work.source)]
    objects = " ".join(f"$(OUT)/{name}.xo" for name in names)
    return {
        f"{work.benchmark}.cl": INCLUDES + work.source,
        "compile.cfg": COMPILE + "".join(f"max_memory_ports={name}\n" for name in names),
        "link.cfg": _link_configuration(work),
        "Makefile": _makefile(work, platform="PLATFORM", targets="hw sw_emu hw_emu", objects=objects),
    }


def _link_configuration(work: VendorBuild) -> str:
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


def _makefile(work: VendorBuild, **fields: str) -> str:
    """The Makefile of the board's tool, with a beginning and an end that are alike for both.

    Whatever came before it, the side file is of the binary next to it.
    """

    def filled(name: str, **more: str) -> str:
        return read_text(MAKEFILES / f"{name}.mk").format(work=work, **fields, **more)

    return filled(work.configuration.tool, variables=filled("variables").rstrip()) + "\n" + filled("ending")


def _intel(work: VendorBuild) -> dict[str, str]:
    def place(_kernel: str, argument: str, copy: int) -> str:
        # The types of memory of a board have names; banks of one type are chosen by the host when it allocates.
        if work.configuration.memory != "HBM":
            return ""
        return f'__attribute__((buffer_location("HBM{work.banks[argument][copy]}")))'

    source = replicated(work.source, work.design.replicated, work.replications, place)
    return {
        f"{work.benchmark}.cl": INCLUDES + source,
        "Makefile": _makefile(work, platform="BOARD", targets="hw emulate", emulator=EMULATOR),
    }
