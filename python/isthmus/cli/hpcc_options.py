"""Options that the commands around HPC Challenge share, and the request to `isthmus-hpcc` that they become."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from isthmus.cli.command import counting, given, plain
from isthmus.running.tools import Request, as_sets, request_of, value_of
from isthmus.show.session import Session

if TYPE_CHECKING:
    from isthmus.hpcc.power.watch import Watch
    from isthmus.hpcc.tuning.tune import TuningRequest

Ranks = Annotated[int, counting("-n --ranks R", "Number of MPI ranks, one for each device. [default: 1]")]
On = Annotated[str, plain("--on TARGET", "Devices, separated by commas: opencl:N or opencl:NAME. [default: opencl:0]")]
Variant = Annotated[
    str | None,
    plain(
        "--variant single|ndrange",
        "Kernels: single (one work-item, for FPGAs) or ndrange (many, for CPUs and GPUs). [default: by device]",
    ),
]
Shape = Annotated[str | None, plain("--shape cpu|gpu", "Work-group shape of ND-range kernels. [default: by device]")]
Sets = Annotated[list[str] | None, plain("--set NAME=VALUE", "Set a parameter of the benchmark, such as BLOCK_SIZE.")]
For = Annotated[str | None, plain("--for DURATION", "Burn-in: repeat for this time, such as 30m, and report drift.")]
Kernel = Annotated[str | None, plain("--kernel FILE", "OpenCL file of your own kernels, with the same arguments.")]
Binary = Annotated[str | None, plain("--binary FILE", "Run this compiled binary: .aocx or .xclbin.")]


@dataclass(frozen=True)
class RunOptions:
    """The options that choose a run of a benchmark; hpcc, tune and scale share them."""

    on: On = "opencl:0"
    size: str = given(
        plain("--size small|standard", "Problem size; small takes at most 64 MiB and 10 s. [default: standard]"),
        "standard",
    )
    variant: Variant = None
    optimized: bool = given(plain("--optimized", "Do HPC Challenge's optimized run. [default: the base run]"), False)
    sets: Sets = None
    scheme: str | None = given(
        plain(
            "--scheme NAME",
            "How ranks exchange data: staged (copies and MPI in turn), pipelined (in pieces, through pinned memory), "
            "shared (through memory that the ranks of one host share), mapped (MPI on mapped buffers, if device and "
            "host have one memory) or cpu (no device takes part). [default: staged; optimized: the best]",
        )
    )

    def request(self, benchmark: str) -> Request:
        """The request to `isthmus-hpcc`."""
        options = {"BENCH": benchmark, "on": self.on, "size": self.size, "variant": self.variant}
        return request_of(
            {**options, "scheme": self.scheme, "set": as_sets(self.sets or []), "optimized": self.optimized}
        )

    def run(self, benchmark: str, ranks: int, shape: str | None = None, grid: str | None = None) -> "TuningRequest":
        """The run for which parameters are tuned."""
        from isthmus.hpcc.tuning.tune import TuningRequest

        sets = tuple(self.sets or [])
        return TuningRequest(
            benchmark, self.on, self.size, self.variant, shape, self.optimized, ranks, grid, self.scheme, sets
        )


@dataclass(frozen=True)
class Placement:
    """The options for the number and the shape of the ranks; hpcc and tune share them."""

    ranks: Ranks = 1
    shape: Shape = None
    grid: str | None = given(plain("--grid PxQ", "Arrange the ranks in a grid of P x Q. [default: nearest to square]"))


@dataclass(frozen=True)
class MeasurementOptions:
    """The options for the measurement; hpcc and scale share them."""

    repeat: str | None = given(plain("--repeat N", "Number of repetitions; the best counts. [default: 10]"))
    share: bool = given(plain("--share", "Let several ranks share a device that cannot be divided."), False)
    launcher: str | None = given(
        plain("--launcher mpirun|srun|WORDS", "Command that starts the ranks; in WORDS {ranks} is their number.")
    )
    power_command: str | None = given(
        plain("--power-command CMD", "Command that prints the power drawn now, in W. [default: nvidia-smi or RAPL]")
    )
    no_power: bool = given(plain("--no-power", "Do not sample the power."), False)
    no_tuned: bool = given(plain("--no-tuned", "Ignore the parameters that 'hpcc tune' found for this device."), False)

    def request(self) -> Request:
        """The request to `isthmus-hpcc`."""
        return request_of({"repeat": value_of(self.repeat or ""), "share": self.share})

    def watch(self) -> "Watch":
        """Makes the watch that samples power during the run."""
        from isthmus.hpcc.power.watch import Watch

        return Watch(self.power_command, wanted=not self.no_power)


def tuned(session: Session, run: "TuningRequest") -> Request:
    """The request for the parameters that were tuned for such a run; a note names them."""
    from isthmus.hpcc.tuning.tune import tuned_before

    found = tuned_before(run)
    if found is None:
        return {}
    session.note(found.line())
    return found.request()
