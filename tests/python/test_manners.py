"""What every command has in common: help, version, colour, progress, errors."""

import os
import pty
import subprocess
import sys

import pytest
from tests.python.conftest import Isthmus

from isthmus.calibration.device_curves import read_measured
from isthmus.cli.commands import COMMANDS
from isthmus.show.progress import Progress

WORDS = [words for name, known in COMMANDS.items() for words in known.words(name)]


def test_alone_it_prints_ten_lines_with_three_examples(isthmus: Isthmus) -> None:
    done = isthmus.well()
    assert len(done.stdout.splitlines()) <= 10
    assert sum(line.startswith("  isthmus ") for line in done.stdout.splitlines()) == 3


@pytest.mark.parametrize("command", [[], *WORDS, ["platform"], ["config"]])
def test_help_has_its_examples_first(isthmus: Isthmus, command: list[str]) -> None:
    short, whole = isthmus(*command, "-h"), isthmus(*command, "--help")
    for done in (short, whole):
        assert done.returncode == 0
        assert done.stdout.index("Examples:\n  ") < done.stdout.index("Usage: isthmus")
    assert len(whole.stdout) > len(short.stdout)
    assert "130 after Ctrl-C" in whole.stdout
    assert max(map(len, whole.stdout.splitlines())) <= 100


@pytest.mark.parametrize(
    ("command", "option", "names"),
    [
        ("run", "--method", ("hp-nc", "hp-c", "hpc", "acp", "tree")),
        ("explain", "--port", ("hp", "hpc", "acp")),
        ("probe", "--port", ("hp", "hpc", "acp")),
    ],
)
def test_help_says_of_each_method_and_port_what_it_is(
    isthmus: Isthmus, command: str, option: str, names: tuple[str, ...]
) -> None:
    page = " ".join(isthmus(command, "--help").stdout.partition(f"\n  {option} ")[2].split())
    text = page.partition(" --")[0]
    assert all(f" {name} (" in text for name in names), text


def test_the_overview_says_of_each_command_what_its_own_help_says_first(isthmus: Isthmus) -> None:
    for name, known in COMMANDS.items():
        assert isthmus(name, "-h").stdout.startswith(f"isthmus {name}: {known.summary}\n")
        assert f" {known.summary}\n" in isthmus("--help").stdout


def test_version_names_commit_compiler_opencl_and_mpi(isthmus: Isthmus) -> None:
    words = [line.split()[0] for line in isthmus("--version").stdout.splitlines()]
    assert words == ["isthmus", "commit", "compiler", "OpenCL", "MPI"]


def test_an_unknown_command_gets_the_nearest(isthmus: Isthmus) -> None:
    assert isthmus("studdy").stderr == "error: unknown command 'studdy'; help: did you mean 'study'?\n"
    assert isthmus("platform", "shw").stderr == "error: unknown command 'shw'; help: did you mean 'show'?\n"
    assert isthmus("studdy").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("run", "--cuont", "3"), "unknown option '--cuont'; help: did you mean '--count'?"),
        (
            ("run", "--nosuch"),
            "unknown option '--nosuch'; help: 'isthmus run APP --help' lists what an application takes.",
        ),
        (("run", "--count"), "option '--count' requires an argument; help: see 'isthmus -h'."),
        (("doctor", "now"), "unexpected argument 'now'; help: see 'isthmus doctor -h'."),
        (("compare", "a", "b", "c", "d"), "unexpected argument 'c'; help: see 'isthmus compare -h'."),
        (("compare", "a"), "missing argument 'NEW'; help: see 'isthmus compare -h'."),
    ],
)
def test_words_that_make_no_command_get_one_line(isthmus: Isthmus, arguments: tuple[str, ...], complaint: str) -> None:
    assert isthmus.refusal(*arguments) == complaint


def test_a_traceback_is_shown_only_with_debug(isthmus: Isthmus) -> None:
    arguments = ("run", "image-filter", "--on", "model:none")
    assert "Traceback" not in isthmus(*arguments).stderr
    assert "Traceback" in isthmus(*arguments, "--debug").stderr
    assert "Traceback" in isthmus(*arguments, ISTHMUS_DEBUG="1").stderr


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        ("import isthmus", {"pydantic", "rich", "typer", "json"}),
        ("run([])", {"typer", "pydantic", "rich", "json", "subprocess"}),
        ("run(['--help'])", {"typer", "isthmus.cli.study"}),
        ("run(['run', '--help'])", {"pydantic", "rich", "jinja2", "numpy"}),
    ],
)
def test_what_needs_little_loads_nothing_of_weight(isthmus: Isthmus, code: str, heavy: set[str]) -> None:
    start = "from isthmus.cli.main import run\n" if code.startswith("run") else ""
    words = [sys.executable, "-c", f"import sys\n{start}{code}\nprint(sorted({heavy} & set(sys.modules)))"]
    done = subprocess.run(words, env=isthmus.environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def on_a_terminal(isthmus: Isthmus, *arguments: str, **environment: str) -> str:
    """What the command writes to a terminal that is both its stdout and its stderr."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "isthmus", *arguments],
        cwd=isthmus.folder,
        env={"TERM": "xterm-256color", **isthmus.environment, **environment},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    text = b""
    while True:
        try:
            block = os.read(ours, 4096)
        except OSError:  # How Linux says that the other end of a terminal is closed.
            break
        text += block
    os.close(ours)
    assert process.wait() == 0
    return text.decode()


RUN = ("run", "image-filter", "--on", "model:aws-f1")


def test_colour_is_for_terminals_that_want_it(isthmus: Isthmus) -> None:
    assert "\x1b[" in on_a_terminal(isthmus, *RUN)
    assert "\x1b[" not in on_a_terminal(isthmus, *RUN, NO_COLOR="1")
    assert "\x1b[" not in on_a_terminal(isthmus, *RUN, TERM="dumb")
    assert "\x1b[" not in on_a_terminal(isthmus, *RUN, "--color", "never")
    assert "\x1b[" not in isthmus(*RUN).stdout
    assert "\x1b[" in isthmus(*RUN, "--color", "always").stdout


class Terminal:
    """A stream that says that it is a terminal, and a clock that is set by hand."""

    def __init__(self, terminal: bool = True) -> None:
        self.text = ""
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        pass


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr("isthmus.show.progress.time.monotonic", lambda: now[0])
    return now


def test_progress_begins_after_two_seconds_and_tells_what_is_left(clock: list[float]) -> None:
    terminal = Terminal()
    progress = Progress(True, terminal)  # type: ignore[arg-type]
    progress.update("images", 0, 100)
    clock[0] += 1.9
    progress.update("images", 19, 100)
    assert terminal.text == ""
    clock[0] += 0.6
    progress.update("images", 25, 100)
    assert terminal.text == "\rimages: 25 of 100, 8 s left"
    progress.wipe()
    assert terminal.text.endswith("\r" + " " * 27 + "\r")


def test_progress_in_a_file_is_one_line_a_minute(clock: list[float]) -> None:
    stream = Terminal(False)
    with Progress(True, stream) as progress:  # type: ignore[arg-type]
        for second in range(150):
            progress.update("images", second, 300)
            clock[0] += 1
    assert stream.text == "images: 60 of 300, 4 min left\nimages: 120 of 300, 3 min left\n"


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_silent_when_unwanted(clock: list[float], terminal: bool) -> None:
    stream = Terminal(terminal)
    progress = Progress(False, stream)  # type: ignore[arg-type]
    clock[0] += 100
    progress.update("images", 25, 100)
    progress.wipe()
    assert stream.text == ""


@pytest.mark.parametrize(
    "words",
    [
        ("run", "image-filter", "--on", "model:aws-f1", "--json", "file/a.json"),
        ("run", "image-filter", "--on", "model:aws-f1", "--trace", "file/a.trace"),
        ("study", "image-filter", "--csv", "file/a.csv"),
        ("study", "image-filter", "--out", "file/out"),
        ("probe", "opencl:0", "--jsonl", "file/a.jsonl"),
        ("reproduce", "--json", "file/a.json"),
        ("calibrate", "file/a.toml", "--from", "records.json"),
        ("platform", "show", "model:aws-f1", "--json", "file/a.json"),
        ("platform", "new", "mine", "--out", "file/a.toml"),
        ("devices", "--json", "file/a.json"),
        ("report", "records.json", "-o", "file/a.html"),
        ("hpcc", "stream", "--json", "file/a.json"),
        ("hpcc", "stream", "--summary", "file/a.txt"),
        ("hpcc", "scale", "stream", "--csv", "file/a.csv"),
        ("hpcc", "job", "stream", "--out", "file/a.sh"),
        ("hpcc", "build", "stream", "--for", "opencl", "--out", "file/out"),
        ("record", "-o", "file/a.json", "--", "true"),
        ("record", "--trace", "file/a.trace", "--", "true"),
    ],
    ids=lambda words: " ".join(words),
)
def test_a_place_that_cannot_be_written_is_refused_before_the_work(isthmus: Isthmus, words: tuple[str, ...]) -> None:
    for name in ("file", "records.json"):
        (isthmus.folder / name).write_text("")
    assert "cannot write: Not a directory" in isthmus.refusal(*words, FAKE_LOG=str(isthmus.folder / "log"))
    assert not (isthmus.folder / "log").exists(), "nothing has run"


MARK = b"\xef\xbb\xbf"


def test_every_file_that_is_read_may_begin_with_a_byte_order_mark(isthmus: Isthmus) -> None:
    def marked(name: str, text: bytes) -> str:
        (isthmus.folder / name).write_bytes(MARK + text)
        return name

    assert isthmus("probe", "opencl:0", "h2d", "--sizes", "4KiB,64KiB", "--json", "plain.json", "-q").returncode == 0
    records = marked("records.json", (isthmus.folder / "plain.json").read_bytes())
    study = marked("marked.toml", b'[application]\nname = "image-filter"\n[study]\ntargets = ["native"]\n')
    marked("isthmus.toml", b"images = 3\n")
    assert isthmus.json("run", "image-filter", "--on", "native")["rows"][0]["images"] == 3
    assert "image-filter on native, stream, 3 images" in isthmus("study", study, "--dry-run").stdout
    assert isthmus("study", "--list").stdout.splitlines()[0] == study
    assert isthmus("report", records).returncode == 0
    assert isthmus("compare", records, records).returncode == 0
    assert read_measured([isthmus.folder / records]).device
