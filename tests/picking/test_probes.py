"""Where no upper bound keeps to the budget: what a sample of nearly all rows changes."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.picking.test_pilots import bench_of
from tests.picking.world import BASELINE, MIB, World, dead, picked, question, row
from treebench.picking.forecast import Forecast
from treebench.picking.probes import run_probes
from treebench.plan.build import PlannedCell
from treebench.store.row import SampleRow

BUDGET = 1000 * MIB


@dataclass
class Foretold(World):
    """Forecasts are by container, 300 MiB to either side of `said`, until a sample of nearly all
    rows has shown what it truly needs."""

    said: dict[str, int] = field(default_factory=dict)
    true: dict[str, int] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)

    def memory(self, cell: PlannedCell) -> Forecast:
        name = container_of(cell)
        told = self.true if name in self.shown else self.said
        mid = told.get(name, 5000) * MIB
        return Forecast(mid - 300 * MIB, mid, mid + 300 * MIB)

    def saw(self, cell: PlannedCell, row: SampleRow) -> None:
        if cell.spec.rows >= 80_000 and row.status == "ok":
            self.shown.add(container_of(cell))

    def _row(self, cell: PlannedCell, deadline_s: float) -> SampleRow:
        peak = self.true.get(container_of(cell), 5000) * MIB
        limit = cell.spec.memory_limit_bytes
        if limit is not None and peak > 2 * limit:
            return dead(cell, "oom", "fit")
        return row(cell, "ok", {"fit": (10**9, peak)}, score={"auc": 0.8})


def container_of(cell: PlannedCell) -> str:
    return str(cell.spec.params.get("container", "dmatrix"))


def probed(world: World) -> list[str]:
    """The containers of hist that a sample of nearly all rows was taken of, in order."""
    return [
        container_of(cell)
        for cell in world.taken
        if cell.spec.rows >= 80_000 and cell.spec.params["method"] == "hist"
    ]


def run(world: Foretold, search_time_s: float = 100_000.0) -> None:
    bench = bench_of(world, search_time_s)
    bench.screen.likeliest = True
    run_probes(bench)


def test_the_least_is_probed_first_and_the_next_where_it_needs_more_than_was_said() -> None:
    world = Foretold(
        said={"quantile": 990, "iterator": 970, "external": 1100},
        true={"quantile": 1010, "iterator": 1020, "external": 960},
    )
    run(world)
    assert probed(world) == ["iterator", "quantile", "external"]


def test_one_that_fits_ends_it() -> None:
    world = Foretold(said={"quantile": 990, "iterator": 970}, true={"iterator": 980})
    run(world)
    assert probed(world) == ["iterator"]


def test_a_way_that_cannot_keep_to_the_budget_is_never_probed() -> None:
    world = Foretold(said={"quantile": 1301}, true={"quantile": 900})
    run(world)
    assert probed(world) == []


def test_each_probe_is_limited_to_the_budget_and_reads_no_test_part() -> None:
    world = Foretold(said={"quantile": 990}, true={"quantile": 980})
    run(world)
    (cell,) = world.taken
    assert cell.spec.memory_limit_bytes == BUDGET
    assert cell.spec.dataset == "toy.search"
    assert cell.spec.params["n_estimators"] == 10


def test_one_that_dies_rules_its_way_out() -> None:
    world = Foretold(
        said={"quantile": 970, "iterator": 990}, true={"quantile": 2100, "iterator": 980}
    )
    bench = bench_of(world)
    bench.screen.likeliest = True
    run_probes(bench)
    assert probed(world) == ["quantile", "quantile", "iterator"]
    assert [cell.spec.layout for cell in world.taken] == ["dense-c", "dense-f", "dense-c"]
    assert {holding.container for _, holding in bench.screen.broke} == {"quantile"}


def test_one_probe_is_taken_however_short_the_time() -> None:
    world = Foretold(said={"quantile": 990, "iterator": 970}, true={"quantile": 990})
    run(world, search_time_s=0.1)
    assert probed(world) == ["iterator"]


def test_what_was_foreseen_too_high_is_picked_once_a_probe_has_shown_it() -> None:
    """The likeliest values name the wrong way, and leave the one out that could do."""
    world = Foretold(
        said={"quantile": 990, "iterator": 1100, "external": 1200},
        true={"quantile": 1100, "iterator": 1050, "external": 900},
    )
    asked = question(BUDGET, trainers=("xgboost",))
    found = picked(asked, world)
    assert found.attempt is not None
    assert found.attempt.fit.holding.container == "external"


@dataclass
class Wary(World):
    """Each tree is foreseen to take a MiB, give or take 30 %, until one proof on all rows has ended
    well: a tree takes a thousand bytes."""

    taught: bool = False

    def memory(self, cell: PlannedCell) -> Forecast:
        exact = super().memory(cell)
        if self.taught:
            return exact
        mid = exact.mid + int(cell.spec.params["n_estimators"]) * MIB
        return Forecast(0.7 * mid, mid, 1.3 * mid)

    def saw(self, cell: PlannedCell, row: SampleRow) -> None:
        super().saw(cell, row)
        self.taught |= row.status == "ok" and not cell.spec.dataset.endswith(".search")


def test_a_smallest_point_that_stood_lets_larger_ones_in() -> None:
    asked = question(BASELINE + 52 * MIB, trainers=("lightgbm",))
    world = Wary()
    found = picked(asked, world)
    on_all_rows = [cell for cell in world.taken if not cell.spec.dataset.endswith(".search")]
    assert on_all_rows[0].spec.params["n_estimators"] == 50
    assert found.attempt is not None
    assert found.attempt.candidate is not None
    assert found.attempt.fit.point.values["n_estimators"] > 100
    assert any(each.standing == "pick" for each in found.frontier)
