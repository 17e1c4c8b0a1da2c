"""A project of one's own, built outside the tree with the installed package, as a user does it."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from tests.python.conftest import EXPLAINED, Isthmus
from tests.python.test_schemas import check

import isthmus as package
from isthmus import IsthmusError
from isthmus.base.files import write_atomically
from isthmus.base.flows import FLOWS, SHARED

CROSSING = [flow for flow in FLOWS if flow != SHARED]  # of boards with memory of their own
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def shell(command: str, folder: Path, **environment: str) -> str:
    """The standard output of a command, which must end well."""
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env={**os.environ, "PATH": PATH, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new project, built."""
    folder = tmp_path_factory.mktemp("projects")
    shell("isthmus new my-app", folder)
    shell("cmake -B build && cmake --build build", folder / "my-app")
    return folder / "my-app"


def test_a_new_project_builds_and_its_tests_pass(project: Path) -> None:
    assert "100% tests passed" in shell("ctest --test-dir build", project)


@pytest.mark.parametrize(
    ("target", "flow"),
    [
        ("native", "stream"),
        ("opencl:0", "offload"),
        ("opencl:0", "overlap"),
        ("model:xeon-fpga-v1", "shared"),
        *((f"model:{board}", flow) for board in ("aws-f1", "alpha-data-7v3") for flow in CROSSING),
    ],
)
def test_its_program_runs_on_threads_devices_and_models(project: Path, target: str, flow: str) -> None:
    request = json.dumps({"on": target, "flow": flow, "count": 30})
    words = f"build/my-app '{request}'"
    lines = [json.loads(line) for line in shell(words, project).splitlines()]
    (row,) = (line for line in lines if line["event"] == "row")
    assert (row["application"], row["flow"], row["count"], row["verified"]) == ("my-app", flow, 30, True)
    assert row["kind"] == ("modelled" if target.startswith("model:") else "measured")


def test_the_command_runs_it(project: Path, real: Isthmus) -> None:
    program = str(project / "build" / "my-app")
    words = ("run", program, "--on", "model:aws-f1", "--flow", "stream", "--messages", "30")
    file = real.json(*words)
    check("run", file)
    (row,) = file["rows"]
    assert row["value"] == pytest.approx(30 / row["elapsed_s"])
    assert (row["unit"], row["images"], row["bytes_per_message"]) == ("messages/s", None, 65536)
    slow = real.json(*words, "--set", "kernel.clock=25MHz", **EXPLAINED)["rows"][0]
    assert slow["bottleneck"]["part"] == "running sum"
    assert slow["value"] < row["value"]


def test_the_study_that_comes_with_it_names_one_verdict(project: Path, real: Isthmus) -> None:
    shutil.copy(project / "study.toml", real.folder)
    (real.folder / "build").symlink_to(project / "build")
    real.well("study", "study.toml", "--messages", "20")
    file = real.read("out/study/study.json")
    check("study", file)
    boards = ["model:alpha-data-7v3", "model:aws-f1"]
    assert [(row["target"], row["flow"]) for row in file["rows"]] == [
        *((board, flow) for board in boards for flow in CROSSING),
        ("native", "stream"),
    ]
    assert all(row["verified"] for row in file["rows"])
    fastest = max(file["rows"], key=lambda row: row["value"])
    assert (file["verdict"]["target"], file["verdict"]["unit"]) == (fastest["target"], "messages/s")
    assert "messages/s" in (real.folder / "out" / "study" / "report.html").read_text()


def test_the_report_of_a_wrong_program_says_so(project: Path, real: Isthmus, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    shutil.copytree(project, wrong, ignore=shutil.ignore_patterns("build"))
    main = wrong / "main.cpp"
    main.write_text(main.read_text().replace("std::partial_sum(", "std::copy("))
    shell("cmake -B build && cmake --build build --target my-app", wrong)
    done = real("run", str(wrong / "build" / "my-app"), "--on", "native", "--messages", "3")
    assert done.returncode == 1
    assert "verification failed" in done.stderr
    assert done.stdout.startswith("WRONG, native stream: message 0 differs first at offset 2: expected 2, got 3; ")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--on", "opencl:0", "--flow", "stream"), "' has no flow 'stream' of 'my-app': expected offload or overlap"),
        (("--on", "native", "--images", "3"), "unknown option '--images'; help: "),
        (("--on", "native", "--flow", "offload"), "' has no flow 'offload' of 'my-app': expected stream"),
        (("--on", "native", "--flow", "steam"), "got 'steam'; help: did you mean 'stream'?"),
        (
            ("--on", "native", "--set", "link.pcie.lanes=8"),
            "target 'native' is this machine, only models have settings",
        ),
        (("--on", "model:aws-f1", "--set", "link.pcie.lanes=0"), "key 'link.pcie.lanes': expected 1..32, got 0"),
    ],
)
def test_what_a_program_cannot_do_is_one_line(
    project: Path, real: Isthmus, arguments: tuple[str, ...], complaint: str
) -> None:
    assert complaint in real.refusal("run", str(project / "build" / "my-app"), *arguments)


def test_a_path_that_is_no_program_is_refused(isthmus: Isthmus) -> None:
    (isthmus.folder / "text").write_text("")
    assert "program 'build/app': no such file; help: build it first." in isthmus("run", "build/app").stderr
    assert "program './text': cannot be run, it is not executable" in isthmus("run", "./text").stderr
    assert "program '/bin/true': does not say which application it is" in isthmus("run", "/bin/true").stderr


@pytest.mark.parametrize(
    ("application", "complaint"),
    [
        ('program = "app"', "s.toml:2: program './app': no such file; help: build it first."),
        (
            'program = "app"\nname = "image-filter"',
            "s.toml:2: key 'application.name', 'application.program' or 'application.description': expected",
        ),
        (
            "images = 3",
            "s.toml:1: key 'application.name', 'application.program' or 'application.description': expected",
        ),
        (
            'name = "image-filter"\nmessages = 3',
            "s.toml:3: key 'application.messages': 'image-filter' counts images, expected 'application.count'",
        ),
        (
            'program = "app"\nmessages = 0',
            "s.toml:3: key 'application.messages': expected a whole number from 1 to 2147483647",
        ),
    ],
)
def test_a_study_names_one_application(isthmus: Isthmus, application: str, complaint: str) -> None:
    (isthmus.folder / "s.toml").write_text(f'[application]\n{application}\n[study]\ntargets = ["native"]\n')
    assert complaint in isthmus.refusal("study", "s.toml")


def test_nothing_is_written_over(isthmus: Isthmus) -> None:
    assert isthmus("new", "app").returncode == 0
    (isthmus.folder / "file").write_text("")
    (isthmus.folder / "empty").mkdir()
    assert isthmus("new", "empty").returncode == 0
    for name, complaint in [
        ("app", "app: is there already, and not empty"),
        ("file", "file: is there already, and no folder"),
        ("7up", "DIR: expected a name that begins with a letter, got '7up'"),
    ]:
        assert isthmus.refusal("new", name) == complaint


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        *((name, "CMake") for name in ("test", "all", "install", "clean", "help", "package")),
        *((name, "C++") for name in ("std", "int", "class", "while")),
        ("isthmus", "the project itself"),
    ],
)
def test_a_reserved_name_is_refused(isthmus: Isthmus, name: str, owner: str) -> None:
    for typed in (name, f"a/{name.upper()}"):
        told = isthmus.refusal("new", typed)
        assert told == f"DIR: '{name}' is a name of {owner}; help: another folder, as in 'my-{name}'."
    assert not (isthmus.folder / name).exists()
    assert isthmus("new", f"my-{name}").returncode == 0


@pytest.mark.parametrize("last", ["main.cpp", "running_sum.cl", "test.cpp"])
@pytest.mark.parametrize("there", [False, True])
def test_a_project_that_cannot_be_written_whole_leaves_nothing_behind(isthmus: Isthmus, there: bool, last: str) -> None:
    folder = isthmus.folder / "app"
    if there:
        folder.mkdir()

    def full(path: Path, text: str) -> None:
        if path.name == last:
            raise IsthmusError(f"{path}: cannot write: No space left on device")
        write_atomically(path, text)

    with mock.patch("isthmus.project.new.write_atomically", full):
        told = isthmus.refusal("new", "app")
    assert re.fullmatch(rf"app/(kernels/)?{last}: cannot write: No space left on device", told)
    assert folder.exists() is there
    assert not there or not any(folder.iterdir())


def test_an_empty_folder_is_filled_under_its_own_name(isthmus: Isthmus) -> None:
    folder = isthmus.folder / "My App"
    folder.mkdir()
    assert isthmus("new", ".").returncode == 2, "this folder holds something"
    assert isthmus("new", "My App").returncode == 0
    assert "project(my-app " in (folder / "CMakeLists.txt").read_text()
    assert not any("@" in path.read_text() for path in folder.rglob("*") if path.is_file())
    assert (folder / ".gitignore").is_file()


CONSUMER = """\
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES CXX)
find_package(Isthmus REQUIRED{components})
{rest}
"""


def configure(folder: Path, components: str, rest: str) -> "subprocess.CompletedProcess[str]":
    """Configures a project that uses the installed package."""
    (folder / "CMakeLists.txt").write_text(CONSUMER.format(components=components, rest=rest))
    words = ["cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={package.cmake_prefix()}"]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("example", "components", "target"),
    [("pcie_reader", "", "fabric"), ("both_back_ends", " COMPONENTS stream", "stream")],
    ids=["all components", "stream, which brings the back end on threads along"],
)
def test_an_example_builds_with_the_installed_package(
    tmp_path: Path, tree: Path, example: str, components: str, target: str
) -> None:
    folder = tree / "examples" / example
    rest = (
        f"add_executable(example {folder}/main.cpp)\ntarget_link_libraries(example PRIVATE Isthmus::{target} fmt::fmt)"
    )
    assert configure(tmp_path, components, rest).returncode == 0
    shell("cmake --build build", tmp_path)
    assert shell("build/example", tmp_path) == (folder / "expected.txt").read_text()


def test_an_unknown_component_gets_the_known_ones(tmp_path: Path) -> None:
    done = configure(tmp_path, " COMPONENTS streem", "")
    assert done.returncode != 0
    assert "component 'streem': expected one of base, engine, stream," in " ".join(done.stderr.split())


def test_a_component_brings_only_what_it_needs(tmp_path: Path) -> None:
    rest = "if(TARGET OpenCL::OpenCL OR TARGET OpenSSL::Crypto)\nmessage(FATAL_ERROR excess)\nendif()"
    assert configure(tmp_path, " COMPONENTS engine", rest).returncode == 0
    assert "excess" in configure(tmp_path, " COMPONENTS offload", rest).stderr


def test_actors_of_a_project_meet_the_guard_of_their_stack() -> None:
    """A step with a large local array touches each page of it: the flag goes with the package's targets."""
    targets = package.cmake_prefix() / "lib" / "cmake" / "Isthmus" / "IsthmusTargets.cmake"
    engine = targets.read_text().split("set_target_properties(Isthmus::engine ")[1].split(")\n")[0]
    assert "-fstack-clash-protection" in engine


def test_the_package_may_be_moved(tree: Path) -> None:
    files = list(package.cmake_prefix().rglob("*.cmake"))
    assert "IsthmusTargets.cmake" in [file.name for file in files]
    for file in files:
        assert str(tree) not in file.read_text()
        assert str(package.cmake_prefix()) not in file.read_text()


def test_the_shell_and_python_name_the_same_folder(isthmus: Isthmus) -> None:
    assert isthmus("--cmake-prefix").stdout == f"{package.cmake_prefix()}\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(package, "__file__", "/nowhere/isthmus/__init__.py")
        with pytest.raises(IsthmusError, match="no CMake package here"):
            package.cmake_prefix()
