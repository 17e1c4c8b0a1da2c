"""`isthmus hpcc build BENCH`: kernels for tools that compile before a run."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from isthmus.base.errors import IsthmusError
from isthmus.base.files import check_folder
from isthmus.base.names import meant
from isthmus.cli.command import List, argument, plain
from isthmus.cli.hpcc_options import Kernel, On, Sets, Shape, Variant
from isthmus.hpcc.configurations import configuration, configurations
from isthmus.running.tools import Request, as_sets, assignments, request_of
from isthmus.show.output import Result, Table
from isthmus.show.session import Session

if TYPE_CHECKING:
    from isthmus.records.hpcc import HpccBuild

EXAMPLES = [
    "isthmus hpcc build gemm --for xrt --config u280-ddr",
    "isthmus hpcc build stream --for intel --config 520n --set NUM_REPLICATIONS=2 --out my-build",
    "isthmus hpcc build fft --for opencl --on opencl:0 --set LOG_FFT_SIZE=10",
]

TOOLS = ("xrt", "intel", "opencl")


def build(
    session: Session,
    benchmark: Annotated[str | None, argument("BENCH", "A benchmark with a kernel.")] = None,
    tool: Annotated[
        str | None, plain("--for xrt|intel|opencl", "Compiler: xrt (v++), intel (aoc) or opencl (the driver of --on).")
    ] = None,
    config: Annotated[
        str | None,
        plain("--config FILE|NAME", "Board, memory banks and parameters: a name that --list shows, or a file."),
    ] = None,
    out: Annotated[str | None, plain("--out DIR", "Folder to write. [default: by BENCH and NAME]")] = None,
    on: On = "opencl:0",
    variant: Variant = None,
    shape: Shape = None,
    kernel: Kernel = None,
    sets: Sets = None,
    list_: List = False,
) -> None:
    """Write or compile HPC Challenge's kernels for a device that does not compile them at run time.

    --for xrt and --for intel write single-work-item kernels, headers, a Makefile for the vendor's compiler, the memory
    bank of each buffer, and the side file BINARY.json, which says how it is compiled; 'make' in the folder makes the
    binary. --for opencl compiles at once for the device of --on; --variant, --shape and --kernel apply only there. Then
    'isthmus hpcc BENCH --binary BINARY' runs it. --list names the
    configurations, those of Meyer's dissertation on HPCC FPGA (Paderborn 2024, tables 3.4 and 4.6) included.
    """
    if list_:
        return session.lines(_listed())
    if benchmark is None:
        raise IsthmusError("BENCH: expected a benchmark", hint="'isthmus hpcc --list' names them.")
    if tool not in TOOLS:
        raise IsthmusError(f"--for: expected one of {', '.join(TOOLS)}, got {tool or 'none'}", meant(tool or "", TOOLS))
    if tool == "opencl":
        if config is not None:
            raise IsthmusError("--config: expected --for xrt or --for intel too; --for opencl takes --set")
        options = {"BENCH": benchmark, "on": on, "variant": variant, "shape": shape, "kernel": kernel}
        return _for_device(session, benchmark, request_of({**options, "set": as_sets(sets or [])}), out)
    return _for_board(session, benchmark, tool, config, sets or [], out)


def _listed() -> list[str]:
    lines = []
    for one in configurations():
        memory = f"{one.memory}, {one.banks} banks" if one.memory != "SVM" else "the host's memory (SVM)"
        lines.append(f"{one.name}  {one.board}, {memory}, --for {one.tool}  ({one.source})")
        for benchmark, parameters in one.parameters.items():
            lines.append(f"  {benchmark}  {' '.join(assignments(parameters))}")
    return lines


def _for_board(
    session: Session, benchmark: str, tool: str, config: str | None, sets: list[str], out: str | None
) -> None:
    from isthmus.hpcc.build import for_board

    if config is None:
        raise IsthmusError("--config: expected a file or a name", hint="'isthmus hpcc build --list' names them.")
    chosen = configuration(config)
    if chosen.tool != tool:
        raise IsthmusError(f"--for {tool}: configuration {chosen.name} is for {chosen.tool}")
    folder = Path(out or f"{benchmark}-{chosen.name}")
    _show(session, for_board(benchmark, chosen, sets, folder), f"make -C {folder}")


def _for_device(session: Session, benchmark: str, request: Request, out: str | None) -> None:
    from isthmus.hpcc.build import for_device

    folder = Path(out or f"{benchmark}-opencl")
    check_folder(folder, "--out")
    made = for_device(benchmark, request, folder)
    _show(session, made, f"isthmus hpcc {benchmark} --binary {made.binary}")


def _show(session: Session, made: "HpccBuild", next_command: str) -> None:
    from isthmus.records.hpcc import HpccBuildFile

    parameters = [(name, str(value)) for name, value in made.parameters.items()]
    state = "compiled" if made.compiled else "to be compiled by make"
    session.emit(
        Result(
            HpccBuildFile(context=session.context(), build=made),
            [made],
            verdict=[f"{made.benchmark} for {made.device}: {made.binary}, {state}"],
            tables=[Table(("parameter", "value"), parameters, numbers=frozenset({"value"}))],
            detail=made.files,
        )
    )
    session.next(next_command)
