from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treebench.report import scales

MIB = 2**20


def test_measured_sizes_are_their_own_ticks() -> None:
    ticks = scales.at_values([80_000, 20_000, 260_000, 20_000])
    assert list(ticks.values) == [20_000, 80_000, 260_000]
    assert ticks.texts == ("20k", "80k", "260k")
    assert ticks.log


def test_near_sizes_need_no_log_axis_and_crowded_ones_lose_ticks() -> None:
    assert not scales.at_values([100, 200]).log
    crowded = scales.at_values([1000, 1001, 1002, 2000])
    assert crowded.values == (1002, 2000)


def test_log_ticks_of_time_are_round() -> None:
    ticks = scales.duration_log([130e6, 16.8e9])
    assert ticks.texts == ("100 ms", "200 ms", "500 ms", "1 s", "2 s", "5 s", "10 s", "20 s")


def test_log_ticks_of_memory_are_powers_of_two() -> None:
    ticks = scales.size_log([100 * MIB, 3000 * MIB])
    assert ticks.texts == ("128 MiB", "256 MiB", "512 MiB", "1 GiB", "2 GiB")


def test_bars_start_at_zero() -> None:
    ticks = scales.duration_linear([28e9, 3e9])
    assert (ticks.low, ticks.values[0], ticks.texts[:3]) == (0, 0, ("0", "5 s", "10 s"))
    assert scales.size_linear([263 * MIB]).texts[1] == "50 MiB"


def test_scores_that_hardly_differ_are_not_blown_up() -> None:
    ticks = scales.score_linear([0.7489, 0.7490])
    assert ticks.high - ticks.low > 0.01
    assert ticks.texts == ("0.745", "0.750", "0.755")


def test_the_label_expression_holds_every_tick() -> None:
    ticks = scales.duration_log([130e6, 16.8e9])
    texts = json.loads(ticks.label_expression.removesuffix("[toString(datum.value)]"))
    assert texts["1000000000"] == "1 s"
    assert len(texts) == len(ticks.values)


positive = st.floats(min_value=1, max_value=1e15)


@pytest.mark.parametrize("make", [scales.duration_log, scales.size_log])
@given(values=st.lists(positive, min_size=1, max_size=10))
def test_log_axes_hold_all_values_and_at_least_two_ticks(make: object, values: list[float]) -> None:
    assert callable(make)
    ticks = make(values)
    assert ticks.low <= min(values) <= max(values) <= ticks.high
    assert 2 <= len(ticks.values) <= 20
    assert all(ticks.low <= tick <= ticks.high for tick in ticks.values)
    assert len(set(ticks.texts)) == len(ticks.texts)


@pytest.mark.parametrize("make", [scales.duration_linear, scales.size_linear])
@given(values=st.lists(positive, min_size=1, max_size=10))
def test_bar_axes_hold_all_values(make: object, values: list[float]) -> None:
    assert callable(make)
    ticks = make(values)
    assert ticks.low == 0
    assert max(values) <= ticks.high
    assert 2 <= len(ticks.values) <= 12
