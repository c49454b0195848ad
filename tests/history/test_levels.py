"""What parts two levels: the noise of a series, and nights that stand out alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from treebench.history.levels import levels_of, noise_of, tamed

NAN = math.nan


def test_a_night_that_stands_out_is_pulled_in_to_three_times_the_noise_of_its_neighbours() -> None:
    nights = np.array([10.0, 10.0, 20.0, 10.0, 12.9, 10.0, 0.0, 10.0])
    assert tamed(nights, 1.0).tolist() == [10.0, 10.0, 13.0, 10.0, 12.9, 10.0, 7.0, 10.0]


def test_two_nights_that_agree_are_left_as_they_are() -> None:
    nights = np.array([10.0, 10.0, 20.0, 20.0])
    assert tamed(nights, 1.0).tolist() == nights.tolist()


@pytest.mark.parametrize(
    ("medians", "errors", "noise"),
    [
        ([1.0, 2.0, 4.0, 7.0], [NAN] * 4, None),
        ([1.0, 2.0, 4.0, 7.0, 7.0], [NAN] * 5, 1.4826 * 1.5 / math.sqrt(2)),
        ([1.0, 2.0, 4.0, 7.0], [NAN, 0.3, 0.1, 0.2], 0.2),
        ([1.0, 1.0, 1.0, 1.0, 1.0], [0.5] * 5, 0.5),
        ([1.0, 1.0, 1.0, 1.0, 1.0], [0.0] * 5, 0.0),
        ([5.0], [0.1], 0.1),
    ],
)
def test_noise_is_that_between_nights_once_four_differences_are_known_or_that_within_them(
    medians: list[float], errors: list[float], noise: float | None
) -> None:
    found = noise_of(np.array(medians), np.array(errors))
    assert found == (None if noise is None else pytest.approx(noise))


def test_a_figure_that_repeats_exactly_has_a_level_for_each_value() -> None:
    levels = levels_of(np.array([3.0, 3.0, 4.0, 3.0]), 0.0)
    assert [(each.start, each.stop, each.centre) for each in levels] == [
        (0, 2, 3.0),
        (2, 3, 4.0),
        (3, 4, 3.0),
    ]
