"""The Makefiles that `hpcc build` writes, run with stand-ins for the vendors' compilers that log what they are told."""

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.python.conftest import Isthmus, program
from tests.python.test_hpcc_build import build, words

from isthmus.base.errors import IsthmusError
from isthmus.hpcc import side_file
from isthmus.hpcc.benchmarks import BENCHMARKS, design_of
from isthmus.hpcc.configurations import configurations

# Its arguments and what XRT looks for go into `calls`; what it makes is what it was told.
STAND_IN = """echo "$(basename "$0") $@ mode=$XCL_EMULATION_MODE emconfig=$EMCONFIG_PATH" >>{calls}
told="$0 $@"
while [ $# -gt 0 ]; do
  [ "$1" = -o ] && echo "$told" >"$2"
  [ "$1" = --od ] && echo "$told" >"$2/emconfig.json"
  shift
done
"""
EMULATED = {"xrt": "sw_emu", "intel": "emulate"}
CONFIG = {"xrt": "u280-pcie", "intel": "520n-pcie"}


@dataclass(frozen=True)
class Tools:
    """Stand-ins for all tools that a Makefile calls."""

    folder: Path

    @property
    def log(self) -> Path:
        return self.folder / "calls"

    def make(self, where: Path, *arguments: str, **environment: str) -> list[str]:
        """The calls of a run of make."""
        self.log.write_text("")
        done = self.try_make(where, *arguments, **environment)
        assert done.returncode == 0, done.stderr
        return self.log.read_text().splitlines()

    def try_make(self, where: Path, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        names = {"VPP": "v++", "EMCONFIGUTIL": "emconfigutil", "AOC": "aoc", "ISTHMUS": "isthmus"}
        tools = [f"{variable}={self.folder / name}" for variable, name in names.items()]
        free = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        command = ["make", *tools, *arguments]
        outer = {**free, **environment}
        return subprocess.run(command, cwd=where, env=outer, capture_output=True, text=True, check=False)


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    folder = tmp_path / "tools"
    for name in ("v++", "emconfigutil", "aoc", "isthmus"):
        program(folder / name, STAND_IN.format(calls=folder / "calls"))
    return Tools(folder)


def binaries(folder: Path) -> dict[str, str]:
    """What lies where in a folder that was built."""
    found = [path for path in folder.rglob("*") if path.suffix in (".xclbin", ".aocx")]
    return {str(path.relative_to(folder)): path.read_text() for path in found}


@pytest.mark.parametrize("tool", list(CONFIG))
def test_make_hands_everything_to_the_vendors_compiler(real: Isthmus, tools: Tools, tool: str) -> None:
    folder = build(real, "hpl", tool, CONFIG[tool])
    calls = tools.make(folder)
    compiled = [call.split() for call in calls if "hpl.cl" in call]
    assert len(compiled) == (4 if tool == "xrt" else 1)
    parameters = json.loads((folder / "side.json").read_text())["parameters"]
    for call in compiled:
        assert {f"-D{name}={value}" for name, value in parameters.items()} <= set(call)
    if tool == "xrt":
        assert sorted(re.findall(r"-k (\w+)", " ".join(calls))) == ["hpl_left", "hpl_lu", "hpl_top", "hpl_update"]
        assert "--config link.cfg" in calls[-1]
    else:
        assert "-board=p520_max_sg280l" in compiled[0]
    assert tools.make(folder) == []


@pytest.mark.parametrize("tool", list(CONFIG))
def test_the_binary_is_where_the_command_says(real: Isthmus, tools: Tools, tool: str) -> None:
    made = real.json("hpcc", "build", "fft", "--for", tool, "--config", CONFIG[tool], "--out", "built")
    tools.make(real.folder / "built")
    assert list(binaries(real.folder / "built")) == [str(Path(made["build"]["binary"]).relative_to("built"))]


@pytest.mark.parametrize("tool", list(CONFIG))
def test_hardware_is_compiled_after_an_emulation(real: Isthmus, tools: Tools, tool: str) -> None:
    folder = build(real, "fft", tool, CONFIG[tool])
    emulation = tools.make(folder, f"TARGET={EMULATED[tool]}")
    told = {"xrt": ("-t sw_emu", "-t hw"), "intel": ("-march=emulator", "-board=")}[tool]
    assert any(told[0] in call for call in emulation) and not any(f"{told[1]} " in call for call in emulation)
    hardware = tools.make(folder)
    assert any(told[1] in call for call in hardware) and not any(told[0] in call for call in hardware)
    assert len(set(binaries(folder).values())) == 2


@pytest.mark.parametrize(
    ("tool", "change"),
    [
        ("xrt", ("TARGET=sw_emu",)),
        ("xrt", ("TARGET=hw_emu",)),
        ("xrt", ("PLATFORM=/opt/platforms/other.xpfm",)),
        ("xrt", ("FLAGS=-O3",)),
        ("intel", ("emulate",)),
        ("intel", ("TARGET=emulate",)),
        ("intel", ("BOARD=other",)),
        ("intel", ("FLAGS=-fpc",)),
        ("intel", ("report",)),
    ],
)
def test_what_else_is_made_leaves_a_finished_binary(
    real: Isthmus, tools: Tools, tool: str, change: tuple[str, ...]
) -> None:
    folder = build(real, "stream", tool, CONFIG[tool])
    tools.make(folder)
    before = binaries(folder)
    assert tools.make(folder, *change) != []
    after = binaries(folder)
    assert before.items() <= after.items()
    assert len(after) == (1 if change == ("report",) else 2)
    assert tools.make(folder) == []


@pytest.mark.parametrize("tool", list(CONFIG))
def test_other_parameters_in_the_same_folder_leave_a_finished_binary(real: Isthmus, tools: Tools, tool: str) -> None:
    folder = build(real, "stream", tool, CONFIG[tool])
    tools.make(folder)
    (before,) = binaries(folder).items()
    real.json("hpcc", "build", "stream", "--for", tool, "--config", CONFIG[tool], "--out", str(folder))
    assert tools.make(folder) == []
    other = words(("DEVICE_BUFFER_SIZE=64",))
    real.json("hpcc", "build", "stream", "--for", tool, "--config", CONFIG[tool], "--out", str(folder), *other)
    assert any("-DDEVICE_BUFFER_SIZE=64" in call for call in tools.make(folder))
    after = binaries(folder)
    assert len(after) == 2 and after[before[0]] == before[1]
    sizes = {
        json.loads(Path(folder, f"{name}.json").read_text())["parameters"]["DEVICE_BUFFER_SIZE"]: name for name in after
    }
    assert sorted(sizes) == [64, 16384 if tool == "xrt" else 32768]
    assert sizes[64] != before[0]


@pytest.mark.parametrize(
    ("tool", "target", "device"),
    [
        ("xrt", "hw", "xilinx_u280_xdma_201920_3"),
        ("xrt", "sw_emu", "xilinx_u280_xdma_201920_3"),
        ("intel", "hw", "p520_max_sg280l"),
        ("intel", "emulate", "Intel(R) FPGA Emulation Device"),
    ],
)
def test_the_side_file_names_the_device_that_the_binary_runs_on(
    real: Isthmus, tools: Tools, tool: str, target: str, device: str
) -> None:
    folder = build(real, "gemm", tool, CONFIG[tool])
    tools.make(folder, f"TARGET={target}")
    (name,) = binaries(folder)
    side = json.loads((folder / f"{name}.json").read_text())
    common = json.loads((folder / "side.json").read_text())
    own = {"device": device, "target": target, "binary_sha256": side_file.hash_of((folder / name).read_bytes())}
    assert side == common | own
    side_file.check(folder / name)
    (folder / name).write_text("another")
    with pytest.raises(IsthmusError, match="its hash differs"):
        side_file.check(folder / name)


@pytest.mark.parametrize("mode", ["sw_emu", "hw_emu"])
def test_an_emulation_of_xrts_has_its_configuration_and_its_mode(real: Isthmus, tools: Tools, mode: str) -> None:
    folder = build(real, "gemm", "xrt", "u280-ddr")
    calls = tools.make(folder, f"TARGET={mode}", "run", "ARGUMENTS=--size small")
    (made,) = [call for call in calls if call.startswith("emconfigutil ")]
    assert "--platform xilinx_u280_xdma_201920_3 " in made
    (name,) = binaries(folder)
    ran = calls[-1]
    assert ran.startswith(f"isthmus hpcc gemm --on opencl:xilinx_u280_xdma_201920_3 --binary {name} --size small ")
    assert ran.endswith(f" mode={mode} emconfig={(folder / name).parent}")
    assert (folder / name).with_name("emconfig.json").exists()
    hardware = tools.make(folder, "run", XCL_EMULATION_MODE=mode)
    assert not any(call.startswith("emconfigutil ") for call in hardware)
    assert " mode= " in hardware[-1]


def test_an_emulation_of_intels_runs_on_the_emulator(real: Isthmus, tools: Tools) -> None:
    folder = build(real, "gemm", "intel", "520n")
    assert " --on opencl:Intel(R) FPGA Emulation Device --binary emulate-" in tools.make(folder, "emulate-run")[-1]


@pytest.mark.parametrize("target", ["hw", "emulate"])
def test_intels_compiler_is_told_the_flags_that_name_a_folder(real: Isthmus, tools: Tools, target: str) -> None:
    (call,) = tools.make(build(real, "gemm", "intel", "520n"), f"TARGET={target}", "FLAGS=-fpc -g0")
    assert {"-fpc", "-g0"} < set(call.split())


INTEL = [
    (one.name, one.memory, benchmark)
    for one in configurations()
    for benchmark in one.parameters
    if one.tool == "intel" and BENCHMARKS[benchmark].design
]


@pytest.mark.parametrize(("config", "memory", "benchmark"), INTEL)
def test_buffers_are_placed_by_the_host_exactly_where_memory_is_not_interleaved(
    real: Isthmus, tools: Tools, config: str, memory: str, benchmark: str
) -> None:
    folder = build(real, benchmark, "intel", config)
    (call,) = tools.make(folder, "FLAGS=-O9")
    assert "-O9" in call.split()
    banks = json.loads((folder / "side.json").read_text())["banks"]
    apart = "-no-interleaving=default" in call.split()
    assert apart == (memory == "DDR" and bool(design_of(benchmark).own))
    assert bool(banks) == (apart or memory == "HBM")


def test_shared_buffers_that_a_configuration_places_are_not_interleaved(
    real: Isthmus, tools: Tools, tree: Path
) -> None:
    text = (tree / "configurations" / "520n.toml").read_text()
    (real.folder / "own.toml").write_text(text.replace("[gemm]\n", "[gemm]\nbanks = {a = [3]}\n"))
    real.json("hpcc", "build", "gemm", "--for", "intel", "--config", "own.toml", "--out", "own")
    (call,) = tools.make(real.folder / "own")
    assert "-no-interleaving=default" in call.split()
    assert real.read("own/side.json")["banks"]["a"] == [3] * 5


@pytest.mark.parametrize(
    ("argument", "complaint"),
    [
        ("TARGET=emulation", "TARGET=emulation: expected one of hw sw_emu hw_emu."),
        ("DEFINES=-DNUM_REPLICATIONS=9", "DEFINES: expected none; 'isthmus hpcc build gemm --set NAME=VALUE' changes"),
    ],
)
def test_make_refuses_what_it_cannot_make(real: Isthmus, tools: Tools, argument: str, complaint: str) -> None:
    done = tools.try_make(build(real, "gemm", "xrt", "u280-ddr"), argument)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert complaint in done.stderr
