"""Cases that turn on one number: what is leaner, what is the same score."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from tests.picking.test_pilots import bench_of
from tests.picking.world import MIB, World, picked, question
from treebench.picking.forecast import Forecast
from treebench.picking.outcome import Pick
from treebench.picking.proof import same_score
from treebench.picking.search import Candidate, promoted
from treebench.picking.space import Learner, Point, holdings, learners, starting_point
from treebench.picking.tried import Tried
from treebench.plan.build import PlannedCell


@dataclass
class ByTrees(World):
    """A MiB for each tree."""

    def memory(self, cell: PlannedCell) -> Forecast:
        need = float(cell.spec.params["n_estimators"]) * MIB
        return Forecast(need, need, need)


def tried(learner: Learner, trees: int, auc: float) -> Tried:
    from treebench.picking.cells import Size

    point: Point = starting_point(learner).with_values(n_estimators=trees)
    return Tried(point, holdings(learner)[0], 0, Size(100), str(trees), "ok", "auc", auc)


@pytest.mark.parametrize(("trees", "goes_on"), [(190, False), (189, True), (150, True)])
def test_a_worse_point_goes_on_where_it_needs_a_twentieth_less_than_all_that_are_better(
    trees: int, goes_on: bool
) -> None:
    bench = bench_of(ByTrees())
    learner = learners(bench.cells.question)[0]
    better = [tried(learner, 200 + place, 0.9 - place / 100) for place in range(3)]
    leaner = tried(learner, trees, 0.7)
    # The first three go on by their score alone.
    assert (leaner in promoted(bench, [*better, leaner])) is goes_on


def test_shares_of_time_are_of_all_of_it_for_pilots_and_then_of_what_they_left() -> None:
    world = World()
    bench = bench_of(world, search_time_s=100.0)
    world.now_s = 29.0
    assert bench.within(0.3)
    world.now_s = 30.0
    assert not bench.within(0.3)
    bench.search_begins()
    for now_s, half_is_left in ((30.0, True), (64.9, True), (65.0, False)):
        world.now_s = now_s
        assert bench.within(0.5) is half_is_left
    assert not bench.hurried
    assert not bench.has_time(0.5)
    assert bench.hurried


def test_pilots_that_took_all_the_time_leave_none() -> None:
    world = World()
    bench = bench_of(world, search_time_s=10.0)
    world.now_s = 11.0
    bench.search_begins()
    assert not bench.within(1.0)


@pytest.fixture(scope="module")
def pick() -> Pick:
    return picked(question(4096 * MIB), World())


def scored(pick: Pick, metric: str, score: float) -> Candidate:
    one = pick.frontier[0].candidate
    return replace(one, tried=(replace(one.tried[0], metric=metric, score=score),))


@pytest.mark.parametrize(
    ("metric", "best", "other", "same"),
    [
        ("rmse", 50.0, 50.49, True),
        ("rmse", 50.0, 50.51, False),
        ("rmse", 0.05, 0.0504, True),
        ("rmse", 0.05, 0.0506, False),
        ("auc", 0.9, 0.8981, True),
        ("auc", 0.9, 0.8979, False),
        ("r2", 0.9, 0.8979, False),
        ("accuracy", 0.9, 0.8981, True),
    ],
)
def test_errors_are_the_same_within_a_percent_and_shares_within_two_thousandths(
    pick: Pick, metric: str, best: float, other: float, same: bool
) -> None:
    assert same_score(scored(pick, metric, other), scored(pick, metric, best)) is same
