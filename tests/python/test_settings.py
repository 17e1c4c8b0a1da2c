from pathlib import Path

import pytest
from tests.python.conftest import Isthmus


def settings(isthmus: Isthmus, *arguments: str, **environment: str) -> dict[str, tuple[object, str]]:
    found = isthmus.json("config", "show", *arguments, **environment)["settings"]
    return {item["name"]: (item["value"], item["origin"]) for item in found}


def user_file(isthmus: Isthmus) -> Path:
    path = Path(isthmus.environment["HOME"]) / ".config" / "isthmus" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def test_each_place_wins_over_the_next(isthmus: Isthmus) -> None:
    assert settings(isthmus)["images"] == (None, "default"), "each application says how many it takes"
    user_file(isthmus).write_text("images = 5\n")
    assert settings(isthmus)["images"] == (5, str(user_file(isthmus)))
    (isthmus.folder / "isthmus.toml").write_text("images = 6\n")
    assert settings(isthmus)["images"] == (6, "isthmus.toml")
    assert settings(isthmus, ISTHMUS_IMAGES="7")["images"] == (7, "ISTHMUS_IMAGES")
    row = isthmus.json("run", "image-filter", "--on", "model:aws-f1", "--images", "8", ISTHMUS_IMAGES="7")["rows"][0]
    assert row["images"] == 8


def test_the_user_file_follows_xdg(isthmus: Isthmus, tmp_path: Path) -> None:
    (tmp_path / "xdg" / "isthmus").mkdir(parents=True)
    (tmp_path / "xdg" / "isthmus" / "config.toml").write_text("quiet = true\n")
    value, origin = settings(isthmus, XDG_CONFIG_HOME=str(tmp_path / "xdg"))["quiet"]
    assert value is True
    assert origin.endswith("xdg/isthmus/config.toml")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("image = 5\n", "1: unknown key 'image'; help: did you mean 'images'?"),
        ("\nimages = 0\n", "2: key 'images': expected a whole number from 1 to 2147483647, got"),
        ("\n\ncolor = 'red'\n", "3: key 'color': expected one of auto, always, never, got 'red'"),
        ("images =\n", "1: not TOML: "),
    ],
)
def test_a_wrong_settings_file_is_one_line_with_its_place(isthmus: Isthmus, text: str, complaint: str) -> None:
    (isthmus.folder / "isthmus.toml").write_text(text)
    assert isthmus.refusal("config", "show").startswith(f"isthmus.toml:{complaint}")


def test_a_wrong_variable_is_named(isthmus: Isthmus) -> None:
    told = isthmus.refusal("config", "show", ISTHMUS_REPEAT="many")
    assert told == "ISTHMUS_REPEAT: expected a whole number from 1 to 2147483647, got 'many'"
