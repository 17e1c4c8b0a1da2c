import random

from isthmus.base.spread import apart, likely


def test_the_interval_holds_the_median_of_at_least_95_in_100_draws() -> None:
    draw = random.Random(3)
    for count in (6, 11, 20):
        intervals = [likely([draw.lognormvariate(0, 1) for _ in range(count)]) for _ in range(2000)]
        assert sum(low <= 1 <= high for low, high in intervals) >= 0.95 * len(intervals)


def test_it_is_no_wider_than_it_has_to_be() -> None:
    # Ranks of the sign test's interval (Hollander and Wolfe, Nonparametric Statistical Methods).
    for count, rank in ((6, 1), (9, 2), (15, 4), (25, 8)):
        assert likely(list(range(count, 0, -1))) == (rank, count + 1 - rank)


def test_of_few_samples_all_counts() -> None:
    assert likely([3.0, 1.0, 2.0]) == (1.0, 3.0)
    assert likely([7.0]) == (7.0, 7.0)


def test_what_overlaps_is_not_apart() -> None:
    assert apart((1, 2), (3, 4))
    assert apart((3, 4), (1, 2))
    assert not apart((1, 3), (3, 4))
    assert not apart((2, 3), (1, 4))
