"""The list of commands. A module is imported when its command is asked for: help needs none of them."""

from dataclasses import dataclass, field

from isthmus.results.kinds import commands

SUMMARY = "Measure, model and compare how data crosses between a CPU and an FPGA, and choose from the results."
EXAMPLES = [
    "isthmus devices",
    "isthmus run image-filter --on model:aws-f1 --flow stream",
    "isthmus study image-filter",
]
OPTIONS = {
    "--version": "Print the version, commit, compiler, OpenCL and MPI.",
    "--cmake-prefix": "Print the folder that CMAKE_PREFIX_PATH needs for find_package(Isthmus).",
    "-h": "Show a short help.",
    "--help": "Show the whole help.",
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
        """The words that a user types for this command NAME, or for each command of the folder NAME."""
        own = [[name]] if self.itself or not self.members else []
        return own + [[name, member] for member in self.members]


COMMANDS = {
    "devices": CommandEntry("List the OpenCL devices of this machine, as targets."),
    "run": CommandEntry("Run an application on one target, in one flow."),
    "study": CommandEntry("Run an application on several targets in several flows, and name the best."),
    "sweep": CommandEntry("Run a study at many values of platform keys and parameters, and name the best."),
    "probe": CommandEntry("Measure how fast data crosses between host and device, by size."),
    "explain": CommandEntry("Find why a measured rate is low: rank causes by how well a model with them fits."),
    "hpcc": CommandEntry(
        "Run HPC Challenge for accelerators on one OpenCL device or many.",
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
    "advise": CommandEntry("Choose a board and a flow for an application that a file describes."),
    "record": CommandEntry("Record the transfers, kernels and gaps of any OpenCL program, unchanged.", results=False),
    "reproduce": CommandEntry("Compare published numbers with those of the models, and score the models."),
    "compare": CommandEntry("Compare two files of results."),
    "calibrate": CommandEntry("Fit a platform file to what was measured of a device."),
    "report": CommandEntry(
        "Write results as one HTML file: verdict, tables, curves, timelines, inputs.", results=False
    ),
    "history": CommandEntry(f"List and compare the kept runs of {commands(lambda kind: kind.kept, 'and')}."),
    "doctor": CommandEntry("Check what is installed and what is missing, and say what to do about it."),
    "new": CommandEntry("Write a project of your own: an actor, its program, a test and a study.", results=False),
    "platform": CommandEntry(
        "List the modelled boards, show the numbers of each, and write new ones.",
        {
            "show": Member("show", "SHOW_EXAMPLES"),
            "new": Member("new", "NEW_EXAMPLES", results=False),
            "list": Member("list_platforms", "LIST_EXAMPLES"),
        },
    ),
    "config": CommandEntry(
        "Show the defaults of options, and whether a file or the environment sets them.", {"show": Member("show")}
    ),
}
