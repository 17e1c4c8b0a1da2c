"""The page of coverage: each of its commands can be run."""

import re
import shlex

import pytest
from tests.python.conftest import Isthmus

from isthmus.reproduction import coverage
from isthmus.reproduction.published import read_papers

PAGE = coverage.document()
COMMANDS = list(dict.fromkeys(re.findall(r"`isthmus ([^`]+)`", PAGE.split("\n## ", 1)[1])))


def test_every_measured_number_has_a_place_on_the_page() -> None:
    papers = read_papers()
    for name, paper in papers.items():
        section = PAGE.split(f"\n## {name}: ")[1].split("\n## ")[0]
        counts = re.findall(r"\| (\d+) of (\d+) \|", section)
        measured = [row for row in paper.row if row.kind in ("output", "claim")]
        drawn = [row for row in paper.row if row.kind == "outside" and row.place[0].startswith("fig")]
        assert sum(int(all_) for _, all_ in counts) == len(measured) + len(drawn)
        given = [row for row in measured if row.experiment or row.same_as]
        assert sum(int(compared) for compared, _ in counts) == len(given)


def test_a_place_without_a_command_says_not_yet() -> None:
    for line in PAGE.splitlines():
        if line.startswith("| ") and not line.startswith("| place"):
            assert "`isthmus " in line or "not yet: " in line, line


@pytest.mark.parametrize("words", COMMANDS)
def test_its_commands_can_be_run(real: Isthmus, words: str) -> None:
    assert real.well(*shlex.split(words), "--dry-run").stdout


@pytest.mark.parametrize(
    ("experiment", "words"),
    [
        ("probe:a:h2d:64MiB@host.copy.enabled=false,channel=x,access=read",
         "probe model:a h2d --sizes 64MiB --set host.copy.enabled=false --channel x"),
        ("application:a:hash-lookup:stream:value@load=0.1,count=7",
         "run hash-lookup --on model:a --flow stream --set load=0.1 --count 7"),
        ("accesses:a:device-read:4MiB:64B", "probe model:a device-read --sizes 4MiB --burst 64B"),
        ("rate:a:offload:host to device copy", "run image-filter --on model:a --flow offload --fine"),
    ],
)  # fmt: skip
def test_an_experiment_is_a_command(experiment: str, words: str) -> None:
    assert coverage.command_of(experiment) == words.split()


def test_what_only_reproduce_does_is_no_command_of_its_own() -> None:
    assert coverage.command_of("claim:falls_off:ibm-capi:shared-read:4MiB") is None


def test_what_run_has_an_option_for_is_no_parameter() -> None:
    words = coverage.command_of(
        "application:zynq-ultrascale:sgemm:shared:elapsed_s@size=256,method=acp,delay=1,count=2"
    )
    assert shlex.join(words or []) == (
        "run sgemm --on model:zynq-ultrascale --flow shared --set size=256 --method acp --delay 1 --count 2"
    )
