from pathlib import Path

import pytest

from isthmus.base.errors import IsthmusError
from isthmus.reproduction.counterparts import operands
from isthmus.reproduction.published import PublishedRow, read_numbers


def test_every_reference_to_a_row_resolves(published: dict[str, PublishedRow]) -> None:
    for row in published.values():
        for name in operands(row.counterpart):
            assert name in published, row.id
            assert published[name].counterpart, f"{row.id} leans on {name}, which nothing computes"


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
        read_numbers(tmp_path / "paper.toml")
    assert complaint in str(error.value)
    assert "\n" not in str(error.value)
