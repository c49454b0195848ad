"""What decides: the constants of levels, steps and re-runs, each by a case that turns on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.history import made
from tests.history.made import FIRST, NEWER, REQUIREMENTS, SECOND
from treebench.analysis.comparing.rule import Bounds, change_of
from treebench.analysis.figures import figure_named
from treebench.history.levels import levels_of
from treebench.history.night import Night
from treebench.history.settling import NotRerun, settle, settled
from treebench.history.steps import step_of
from treebench.history.suspects import Suspect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from treebench.history.steps import Step

BOUNDS = Bounds(0.03, 0.0)


def around(*parts: tuple[int, float], noise: float = 0.2) -> NDArray[np.float64]:
    """So many nights at each level, a little noise about it."""
    levels = np.concatenate([np.full(nights, level) for nights, level in parts])
    return levels + np.random.default_rng(7).normal(0, noise, len(levels))


def step(medians: NDArray[np.float64]) -> Step | None:
    return step_of(medians, np.full(len(medians), np.nan), BOUNDS, "more")


def test_a_step_of_twice_the_noise_parts_two_levels_and_noise_alone_none() -> None:
    starts = [level.start for level in levels_of(around((20, 100), (15, 102), noise=1.0), 1.0)]
    assert len(starts) == 2
    assert abs(starts[1] - 20) <= 2
    assert len(levels_of(around((40, 100), noise=1.0), 1.0)) == 1


@pytest.mark.parametrize(("wild", "first"), [(50.0, 2), (110.0, 0), (200.0, 0)])
def test_one_wild_night_is_no_step(wild: float, first: int) -> None:
    """Save where it is much the better one of the first two, which are all there is to judge by."""
    for at in range(first, 30):
        medians = around((30, 100))
        medians[at] = wild
        assert step(medians) is None, at


def test_a_level_that_creeps_within_the_band_is_judged_by_its_first_nights() -> None:
    """3.5 % above the first thirty nights, and 2 % above the last."""
    found = step(around((30, 100), (30, 101.5), (10, 103.5)))
    assert found is not None
    assert found.before == pytest.approx(100, abs=0.2)


@pytest.mark.parametrize(("nights", "held"), [(3, False), (12, True)])
def test_a_better_level_is_what_is_judged_by_once_it_has_lasted(nights: int, held: bool) -> None:
    found = step(around((20, 100), (nights, 90), (9, 100)))
    assert (found is not None) is held


@pytest.mark.parametrize(("error", "sure"), [(0.2, True), (5.0, False)])
def test_a_step_within_the_error_of_few_nights_is_not_sure(error: float, sure: bool) -> None:
    """4 % more since other versions two nights ago."""
    medians = around((10, 100), (2, 104))
    found = step_of(medians, np.full(12, error), BOUNDS, "more", boundaries=[10])
    assert (found is not None) is sure


@pytest.mark.parametrize(
    ("chance", "said"), [(0.001, "regression"), (0.03, "unclear"), (0.5, "unclear")]
)
def test_a_change_that_compare_would_call_worse_is_no_regression_yet(
    chance: float, said: str
) -> None:
    draw = np.random.default_rng(1)
    before = (1e9 * draw.normal(1, 0.01, 10)).tolist()
    after = (1e9 * draw.normal(1.08, 0.01, 10)).tolist()
    figure = figure_named("fit_time")
    assert settled(change_of(before, after), figure, chance, 1, BOUNDS) == said


def test_suspects_are_run_again_each_in_the_environment_of_its_last_good_night() -> None:
    nights = {
        made.name(day): Night(made.name(day), "tiny", python, requirements, ())
        for day, python, requirements in (
            (1, "3.11.7", REQUIREMENTS),
            (2, "3.11.7", NEWER),
            (3, "3.12.1", NEWER),
            (4, "3.12.1", NEWER),
        )
    }
    suspects = [
        Suspect(cell, figure, made.name(day + 1), made.name(day), 1.0, 2.0)
        for cell, figure, day in (
            (FIRST.id, "fit_time", 1),
            (FIRST.id, "peak_memory", 3),
            (SECOND.id, "fit_time", 2),
            (SECOND.id, "peak_memory", 1),
        )
    ]
    asked: list[tuple[str, tuple[str, ...]]] = []

    def rerun(cells: Sequence[str], good: Night, rounds: int) -> NotRerun:
        asked.append((good.name, tuple(cells)))
        return NotRerun("no time")

    settle(suspects, nights, nights[made.name(4)], rerun)
    assert sorted(asked) == [
        (made.name(1), (FIRST.id, SECOND.id)),
        (made.name(2), (SECOND.id,)),
        (made.name(3), (FIRST.id,)),
    ]
