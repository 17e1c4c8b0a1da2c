"""Which commands there are. A module is imported when its command is asked for: help needs none of them."""

from dataclasses import dataclass, field

from isthmus.results.kinds import commands

SUMMARY = "How data crosses between a CPU and an FPGA: seen, modelled, compared and chosen."
EXAMPLES = [
    "isthmus devices",
    "isthmus run image-filter --on model:aws-f1 --flow stream",
    "isthmus study image-filter",
]
OPTIONS = {
    "--version": "Version, commit, compiler, OpenCL, MPI.",
    "--cmake-prefix": "The folder for CMAKE_PREFIX_PATH, in which find_package(Isthmus) looks.",
    "-h": "A short help.",
    "--help": "The whole help.",
}


@dataclass(frozen=True)
class Member:
    """A command of a folder: its function, the name of its examples, and whether it has results to write.

    The function is in the folder's module, or in the module of its own that is named here.
    """

    function: str
    examples: str = "EXAMPLES"
    results: bool = True
    module: str | None = None


@dataclass(frozen=True)
class CommandEntry:
    """A command NAME: the function NAME of the module isthmus.cli.NAME; a folder of commands has members.

    A folder may be a command itself, where the first word after it names no member.
    """

    summary: str
    members: dict[str, Member] = field(default_factory=dict)
    results: bool = True
    itself: bool = False

    def words(self, name: str) -> list[list[str]]:
        """What is typed for this command NAME, or for each command of the folder NAME."""
        own = [[name]] if self.itself or not self.members else []
        return own + [[name, member] for member in self.members]


COMMANDS = {
    "devices": CommandEntry("The OpenCL devices of this machine, as targets."),
    "run": CommandEntry("An application on one target, in one flow."),
    "study": CommandEntry("An application on several targets in several flows, and one verdict."),
    "sweep": CommandEntry("A study at many values of platform keys and parameters, and what is best of them."),
    "probe": CommandEntry("How fast data crosses between host and device, by size."),
    "explain": CommandEntry("Why a measured number is so low: causes, by how well models with them give it."),
    "hpcc": CommandEntry(
        "HPC Challenge for accelerators, on one OpenCL device or many.",
        {
            "build": Member("build", module="hpcc_build"),
            "tune": Member("tune", module="hpcc_tune"),
            "scale": Member("scale", module="hpcc_scale"),
            "acceptance": Member("acceptance", module="hpcc_acceptance"),
            "job": Member("job", "JOB_EXAMPLES", False, "hpcc_files"),
            "reframe": Member("reframe", "REFRAME_EXAMPLES", False, "hpcc_files"),
        },
        itself=True,
    ),
    "advise": CommandEntry("Which board, and which way of feeding it, for an application that is described."),
    "record": CommandEntry("The transfers, kernels and gaps of any OpenCL program, unchanged.", results=False),
    "reproduce": CommandEntry("The published numbers beside ours, with the role of each and the score."),
    "compare": CommandEntry("Two files of results against each other."),
    "calibrate": CommandEntry("A platform file fitted to what was measured of a device."),
    "report": CommandEntry(
        "Records as one self-contained HTML file: verdict, tables, curves, timelines, inputs.", results=False
    ),
    "history": CommandEntry(f"Every run of {commands(lambda kind: kind.kept, 'and')} here, kept in one file."),
    "doctor": CommandEntry("What is installed, what is missing, and what to do about it."),
    "new": CommandEntry("A project of your own: an actor, its program, a test and a study.", results=False),
    "platform": CommandEntry(
        "The modelled boards: which there are, and the numbers that each is made of.",
        {
            "show": Member("show", "SHOW_EXAMPLES"),
            "new": Member("new", "NEW_EXAMPLES", results=False),
            "list": Member("list_platforms", "LIST_EXAMPLES"),
        },
    ),
    "config": CommandEntry("The settings: what they are and where they come from.", {"show": Member("show")}),
}
