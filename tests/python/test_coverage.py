"""The page of coverage: each of its commands can be run."""

import re
import shlex

import pytest
from tests.python.conftest import Isthmus

from isthmus.reproduction import coverage
from isthmus.reproduction.counterparts import Claim, Counterpart, Probed, Run
from isthmus.reproduction.papers import read_papers

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
        given = [row for row in measured if row.counterpart]
        assert sum(int(compared) for compared, _ in counts) == len(given)


def test_a_place_without_a_command_says_not_yet() -> None:
    for line in PAGE.splitlines():
        if line.startswith("| ") and not line.startswith("| place"):
            assert "`isthmus " in line or "not yet: " in line, line


@pytest.mark.parametrize("words", COMMANDS)
def test_its_commands_can_be_run(real: Isthmus, words: str) -> None:
    assert real.well(*shlex.split(words), "--dry-run").stdout


@pytest.mark.parametrize(
    ("counterpart", "words"),
    [
        (Probed("a", "h2d", "64MiB", "host.copy.enabled=false,channel=x,access=read"),
         "probe model:a h2d --sizes 64MiB --set host.copy.enabled=false --channel x"),
        (Run("a", "hash-lookup", "stream", "value", "load=0.1,count=7"),
         "run hash-lookup --on model:a --flow stream --set load=0.1 --count 7"),
        (Probed("a", "device-read", "4MiB", "burst=64B", tell="accesses"),
         "probe model:a device-read --sizes 4MiB --burst 64B"),
        (Run("a", "image-filter", "offload", "rate", stage="kernel"),
         "run image-filter --on model:a --flow offload --fine"),
        (Run("zynq-ultrascale", "sgemm", "shared", "elapsed_s", "size=256,method=acp,delay=1,count=2"),
         "run sgemm --on model:zynq-ultrascale --flow shared --set size=256 --method acp --delay 1 --count 2"),
    ],
)  # fmt: skip
def test_a_probe_or_run_is_a_command(counterpart: Counterpart, words: str) -> None:
    assert shlex.join(coverage.command_of(counterpart) or []) == words


def test_what_only_reproduce_does_is_no_command_of_its_own() -> None:
    assert coverage.command_of(Claim(lambda models: True)) is None
