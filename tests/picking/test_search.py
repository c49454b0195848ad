"""Where a search begins, and what it leaves out for want of time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import pytest

from tests.picking.world import BASELINE, MIB, World, manifest, picked, question
from treebench.picking.forecast import Forecast
from treebench.picking.pilots import pilot_rows
from treebench.picking.search import rungs, values_per_row
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


def test_the_search_ends_by_its_time() -> None:
    world = World()
    picked(question(4096 * MIB, search_time_s=20.0), world)
    unhurried = World()
    picked(question(4096 * MIB, search_time_s=10_000.0), unhurried)
    assert len(world.taken) < len(unhurried.taken)


def test_few_rows_are_searched_in_full_at_once() -> None:
    world = World()
    pick = picked(question(4096 * MIB, rows=2_000), world)
    assert pick.attempt is not None
    rungs = {cell.spec.rows for cell in world.taken if cell.spec.dataset.endswith(".search")}
    assert rungs - set(pilot_rows(1_600)) == {1_600}


def test_few_rows_of_many_values_are_searched_with_few_trees_first() -> None:
    world = World()
    pick = picked(question(4096 * MIB, rows=2_000, features=1_000), world)
    assert pick.attempt is not None
    searched = [cell for cell in world.taken if cell.spec.dataset.endswith(".search")]
    first = [cell for cell in searched if cell.spec.params["n_estimators"] == 100]
    whole = [cell for cell in searched if cell.spec.params["n_estimators"] > 100]
    assert {cell.spec.rows for cell in [*first, *whole]} == {1_600}
    assert len(first) > len(whole) > 0


def test_a_class_is_as_much_work_as_all_features_once_more() -> None:
    two, six = manifest(9_000, features=30), manifest(9_000, features=30)
    many = replace(six, task="multiclass", classes=tuple("abcdef"))
    asked = replace(question(MIB), search_manifest=two)
    assert values_per_row(asked) == 30
    assert values_per_row(replace(asked, search_manifest=many)) == 180
    assert len(rungs(9_000, 30)) == 1
    assert len(rungs(9_000, 180)) == 2
