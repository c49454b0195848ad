"""Which way of holding the data a learner's pilots are taken of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from tests.picking.world import MIB, Quiet, World, question
from treebench.picking.bench import Bench
from treebench.picking.cells import Cells
from treebench.picking.forecast import CALIBRATED, Forecast
from treebench.picking.pilots import run_pilots
from treebench.picking.screen import Screen
from treebench.picking.space import holdings, learners, smallest_point
from treebench.picking.state import State
from treebench.plan.build import PlannedCell

BUDGET = 1000 * MIB


@dataclass
class Told(World):
    """Forecasts are by the container: bytes low and high; `taught` is their basis."""

    bounds: dict[str, tuple[float, float]] = field(default_factory=dict)
    taught: bool = False

    def memory(self, cell: PlannedCell) -> Forecast:
        container = str(cell.spec.params.get("container", "dmatrix"))
        low, high = self.bounds.get(container, (1.0, 2.0))
        basis = CALIBRATED if self.taught else "reference"
        return Forecast(low, (low + high) / 2, high, basis=basis)


def bench_of(world: World, search_time_s: float = 100_000.0) -> Bench:
    asked = question(BUDGET, trainers=("xgboost",), search_time_s=search_time_s)
    cells = Cells(asked)
    return Bench(
        cells, Screen(cells, world), world, world, Quiet(), State(), clock=lambda: world.now_s
    )


def piloted(world: World, before: Callable[[Bench], None] = lambda _: None) -> str:
    """The first container of hist that a pilot was taken of."""
    bench = bench_of(world)
    before(bench)
    run_pilots(bench)
    hist = [cell for cell in world.taken if cell.spec.params["method"] == "hist"]
    return str(hist[0].spec.params["container"]) if hist else "none"


@pytest.mark.parametrize(
    ("low", "high", "taught", "first"),
    [
        (BUDGET, 3 * BUDGET, False, "quantile"),
        (BUDGET + 1, 3 * BUDGET, False, "iterator"),
        (1, BUDGET, True, "quantile"),
        (1, BUDGET + 1, True, "iterator"),
    ],
)
def test_the_lower_bound_decides_before_anything_was_measured_and_the_upper_one_after(
    low: float, high: float, taught: bool, first: str
) -> None:
    world = Told(bounds={"quantile": (low, high)}, taught=taught)
    assert piloted(world) == first


def test_where_none_can_meet_the_budget_there_is_no_pilot() -> None:
    over = (BUDGET + 1.0, BUDGET + 2.0)
    names = ("quantile", "iterator", "external", "dmatrix")
    assert piloted(Told(bounds=dict.fromkeys(names, over))) == "none"


def test_a_way_that_was_killed_is_passed_over_and_the_next_is_piloted() -> None:
    def kill(bench: Bench) -> None:
        learner = learners(bench.cells.question)[0]
        for holding in holdings(learner)[:2]:
            bench.screen.was_killed(smallest_point(learner), holding, "so")

    assert piloted(Told(), kill) == "iterator"


def test_what_a_library_cannot_train_is_passed_over() -> None:
    """Exact takes no container but the plain DMatrix; a cell that cannot be planned is no cell."""
    world = Told()
    bench = bench_of(world)
    planned = bench.cells.full
    refused = []

    def full(point: object, holding: object) -> PlannedCell | str:
        cell = planned(point, holding)  # type: ignore[arg-type]
        if not isinstance(cell, str) and cell.spec.params.get("container") == "quantile":
            refused.append(cell)
            return "not supported"
        return cell

    bench.cells.full = full  # type: ignore[method-assign]
    run_pilots(bench)
    assert refused
    assert {cell.spec.params.get("container") for cell in world.taken} == {"iterator", None}
