import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.base.errors import IsthmusError
from isthmus.base.sizes import LARGEST, MOST, format_size, parse_size, parse_sizes


@given(st.integers(1, LARGEST))
def test_a_size_that_was_written_is_read_back(size: int) -> None:
    assert parse_size(format_size(size)) == size


@given(st.integers(1, 1 << 20), st.integers(2, 9), st.integers(1, 1 << 40))
def test_a_range_multiplies_up_to_its_end(first: int, factor: int, last: int) -> None:
    if last < first:
        first, last = last, first
    sizes = parse_sizes(f"{first}B..{last}B:x{factor}")
    assert sizes[0] == first
    assert all(b == a * factor for a, b in itertools.pairwise(sizes))
    assert sizes[-1] <= last < sizes[-1] * factor


@given(st.text(alphabet="0123456789BKMGi.,:x+ ", max_size=30))
def test_any_text_is_a_list_of_sizes_or_one_line_of_complaint(text: str) -> None:
    try:
        sizes = parse_sizes(text)
    except IsthmusError as error:
        assert re.fullmatch(r"sizes? '.*': (expected .*|more than .*)", str(error))
    else:
        assert sizes == list(dict.fromkeys(sizes))
        assert all(0 < size <= LARGEST for size in sizes)


def test_lists_and_ranges_are_joined_each_size_once() -> None:
    assert parse_sizes("64B,1KiB..4KiB,2KiB") == [64, 1024, 2048, 4096]
    assert parse_sizes("4KiB..16KiB:+4KiB") == [4096, 8192, 12288, 16384]


@pytest.mark.parametrize(
    "text", ["", "64", "4KB", "-4KiB", "0B", "8KiB..4KiB", "4KiB..8KiB:x1", "1B..2B:+0B", "4KiB.."]
)
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(IsthmusError):
        parse_sizes(text)


def test_a_range_of_endless_steps_is_refused() -> None:
    with pytest.raises(IsthmusError, match=f"more than {MOST}"):
        parse_sizes("1B..1GiB:+1B")
