import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.base.numbers import figure, grouped, percent, scaled, seconds


@given(st.floats(1e-9, 1e9))
def test_a_figure_is_within_half_a_percent_and_has_no_exponent(value: float) -> None:
    text = figure(value)
    assert "e" not in text
    assert float(text) == pytest.approx(value, rel=0.005)


def test_numbers_read_as_in_the_papers() -> None:
    assert [figure(1370.2), figure(2.59), figure(0.232), figure(0), figure(None)] == ["1370", "2.59", "0.232", "0", "-"]
    assert [grouped(1370.2), grouped(45.67)] == ["1,370", "45.7"]
    assert [percent(0.957), percent(0.0123), percent(0.0), percent(None)] == ["96 %", "1.2 %", "0 %", "-"]


def test_a_number_below_a_thousandth_has_an_exponent_of_three_and_any_other_none() -> None:
    assert [scaled(1.87e-7), scaled(-4.2e-5), scaled(0.00123), scaled(1370.2)] == [
        "187e-9",
        "-42.0e-6",
        "0.00123",
        "1370",
    ]
    assert [scaled(0), scaled(None)] == ["0", "-"]


def test_a_time_gets_the_unit_a_person_would_choose() -> None:
    assert [seconds(s) for s in (1.562, 0.68, 1.25e-3, 1.6e-4, 3.4e-7)] == [
        "1.56 s",
        "0.680 s",
        "1.25 ms",
        "160 us",
        "340 ns",
    ]
