"""Files that people write: what their model refuses is one line that leads to the place."""

from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import Field

from isthmus.base.errors import IsthmusError
from isthmus.base.toml_files import read_toml
from isthmus.records.base import TomlTable


class Wheel(TomlTable):
    size: int = Field(description="a size in mm")
    kind: Literal["steel", "wood"] = "wood"


class Cart(TomlTable, strict=True):
    wheel: list[Wheel]
    load: dict[str, Annotated[int | str, Field(description="kilograms or a name")]] = Field(default={})
    owners: list[Literal["Ann", "Bob"]] = Field(default=[], description="a list of owners")
    spare: Wheel | None = None


WRITTEN = """\
owners = [
  "Ann",
]
[[wheel]]
size = 5
[[wheel]]
size = 7
[load]
"left side" = 3
[spare]
size = 6
"""


def read(folder: Path, text: str) -> Cart:
    (folder / "cart.toml").write_text(text)
    return read_toml(Cart, folder / "cart.toml")


def test_what_a_model_takes_is_read(tmp_path: Path) -> None:
    cart = read(tmp_path, WRITTEN)
    assert [wheel.size for wheel in cart.wheel] == [5, 7]
    assert cart.load == {"left side": 3}


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("size = 7", "sise = 7", "7: unknown key 'wheel.sise'; help: did you mean 'wheel.size'?"),
        ("size = 7", "", "6: key 'wheel.size': missing, expected a size in mm"),
        ("size = 7", 'size = "big"', "7: key 'wheel.size': expected a size in mm, got 'big'"),
        (
            "size = 7",
            'size = 7\nkind = "woot"',
            "8: key 'wheel.kind': expected 'steel' or 'wood', got 'woot'; help: did",
        ),
        ("= 3", "= 3.5", "9: key 'load.\"left side\"': expected kilograms or a name, got 3.5"),
        ('"Ann"', '"An"', "2: key 'owners': expected a list of owners, got 'An'; help: did you mean 'Ann'?"),
        ("size = 6", "size = 6\nsizes = 3", "12: unknown key 'spare.sizes'; help: did you mean 'spare.size'?"),
        ("[[wheel]]", "[[whel]]", "4: unknown key 'whel'; help: did you mean 'wheel'?"),
    ],
)
def test_what_a_model_refuses_names_line_key_expectation_and_the_nearest_name(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    with pytest.raises(IsthmusError) as refused:
        read(tmp_path, WRITTEN.replace(old, new))
    assert str(refused.value).startswith(f"{tmp_path}/cart.toml:{complaint}")
