"""Kernels for tools that compile before a run: what they are given, and what their binary says of itself."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isthmus.base.errors import saying
from isthmus.base.files import data_folder, read_text, write_atomically
from isthmus.hpcc import side_file
from isthmus.hpcc.benchmarks import design_of
from isthmus.hpcc.configurations import Configuration, banks_of
from isthmus.hpcc.vendors import VendorBuild, binary_of, files_of
from isthmus.records.base import Value
from isthmus.records.hpcc import HpccBuild
from isthmus.running.tools import Launch, Request, as_sets, collect, request_of

HEADERS = ("hls.h", "types.h")


def for_board(benchmark: str, configuration: Configuration, sets: Sequence[str], folder: Path) -> HpccBuild:
    """Writes what the tool of a board needs to compile a benchmark, and the side file of the binary, into a folder."""
    design = design_of(benchmark)
    overrides = {**configuration.of(benchmark), **as_sets(sets)}
    asked = {"BENCH": benchmark, "parameters": True, "on": "board", "variant": "single"}
    made = compilation_of(request_of({**asked, "set": overrides}))
    parameters = compiled_in(made)
    kernels = data_folder("kernels") / "hpcc"
    work = VendorBuild(
        benchmark,
        configuration,
        design,
        parameters,
        banks_of(configuration, benchmark, int(parameters["NUM_REPLICATIONS"])),
        read_text(kernels / f"{benchmark}_single.cl"),
    )
    files = files_of(work) | {name: read_text(kernels / name) for name in HEADERS}
    # make copies it to each binary, with that one's target, device and hash.
    side = {
        "benchmark": benchmark,
        "tool": configuration.tool,
        "variant": "single",
        "board": configuration.board,
        "configuration": configuration.name,
        "target": "hw",
        "device": configuration.device,
        "parameters": parameters,
        "replicated": list(design.replicated),
        "memory": configuration.memory,
        "banks": {name: list(numbers) for name, numbers in work.banks.items()},
        "source_sha256": side_file.hash_of("".join(files[name] for name in (*HEADERS, f"{benchmark}.cl"))),
        "binary_sha256": None,
    }
    files["side.json"] = side_file.text_of(side)
    for name, text in files.items():
        _write_if_other(folder / name, text)
    return HpccBuild(
        benchmark=benchmark,
        tool=configuration.tool,
        device=configuration.board,
        binary=str(folder / binary_of(work)),
        files=[str(folder / name) for name in files],
        parameters=parameters,
        compiled=False,
    )


def _write_if_other(path: Path, text: str) -> None:
    """Writes a file only if its text differs, because a newer file is compiled again, which takes hours."""
    if not path.is_file() or path.read_bytes() != text.encode():
        write_atomically(path, text)


def for_device(benchmark: str, request: Request, folder: Path) -> HpccBuild:
    """Compiles a benchmark for an OpenCL device of this machine; `request` is that to `isthmus-hpcc`."""
    design_of(benchmark)
    binary = folder / f"{benchmark}.bin"
    with saying(f"{folder}: cannot make the folder"):
        folder.mkdir(parents=True, exist_ok=True)
    made = compilation_of({**request, "compile": str(binary)})
    device = made["device_info"]
    side = {
        "benchmark": benchmark,
        "tool": "opencl",
        "variant": made["variant"],
        "shape": made["shape"],
        "kernel": made["kernel"],
        "device": device["name"],
        "driver": device["driver"],
        "parameters": compiled_in(made),
        "replicated": [],
        "binary_sha256": side_file.hash_of(binary.read_bytes()),
    }
    beside = side_file.path_of(binary)
    write_atomically(beside, side_file.text_of(side))
    return HpccBuild(
        benchmark=benchmark,
        tool="opencl",
        device=device["name"],
        binary=str(binary),
        files=[str(binary), str(beside)],
        parameters=compiled_in(made),
        compiled=True,
    )


def compiled_in(made: dict[str, Any]) -> dict[str, Value]:
    """The parameters of a compilation that its kernels do not take as arguments."""
    free = {spec["name"] for spec in made["specs"] if spec["at_run"]}
    return {name: value for name, value in made["parameters"].items() if name not in free}


def compilation_of(request: Request, launch: Launch | None = None) -> dict[str, Any]:
    """What `isthmus-hpcc` compiles for a request, or would; here or where `launch` starts one rank."""
    (made,) = collect("isthmus-hpcc", request, "compilation", launch)
    return made
