"""Kernels of one work-item have the shape that the thesis gives them: what clang makes of them for each board."""

import ctypes
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.conftest import Isthmus
from tests.python.single_kernels import MACROS, OPENCL, OPTIMIZED, Traced, buffer
from tests.python.test_hpcc_build import build, words

from isthmus.hpcc.benchmarks import BENCHMARKS
from isthmus.hpcc.configurations import Configuration, configurations

Parameters = dict[str, Any]
Calls = Sequence[tuple[str, Sequence[Any]]]
# Loads and stores of a memory in an iteration of the loops of a function.
Accesses = dict[tuple[str, str], set[tuple[int, int]]]


def distinct() -> list[tuple[str, str, str]]:
    """Configuration, tool and benchmark, once for each source that differs in more than copies."""
    found: dict[object, tuple[str, str, str]] = {}
    for one in configurations():
        for benchmark, parameters in one.parameters.items():
            if BENCHMARKS[benchmark].design:
                differs = {name: value for name, value in parameters.items() if name != "NUM_REPLICATIONS"}
                found.setdefault((one.tool, benchmark, *differs.items()), (one.name, one.tool, benchmark))
    return list(found.values())


def shipped(name: str) -> Configuration:
    (found,) = [one for one in configurations() if one.name == name]
    return found


def traced(real: Isthmus, benchmark: str, tool: str, config: str, *settings: str, **cheat: str) -> Traced:
    """The kernels of a configuration, one copy of each; `cheat`: `right` becomes `wrong`."""
    folder = build(real, benchmark, tool, config, *words(("NUM_REPLICATIONS=1", *settings)))
    return Traced(folder, benchmark, tool, {cheat["right"]: cheat["wrong"]} if cheat else {})


def stream_calls(p: Parameters) -> Calls:
    count = 2 * p["DEVICE_BUFFER_SIZE"]
    arrays = [buffer(count, p["VECTOR_COUNT"]) for _ in range(3)]
    return [("stream", [*arrays, ctypes.c_float(3), ctypes.c_ulong(0), ctypes.c_ulong(count), 1])]


def random_access_calls(p: Parameters) -> Calls:
    size = 1 << 18
    table, seeds = np.arange(size, dtype=np.uint64), buffer(1 << p["HPCC_FPGA_RA_RNG_COUNT_LOG"], dtype=np.uint64)
    seeds[:] = np.random.default_rng(1).integers(1, 1 << 63, len(seeds), dtype=np.uint64)
    numbers = [ctypes.c_ulong(value) for value in (4 * size // len(seeds), size - 1, 0, size)]
    return [("random_access", [table, seeds, *numbers])]


def fft_calls(p: Parameters) -> Calls:
    size = 1 << p["LOG_FFT_SIZE"]
    roots = np.exp(-2j * np.pi * np.arange(size) / size).astype(np.complex64)
    arrays = [filled(2 * size, 2), buffer(2 * size, 2), roots, buffer(size, 2)]
    return [("fft", [*arrays, ctypes.c_uint(0), ctypes.c_uint(2)])]


def gemm_calls(p: Parameters) -> Calls:
    side = p["BLOCK_SIZE"] * 2 if p["BLOCK_SIZE"] < 128 else p["BLOCK_SIZE"]
    arrays = [*(filled(side, side) for _ in range(3)), buffer(side, side)]
    numbers = [ctypes.c_uint(value) for value in (side, 0, side // p["BLOCK_SIZE"])]
    return [("gemm", [*arrays, ctypes.c_float(2), ctypes.c_float(3), *numbers])]


def ptrans_calls(p: Parameters) -> Calls:
    values = 2 * p["BLOCK_SIZE"] ** 2
    # One block came from another rank, alone; the other is the second of two beside each other.
    side = p["BLOCK_SIZE"]
    sources = np.array([[0, side, 0], [-2, 2 * side, 1]], np.int32)
    return [("transpose", [filled(values), filled(values), sources, filled(values), buffer(values), 2 * side, 0, 2])]


def hpl_calls(p: Parameters) -> Calls:
    side = 1 << p["LOCAL_MEM_BLOCK_LOG"]
    a = filled(2 * side, 2 * side)
    a += (side * np.eye(2 * side)).astype(np.float32)
    diagonal, left, top = (buffer(side, side) for _ in range(3))
    none, one, n, ld = (ctypes.c_uint(value) for value in (0, 1, side, 2 * side))
    return [
        ("hpl_lu", [a, ld, none, none, diagonal]),
        ("hpl_top", [a, ld, none, n, diagonal, top, one]),
        ("hpl_left", [a, ld, n, none, diagonal, left, one]),
        ("hpl_update", [a, ld, n, n, left, top, none, none, n, n]),
    ]


def filled(*shape: int) -> "np.ndarray[Any, Any]":
    made = buffer(*shape)
    made[:] = np.random.default_rng(len(shape)).uniform(-1, 1, shape)
    return made


CALLS = {
    "stream": stream_calls,
    "random_access": random_access_calls,
    "fft": fft_calls,
    "gemm": gemm_calls,
    "ptrans": ptrans_calls,
    "hpl": hpl_calls,
}


def stream_accesses(p: Parameters) -> Accesses:
    lanes = p["GLOBAL_MEM_UNROLL"]
    return {
        ("stream", "stream[0]"): {(lanes, 0)},
        ("stream", "stream[1]"): {(lanes, 0)},
        ("stream", "stream[2]"): {(0, lanes)},
        ("stream", "buffer"): {(0, lanes), (lanes, lanes), (lanes, 0)},
    }


def random_access_accesses(_: Parameters) -> Accesses:
    return {("random_access", memory): {(1, 1)} for memory in ("random_access[0]", "place", "word")}


def fft_accesses(p: Parameters) -> Accesses:
    lanes = 4 if p["LOG_FFT_SIZE"] < 6 else 8
    stages = range(p["LOG_FFT_SIZE"] - lanes.bit_length() + 1)
    return {
        ("fft", "fft[0]"): {(lanes, 0)},
        ("fft", "fft[1]"): {(0, lanes)},
        ("fft", "turns"): {(lanes, 0)},
        ("fft", "results"): {(lanes, lanes)},
        **{("fft", f"{name}{stage}"): {(lanes, lanes)} for stage in stages for name in ("early", "late")},
        **{("fft", f"roots{stage}"): {(1, 0)} for stage in stages},
    }


def gemm_accesses(p: Parameters) -> Accesses:
    wide, block = p["GLOBAL_MEM_UNROLL"], p["GEMM_SIZE"] ** 2
    return {
        ("load", "gemm[0]"): {(wide, 0)},
        ("load", "a_block"): {(0, wide)},
        ("load", "gemm[1]"): {(wide, 0)},
        ("load", "b_block"): {(0, wide)},
        ("multiply", "a_block"): {(block, 0)},
        ("multiply", "b_block"): {(block, 0)},
        ("multiply", "sum"): {(block, block)},
        ("store", "sum"): {(wide, 0)},
        ("store", "gemm[2]"): {(wide, 0)},
        ("store", "gemm[3]"): {(0, wide)},
    }


def ptrans_accesses(p: Parameters) -> Accesses:
    wide = p["CHANNEL_WIDTH"]
    return {
        **{("transpose", f"transpose[{each}]"): {(wide, 0)} for each in (0, 1, 3)},
        ("transpose", "transpose[4]"): {(0, wide)},
        ("transpose", "block"): {(0, wide), (wide, 0)},
        ("transpose", "sum"): {(0, wide), (wide, 0)},
    }


def hpl_accesses(p: Parameters) -> Accesses:
    row = 1 << p["REGISTER_BLOCK_LOG"]
    block = row * row
    moved = {
        "load": {
            "factors": (0, row),
            "block": (0, row),
            "left_block": (0, row),
            "top_block": (0, row),
            "sum": (0, row),
        },
        "load_transposed": {"block": (0, row)},
        "store": {"block": (row, 0), "sum": (row, 0)},
        "store_transposed": {"block": (row, 0)},
        "copy_row": {"block": (row, 0), "factors": (row, 0), "pivot_row": (0, row), "pivot_column": (0, row)},
        "copy_column": {"factors": (row, 0), "pivot_column": (0, row)},
        "scale_row": {"block": (row, row), "pivot_row": (0, row)},
        "scale_column": {"block": (row, row), "pivot_column": (0, row)},
        "eliminate": {"block": (block, block), "pivot_column": (row, 0), "pivot_row": (row, 0)},
        "multiply": {"left_block": (block, 0), "top_block": (block, 0), "sum": (block, block)},
    }
    outside = {
        "load": {
            "hpl_lu[0]",
            "hpl_top[0]",
            "hpl_top[4]",
            "hpl_left[4]",
            *(f"hpl_update[{each}]" for each in (0, 4, 5)),
        },
        "load_transposed": {"hpl_left[0]"},
        "store": {"hpl_lu[0]", "hpl_lu[4]", "hpl_top[0]", "hpl_top[5]", "hpl_left[5]", "hpl_update[0]"},
        "store_transposed": {"hpl_left[0]"},
    }
    found: Accesses = {(name, memory): {made} for name, each in moved.items() for memory, made in each.items()}
    for name, memories in outside.items():
        found |= {(name, memory): {(row, 0) if "load" in name else (0, row)} for memory in memories}
    return found


ACCESSES = {
    "stream": stream_accesses,
    "random_access": random_access_accesses,
    "fft": fft_accesses,
    "gemm": gemm_accesses,
    "ptrans": ptrans_accesses,
    "hpl": hpl_accesses,
}


def shape_of(kernel: Traced, benchmark: str, parameters: Parameters) -> tuple[Accesses, set[str]]:
    """What one iteration of each loop does, and where two ports a bank do not let one begin each cycle."""
    made: Accesses = {}
    slow = set()
    for use in kernel.uses(CALLS[benchmark](parameters)):
        made.setdefault((use.function, use.memory), set()).add((use.loads, use.stores))
        if use.interval > 1:
            slow.add(f"{use.function} {use.memory}: {use.interval} cycles")
    return made, slow


@pytest.mark.parametrize(("config", "tool", "benchmark"), distinct())
def test_an_iteration_makes_the_accesses_of_its_parameters_and_one_begins_each_cycle(
    real: Isthmus, config: str, tool: str, benchmark: str
) -> None:
    parameters = shipped(config).parameters[benchmark]
    made, slow = shape_of(traced(real, benchmark, tool, config), benchmark, parameters)
    assert made == ACCESSES[benchmark](parameters)
    assert slow == set()


@pytest.mark.parametrize("tool", list(MACROS))
@pytest.mark.parametrize("count", [1, 5, 8])
def test_a_hint_unrolls_by_its_count_for_both_vendors(tree: Path, tmp_path: Path, tool: str, count: int) -> None:
    body = f"UNROLLED({count}) for (uint k = 0; k < 1000; ++k) out[k] = k;"
    (tmp_path / "hint.cl").write_text(f'#include "hls.h"\n__kernel void f(__global float* out) {{ {body} }}\n')
    flags = [*OPENCL.split(), *OPTIMIZED.split(), "-fno-sanitize=all", f"-D{MACROS[tool]}", f"-I{tree}/kernels/hpcc"]
    words_of_run = ["clang-15", *flags, "-S", "-emit-llvm", "-o", "-", "hint.cl"]
    done = subprocess.run(words_of_run, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.count("store float ") == count


@pytest.mark.parametrize(
    ("benchmark", "settings", "right", "wrong", "seen"),
    [
        ("stream", ("GLOBAL_MEM_UNROLL=4",), "UNROLLED(LANES)\n", "\n", "stream stream[0]: 1 loads, 0 stores"),
        ("ptrans", (), "block[word][bank]", "block[word][(bank + word) % CHANNEL_WIDTH]", "transpose block: 8 cycles"),
        ("fft", ("LOG_FFT_SIZE=7",), "+ row][bank]", "+ row][(bank + row) % LANES]", "fft results: 5 cycles"),
        ("gemm", (), "UNROLLED(GEMM_SIZE)\n", "\n", "multiply a_block: 1 loads, 0 stores"),
        (
            "hpl",
            ("LOCAL_MEM_BLOCK_LOG=5",),
            "down[u] = factors[i][u]",
            "down[u] = factors[i][(u + k) % R]",
            "eliminate pivot_column: 4 cycles",
        ),
        (
            "random_access",
            ("HPCC_FPGA_RA_DEVICE_BUFFER_SIZE_LOG=2",),
            "done = place[slot][0];",
            "done = place[slot][0] > place[0][0] ? size : place[slot][0];",
            "random_access place: 2 cycles",
        ),
    ],
)
def test_another_shape_is_seen(
    real: Isthmus, benchmark: str, settings: tuple[str, ...], right: str, wrong: str, seen: str
) -> None:
    given = {name: int(value) for name, value in (setting.split("=") for setting in settings)}
    kernel = traced(real, benchmark, "intel", "520n-pcie", *settings, right=right, wrong=wrong)
    made, slow = shape_of(kernel, benchmark, shipped("520n-pcie").parameters[benchmark] | given)
    assert seen in {f"{f} {m}: {loads} loads, {stores} stores" for f, m in made for loads, stores in made[f, m]} | slow


# Small enough that what lands late is needed soon.
REPLAYED = {
    "stream": ("520n-pcie", ("DEVICE_BUFFER_SIZE=256",)),
    "random_access": ("520n-pcie", ()),
    "fft": ("520n-pcie", ("LOG_FFT_SIZE=7",)),
    "gemm": ("520n-pcie", ("BLOCK_SIZE=32",)),
    "ptrans": ("520n-pcie", ("BLOCK_SIZE=32",)),
    "hpl": ("520n-pcie", ("LOCAL_MEM_BLOCK_LOG=5",)),
}


def replayed(kernel: Traced, benchmark: str, settings: tuple[str, ...]) -> tuple[int, float]:
    """How many stores landed late, and the largest share of an array's values that differ then."""
    config = REPLAYED[benchmark][0]
    given = {name: int(value) for name, value in (setting.split("=") for setting in settings)}
    in_time, late = (CALLS[benchmark](shipped(config).parameters[benchmark] | given) for _ in range(2))
    kernel.run(in_time)
    stores = kernel.replay(late)
    shares = [
        float(np.mean(ours != theirs))
        for (_, right), (_, held) in zip(in_time, late, strict=True)
        for ours, theirs in zip(right, held, strict=True)
        if isinstance(ours, np.ndarray)
    ]
    return stores, max(shares)


@pytest.mark.parametrize("benchmark", list(REPLAYED))
def test_stores_that_land_as_late_as_a_loop_says_change_nothing(real: Isthmus, benchmark: str) -> None:
    config, settings = REPLAYED[benchmark]
    kernel = traced(real, benchmark, "intel", config, *settings)
    stores, share = replayed(kernel, benchmark, settings)
    said = [loop for loop in kernel.loops if loop.array]
    assert (stores > 0) == (said != [])
    if benchmark == "random_access":  # meyer2024 3.1.3
        assert [(loop.array, loop.distance) for loop in said] == [("table", "")]
        assert 0 < share < 0.01
    else:
        assert all(loop.distance for loop in said)
        assert share == 0


@pytest.mark.parametrize(
    ("benchmark", "right", "wrong"),
    [
        ("gemm", "INDEPENDENT(sum, BLOCKS)", "INDEPENDENT(sum, BLOCKS + 1)"),
        ("hpl", "INDEPENDENT(sum, BLOCKS)", "INDEPENDENT(sum, BLOCKS + 1)"),
        ("fft", "PIPELINED\n", "INDEPENDENT(results, 64)\nPIPELINED\n"),
        ("fft", "PIPELINED\n", "INDEPENDENT(late0, 64)\nPIPELINED\n"),
        ("random_access", "WAIVED(table)", "INDEPENDENT(table, 65536)"),
    ],
)
def test_a_distance_that_is_too_large_is_seen(real: Isthmus, benchmark: str, right: str, wrong: str) -> None:
    config, settings = REPLAYED[benchmark]
    kernel = traced(real, benchmark, "intel", config, *settings, right=right, wrong=wrong)
    assert replayed(kernel, benchmark, settings)[1] > 0.01


def preprocessed(folder: Path, benchmark: str) -> str:
    """The kernel as its Makefile defines it."""
    (defines,) = re.findall(r"^DEFINES := (.*)$", (folder / "Makefile").read_text(), re.MULTILINE)
    words_of_run = ["clang-15", "-E", *OPENCL.split(), *defines.split(), f"{benchmark}.cl"]
    return subprocess.run(words_of_run, cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(("benchmark", "distance"), [("gemm", 64**2), ("hpl", 64**2), ("random_access", None)])
def test_intels_compiler_is_told_the_array_and_its_distance(
    real: Isthmus, benchmark: str, distance: int | None
) -> None:
    text = preprocessed(build(real, benchmark, "intel", "520n-pcie", "--set", "NUM_REPLICATIONS=1"), benchmark)
    told = re.findall(r"#pragma ivdep array\((\w+)\)(?: safelen\((.*)\))?$", text, re.MULTILINE)
    expected = {"gemm": {"sum"}, "hpl": {"block", "sum"}, "random_access": {"table"}}[benchmark]
    assert {array for array, _ in told} == expected
    assert {eval(length.replace("/", "//")) if length else None for _, length in told} == {distance}


def test_each_memory_of_xilinxs_is_cut_into_its_banks(real: Isthmus) -> None:
    for benchmark in CALLS:
        folder = build(real, benchmark, "xrt", "u280-pcie")
        memories = (folder / f"{benchmark}.cl").read_text().count("MEMORY(")
        partition = r"\]\s*__attribute__\(\(xcl_array_partition\(complete, 2\)\)\)"
        cut = re.findall(partition, preprocessed(folder, benchmark))
        assert len(cut) >= memories > 0
