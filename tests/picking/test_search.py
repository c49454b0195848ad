"""Where a search begins, and what it leaves out for want of time."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import pytest

from tests.picking.world import BASELINE, MIB, World, picked, question
from treebench.picking.forecast import Forecast
from treebench.picking.space import learners, starting_point, starting_points
from treebench.plan.build import PlannedCell

EVERY = learners(question(MIB, trainers=("xgboost", "lightgbm", "sklearn-hist-gbdt")))


@pytest.mark.parametrize("learner", EVERY, ids=str)
def test_each_start_is_smaller_than_the_one_before(learner: object) -> None:
    points = starting_points(learner)  # type: ignore[arg-type]
    assert points[0] == starting_point(learner)  # type: ignore[arg-type]
    assert len(points) == 4
    for one, next_one in pairwise(points):
        assert all(next_one.values[name] <= value for name, value in one.values.items())
        assert next_one != one


@dataclass
class ByLeaves(World):
    """Each leaf takes a MiB, and so it is foreseen, to 5 %."""

    def memory(self, cell: PlannedCell) -> Forecast:
        mid = BASELINE + int(cell.spec.params["max_leaves"]) * MIB
        return Forecast(0.95 * mid, mid, 1.05 * mid)


def test_a_start_that_does_not_fit_is_made_smaller_until_it_does() -> None:
    """31 leaves need 231 MiB, and 242.6 at most."""
    world = ByLeaves()
    picked(question(BASELINE + 45 * MIB, trainers=("lightgbm",)), world)
    first = next(
        cell
        for cell in world.taken
        if cell.spec.dataset.endswith(".search") and cell.spec.params["n_estimators"] > 30
    )
    assert first.spec.params["max_leaves"] == 31
    assert first.spec.params["max_bin"] == 63


@dataclass
class SlowExact(World):
    """Exact is foreseen to take 400 s, whatever its size."""

    def seconds(self, cell: PlannedCell) -> Forecast | None:
        if cell.spec.params.get("method") == "exact":
            return Forecast(300.0, 400.0, 500.0)
        return super().seconds(cell)


@pytest.mark.parametrize(("search_time_s", "tried"), [(1_000.0, False), (100_000.0, True)])
def test_what_would_take_a_quarter_of_the_time_is_left_out(
    search_time_s: float, tried: bool
) -> None:
    world = SlowExact()
    pick = picked(question(4096 * MIB, trainers=("xgboost",), search_time_s=search_time_s), world)
    exact = [
        cell
        for cell in world.taken
        if cell.spec.params["method"] == "exact" and cell.spec.params["n_estimators"] > 30
    ]
    assert bool(exact) is tried
    assert any("were over before all was tried" in note for note in pick.notes) is not tried
