"""Systems of boards, as files."""

from pathlib import Path

import pytest
from tests.python.conftest import TREE, Isthmus
from tests.python.test_schemas import check

SYSTEMS = sorted(str(path) for path in (TREE / "tests" / "systems").glob("*.toml"))
FOUR = str(TREE / "tests" / "systems" / "four-boards.toml")
TWO = str(TREE / "tests" / "systems" / "two-hosts.toml")


@pytest.mark.parametrize("file", SYSTEMS)
def test_a_system_is_shown_with_its_hosts_its_boards_and_its_wires(real: Isthmus, file: str) -> None:
    whole = real.json("platform", "show", file)
    check("system", whole)
    shown = real("platform", "show", file).stdout
    system = whole["system"]
    assert all(node["name"] in shown for node in system["nodes"])
    assert all(board["name"] in shown and board["platform"] in shown for board in system["boards"])
    assert f"{len(system['boards'])} boards, {len(system['wires'])} wires" in shown
    wired = {(wire["board"], wire["node"]) for wire in system["wires"]}
    assert wired == {(board["name"], board["node"]) for board in system["boards"]}


def test_each_board_is_the_one_that_its_platform_shows(real: Isthmus) -> None:
    alone = real.json("platform", "show", "model:aws-f1")["platform"]
    four = real.json("platform", "show", FOUR)["system"]
    assert [board["name"] for board in four["boards"]] == ["b0", "b1", "b2", "b3"]
    assert {board["sha256"] for board in four["boards"]} == {alone["sha256"]}
    of_host = [part for part in alone["parts"] if part["name"].startswith("host.")]
    assert [node["host"] for node in four["nodes"]] == [of_host]
    changed = real.json("platform", "show", "model:aws-f1", "--set", "kernel.clock=99MHz")["platform"]
    with_set = real.json("platform", "show", FOUR, "--set", "kernel.clock=99MHz")["system"]
    assert {board["sha256"] for board in with_set["boards"]} == {changed["sha256"]}


def test_of_a_board_with_wires_only_those_links_are_wired(real: Isthmus) -> None:
    wires = real.json("platform", "show", TWO)["system"]["wires"]
    assert [(wire["board"], wire["channel"]) for wire in wires] == [
        ("pair0", "vh0"), ("pair0", "narrow"), ("pair1", "narrow"), ("f1", "pcie"),
    ]  # fmt: skip


def test_what_is_wrong_with_a_system_is_one_line_with_its_place(real: Isthmus) -> None:
    text = Path(FOUR).read_text()
    for before, after, line, said in (
        ('node = "n0"', 'node = "n1"', 11, "key 'board.node': unknown node 'n1': expected n0"),
        ('platform = "aws-f1"', 'platform = "none.toml"', 10, "key 'board.platform': expected a platform file, got"),
        ("count = 4", "cuont = 4", 9, "unknown key 'board.cuont': expected board.name, board.count"),
    ):
        (real.folder / "broken.toml").write_text(text.replace(before, after))
        done = real("platform", "show", "broken.toml")
        assert done.returncode == 2
        assert done.stderr.startswith(f"error: broken.toml:{line}: {said}")
        assert done.stderr.count("\n") == 1


def test_a_system_where_one_board_is_meant_is_told_so(real: Isthmus) -> None:
    done = real("run", "image-filter", "--on", FOUR)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "expected a platform, which is one board, got a system of boards" in done.stderr
    key = real("platform", "show", FOUR, "link.*")
    assert (key.returncode, key.stderr.count("\n")) == (2, 1)
    assert "a system of boards" in key.stderr
