"""The rank test and its interval, against values worked out by hand and against chance itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treebench.analysis.comparing.ranks import chance, least_chance, ratio_interval

positive = st.floats(0.01, 1e6)


def test_the_chance_of_sets_apart_is_that_of_their_arrangements() -> None:
    assert chance([1, 2, 3], [4, 5, 6]) == pytest.approx(2 / 20)
    assert chance([1, 2, 3, 4, 5], [6, 7, 8, 9]) == pytest.approx(2 / 126)
    assert chance([1, 2, 3], [4, 5, 6]) == pytest.approx(least_chance(3, 3))


def test_equal_values_show_nothing() -> None:
    assert chance([5, 5, 5], [5, 5]) == 1
    assert chance([5, 5, 5, 6], [5, 5, 5, 6]) > 0.9


@pytest.mark.parametrize(("n", "m"), [(5, 5), (5, 7), (4, 9), (12, 3)])
def test_the_interval_holds_the_ratio_as_often_as_it_says(n: int, m: int) -> None:
    rng = np.random.default_rng(n * 100 + m)
    level, held = 0.0, 0
    for _ in range(1500):
        first = np.exp(0.1 * rng.standard_normal(n))
        second = 1.3 * np.exp(0.1 * rng.standard_normal(m))
        interval = ratio_interval(list(first), list(second))
        level = interval.level
        held += interval.low <= 1.3 <= interval.high
    assert level >= 0.95
    assert held / 1500 == pytest.approx(level, abs=0.02)


def test_few_samples_have_the_level_they_can_have() -> None:
    interval = ratio_interval([1, 2, 3], [2, 4, 6])
    assert interval.level == pytest.approx(1 - 2 / 20)
    assert (interval.low, interval.high) == pytest.approx((2 / 3, 6))
    assert interval.ratio == pytest.approx(2)
    assert ratio_interval([2], [3]).level == pytest.approx(0)


@given(st.lists(positive, min_size=1, max_size=9), st.lists(positive, min_size=1, max_size=9))
def test_swapping_the_sets_turns_the_ratio_over(first: list[float], second: list[float]) -> None:
    there, back = ratio_interval(first, second), ratio_interval(second, first)
    assert there.ratio == pytest.approx(1 / back.ratio)
    assert there.low == pytest.approx(1 / back.high)
    assert there.level == back.level
    assert there.low <= there.ratio <= there.high
    assert chance(first, second) == pytest.approx(chance(second, first))
