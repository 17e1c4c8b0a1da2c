import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.base.toml_lines import line_of, line_of_error, line_of_item

WORDS = st.text(alphabet="abcdefgh", min_size=1, max_size=4)
DOCUMENTS = st.dictionaries(WORDS, st.dictionaries(WORDS, st.integers(0, 9), max_size=4), max_size=4)


@given(DOCUMENTS, st.sampled_from(["", "# a = 1\n", "\n\n"]))
def test_every_key_is_found_on_the_line_where_it_stands(document: dict[str, dict[str, int]], gap: str) -> None:
    lines: list[str] = []
    places: dict[str, int] = {}
    for table, values in document.items():
        lines += [*gap.splitlines(), f"[ {table} ] # a table"]
        places[table] = len(lines)
        for key, value in values.items():
            lines.append(f"{key} = {value}")
            places[f"{table}.{key}"] = len(lines)
    text = "\n".join(lines)
    assert tomllib.loads(text) == document
    assert {key: line_of(text, key) for key in places} == places


def test_dotted_and_quoted_keys_are_found() -> None:
    text = 'a.b = 1\n"c" = 2\n[d."e"]\nf = 3\n'
    assert [line_of(text, key) for key in ("a.b", "c", "d.e", "d.e.f")] == [1, 2, 3, 4]


def test_an_item_of_a_list_over_several_lines_is_found() -> None:
    assert line_of_item('[study]\ntargets = [\n  "one",\n  "two",\n]\n', "study.targets", "two") == 4


@pytest.mark.parametrize(("text", "line"), [("a = 1\nb = \n", 2), ("a = [1,\n", 1), ("a = 1\na = 2\n", 2)])
def test_the_line_of_a_syntax_error_is_told(text: str, line: int) -> None:
    with pytest.raises(tomllib.TOMLDecodeError) as error:
        tomllib.loads(text)
    assert line_of_error(error.value, text) == line
