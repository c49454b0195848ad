from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treebench.analysis.statistics import (
    Interval,
    estimate,
    interval_level,
    mad,
    median,
    median_interval,
    spread_percent,
    theil_sen_slope,
)

finite = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)
values = st.lists(finite, min_size=1, max_size=60)


@pytest.mark.parametrize(
    ("given_values", "expected"),
    [([7], 7), ([3, 1], 2), ([9, 1, 5], 5), ([4, 1, 3, 2], 2.5), ([2, 2, 2, 9], 2)],
)
def test_median(given_values: list[float], expected: float) -> None:
    assert median(given_values) == expected


def test_mad_is_unscaled() -> None:
    # The median is 3, the deviations 2, 1, 0, 1, 97.
    assert mad([1, 2, 3, 4, 100]) == 1


def test_no_values_have_no_median() -> None:
    with pytest.raises(ValueError, match="no values"):
        median([])


@pytest.mark.parametrize(
    ("n", "rank", "level"),
    [
        (2, 1, Fraction(1, 2)),
        (3, 1, Fraction(3, 4)),
        (4, 1, Fraction(7, 8)),
        (5, 1, Fraction(15, 16)),
        (6, 1, Fraction(31, 32)),
        (9, 2, 1 - Fraction(20, 512)),
        (10, 2, 1 - Fraction(22, 1024)),
    ],
)
def test_levels_are_exact(n: int, rank: int, level: Fraction) -> None:
    assert Fraction(interval_level(n, rank)) == level


def test_the_level_attained_is_said_where_95_percent_cannot_be_had() -> None:
    assert median_interval([5, 1, 4, 2, 3]) == Interval(1, 5, 0.9375)
    assert median_interval([3, 1, 2]) == Interval(1, 3, 0.75)
    assert median_interval([3, 1]) == Interval(1, 3, 0.5)
    assert median_interval([3]) is None


def test_the_shortest_interval_of_the_wanted_level_is_taken() -> None:
    # Published tables give ranks 2 and 9 for n=10, 6 and 15 for n=20.
    assert median_interval(range(1, 11)) == Interval(2, 9, interval_level(10, 2))
    assert median_interval(range(1, 21)) == Interval(6, 15, interval_level(20, 6))
    assert interval_level(20, 7) < 0.95 <= interval_level(20, 6)


def test_ties_are_allowed() -> None:
    assert median_interval([4, 4, 4, 4, 9]) == Interval(4, 9, 0.9375)


@given(values)
def test_the_interval_holds_the_median_and_lies_within_the_range(sample: list[float]) -> None:
    interval = median_interval(sample)
    if interval is None:
        assert len(sample) == 1
        return
    assert min(sample) <= interval.low <= median(sample) <= interval.high <= max(sample)
    assert 0.5 <= interval.level < 1 or len(sample) > 50
    assert interval.level >= 0.95 or (interval.low, interval.high) == (min(sample), max(sample))


@given(values, st.randoms(use_true_random=False))
def test_order_does_not_matter(sample: list[float], shuffler: random.Random) -> None:
    shuffled = sample.copy()
    shuffler.shuffle(shuffled)
    assert median(shuffled) == median(sample)
    assert mad(shuffled) == mad(sample)
    assert median_interval(shuffled) == median_interval(sample)


@given(st.lists(st.integers(1, 10**12), min_size=1, max_size=20), st.integers(1, 1000))
def test_a_change_of_unit_scales_every_figure(sample: list[int], factor: int) -> None:
    scaled = [value * factor for value in sample]
    assert median(scaled) == pytest.approx(median(sample) * factor)
    assert mad(scaled) == pytest.approx(mad(sample) * factor)
    assert spread_percent(scaled) == pytest.approx(spread_percent(sample))


@pytest.mark.parametrize("n", [3, 5, 8, 15])
def test_the_level_is_the_coverage_found_by_simulation(n: int) -> None:
    draw = random.Random(n)  # noqa: S311
    true_median, trials, hits = 1.0, 4000, 0
    level = interval_level(n, 1 if n < 9 else 4)
    for _ in range(trials):
        # Log-normal: skewed, as times are, with its median at 1.
        interval = median_interval([draw.lognormvariate(0, 0.5) for _ in range(n)])
        assert interval is not None
        assert interval.level == level
        hits += interval.low <= true_median <= interval.high
    # Four standard errors of a share of 4000 trials.
    assert hits / trials == pytest.approx(level, abs=4 * (level * (1 - level) / trials) ** 0.5)


def test_spread_is_the_range_in_percent_of_the_median() -> None:
    assert spread_percent([95, 100, 110]) == 15
    assert spread_percent([100]) is None
    assert spread_percent([0, 0, 0]) is None


def test_estimate_keeps_the_values_in_their_order() -> None:
    known = estimate([3, 1, 2])
    assert (known.values, known.n, known.median, known.mad) == ((3, 1, 2), 3, 2, 1)
    assert known.interval == Interval(1, 3, 0.75)
    assert known.spread_percent == 100


def test_theil_sen_ignores_a_wild_point() -> None:
    assert theil_sen_slope([0, 1, 2, 3, 4], [10, 12, 14, 500, 18]) == 2
    assert theil_sen_slope([1, 1], [3, 4]) is None
    assert theil_sen_slope([], []) is None
