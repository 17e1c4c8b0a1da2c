"""Ranks see the devices that the command sees, or a line says that they do not."""

from pathlib import Path

import pytest
from tests.python.conftest import Isthmus, program
from tests.python.hpcc_records import place
from tests.python.test_hpcc import SMALL, sets

from isthmus.base.errors import IsthmusError
from isthmus.hpcc import sight
from isthmus.hpcc.launch import launch_of, launch_on
from isthmus.records.hpcc import HpccPlace

SEEN = [
    {"target": "opencl:0", "name": "Fake", "platform": "Makers"},
    {"target": "opencl:1", "name": "Other", "platform": "Makers"},
]


def places(*devices: tuple[str, str]) -> list[HpccPlace]:
    return [
        HpccPlace.model_validate(place(rank) | {"target": target, "device": device})
        for rank, (target, device) in enumerate(devices)
    ]


def test_what_a_launcher_cuts_reaches_the_ranks_whole(real: Isthmus, tmp_path: Path) -> None:
    blind = program(tmp_path / "blind", 'export OCL_ICD_VENDORS=/nowhere\nexec mpirun --quiet --oversubscribe -n "$@"')
    words = ("hpcc", "stream", "--launcher", f"{blind} {{ranks}}", "-n", "2", *SMALL, *sets("stream"), "-q")
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    del real.environment["OCL_ICD_VENDORS"]
    hidden = real(*words, **root)
    assert hidden.returncode == 2, "the stand-in hides every driver"
    (line,) = (line for line in hidden.stderr.splitlines() if line.startswith("error: "))
    assert line.startswith("error: ranks see no OpenCL device, and ")
    assert line.endswith(", ".join(sight.VARIABLES))
    real.well(*words, **root, OCL_ICD_VENDORS="/etc/OpenCL/vendors")


@pytest.mark.parametrize("name", sight.VARIABLES)
def test_each_variable_is_handed_on_with_all_of_its_list(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "/one.so:/two.so")
    for launch in (launch_of(2), launch_on("here", 2, "mpirun")):
        words = list(launch.command(["tool"]))
        assert words[words.index("env") : -1] == ["env", f"{name}=/one.so:/two.so"]
    assert list(launch_of(1).command(["tool"])) == ["tool"]


def test_a_rank_with_another_device_is_named_and_one_elsewhere_is_not() -> None:
    assert sight.other_devices(places(("opencl:0", "Fake"), ("opencl:1", "Other")), "vm", SEEN) is None
    line = sight.other_devices(places(("opencl:0", "Fake"), ("opencl:1", "Third")), "vm", SEEN)
    assert line is not None
    assert line.startswith("rank 1 has Third as opencl:1, which here is Other: what starts the ranks")
    assert sight.other_devices(places(("opencl:1", "Third")), "another", SEEN) is None
    assert sight.other_devices(places(("opencl:fak", "Fake")), "vm", SEEN) is None


def test_a_target_that_only_the_command_sees_gets_the_reason_however_the_error_reads() -> None:
    there = [SEEN[0]]
    error = IsthmusError("another failure")
    for target in ("opencl:1", "opencl:oth"):
        known = sight.with_reason(error, ["opencl:0", target], SEEN, there)
        assert str(known).startswith(f"{target} is here, and ranks do not see it: ")
    for target in ("opencl:0", "opencl:makers", "opencl:2", "opencl:third"):
        assert sight.with_reason(IsthmusError(f"unknown target '{target}'"), [target], SEEN, there).args == (
            f"unknown target '{target}'",
        )
    assert sight.with_reason(error, ["opencl:1"], SEEN, SEEN) is error


def test_ranks_without_a_device_get_the_reason_where_the_command_has_one() -> None:
    error = IsthmusError("nothing is here")
    known = sight.with_reason(error, ["opencl:0"], SEEN, [])
    assert str(known).startswith("ranks see no OpenCL device, and Fake is here: what starts")
    assert sight.with_reason(error, ["opencl:0"], [], []) is error
