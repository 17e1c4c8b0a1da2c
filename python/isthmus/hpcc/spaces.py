"""What `isthmus hpcc tune` tries: values of each benchmark's parameters, by the form of the kernels.

Sizes of a problem (LOG_FFT_SIZE, MATRIX_SIZE, ...) and the data type are not among them: another value is another task.
What a device does not take (local memory, work-groups, a block that does not divide) is refused by the run itself.
"""

from isthmus.errors import IsthmusError

Space = dict[str, list[int]]

COPIES = [1, 2, 4]

SPACES: dict[str, dict[str, Space]] = {
    "stream": {
        "cpu": {"DEVICE_BUFFER_SIZE": [2**log for log in range(10, 19, 2)], "VECTOR_COUNT": [4, 8, 16]},
        "gpu": {"VECTOR_COUNT": [1, 2, 4, 8], "GLOBAL_MEM_UNROLL": [1, 2, 4, 8]},
        "single": {
            "NUM_REPLICATIONS": COPIES,
            "VECTOR_COUNT": [4, 8, 16],
            "DEVICE_BUFFER_SIZE": [16, 64, 256, 1024],
            "GLOBAL_MEM_UNROLL": [1, 4],
        },
    },
    "random_access": {
        "cpu": {"HPCC_FPGA_RA_RNG_COUNT_LOG": [4, 6, 8, 10, 12], "NUM_REPLICATIONS": [1, 2]},
        "gpu": {"HPCC_FPGA_RA_RNG_COUNT_LOG": [14, 16, 18, 19, 20, 22]},
        "single": {
            "HPCC_FPGA_RA_RNG_COUNT_LOG": [0, 1, 2, 3, 4],
            "HPCC_FPGA_RA_DEVICE_BUFFER_SIZE_LOG": [0, 2, 4, 6],
            "HPCC_FPGA_RA_RNG_DISTANCE": [1, 2, 4],
            "NUM_REPLICATIONS": COPIES,
        },
    },
    "fft": {
        "cpu": {"NUM_REPLICATIONS": COPIES},
        "gpu": {"NUM_REPLICATIONS": COPIES},
        "single": {"NUM_REPLICATIONS": COPIES},
    },
    "gemm": {
        "cpu": {
            "BLOCK_SIZE": [128, 256, 512, 1024],
            "GEMM_SIZE": [4, 8, 16],
            "REGISTER_VECTORS": [1, 2, 4],
            "NUM_REPLICATIONS": [1, 2],
        },
        "gpu": {"BLOCK_SIZE": [64, 128, 256], "GEMM_SIZE": [4, 8, 16], "REGISTER_VECTORS": [1, 2, 4]},
        "single": {"BLOCK_SIZE": [32, 64, 128, 256], "GEMM_SIZE": [4, 8, 16], "NUM_REPLICATIONS": COPIES},
    },
    "hpl": {
        "cpu": {"LOCAL_MEM_BLOCK_LOG": [5, 6, 7, 8, 9], "REGISTER_BLOCK_LOG": [2, 3, 4], "NUM_REPLICATIONS": [1, 2]},
        "gpu": {"LOCAL_MEM_BLOCK_LOG": [5, 6, 7], "REGISTER_BLOCK_LOG": [2, 3, 4]},
        "single": {
            "LOCAL_MEM_BLOCK_LOG": [5, 6, 7, 8],
            "REGISTER_BLOCK_LOG": [2, 3, 4],
            "NUM_REPLICATIONS": COPIES,
        },
    },
    "ptrans": {
        "cpu": {"BLOCK_SIZE": [16, 32, 64, 128, 256], "NUM_REPLICATIONS": [1, 2]},
        "gpu": {"BLOCK_SIZE": [32, 64, 128, 256]},
        "single": {"BLOCK_SIZE": [64, 128, 256], "CHANNEL_WIDTH": [4, 8, 16, 32], "NUM_REPLICATIONS": COPIES},
    },
}

# The record that stands for a benchmark, where several do: what tuning makes as large as can be.
RATED = {"stream": "stream.triad"}


def space_of(benchmark: str, form: str) -> Space:
    """The values to try of a benchmark whose kernels have a form: cpu, gpu or single."""
    if benchmark not in SPACES:
        raise IsthmusError(f"{benchmark}: expected a benchmark with something to tune: {', '.join(SPACES)}")
    return SPACES[benchmark][form]
