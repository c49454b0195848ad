"""Steps to the last nights, and times in units of a control cell that drifts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from treebench.analysis.comparing.rule import Bounds
from treebench.history.course import course_of
from treebench.history.steps import Step, in_control_time, step_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

BOUNDS = Bounds(0.03, 0.0)
NIGHTS = 40


def noisy(seed: int, size: float = 0.05) -> NDArray[np.float64]:
    return 1 + np.random.default_rng(seed).normal(0, size, NIGHTS)


def found(medians: NDArray[np.float64], dismissed: int = 0, accepted: int = 0) -> Step | None:
    unknown = np.full(len(medians), np.nan)
    return step_of(medians, unknown, BOUNDS, "more", dismissed=dismissed, accepted=accepted)


def test_a_step_of_twice_the_noise_is_suspected_within_five_nights() -> None:
    slower = [noisy(seed) * np.where(np.arange(NIGHTS) >= 35, 1.10, 1.0) for seed in range(60)]
    seen = [any(found(each[:night]) for night in range(36, 41)) for each in slower]
    assert sum(seen) >= 58


def test_what_is_well_again_is_no_step() -> None:
    medians = noisy(3, 0.01)
    medians[30:37] *= 1.10
    assert found(medians[:37]) is not None
    assert found(medians) is None


def test_what_was_cleared_needs_new_nights() -> None:
    medians = noisy(3, 0.01)
    medians[38:] *= 1.10
    assert found(medians) is not None
    assert found(medians, dismissed=NIGHTS) is None
    assert found(medians, accepted=NIGHTS) is None


def parts(seed: int, *levels: tuple[int, float]) -> NDArray[np.float64]:
    """So many nights at each level, noisy, the last ones of forty."""
    held = np.concatenate([np.full(nights, level) for nights, level in levels])
    whole: NDArray[np.float64] = np.concatenate([np.ones(NIGHTS - len(held)), held])
    made: NDArray[np.float64] = noisy(seed) * whole
    return made


def test_noise_that_a_rerun_dismissed_does_not_hide_what_comes_after() -> None:
    """Two nights that were high by chance, then a slowdown for good: seldom seen (31 of 100) where
    those nights are what is judged by."""
    slower = [parts(seed, (2, 1.08), (8, 1.10)) for seed in range(100)]
    steps = [found(each, dismissed=32) for each in slower]
    assert sum(each is not None for each in steps) >= 65
    assert np.mean([each.before for each in steps if each]) == pytest.approx(1, abs=0.02)


def test_a_level_that_the_machine_surely_moved_to_is_judged_by() -> None:
    moved = [parts(seed, (6, 1.25), (4, 1.25)) for seed in range(40)]
    assert sum(found(each, dismissed=36) is None for each in moved) >= 30
    slower = [parts(seed, (6, 1.25), (4, 1.55)) for seed in range(40)]
    steps = [found(each, dismissed=36) for each in slower]
    assert np.mean([each.before for each in steps if each]) == pytest.approx(1.25, abs=0.03)


def test_what_people_accepted_is_judged_by_however_noisy() -> None:
    slower = [parts(seed, (2, 1.08), (8, 1.30)) for seed in range(40)]
    accepted = [each.before for one in slower if (each := found(one, accepted=32))]
    dismissed = [each.before for one in slower if (each := found(one, dismissed=32))]
    assert np.mean(accepted) > np.mean(dismissed) + 0.02


def test_a_series_without_noise_is_its_own_course() -> None:
    values = np.r_[np.full(20, 1.0), np.full(20, 1.2)]
    assert course_of(values) == pytest.approx(values)
    assert course_of(values[:1]) == pytest.approx(values[:1])


def test_a_course_is_nearer_to_what_wanders_than_the_noisy_values_are() -> None:
    hidden = 1 + 0.06 * np.sin(np.arange(200) / 10)
    values = hidden + np.random.default_rng(1).normal(0, 0.05, 200)
    missed = np.std(course_of(values) - hidden)
    assert missed < 0.6 * np.std(values - hidden)


def test_noise_of_the_control_cell_alone_is_not_handed_on() -> None:
    machine = 1 + 0.3 * (np.arange(NIGHTS) >= 20)
    steadied = in_control_time(machine * noisy(1, 0.01), machine * noisy(2), 0.03)
    assert steadied is not None
    quiet = np.r_[steadied[4:15], steadied[26:36]]
    assert np.std(quiet) / np.mean(quiet) < 0.04


def test_what_met_both_cells_in_one_night_is_taken_out() -> None:
    machine = (1 + 0.3 * (np.arange(NIGHTS) >= 20)) * noisy(1)
    steadied = in_control_time(machine * noisy(2, 0.005), machine, 0.03)
    assert steadied is not None
    assert np.std(steadied) / np.mean(steadied) < 0.01
