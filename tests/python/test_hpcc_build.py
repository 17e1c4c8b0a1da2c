"""Kernels for the vendors' tools: configurations, generated files, side files, binaries that run on PoCL."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.python.conftest import Isthmus
from tests.python.test_schemas import check

from isthmus.hpcc.benchmarks import BENCHMARKS, design_of
from isthmus.hpcc.configurations import configurations
from isthmus.hpcc.kernel_source import kernels, replicated

# meyer2024 table 3.4, by column; of STREAM, RandomAccess, FFT, GEMM in the table's order of rows.
TABLE_3_4: dict[str, list[list[Any]]] = {
    "520n": [[4, "float", 1, 16, 4096], [4, 1], [2, 17], [5, "float", 16, 512, 8]],
    "520n-mx": [[32, "float", 1, 8, 4096], [32, 1], [16, 7], [4, "float", 8, 256, 8]],
    "u280-ddr": [[2, "float", 1, 16, 16384], [2, 1024], [1, 9], [3, "float", 16, 256, 8]],
    "u280-hbm2": [[32, "float", 1, 16, 2048], [32, 1024], [15, 5], [3, "float", 16, 256, 8]],
    "pac-svm": [[1, "float", 1, 16, 1], [1, 1024], [1, 17], [5, "float", 16, 512, 8]],
}
ROWS_3_4 = ("stream", "random_access", "fft", "gemm")
# meyer2024 table 4.6, likewise; the two columns of the 520N differ in what its ranks exchange.
OF_520N: dict[str, list[Any]] = {
    "stream": [4, "float", 1, 16, 32768],
    "random_access": [4, 0, 5, 5],
    "fft": [2, 17],
    "gemm": [5, "float", 8, 512, 8],
    "hpl": [5, "float", 9, 3],
}
TABLE_4_6: dict[str, dict[str, list[Any]]] = {
    "520n-iec": {**OF_520N, "b_eff": [2, 8], "ptrans": [4, "float", 8, 512]},
    "520n-pcie": {**OF_520N, "ptrans": [4, "float", 16, 512]},
    "u280-pcie": {
        "stream": [2, "float", 1, 16, 16384],
        "random_access": [2, 10, 3, 1],
        "fft": [1, 9],
        "gemm": [3, "float", 8, 256, 8],
        "ptrans": [2, "float", 16, 256],
        "hpl": [2, "float", 8, 3],
    },
}
PRINTED = {column: dict(zip(ROWS_3_4, rows, strict=True)) for column, rows in TABLE_3_4.items()} | TABLE_4_6
# One of each tool and memory, all benchmarks among them.
COMPILED_HERE = ("520n-pcie", "520n-mx", "u280-pcie", "u280-hbm2", "pac-svm")
SHIPPED = [
    (one.name, one.tool, benchmark)
    for one in configurations()
    for benchmark in one.parameters
    if BENCHMARKS[benchmark].design and one.name in COMPILED_HERE
]
TYPES = "-Xclang -finclude-default-header -target spir64 -cl-std=CL1.2"


def build(real: Isthmus, benchmark: str, tool: str, config: str, *more: str) -> Path:
    """The folder that the command writes."""
    folder = real.folder / f"{benchmark}-{config}"
    made = real.json("hpcc", "build", benchmark, "--for", tool, "--config", config, "--out", str(folder), *more)
    check("hpcc-build", made)
    assert sorted(made["build"]["files"]) == sorted(str(path) for path in folder.iterdir())
    return folder


def side_file(folder: Path) -> dict[str, Any]:
    (path,) = folder.glob("*.json")
    content: dict[str, Any] = json.loads(path.read_text())
    return content


@pytest.mark.parametrize("column", PRINTED)
def test_a_configuration_has_the_numbers_of_its_column(column: str) -> None:
    (shipped,) = [one for one in configurations() if one.name == column]
    for benchmark, printed in PRINTED[column].items():
        ours = list(shipped.parameters[benchmark].values())
        if benchmark == "random_access" and column in TABLE_3_4:
            assert [ours[0], 2 ** int(ours[1])] == printed
        else:
            assert ours == printed
    assert set(shipped.parameters) == set(PRINTED[column])


def test_the_list_names_every_configuration_and_its_source(real: Isthmus) -> None:
    lines = real("hpcc", "build", "--list").stdout.splitlines()
    for column in PRINTED:
        table = "table 3.4" if column in TABLE_3_4 else "table 4.6"
        assert any(line.startswith(f"{column}  ") and table in line for line in lines)


@pytest.mark.parametrize(("config", "tool", "benchmark"), SHIPPED)
def test_what_is_written_compiles_as_opencl_c_with_the_vendors_attributes(
    real: Isthmus, config: str, tool: str, benchmark: str
) -> None:
    folder = build(real, benchmark, tool, config)
    (defines,) = re.findall(r"^DEFINES := (.*)$", (folder / "Makefile").read_text(), re.MULTILINE)
    words = ["clang-15", "-x", "cl", "-fsyntax-only", *TYPES.split(), "-Wno-everything", "-I.", *defines.split()]
    done = subprocess.run([*words, f"{benchmark}.cl"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    side = side_file(folder)
    assert defines.split()[1:] == [f"-D{name}={value}" for name, value in side["parameters"].items()]
    printed = next(one for one in configurations() if one.name == config).parameters[benchmark]
    assert printed.items() <= side["parameters"].items()


@pytest.mark.parametrize(("config", "benchmark"), [(c, b) for c, tool, b in SHIPPED if tool == "xrt"])
def test_every_compute_unit_has_a_bank_for_each_buffer(real: Isthmus, config: str, benchmark: str) -> None:
    shipped = next(one for one in configurations() if one.name == config)
    folder = build(real, benchmark, "xrt", config)
    lines = (folder / "link.cfg").read_text().splitlines()
    units: dict[str, str] = {}
    for kernel, count, names in re.findall(r"^nk=(\w+):(\d+):(\S+)$", "\n".join(lines), re.MULTILINE):
        assert len(names.split(".")) == int(count)
        units |= dict.fromkeys(names.split("."), kernel)
    replications = shipped.parameters[benchmark]["NUM_REPLICATIONS"]
    for kernel in design_of(benchmark).replicated:
        assert list(units.values()).count(kernel) == replications
    places: dict[str, dict[str, int]] = {unit: {} for unit in units}
    for unit, argument, memory, bank in re.findall(r"^sp=(\w+)\.(\w+):(\w+)\[(\d+)\]$", "\n".join(lines), re.MULTILINE):
        assert memory == shipped.memory
        assert int(bank) in range(shipped.banks)
        places[unit][argument] = int(bank)
    for kernel in kernels((folder / f"{benchmark}.cl").read_text()):
        for unit in (name for name, of in units.items() if of == kernel.name):
            assert set(places[unit]) == set(kernel.buffers)


@pytest.mark.parametrize(("config", "tool"), [("u280-hbm2", "xrt"), ("520n-mx", "intel"), ("520n", "intel")])
def test_replications_of_stream_have_a_bank_of_their_own(real: Isthmus, config: str, tool: str) -> None:
    banks = side_file(build(real, "stream", tool, config))["banks"]
    shipped = next(one for one in configurations() if one.name == config)
    assert banks["in1"] == banks["in2"] == banks["out"] == list(range(shipped.banks))


def test_kernels_for_hbm_of_intel_name_the_bank_of_each_argument(real: Isthmus) -> None:
    source = (build(real, "fft", "intel", "520n-mx") / "fft.cl").read_text()
    for copy in range(16):
        signature = re.search(rf"void fft_{copy}\((.*?)\)\s*{{", source, re.DOTALL)
        assert signature is not None
        found = re.findall(r'buffer_location\("HBM(\d+)"\)\)\) __global[^,]*?(\w+)(?=,)', signature[1])
        assert {name: int(bank) for bank, name in found} == {
            "in": 2 * copy,
            "twiddles": 2 * copy,
            "out": 2 * copy + 1,
            "scratch": 2 * copy + 1,
        }


def test_a_configuration_of_ones_own_places_its_buffers(real: Isthmus, tree: Path) -> None:
    text = (tree / "configurations" / "u280-ddr.toml").read_text()
    own = text.replace("[gemm]\n", "[gemm]\nbanks = {a = [1], c = [0, 1]}\n").replace('"u280-ddr"', '"own"')
    (real.folder / "own.toml").write_text(own)
    folder = real.folder / "gemm-own"
    real.json("hpcc", "build", "gemm", "--for", "xrt", "--config", "own.toml", "--set", "NUM_REPLICATIONS=2")
    assert "nk=gemm:2:gemm_0.gemm_1\n" in (folder / "link.cfg").read_text()
    assert side_file(folder)["banks"] == {"a": [1, 1], "b": [1, 1], "c": [0, 1], "c_out": [1, 1]}


def test_copies_differ_in_their_names_alone() -> None:
    source = "int f();\n__kernel void k(__global int* a, int n) { if (n) { a[0] = 1; } }\n__kernel void z() {}\n"
    text = replicated(source, ("k",), 2, lambda kernel, argument, copy: f"/* {kernel} {argument} {copy} */")
    assert [kernel.name for kernel in kernels(text)] == ["k_0", "k_1", "z"]
    assert text.replace("k_1", "k_0").count("void k_0(/* k a ") == 2
    assert text.count("{ if (n) { a[0] = 1; } }") == 2
    assert text.startswith("int f();\n") and text.endswith("void z() {}\n")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("stream", "--for", "xrt"), "--config: expected a file or a name"),
        (
            ("random_access", "--for", "xrt", "--config", "u280-ddr", "--set", "ATOMIC=1"),
            "--set ATOMIC: expected 0 (the single-work-item kernel has no atomic updates), got '1'",
        ),
        (("stream", "--config", "520n"), "--for: expected one of xrt, intel, opencl"),
        (("stream", "--for", "xrt", "--config", "520n"), "configuration 520n is for intel"),
        (("stream", "--for", "xrt", "--config", "u280-dd"), "did you mean 'u280-ddr'?"),
        (("b_eff", "--for", "intel", "--config", "520n-iec"), "the base run of b_eff needs only host code"),
        (("ptrans", "--for", "intel", "--config", "520n"), "configuration 520n: has no parameters of 'ptrans', only"),
        (("gemm", "--for", "intel", "--config", "520n", "--set", "GEMM_SIZE=7"), "BLOCK_SIZE=512: expected a multiple"),
        (("gemm", "--for", "intel", "--config", "520n", "--set", "BLOK_SIZE=1"), "did you mean 'BLOCK_SIZE'?"),
        (("gemm", "--for", "intel", "--config", "broken.toml"), "broken.toml:10: key 'memory.banks': expected a whole"),
        (("gemm", "--for", "opencl", "--config", "520n"), "--config: expected --for xrt or --for intel"),
        (("gemm", "--for", "opencl", "--out", "broken.toml"), "--out: broken.toml: cannot write: Not a directory"),
    ],
)
def test_what_cannot_be_built_is_one_line(real: Isthmus, words: tuple[str, ...], complaint: str, tree: Path) -> None:
    text = (tree / "configurations" / "520n.toml").read_text()
    (real.folder / "broken.toml").write_text(text.replace("banks = 4", "banks = -4"))
    assert complaint in real.refusal("hpcc", "build", *words, "-q")


RUNS = {
    "stream": ("ARRAY_SIZE=65536",),
    "random_access": ("TABLE_SIZE_LOG=14",),
    "fft": ("DATA_SIZE=65536",),
    "gemm": ("MATRIX_SIZE=128",),
    "ptrans": ("MATRIX_SIZE=256",),
    "hpl": ("MATRIX_SIZE=128",),
}
COMPILED = {
    "stream": ("DEVICE_BUFFER_SIZE=64",),
    "random_access": (),
    "fft": ("LOG_FFT_SIZE=8",),
    "gemm": ("BLOCK_SIZE=32",),
    "ptrans": ("BLOCK_SIZE=64",),
    "hpl": ("LOCAL_MEM_BLOCK_LOG=5",),
}


def words(settings: tuple[str, ...]) -> list[str]:
    return [word for setting in settings for word in ("--set", setting)]


def compiled(real: Isthmus, benchmark: str, *more: str) -> str:
    """The binary of a benchmark for PoCL."""
    made = real.json("hpcc", "build", benchmark, "--for", "opencl", *words(COMPILED[benchmark]), *more)
    check("hpcc-build", made)
    assert made["build"]["compiled"] is True
    return str(made["build"]["binary"])


def run(real: Isthmus, benchmark: str, binary: str, *more: str) -> dict[str, Any]:
    words_of_run = ("--binary", binary, "--size", "small", "--repeat", "1", *words(RUNS[benchmark]), *more)
    record: dict[str, Any] = real.json("hpcc", benchmark, *words_of_run)["records"][0]
    return record


@pytest.mark.parametrize("benchmark", list(RUNS))
def test_a_binary_runs_with_the_parameters_of_its_side_file(real: Isthmus, benchmark: str) -> None:
    binary = compiled(real, benchmark, "--variant", "single")
    record = run(real, benchmark, binary)
    side = json.loads(Path(real.folder, f"{binary}.json").read_text())
    assert record["validated"] is True
    assert side["parameters"].items() <= record["parameters"].items()
    assert (record["variant"], record["kernel"]) == ("single", binary)
    assert record["parameters_from"] == f"{binary}.json"


@pytest.mark.parametrize("benchmark", list(RUNS))
def test_replications_run_as_kernels_of_their_own(real: Isthmus, benchmark: str) -> None:
    """The source for Intel's compiler, compiled by PoCL: two copies with their own buffers."""
    folder = build(real, benchmark, "intel", "520n-pcie", "--set", "NUM_REPLICATIONS=2", *words(COMPILED[benchmark]))
    source = (folder / f"{benchmark}.cl").read_text().replace('#include "hls.h"', "").replace('#include "types.h"', "")
    (folder / f"{benchmark}.cl").write_text(source)
    parameters = tuple(f"{name}={value}" for name, value in side_file(folder)["parameters"].items())
    kernel = ("--kernel", str(folder / f"{benchmark}.cl"), "--variant", "single", *words(parameters))
    binary = Path(real.folder, compiled(real, benchmark, *kernel))
    side = json.loads(Path(f"{binary}.json").read_text())
    added = {"replicated": list(design_of(benchmark).replicated), "banks": side_file(folder)["banks"]}
    Path(f"{binary}.json").write_text(json.dumps(side | added))
    record = run(real, benchmark, str(binary))
    assert record["validated"] is True
    assert record["parameters"]["NUM_REPLICATIONS"] == 2
    more = {"parameters": side["parameters"] | {"NUM_REPLICATIONS": 4}}
    Path(f"{binary}.json").write_text(json.dumps(side | added | more))
    told = real.refusal("hpcc", benchmark, "--binary", str(binary), "--size", "small", "-q", *words(RUNS[benchmark]))
    assert f"no kernel '{design_of(benchmark).replicated[0]}_2' in it, expected NUM_REPLICATIONS=4" in told


@pytest.mark.parametrize(
    ("change", "more", "complaint"),
    [
        ({}, ("--set", "NUM_REPLICATIONS=8"), "--set NUM_REPLICATIONS=8: the binary was compiled with 1"),
        ({}, ("--set", "DATA_TYPE=double"), "--set DATA_TYPE=double: the binary was compiled with float"),
        ({}, ("--variant", "single"), "--variant single: the binary has ndrange"),
        ({"device": "another board"}, (), "the binary is for the device 'another board', not for '"),
        ({"driver": "0.1"}, (), "the binary is for the driver 0.1, the device has "),
        ({"benchmark": "gemm"}, (), "the binary is one of 'gemm', expected 'stream'"),
        ({"parameters": {"DATA_TYPE": "float"}}, (), "expected parameters.NUM_REPLICATIONS"),
        ({"parameters": 3}, (), "not the side file of a binary"),
        ({"binary_sha256": "0"}, (), "its hash differs"),
        ({"binary_sha256": None}, ("--spoil",), "no binary for the device"),
    ],
)
def test_a_binary_that_does_not_fit_is_one_line(
    real: Isthmus, change: dict[str, Any], more: tuple[str, ...], complaint: str
) -> None:
    binary = Path(real.folder, compiled(real, "stream"))
    side = json.loads(Path(f"{binary}.json").read_text())
    Path(f"{binary}.json").write_text(json.dumps(side | change))
    if "--spoil" in more:
        binary.write_bytes(b"no binary of any device")
    arguments = [word for word in more if word != "--spoil"]
    assert complaint in real.refusal("hpcc", "stream", "--binary", str(binary), "--size", "small", "-q", *arguments)


def test_a_binary_without_its_side_file_is_refused(real: Isthmus) -> None:
    binary = Path(real.folder, compiled(real, "stream"))
    Path(f"{binary}.json").unlink()
    assert "cannot read the side file" in real.refusal("hpcc", "stream", "--binary", str(binary), "-q")


def test_the_tools_that_the_tests_need_are_here() -> None:
    assert shutil.which("clang-15") and shutil.which("make")
