from pathlib import Path

import pytest

from isthmus.base.errors import IsthmusError
from isthmus.reproduction.claims import CLAIMS
from isthmus.reproduction.expressions import KINDS, operands
from isthmus.reproduction.formulas import FORMULAS
from isthmus.reproduction.published import Paper, read_paper, read_papers


@pytest.fixture(scope="module")
def papers() -> dict[str, Paper]:
    return read_papers()


def test_every_id_is_used_once(papers: dict[str, Paper]) -> None:
    ids = [row.id for paper in papers.values() for row in paper.row]
    assert len(ids) == len(set(ids))


def test_every_reference_to_a_row_resolves(papers: dict[str, Paper]) -> None:
    rows = {row.id: row for paper in papers.values() for row in paper.row}
    for row in rows.values():
        for name in [*operands(row.experiment or ""), *([row.same_as] if row.same_as else [])]:
            assert name in rows, row.id
            assert rows[name].experiment or rows[name].same_as, f"{row.id} leans on {name}, which nothing computes"


def test_every_experiment_is_of_a_kind_that_is_known(papers: dict[str, Paper]) -> None:
    for row in (row for paper in papers.values() for row in paper.row):
        for text in [row.experiment, *(reading.experiment for reading in row.readings)]:
            kind, *words = (text or "row").split(":")
            assert kind in KINDS, row.id
            assert kind != "formula" or words[0] in FORMULAS, row.id
            assert kind != "claim" or words[0] in CLAIMS, row.id


def test_what_no_model_can_give_says_why(papers: dict[str, Paper]) -> None:
    outside = [row for paper in papers.values() for row in paper.row if row.kind == "outside"]
    assert outside
    assert [row.id for row in outside if not row.reason] == []


HEAD = 'title = "t"\nauthors = "a"\npublished = "p"\n'
ROW = '[[row]]\nid = "S1"\nplace = ["1"]\nplatform = "p"\nquantity = "q"\nvalue = 1\nkind = "input"\n'


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (HEAD + ROW + ROW.replace("kind", "kinds"), ":11: key 'kind': "),
        (HEAD + ROW.replace('"input"', '"inputs"'), ":4: key 'kind': "),
        (HEAD.replace("title", "titles") + ROW, ":1: key 'title': "),
        (HEAD + ROW + "value = 2\n", ": not TOML: "),
    ],
)
def test_a_wrong_file_is_one_line_with_its_place(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "paper.toml").write_text(text)
    with pytest.raises(IsthmusError) as error:
        read_paper(tmp_path / "paper.toml")
    assert complaint in str(error.value)
    assert "\n" not in str(error.value)
