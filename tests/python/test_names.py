import re

import pytest
from tests.python.conftest import Isthmus

from isthmus.base.errors import IsthmusError
from isthmus.base.names import nearest, select, unknown

KNOWN = ["h2d", "d2h", "h2d-pinned", "d2h-pinned"]


def test_the_nearest_name_is_the_one_with_the_slip_mended() -> None:
    assert nearest("H2d-pined", KNOWN) == "h2d-pinned"
    assert nearest("zzz", KNOWN) is None


def test_no_pattern_chooses_everything() -> None:
    assert select("probe", [], KNOWN) == KNOWN


def test_a_glob_chooses_in_known_order() -> None:
    assert select("probe", ["*pinned", "h2d"], KNOWN) == ["h2d", "h2d-pinned", "d2h-pinned"]


def test_a_pattern_that_chooses_nothing_is_refused_with_the_nearest() -> None:
    with pytest.raises(IsthmusError, match="unknown probe 'h2e'; help: did you mean 'h2d'"):
        select("probe", ["h2e"], KNOWN)


def test_a_glob_of_a_family_that_there_is_not_is_refused_with_the_nearest_family() -> None:
    keys = ["link.pcie.lanes", "host.copy.rate", "host.call.wake"]
    for typed, meant in (("lnk.*", "link.*"), ("link.pci.*", "link.pcie.*"), ("hosts.*", "host.*")):
        with pytest.raises(IsthmusError, match=re.escape(f"did you mean '{meant}'?")):
            select("key", [typed], keys)


def test_a_name_near_to_nothing_gets_the_list() -> None:
    assert str(unknown("probe", "xyz", KNOWN, "a.toml:3")).startswith(
        "a.toml:3: unknown probe 'xyz'; help: known: h2d, "
    )


def test_a_long_list_is_cut_where_it_would_fill_the_screen() -> None:
    rows = [f"S{number}" for number in range(100)]
    assert str(unknown("row", "", rows)).endswith(
        "known: S0, S1, S2, S3, S4, S5, S6, S7, S8, S9, S10, S11 and 88 more."
    )


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (("compare", "odl.json", "old.json"), "'old.json'"),
        (("report", "old.jsn"), "'old.json'"),
        (("run", "./ap", "--on", "native"), "'app'"),
        (("run", "image-filter", "--on", "native", "--flow", "strem"), "'stream'"),
        (("devices", "--format", "jsn"), "'json'"),
        (("devices", "--color", "alwys"), "'always'"),
        (("probe", "model:aws-f1", "h2d-pined"), "'h2d-pinned'"),
        (("hpcc", "build", "gem", "--for", "xrt", "--config", "u280-ddr"), "'gemm'"),
        (("hpcc", "build", "gemm", "--for", "intl"), "'intel'"),
        (("hpcc", "scale", "hpll"), "'hpl'"),
        (("hpcc", "scale", "hpl", "--mode", "stong"), "'strong'"),
        (("report", "schema.json"), "'isthmus.study'"),
        (("platform", "shwo"), "'show'"),
    ],
)
def test_a_name_with_a_slip_gets_the_nearest_that_there_is(isthmus: Isthmus, words: tuple[str, ...], near: str) -> None:
    for name in ("old.json", "board.toml", "app"):
        (isthmus.folder / name).write_text("{}")
    (isthmus.folder / "schema.json").write_text('{"schema": "isthmus.stduy/1"}')
    assert isthmus.refusal(*words).endswith(f"did you mean {near}?")


def test_a_board_with_a_slip_gets_the_file_that_there_is(real: Isthmus) -> None:
    (real.folder / "board.toml").write_text("")
    told = real.refusal("run", "image-filter", "--on", "bord.toml")
    assert told == "bord.toml: no such platform file; did you mean 'board.toml'?"
