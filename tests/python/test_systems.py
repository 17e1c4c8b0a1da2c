"""Systems of boards, as files."""

from pathlib import Path
from typing import Any

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
        assert real.refusal("platform", "show", "broken.toml").startswith(f"broken.toml:{line}: {said}")


def test_a_system_where_one_board_is_meant_is_told_so(real: Isthmus) -> None:
    told = real.refusal("run", "image-filter", "--on", FOUR)
    assert "expected a platform, which is one board, got a system of boards" in told
    assert "a system of boards" in real.refusal("platform", "show", FOUR, "link.*")


def probed(real: Isthmus, file: str, *arguments: str) -> list[Any]:
    """The records of `isthmus probe`, whose file is what the schema says."""
    whole = real.json("probe", file, *arguments)
    check("probe", whole)
    records: list[Any] = whole["records"]
    return records


def wired(folder: Path) -> str:
    """The two hosts with one link wired of each of their boards."""
    text = Path(TWO).read_text().replace("../boards", str(TREE / "tests" / "boards"))
    file = folder / "wired.toml"
    file.write_text(text.replace("pair1.narrow", "pair.narrow"))
    return str(file)


def test_a_systems_boards_copy_four_times_as_much_as_one_and_its_record_says_what_limits(real: Isthmus) -> None:
    for setting, part in (("link.pcie.lanes=1", "PCIe host to device"), ("host.memory.channels=1", "host memory")):
        asked = ("h2d-pinned", "--sizes", "1MiB", "--set", setting)
        (four,) = probed(real, FOUR, *asked)
        (alone,) = probed(real, "model:aws-f1", *asked)
        assert (four["parameters"]["boards"], four["parameters"]["limit"]) == (4, part)
        assert four["parameters"]["limit_key"].startswith("link.pcie." if "PCIe" in part else "host.memory.")
        enough = four["value"] == pytest.approx(4 * alone["value"], rel=0.03)
        assert enough == (part != "host memory")
        assert four["value"] < 4 * alone["value"] * 1.03


def test_a_system_is_probed_with_a_column_for_each_host_and_a_row_for_each_limit(real: Isthmus) -> None:
    done = real.well("probe", wired(real.folder), "h2d", "--sizes", "4KiB,64KiB", COLUMNS="200")
    for what in ("h2d of 2 boards on left", "h2d of 1 board on right"):
        assert f"host to device ({what}), GB/s, model" in done.stdout
        assert f"\n{what} " in done.stdout
    assert "4KiB to 64KiB   driver calls   host.call.transfer" in done.stdout
    assert f"next: isthmus platform show {real.folder / 'wired.toml'}" in done.stderr


def test_of_a_system_all_that_it_can_be_asked_is_probed(real: Isthmus) -> None:
    names = ["h2d", "d2h", "h2d-pinned", "d2h-pinned"]
    assert [record["name"] for record in probed(real, FOUR, "--sizes", "4KiB")] == names
    dry = real("probe", FOUR, "--sizes", "4KiB", "--dry-run")
    assert dry.stdout == f"{' '.join(names)} on {FOUR}: 1 sizes (4KiB), --repeat 1\n"
    some = probed(real, FOUR, "h2d*", "--sizes", "4KiB")
    assert [record["name"] for record in some] == ["h2d", "h2d-pinned"], "what a system has not is not meant"


def test_what_a_system_cannot_be_asked_is_one_line(real: Isthmus) -> None:
    bare = real.folder / "bare.toml"
    bare.write_text(Path(FOUR).read_text().replace("aws-f1", str(TREE / "tests" / "boards" / "no-link.toml")))
    cut = real.folder / "cut.toml"
    cut.write_text(Path(FOUR).read_text() + '[[wire]]\nfrom = "c0.pcie"\nto = "n0"\n')
    for arguments, said in (
        ((FOUR, "--channel", "pcie"), "--channel pcie: '"),
        ((FOUR, "h2d", "--burst", "4KiB"), "--burst 4096: '"),
        ((FOUR, "h2d", "--offset", "64B"), "--offset 64: '"),
        ((FOUR, "mmio-store"), "probe 'mmio-store': expected one that boards of a system do at once (h2d, d2h, "),
        ((FOUR, "h2d", "--set", "link.pcie.lanse=8"), "--set: key 'link.pcie.lanse': expected a key of a part"),
        ((str(bare), "h2d"), f"{TREE}/tests/boards/no-link.toml: probe 'h2d' of board 'b0': expected a board with"),
        ((str(cut), "h2d"), f"{cut}:13: key 'wire.from': unknown board 'c0': expected b, b0, b1, b2 or b3"),
        ((TWO, "h2d"), f"{TWO}: board 'pair0': expected one link with a [[wire]], got vh0 and narrow"),
    ):
        assert real.refusal("probe", *arguments).startswith(said)


def test_copies_are_compared_though_another_part_limits_them(real: Isthmus) -> None:
    for name, setting in (("old.json", "host.memory.channels=1"), ("new.json", "link.pcie.lanes=1")):
        asked = ("h2d-pinned", "--sizes", "1MiB", "--set", setting, "--json", name)
        assert real("probe", FOUR, *asked).returncode == 0
    old, new = (real.read(name)["records"][0] for name in ("old.json", "new.json"))
    assert old["parameters"]["limit"] != new["parameters"]["limit"]
    (compared,) = real.json("compare", "old.json", "new.json")["comparisons"]
    assert compared["ratio"] == pytest.approx(new["value"] / old["value"])
