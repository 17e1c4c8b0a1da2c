"""The input of the two vendors' tools: the source, the Makefile, and the place of each buffer."""

from collections.abc import Mapping
from dataclasses import dataclass

from isthmus.hpcc.benchmarks import Banks, Design
from isthmus.hpcc.configurations import Configuration
from isthmus.hpcc.kernel_source import kernels, replicated
from isthmus.hpcc.side_file import hash_of
from isthmus.records import Value

INCLUDES = '#include "hls.h"\n#include "types.h"\n\n'


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
    """The files of a work by their names; the headers of the kernels come beside them."""
    return _xrt(work) if work.configuration.tool == "xrt" else _intel(work)


def binary_of(work: VendorBuild) -> str:
    """The path of the binary that make makes, with the folder of its target, platform, defines and flags."""
    key = hash_of(f"{work.defines} {work.placing} {work.flags}")[:8]
    folder = f"hw-{work.configuration.platform.replace('/', '-')}-{key}"
    return f"{folder}/{work.benchmark}.{'xclbin' if work.configuration.tool == 'xrt' else 'aocx'}"


def _xrt(work: VendorBuild) -> dict[str, str]:
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


def _settings(work: VendorBuild, targets: str, platform: str, binary: str) -> str:
    """The beginning of both Makefiles, up to the name of the binary; `platform` is the vendor's word for it."""
    configuration = work.configuration
    return f"""{platform} ?= {configuration.platform}
TARGET ?= hw
FLAGS ?= {work.flags}
DEFINES := {work.defines}
ifneq ($(origin DEFINES),file)
$(error DEFINES: expected none; 'isthmus hpcc build {work.benchmark} --set NAME=VALUE' changes what is compiled in)
endif
ifeq ($(filter $(TARGET),{targets}),)
$(error TARGET=$(TARGET): expected one of {targets})
endif
KEY := $(shell printf '%s' '$(DEFINES) {work.placing} $(FLAGS)' | sha256sum | cut -c1-8)
OUT := $(TARGET)-$(subst /,-,$({platform}))-$(KEY)
BINARY := $(OUT)/{binary}
ISTHMUS ?= isthmus
"""


# Whatever came before it, the side file is of the binary that lies beside it.
_ENDING = """
side: $(BINARY)
\tsed -e 's|"device": "[^"]*"|"device": "$(DEVICE)"|' -e 's|"target": "[^"]*"|"target": "$(TARGET)"|' \\
\t  -e 's|"binary_sha256": null|"binary_sha256": "'$$(sha256sum <$(BINARY) | cut -c1-64)'"|' side.json >$(BINARY).json

run: all
\t$(ENVIRONMENT) $(ISTHMUS) hpcc {benchmark} --on 'opencl:$(DEVICE)' --binary $(BINARY) $(ARGUMENTS)

clean:
\trm -rf $(OUT)
"""


def _xrt_makefile(work: VendorBuild, names: list[str]) -> str:
    objects = " ".join(f"$(OUT)/{name}.xo" for name in names)
    return f"""# {work.benchmark} for {work.configuration.board} ({work.configuration.source}).
# make: the binary of the board. make TARGET=sw_emu or hw_emu: for emulation. make report: estimates alone.
# make run: runs it, with ARGUMENTS. Each TARGET, PLATFORM and FLAGS have a folder of their own.
VPP ?= v++
EMCONFIGUTIL ?= emconfigutil
{_settings(work, "hw sw_emu hw_emu", "PLATFORM", f"{work.benchmark}.xclbin")}DEVICE ?= {work.configuration.device}
COMMON := -t $(TARGET) --platform $(PLATFORM) --save-temps --temp_dir $(OUT)/temp $(FLAGS)
ifeq ($(TARGET),hw)
ENVIRONMENT := env -u XCL_EMULATION_MODE
EMULATED :=
else
ENVIRONMENT := env XCL_EMULATION_MODE=$(TARGET) EMCONFIG_PATH=$(abspath $(OUT))
EMULATED := $(OUT)/emconfig.json
endif

.PHONY: all report side run clean
.DELETE_ON_ERROR:
all: side $(EMULATED)

report: {objects}

$(OUT)/%.xo: {work.benchmark}.cl hls.h types.h compile.cfg
\t@mkdir -p $(OUT)
\t$(VPP) -c $(COMMON) --config compile.cfg -k $* -I. $(DEFINES) -o $@ $<

$(BINARY): {objects} link.cfg
\t$(VPP) -l $(COMMON) --config link.cfg -o $@ {objects}

$(OUT)/emconfig.json:
\t@mkdir -p $(OUT)
\t$(EMCONFIGUTIL) --platform $(PLATFORM) --od $(OUT)
{_ENDING.format(benchmark=work.benchmark)}"""


def _intel(work: VendorBuild) -> dict[str, str]:
    def place(_kernel: str, argument: str, copy: int) -> str:
        # The types of memory of a board have names; banks of one type are chosen by the host when it allocates.
        if work.configuration.memory != "HBM":
            return ""
        return f'__attribute__((buffer_location("HBM{work.banks[argument][copy]}")))'

    source = replicated(work.source, work.design.replicated, work.replications, place)
    return {f"{work.benchmark}.cl": INCLUDES + source, "Makefile": _intel_makefile(work)}


def _intel_makefile(work: VendorBuild) -> str:
    return f"""# {work.benchmark} for {work.configuration.board} ({work.configuration.source}).
# make: the binary of the board. make emulate: for emulation. make report: estimates alone.
# make run, make emulate-run: runs it, with ARGUMENTS. Each target, BOARD and FLAGS have a folder of their own.
AOC ?= aoc
{_settings(work, "hw emulate", "BOARD", f"{work.benchmark}.aocx")}SOURCES := {work.benchmark}.cl hls.h types.h
ifeq ($(TARGET),hw)
DEVICE ?= {work.configuration.device}
COMMON := -board=$(BOARD) {work.placing} $(FLAGS)
else
DEVICE ?= {EMULATOR}
COMMON := -march=emulator {work.placing} $(FLAGS)
endif

.PHONY: all report emulate emulate-run side run clean
.DELETE_ON_ERROR:
all: side

$(BINARY): $(SOURCES)
\t@mkdir -p $(OUT)
\t$(AOC) $(COMMON) $(DEFINES) -I. -o $@ $<

report: $(SOURCES)
\t@mkdir -p report-$(OUT)
\t$(AOC) -rtl -report $(COMMON) $(DEFINES) -I. -o report-$(OUT)/{work.benchmark}.aocr $<

emulate:
\t$(MAKE) TARGET=emulate all

emulate-run:
\t$(MAKE) TARGET=emulate run
{_ENDING.format(benchmark=work.benchmark)}"""
