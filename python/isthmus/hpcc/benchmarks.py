"""The benchmarks of HPC Challenge, a row each: what of one lies where on an FPGA, what is tuned, how it grows.

Replications of STREAM, RandomAccess and FFT have buffers of their own, so each works in banks of its own (meyer2024
3.1.3, 3.1.4); those of GEMM, PTRANS and HPL share their matrices, which are spread over the banks.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from isthmus.base.errors import IsthmusError
from isthmus.base.names import unknown
from isthmus.hpcc.keys import Keys, ptrans_keys, random_access_keys

Banks = Mapping[str, list[int]]
Space = dict[str, list[int]]


@dataclass(frozen=True)
class Design:
    """The kernels of which there are NUM_REPLICATIONS, and the places of buffers by the names of kernel arguments.

    `own`: of a replication's own buffers, which of its `group` of banks. `shared`: of buffers that all replications
    use, the bank; the same argument is the same buffer in every kernel.
    """

    replicated: tuple[str, ...]
    own: Mapping[str, int]
    shared: Mapping[str, int]

    def banks(self, replications: int, banks: int) -> Banks:
        """The bank of each argument, for each replication."""
        group = max(self.own.values(), default=0) + 1
        own = {name: [(r * group + at) % banks for r in range(replications)] for name, at in self.own.items()}
        return own | {name: [at % banks] * replications for name, at in self.shared.items()}


@dataclass(frozen=True)
class Growth:
    """The rule by which the size of a benchmark's problem grows with the ranks.

    `size` is the parameter. It is of one rank or of all together; for a matrix of n x n values or a table of 2^n words
    it grows with the root or by the logarithm of the factor by which there are more ranks.
    """

    size: str = ""
    of_all: bool = False
    power: float = 1.0
    logarithm: bool = False
    blocks: tuple[str, ...] = ()  # what divides the size: the product of these
    logs: tuple[str, ...] = ()  # and of two to the power of these


@dataclass(frozen=True)
class Benchmark:
    """Python's knowledge of a benchmark; the tool has its host side, name and meaning (`isthmus-hpcc --describe`).

    `design` is that of its kernels; without one its base run is host code alone. `spaces` are the values that
    `hpcc tune` tries, by the form of the kernels (cpu, gpu or single): sizes of a problem (LOG_FFT_SIZE, MATRIX_SIZE,
    ...) and the data type are not among them, for another value is another task; what a device does not take (local
    memory, work-groups, a block that does not divide) is refused by the run itself. One whose `growth` has no size that
    can be shared out scales weakly alone: each rank has a problem of its own.
    """

    design: Design | None = None
    spaces: Mapping[str, Space] = field(default_factory=dict)
    growth: Growth = field(default_factory=Growth)
    from_memory: bool = False  # its rate is that of memory, where caches do not hold what it works on
    records: Mapping[str, str] = field(default_factory=dict)  # what its runs measure, and the unit of each
    rated: str = ""  # the record that stands for it, where several do
    keys: Keys = field(default_factory=Keys)
    predicted: bool = False  # in strong scaling, by the curve of one rank over the size of a matrix (meyer2024 4.2.3)


COPIES = [1, 2, 4]

BENCHMARKS = {
    "stream": Benchmark(
        Design(("stream",), {"in1": 0, "in2": 0, "out": 0}, {}),
        {
            "cpu": {"DEVICE_BUFFER_SIZE": [2**log for log in range(10, 19, 2)], "VECTOR_COUNT": [4, 8, 16]},
            "gpu": {"VECTOR_COUNT": [1, 2, 4, 8], "GLOBAL_MEM_UNROLL": [1, 2, 4, 8]},
            "single": {
                "NUM_REPLICATIONS": COPIES,
                "VECTOR_COUNT": [4, 8, 16],
                "DEVICE_BUFFER_SIZE": [16, 64, 256, 1024],
                "GLOBAL_MEM_UNROLL": [1, 4],
            },
        },
        Growth("ARRAY_SIZE", blocks=("DEVICE_BUFFER_SIZE", "GLOBAL_MEM_UNROLL")),
        from_memory=True,
        records={f"stream.{name}": "GB/s" for name in ("write", "copy", "scale", "add", "triad", "read")},
        rated="stream.triad",
        keys=Keys(
            {f"stream.{name.lower()}": f"STREAM_{name}" for name in ("Copy", "Scale", "Add", "Triad")},
            {"STREAM_VectorSize": "ARRAY_SIZE"},
        ),
    ),
    "fft": Benchmark(
        Design(("fft",), {"in": 0, "twiddles": 0, "out": 1, "scratch": 1}, {}),
        {form: {"NUM_REPLICATIONS": COPIES} for form in ("cpu", "gpu", "single")},
        Growth("DATA_SIZE", logs=("LOG_FFT_SIZE",)),
        from_memory=True,
        records={"fft": "GFLOP/s"},
    ),
    "gemm": Benchmark(
        Design(("gemm",), {}, {"a": 0, "b": 1, "c": 2, "c_out": 3}),
        {
            "cpu": {
                "BLOCK_SIZE": [128, 256, 512, 1024],
                "GEMM_SIZE": [4, 8, 16],
                "REGISTER_VECTORS": [1, 2, 4],
                "NUM_REPLICATIONS": [1, 2],
            },
            "gpu": {"BLOCK_SIZE": [64, 128, 256], "GEMM_SIZE": [4, 8, 16], "REGISTER_VECTORS": [1, 2, 4]},
            "single": {"BLOCK_SIZE": [32, 64, 128, 256], "GEMM_SIZE": [4, 8, 16], "NUM_REPLICATIONS": COPIES},
        },
        records={"gemm": "GFLOP/s"},
        keys=Keys({"gemm": "DGEMM_Gflops"}, {"DGEMM_N": "MATRIX_SIZE"}),
    ),
    "hpl": Benchmark(
        Design(("hpl_update",), {}, {"a": 0, "diagonal": 1, "left": 1, "top": 1}),
        {
            "cpu": {
                "LOCAL_MEM_BLOCK_LOG": [5, 6, 7, 8, 9],
                "REGISTER_BLOCK_LOG": [2, 3, 4],
                "NUM_REPLICATIONS": [1, 2],
            },
            "gpu": {"LOCAL_MEM_BLOCK_LOG": [5, 6, 7], "REGISTER_BLOCK_LOG": [2, 3, 4]},
            "single": {
                "LOCAL_MEM_BLOCK_LOG": [5, 6, 7, 8],
                "REGISTER_BLOCK_LOG": [2, 3, 4],
                "NUM_REPLICATIONS": COPIES,
            },
        },
        Growth("MATRIX_SIZE", of_all=True, power=0.5, logs=("LOCAL_MEM_BLOCK_LOG",)),
        records={"hpl": "GFLOP/s"},
        predicted=True,
    ),
    "random_access": Benchmark(
        Design(("random_access",), {"table": 0, "seeds": 0}, {}),
        {
            "cpu": {"HPCC_FPGA_RA_RNG_COUNT_LOG": [4, 6, 8, 10, 12], "NUM_REPLICATIONS": [1, 2]},
            "gpu": {"HPCC_FPGA_RA_RNG_COUNT_LOG": [14, 16, 18, 19, 20, 22]},
            "single": {
                "HPCC_FPGA_RA_RNG_COUNT_LOG": [0, 1, 2, 3, 4],
                "HPCC_FPGA_RA_DEVICE_BUFFER_SIZE_LOG": [0, 2, 4, 6],
                "HPCC_FPGA_RA_RNG_DISTANCE": [1, 2, 4],
                "NUM_REPLICATIONS": COPIES,
            },
        },
        Growth("TABLE_SIZE_LOG", of_all=True, logarithm=True),
        from_memory=True,
        records={"random_access": "GUP/s"},
        keys=Keys(more=random_access_keys),
    ),
    "ptrans": Benchmark(
        Design(("transpose",), {}, {"a": 0, "received": 0, "b": 1, "sources": 1, "c": 2}),
        {
            "cpu": {"BLOCK_SIZE": [16, 32, 64, 128, 256], "NUM_REPLICATIONS": [1, 2]},
            "gpu": {"BLOCK_SIZE": [32, 64, 128, 256]},
            "single": {"BLOCK_SIZE": [64, 128, 256], "CHANNEL_WIDTH": [4, 8, 16, 32], "NUM_REPLICATIONS": COPIES},
        },
        Growth("MATRIX_SIZE", of_all=True, power=0.5, blocks=("BLOCK_SIZE",)),
        from_memory=True,
        records={"ptrans": "GB/s", "ptrans.flops": "GFLOP/s", "ptrans.traffic": "GB/s"},
        keys=Keys(sizes={"PTRANS_n": "MATRIX_SIZE", "PTRANS_nb": "BLOCK_SIZE"}, more=ptrans_keys),
    ),
    "b_eff": Benchmark(
        records={f"b_eff.{2**log}B": "GB/s" for log in range(21)} | {"b_eff.latency": "us", "b_eff": "GB/s"}
    ),
}


def benchmark_of(name: str) -> Benchmark:
    """The benchmark of that name; an IsthmusError with the nearest where there is none."""
    if name not in BENCHMARKS:
        raise unknown("benchmark", name, list(BENCHMARKS))
    return BENCHMARKS[name]


def design_of(name: str) -> Design:
    """The design of a benchmark; an IsthmusError for one whose base run is host code alone."""
    design = benchmark_of(name).design
    if design is None:
        known = ", ".join(other for other, row in BENCHMARKS.items() if row.design)
        raise IsthmusError(
            f"{name}: expected a benchmark with a kernel: {known}",
            hint=f"the base run of {name} needs only host code (meyer2024 table 4.6).",
        )
    return design


def space_of(name: str, form: str) -> Space:
    """The values to try of a benchmark whose kernels have a form: cpu, gpu or single."""
    spaces = benchmark_of(name).spaces
    if not spaces:
        known = ", ".join(other for other, row in BENCHMARKS.items() if row.spaces)
        raise IsthmusError(f"{name}: expected a benchmark with something to tune: {known}")
    return spaces[form]


def rated(name: str) -> str:
    """The record that stands for a benchmark: tuning makes it as large as possible."""
    return BENCHMARKS.get(name, Benchmark()).rated or name
