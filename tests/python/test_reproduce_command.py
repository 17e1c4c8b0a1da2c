"""`reproduce` at the command line: what it prints first, and papers of one's own."""

import re

import pytest
from tests.python.conftest import TREE, Isthmus
from tests.python.fake_answers import FakeAnswers

from isthmus.show.output import PIPE_WIDTH


@pytest.fixture
def quick(isthmus: Isthmus, monkeypatch: pytest.MonkeyPatch) -> Isthmus:
    """The command with the stand-in called as functions: hundreds of states of a board are hundreds of processes."""
    monkeypatch.setattr("isthmus.reproduction.model_runs.ToolAnswers", FakeAnswers)
    return isthmus


def test_the_score_comes_first_and_in_a_pipe_no_line_is_wider_than_a_page_and_no_note_is_cut(quick: Isthmus) -> None:
    done = quick.well("reproduce", "stacc", "--no-spans", "--images", "2", "--json", "stacc.json")
    assert done.stdout.startswith("stacc: ")
    assert "published" in done.stdout
    assert "ours, model" in done.stdout
    assert "compared in runs of 2" in done.stdout
    rows = quick.read("stacc.json")["rows"]
    assert max(map(len, done.stdout.splitlines())) <= PIPE_WIDTH
    assert "; reading '" not in done.stdout, "each reading has a line of its own"
    told = " ".join(done.stdout.split())
    notes = {row["id"]: row["note"] for row in rows if row["note"]}
    assert len(notes) > 10
    assert [name for name, note in notes.items() if f"{name}: {' '.join(note.split())}" not in told] == []


def test_what_does_not_agree_comes_first_worst_first_with_its_reason(quick: Isthmus) -> None:
    done = quick("reproduce", "--no-spans", "--images", "2", "--json", "all.json")
    rows = {row["id"]: row for row in quick.read("all.json")["rows"]}
    first, _, rest = done.stdout.partition("\nthe others\n")
    failed = [line.split()[0] for line in first.splitlines() if re.match(r"S\d\d\d-\d\d\d +\S+ ", line)]
    false, errors = [name for name in failed if rows[name]["ours"] is False], [rows[name]["error"] for name in failed]
    assert false
    assert failed[: len(false)] == false
    sizes = [abs(error) for error in errors[len(false) :]]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 0.15
    headline = next(line for line in done.stdout.splitlines() if line.startswith("all: "))
    assert re.search(rf"{len(false)} claims? (is|are) false here: {', '.join(false)};", headline)
    assert "in the median" in headline
    assert "contradicts stacc and its own 5.3" in first, "the reason stands with it"
    assert "agree: within 15% of the published value" in rest
    only = quick("reproduce", "choi2019", "--no-spans", "--images", "2", "--failing").stdout
    told = [line.split()[0] for line in only.splitlines() if re.match(r"S\d\d\d-\d\d\d +\S+ ", line)]
    assert told == [name for name in failed if rows[name]["paper"] == "choi2019"]
    assert "S000-001" not in only


def test_a_paper_of_ones_own_begins_with_files_that_work(quick: Isthmus) -> None:
    assert quick("reproduce", "--new", "lab").stdout.split() == ["lab.py", "lab.toml"]
    found = quick.json("reproduce", "lab.py")
    names = ("LINK", "PEAK", "COPY", "GAIN", "SIZE")
    assert {row["id"]: row["paper"] for row in found["rows"]} == dict.fromkeys(names, "lab")
    assert [row["ours"] for row in found["rows"] if row["id"] in ("LINK", "PEAK", "SIZE")] == [16, 16, True]
    assert set(found["score"]) == {"lab", "all"}
    (quick.folder / "lab.py").unlink()
    assert quick("reproduce", "--new", "lab.py").stderr.startswith("error: lab.toml: is there already")
    assert "ends in .py" in quick.refusal("reproduce", "--new", "lab.toml")
    assert "none.py: cannot read" in quick.refusal("reproduce", "none.py")
    assert "lab.toml: expected the Python file of a paper" in quick.refusal("reproduce", "lab.toml")


def test_a_python_file_is_run_only_if_it_is_named(quick: Isthmus) -> None:
    quick("reproduce", "--new", "lab")
    (quick.folder / "lab.py").write_text("raise ValueError('it runs')\n")
    assert quick("reproduce", "--list").returncode == 0
    assert "lab.py:1: ValueError: it runs" in quick.refusal("reproduce", "lab.py")


def test_the_board_of_ones_own_paper_may_be_a_file(quick: Isthmus) -> None:
    quick("reproduce", "--new", "lab")
    paper = quick.folder / "lab.py"
    board = quick.folder / "boards" / "aws-f1.toml"  # the stand-in knows boards by name
    board.parent.mkdir()
    board.write_text((TREE / "platforms" / "aws-f1.toml").read_text())
    paper.write_text(paper.read_text().replace('"aws-f1"', '"boards/aws-f1.toml"'))
    rows = {row["id"]: row for row in quick.json("reproduce", "lab.py", "--no-spans")["rows"]}
    assert rows["LINK"]["ours"] == 16
    assert rows["COPY"]["ours"] > 0


GIVEN = 'Given(F1, "link.pcie.lanes")'


@pytest.mark.parametrize(
    ("old", "new", "row", "complaint"),
    [
        (GIVEN, 'Given(F1, "link.pcie.lane")', "LINK", "unknown key 'link.pcie.lane'"),
        (GIVEN, 'Given(F1, "link.vh0.lanes")', "LINK", "unknown key 'link.vh0.lanes'"),
        (GIVEN, 'ratio("GAIM", COPY)', "LINK", "unknown row 'GAIM'"),
        (GIVEN, 'ratio("LINK", COPY)', "LINK", "made of itself"),
        ('"1MiB", "host', '"1M", "host', "COPY", "size"),
    ],
)
def test_what_is_wrong_with_ones_own_paper_is_one_line_before_anything_runs(
    quick: Isthmus, old: str, new: str, row: str, complaint: str
) -> None:
    quick("reproduce", "--new", "lab")
    paper = quick.folder / "lab.py"
    assert old in paper.read_text()
    paper.write_text(paper.read_text().replace(old, new, 1))
    (line,) = [at for at, text in enumerate(paper.read_text().splitlines(), 1) if f'"{row}": ' in text]
    told = quick.refusal("reproduce", "lab.py")
    assert complaint in told
    assert f"lab.py:{line}:" in told


@pytest.mark.parametrize(
    ("old", "new", "row", "complaint"),
    [
        ('id = "GAIN"', 'id = "S000-087"', 3, "'S000-087' is there already, in choi2019"),
        ('kind = "input"', 'kind = "imput"', 0, "key 'kind'"),
        ('place = ["table 1"]', "place = []", 0, "key 'place'"),
    ],
)
def test_what_is_wrong_with_ones_own_numbers_is_one_line_before_anything_runs(
    quick: Isthmus, old: str, new: str, row: int, complaint: str
) -> None:
    quick("reproduce", "--new", "lab")
    paper, numbers = quick.folder / "lab.py", quick.folder / "lab.toml"
    paper.write_text(paper.read_text().replace('"GAIN"', '"S000-087"') if "GAIN" in old else paper.read_text())
    numbers.write_text(numbers.read_text().replace(old, new, 1))
    starts = [at for at, text in enumerate(numbers.read_text().splitlines(), 1) if text == "[[row]]"]
    told = quick.refusal("reproduce", "lab.py")
    assert complaint in told
    assert f"lab.toml:{starts[row]}:" in told


def test_a_row_is_there_once(quick: Isthmus) -> None:
    quick("reproduce", "--new", "lab")
    numbers = quick.folder / "lab.toml"
    numbers.write_text(numbers.read_text() + numbers.read_text()[numbers.read_text().rindex("[[row]]") :])
    assert "'SIZE' is there already, in lab" in quick.refusal("reproduce", "lab.py")


def test_papers_are_chosen_by_name(quick: Isthmus) -> None:
    assert [line.split()[0] for line in quick("reproduce", "--list").stdout.splitlines()] == [
        "choi2019",
        "gemieux2018",
        "min2019",
        "stacc",
    ]
    assert quick("reproduce", "stac").stderr == "error: unknown paper 'stac'; help: did you mean 'stacc'?\n"
    assert "states of the boards" in quick("reproduce", "--dry-run").stdout


def test_what_cannot_be_held_out_is_one_line(quick: Isthmus) -> None:
    assert quick("reproduce", "--hold-out", "S000-999").stderr.startswith("error: --hold-out: unknown experiment")
    assert "no row of it is computed on a modelled board" in quick("reproduce", "--hold-out", "S000-044").stderr


def test_ones_own_paper_may_begin_with_a_byte_order_mark(quick: Isthmus) -> None:
    quick("reproduce", "--new", "lab")
    plain = quick.json("reproduce", "lab.py", "--no-spans")
    for paper in (quick.folder / "lab.py", quick.folder / "lab.toml"):
        paper.write_bytes(b"\xef\xbb\xbf" + paper.read_bytes())
    assert quick.json("reproduce", "lab.py", "--no-spans")["rows"] == plain["rows"]
