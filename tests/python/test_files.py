import os
import stat
from pathlib import Path

import pytest

from isthmus.base.errors import IsthmusError
from isthmus.base.files import check_folder, check_writable, meant_file, read_text, write_atomically


def test_a_file_is_replaced_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.json"
    write_atomically(path, "old")
    write_atomically(path, "new")
    assert path.read_text() == "new"
    assert [file.name for file in path.parent.iterdir()] == ["a.json"]


def test_the_mode_is_that_of_a_file_made_the_usual_way(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    write_atomically(tmp_path / "ours", "")
    assert stat.S_IMODE((tmp_path / "ours").stat().st_mode) == stat.S_IMODE((tmp_path / "usual").stat().st_mode)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_atomically(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_device_is_written_to_and_not_replaced() -> None:
    write_atomically(Path("/dev/null"), "text")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_full_disk_is_one_line_that_names_the_file() -> None:
    with pytest.raises(IsthmusError, match="/dev/full: cannot write: No space left on device"):
        write_atomically(Path("/dev/full"), "text")


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "half \ud800")
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "marked").write_bytes(b"\xef\xbb\xbf[study]\n")
    assert read_text(tmp_path / "marked") == "[study]\n"


def test_a_pipe_is_written_to_under_any_of_its_names() -> None:
    out, into = os.pipe()
    write_atomically(Path(f"/dev/fd/{into}"), "text")
    assert os.read(out, 9) == b"text"
    os.close(out)
    os.close(into)


def test_what_could_not_be_written_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path, why in (
        (tmp_path, "Is a directory"),
        (tmp_path / "file" / "a.json", "Not a directory"),
        (tmp_path / ("x" * 300), "File name too long"),
        (Path("/proc/1/a.json"), ""),
    ):
        with pytest.raises(IsthmusError, match=f"^--json: {path}: cannot write: {why}"):
            check_writable(path, "--json")
    with pytest.raises(IsthmusError, match=r"^--out: .*/file/out: cannot write: Not a directory"):
        check_folder(tmp_path / "file" / "out", "--out")
    check_writable(tmp_path / "deep" / "a.json", "--json")
    check_writable(tmp_path / "file", "--json")
    check_writable(Path("/dev/null"), "--json")
    check_folder(tmp_path / "deep", "--out")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"ab\xff")
    with pytest.raises(IsthmusError, match="bytes: expected UTF-8 text, byte 2 is not"):
        read_text(tmp_path / "bytes")
    with pytest.raises(IsthmusError, match="missing: cannot read: No such file"):
        read_text(tmp_path / "missing")


def test_the_file_that_is_meant_has_a_name_like_it_whatever_folder_and_suffix_they_share(tmp_path: Path) -> None:
    for name in ("first.toml", "second.json", ".installed", "same-channel.toml"):
        (tmp_path / name).write_text("")
    assert meant_file(tmp_path / "frist.toml") == f"did you mean '{tmp_path / 'first.toml'}'?"
    assert meant_file(tmp_path / "second.jsn") == f"did you mean '{tmp_path / 'second.json'}'?"
    assert meant_file(tmp_path / "bench.json") is None
    assert meant_file(tmp_path / "no-such.toml") is None
    assert meant_file(tmp_path / "first.toml") is None, "it is there"
    assert meant_file(tmp_path / "none" / "first.toml") is None
