"""Changes of regime: found where planted, not found where there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.analysis.scaling.planted import SIZES, planted
from treebench.analysis.scaling.regimes import find_change

if TYPE_CHECKING:
    from collections.abc import Callable

STRAIGHT: dict[str, Callable[[float], float]] = {
    "linear": lambda x: 1e-3 * x,
    "with a fixed cost": lambda x: 30 + 1e-3 * x,
    "n log n": lambda x: 1e-4 * x * float(np.log(x)),
}
BROKEN: dict[str, Callable[[float], float]] = {
    "step": lambda x: 1e-3 * x * (1.5 if x > 100_000 else 1),
    "flat from there": lambda x: 1e-3 * min(x, 100_000),
    "steeper from there": lambda x: 1e-3 * x if x < 100_000 else 100 * (x / 1e5) ** 1.6,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", STRAIGHT)
def test_at_most_one_straight_series_in_twenty_is_broken(name: str) -> None:
    found = [find_change(planted(STRAIGHT[name], seed), seed) is not None for seed in range(500)]
    assert np.mean(found) <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_at_least_nine_planted_changes_in_ten_are_found(name: str) -> None:
    found = [find_change(planted(BROKEN[name], seed), seed) is not None for seed in range(500)]
    assert np.mean(found) >= 0.90


@pytest.mark.parametrize("name", STRAIGHT)
def test_a_straight_series_has_no_change(name: str) -> None:
    found = [find_change(planted(STRAIGHT[name], seed), seed) is not None for seed in range(20)]
    assert sum(found) <= 3


def test_a_step_is_described() -> None:
    change = find_change(planted(BROKEN["step"], 1, noise=0.01))
    assert change is not None
    assert (change.after, change.before) == (80_000, 160_000)
    assert change.step == pytest.approx(1.5, rel=0.05)
    assert change.left == pytest.approx(1, abs=0.05)
    assert change.right == pytest.approx(1, abs=0.05)


def test_a_plateau_is_described() -> None:
    change = find_change(planted(BROKEN["flat from there"], 1, noise=0.01))
    assert change is not None
    assert change.left == pytest.approx(1, abs=0.05)
    assert change.right == pytest.approx(0, abs=0.05)


def test_three_sizes_show_no_change() -> None:
    assert find_change(planted(BROKEN["step"], 1, sizes=SIZES[:3])) is None


def test_a_step_too_small_to_matter_is_none() -> None:
    small = planted(lambda x: 1e-3 * x * (1.03 if x > 1e5 else 1), 1, noise=0.0005)
    assert find_change(small) is None
