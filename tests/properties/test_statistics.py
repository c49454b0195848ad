"""Figures from any samples: what order, scale and shift do to them."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import drawn
from treebench.analysis.comparing.ranks import chance, least_chance, ratio_interval
from treebench.analysis.statistics import estimate, mad, median, spread_percent

# Whole nanoseconds, which floats hold exactly, so that the properties are exact too.
whole = st.integers(1, 2**40)
samples = st.lists(whole, min_size=1, max_size=25)
sides = st.lists(whole, min_size=1, max_size=8)
shuffler = st.randoms(use_true_random=False)


def all_of(values: list[Any]) -> tuple[Any, ...]:
    told = estimate(values)
    held = told.interval
    return told.median, told.mad, held and (held.low, held.high, held.level)


@drawn(60)
@given(values=samples, by=shuffler)
def test_no_figure_knows_the_order(values: list[int], by: random.Random) -> None:
    assert all_of(by.sample(values, len(values))) == all_of(values)


@drawn(60)
@given(values=samples, shift=st.integers(-(2**40), 2**40))
def test_a_shift_moves_the_middle_and_the_interval_and_no_spread(
    values: list[int], shift: int
) -> None:
    here, there = estimate(values), estimate([value + shift for value in values])
    assert (there.median, there.mad) == (here.median + shift, here.mad)
    if here.interval is not None and there.interval is not None:
        assert there.interval.low == here.interval.low + shift
        assert there.interval.high == here.interval.high + shift
        assert there.interval.level == here.interval.level


@drawn(60)
@given(values=samples, power=st.integers(-20, 20), sign=st.sampled_from([1, -1]))
def test_a_scale_scales_and_a_sign_turns_over(values: list[int], power: int, sign: int) -> None:
    factor = sign * 2.0**power
    here, there = estimate(values), estimate([value * factor for value in values])
    assert (there.median, there.mad) == (here.median * factor, here.mad * abs(factor))
    assert spread_percent(there.values) == pytest.approx(spread_percent(values))
    if here.interval is not None and there.interval is not None:
        ends = sorted(end * factor for end in (here.interval.low, here.interval.high))
        assert [there.interval.low, there.interval.high] == ends


@drawn(60)
@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=25))
def test_half_of_the_samples_lie_on_either_side_of_any_middle(values: list[float]) -> None:
    centre = median(values)
    assert min(values) <= centre <= max(values)
    assert 2 * sum(value <= centre for value in values) >= len(values)
    assert 2 * sum(value >= centre for value in values) >= len(values)
    assert mad(values) >= 0
    assert (mad(values) == 0) or max(values) > min(values)


@drawn(60)
@given(first=sides, second=sides, by=shuffler)
def test_chance_is_a_probability_that_knows_neither_order_nor_unit(
    first: list[int], second: list[int], by: random.Random
) -> None:
    told = chance(first, second)
    assert 0 < told <= 1
    assert told == pytest.approx(chance(second, first))
    assert told == chance(by.sample(first, len(first)), by.sample(second, len(second)))
    assert told == chance([8 * one for one in first], [8 * one for one in second])
    assert told == pytest.approx(chance([-one for one in first], [-one for one in second]))
    if len({*first, *second}) == len(first) + len(second):
        assert told >= least_chance(len(first), len(second)) * (1 - 1e-9)


@drawn(60)
@given(first=sides, second=sides, factor=st.integers(1, 1000))
def test_the_ratio_lies_in_its_interval_and_scales_with_its_sides(
    first: list[int], second: list[int], factor: int
) -> None:
    told = ratio_interval(first, second)
    assert told.low <= told.ratio * (1 + 1e-12)
    assert told.ratio <= told.high * (1 + 1e-12)
    assert 0 <= told.level <= 1
    ratios = [b / a for a in first for b in second]
    assert min(ratios) * (1 - 1e-9) <= told.low
    assert told.high <= max(ratios) * (1 + 1e-9)
    larger = ratio_interval(first, [factor * one for one in second])
    for name in ("ratio", "low", "high"):
        assert math.isclose(getattr(larger, name), factor * getattr(told, name), rel_tol=1e-9)
    assert larger.level == told.level
