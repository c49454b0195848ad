"""Whole pickings in a world of known formulas."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.picking.world import (
    BASELINE,
    MIB,
    Quiet,
    World,
    dead,
    picked,
    question,
    true_bytes,
)
from treebench.picking.forecast import Forecast
from treebench.picking.outcome import frontier_of
from treebench.picking.proof import SAME_SCORE
from treebench.picking.state import FILE_NAME, State, read_state
from treebench.plan.build import PlannedCell
from treebench.report import units
from treebench.report.pick_text import smallest_lines
from treebench.store.row import SampleRow


def limits(world: World) -> list[int]:
    return [each.spec.memory_limit_bytes for each in world.taken if each.spec.memory_limit_bytes]


def test_where_everything_fits_the_best_score_is_picked_and_proven_under_the_budget() -> None:
    world = World()
    pick = picked(question(4096 * MIB), world)
    assert pick.attempt is not None
    assert pick.attempt.fit.point.learner.trainer == "lightgbm"
    assert pick.attempt.tried.size.rows == 100_000
    assert limits(world) == [4096 * MIB]
    assert world.taken[-1].spec.memory_limit_bytes == 4096 * MIB
    assert pick.smallest is None
    assert not [each for each in pick.ruled_out if each.kind == "memory"]


def test_the_foreseen_and_the_verified_peak_are_those_of_the_formula() -> None:
    pick = picked(question(4096 * MIB), World())
    assert pick.attempt is not None
    truth = true_bytes(pick.attempt.fit.cell)
    assert pick.attempt.tried.peak_bytes == truth
    assert pick.attempt.fit.memory.mid == truth


def test_trees_are_those_of_the_best_iteration_and_not_all_that_were_proposed() -> None:
    pick = picked(question(4096 * MIB), World())
    assert pick.attempt is not None
    assert pick.attempt.candidate is not None
    proposed = pick.attempt.candidate.point.values["n_estimators"]
    assert pick.attempt.fit.point.values["n_estimators"] == int(proposed) // 2


def test_a_budget_below_the_datas_own_size_is_met_only_by_what_never_holds_it() -> None:
    """The matrix alone is 381 MiB; bins of a byte are 95 MiB."""
    world = World()
    pick = picked(
        question(BASELINE + 150 * MIB, rows=10_000_000, trainers=("xgboost", "sklearn-hist-gbdt")),
        world,
    )
    assert pick.attempt is not None
    assert pick.attempt.fit.holding.container in ("iterator", "external")
    assert pick.attempt.tried.peak_bytes is not None
    assert pick.attempt.tried.peak_bytes <= BASELINE + 150 * MIB
    assert any(each.kind == "memory" for each in pick.ruled_out)


def test_where_only_the_external_container_meets_it_that_is_picked() -> None:
    world = World()
    pick = picked(question(BASELINE + 30 * MIB, rows=10_000_000), world)
    assert pick.attempt is not None
    assert pick.attempt.fit.holding.container == "external"
    kept = {str(each.holding) for each in pick.ruled_out if each.kind == "memory"}
    assert {"quantile dense-c", "iterator dense-c"} <= kept


def test_nothing_over_the_budget_by_its_upper_bound_is_ever_run() -> None:
    budget = BASELINE + 300 * MIB
    asked = question(budget, rows=5_000_000)
    world = World()
    pick = picked(asked, world)
    assert pick.attempt is not None
    on_all_rows = [cell for cell in world.taken if not cell.spec.dataset.endswith(".search")]
    assert on_all_rows
    assert all(world.memory(cell).high <= budget for cell in on_all_rows)
    for one in pick.frontier:
        assert one.candidate.fit.memory.high <= budget


def test_a_budget_below_every_upper_bound_that_can_be_met_is_met() -> None:
    """The least needs 200 MiB and some; what is foreseen of it, up to 5 % more."""
    budget = BASELINE + 5 * MIB
    world = World()
    pick = picked(question(budget), world)
    assert pick.attempt is not None
    assert pick.attempt.fit.memory.mid <= budget < pick.attempt.fit.memory.high
    assert pick.attempt.tried.peak_bytes is not None
    assert pick.attempt.tried.peak_bytes <= budget
    assert set(limits(world)) == {budget}
    assert "nothing was sure to keep to the budget" in "\n".join(pick.notes)
    assert pick.smallest is None


def test_what_is_only_likely_is_not_tried_where_something_is_sure() -> None:
    pick = picked(question(BASELINE + 300 * MIB, rows=5_000_000), World())
    assert "nothing was sure" not in "\n".join(pick.notes)


def test_where_none_fits_the_smallest_budget_that_could_is_told_and_proven() -> None:
    world = World()
    pick = picked(question(BASELINE - 50 * MIB), world)
    assert pick.attempt is None
    assert pick.snippet is None
    assert pick.smallest is not None
    assert pick.smallest.proven_bytes == pick.smallest.budget_bytes
    assert pick.smallest.budget_bytes is not None
    assert pick.smallest.budget_bytes > BASELINE
    assert pick.smallest.needs[0].holding.container == "external"
    # The libraries alone take more than that: fewer rows would not help.
    assert all(each.rows_within is None for each in pick.smallest.needs)
    assert not [cell for cell in world.taken if cell.spec.dataset.endswith(".search")]


def test_where_none_fits_it_is_said_how_many_rows_would() -> None:
    pick = picked(question(BASELINE + 40 * MIB, rows=50_000_000, trainers=("xgboost",)), World())
    assert pick.smallest is not None
    rows = pick.smallest.needs[0].rows_within
    assert rows is not None
    # A tenth of a byte for each of ten values of a row, 50 trees of 1000 bytes, 5 % above that.
    most = (BASELINE + 40 * MIB) / 1.05 - BASELINE - 50 * 1000
    assert 0.97 * most < rows <= most


def test_a_data_set_with_one_feature() -> None:
    pick = picked(question(4096 * MIB, features=1), World())
    assert pick.attempt is not None
    assert pick.attempt.fit.cell.spec.features == 1


def test_sparse_data_is_held_sparse_where_dense_does_not_fit() -> None:
    """Dense: 100,000 x 1,000 x 4 bytes = 381 MiB; csr at 2 %: 15 MiB and bins."""
    world = World(density=0.02)
    asked = question(
        BASELINE + 150 * MIB, features=1000, stored=0.02, trainers=("lightgbm", "xgboost")
    )
    pick = picked(asked, world)
    assert pick.attempt is not None
    assert pick.attempt.fit.holding.layout in ("csr", "csc")


def test_categories_are_part_of_the_space() -> None:
    world = World()
    pick = picked(question(4096 * MIB, codes=(5, 300)), world)
    assert {cell.spec.params["categorical"] for cell in world.taken} == {
        "ordinal",
        "native",
        "onehot",
    }
    reasons = " ".join(each.reason for each in pick.ruled_out)
    assert "native categories" in reasons  # exact, and 300 codes in 255 bins


def test_a_killed_pilot_is_a_row_and_rules_its_way_out() -> None:
    told = Quiet()
    world = World(kills={("method", "exact"): "oom"})
    state = State()
    pick = picked(question(4096 * MIB), world, state, told)
    assert pick.attempt is not None
    exact = [cell for cell in world.taken if cell.spec.params.get("method") == "exact"]
    # Each layout's first pilot: after it nothing of that kind is run.
    assert {cell.spec.layout for cell in exact} == {"dense-c", "dense-f"}
    assert len(exact) == 2
    assert [each.status for each in state.tried].count("oom") == 2
    assert any("pilot" in line for line in told.lines)
    assert any(each.kind == "killed" for each in pick.ruled_out)


def test_a_proof_that_dies_is_learnt_from_and_another_way_is_tried() -> None:
    """Forecasts are 30 % too low, and sure of themselves; what fits must be found by dying."""
    budget = BASELINE + 200 * MIB
    world = World(error=-0.3, spread=0.01)
    pick = picked(question(budget, rows=5_000_000), world)
    assert len(pick.attempts) > 1
    assert pick.attempts[0].failure is not None
    assert "killed by the limit" in pick.attempts[0].failure
    assert pick.attempt is not None
    assert pick.attempt.tried.peak_bytes is not None
    assert pick.attempt.tried.peak_bytes <= budget


class LivesAboveItsLimit(World):
    """The limit does not count what the peak counts."""

    def _row(self, cell: PlannedCell, deadline_s: float) -> SampleRow:
        return self.ended(cell)


def test_a_proof_that_lived_above_the_budget_is_none_and_another_way_is_tried() -> None:
    budget = BASELINE + 200 * MIB
    world = LivesAboveItsLimit(error=-0.3, spread=0.01)
    pick = picked(question(budget, rows=5_000_000), world)
    assert len(pick.attempts) > 1
    assert "above the budget" in str(pick.attempts[0].failure)
    held = [(each.fit.point, each.fit.holding) for each in pick.attempts]
    assert held[0][0] == held[1][0]
    assert held[0][1] != held[1][1]
    assert pick.attempt is not None
    assert pick.attempt.tried.peak_bytes is not None
    assert pick.attempt.tried.peak_bytes <= budget


def test_what_lived_above_the_budget_shows_how_much_is_enough() -> None:
    """What is foreseen of the least goes from 126 to 234 MiB, and it needs 200 and some."""
    world = LivesAboveItsLimit(error=-0.1, spread=0.3)
    pick = picked(question(BASELINE - 15 * MIB), world)
    assert pick.attempt is None
    assert pick.smallest is not None
    assert pick.smallest.lived is not None
    peaks = [each.tried.peak_bytes for each in pick.attempts if each.tried.peak_bytes]
    assert pick.smallest.lived.peak_bytes == min(peaks)
    assert pick.smallest.budget_bytes == -(-min(peaks) // MIB) * MIB
    assert pick.smallest.budget_bytes < pick.smallest.needs[0].memory.high
    said = smallest_lines(pick.to_json())
    assert f"seen: it trained on all rows with a peak of {units.size(min(peaks))}" in said[0]
    assert len(pick.smallest.needs) > len(said)


def test_no_budget_is_reported_as_met_that_was_not() -> None:
    """Whatever the forecasts say: only a sample that lived under the limit counts."""
    world = World(error=-0.6, spread=0.01)
    pick = picked(question(BASELINE - 20 * MIB, rows=1_000_000), world)
    assert pick.attempt is None
    assert pick.attempts
    assert all(each.failure for each in pick.attempts)
    assert pick.smallest is not None
    assert pick.smallest.proven_bytes is None
    assert pick.smallest.budget_bytes is None
    assert smallest_lines(pick.to_json()) == [
        "each way that was foreseen to keep to the budget broke it: what would do is unknown"
    ]


def test_a_way_that_broke_the_budget_in_its_probe_is_still_told_as_one_that_would_do() -> None:
    """Foreseen are 120 to 280 MiB for what needs 200 and some."""
    world = World(spread=0.4)
    asked = question(BASELINE, trainers=("sklearn-hist-gbdt",))
    pick = picked(asked, world)
    assert pick.attempt is None
    assert [cell for cell in world.taken if cell.spec.memory_limit_bytes == BASELINE]
    assert pick.smallest is not None
    assert pick.smallest.budget_bytes is not None
    assert pick.smallest.budget_bytes > BASELINE


def test_a_time_that_nothing_meets_is_no_reason_for_probes() -> None:
    world = World()
    pick = picked(question(4096 * MIB, time_budget_s=0.01), world)
    assert pick.attempt is None
    limited = [cell for cell in world.taken if cell.spec.memory_limit_bytes]
    assert not [cell for cell in limited if cell.spec.dataset.endswith(".search")]


class SlowerThanForeseen(World):
    """Training takes three times what is foreseen of it."""

    def seconds(self, cell: PlannedCell) -> Forecast | None:
        known = super().seconds(cell)
        return known and Forecast(known.low / 3, known.mid / 3, known.high / 3)


def test_a_proof_that_took_longer_than_was_allowed_says_so() -> None:
    pick = picked(
        question(4096 * MIB, time_budget_s=0.3, trainers=("xgboost",)), SlowerThanForeseen()
    )
    assert pick.attempts
    assert "training took" in str(pick.attempts[0].failure)
    assert "above the 0.3 s allowed" in str(pick.attempts[0].failure)


def test_a_pick_that_takes_too_long_is_not_picked() -> None:
    world = World()
    pick = picked(question(4096 * MIB, time_budget_s=1.0, trainers=("xgboost",)), world)
    assert pick.attempt is not None
    assert pick.attempt.tried.wall_s is not None
    assert pick.attempt.tried.wall_s <= 1.0


def test_minimising_time_takes_the_fastest_of_those_as_good_as_the_best() -> None:
    quick = picked(question(4096 * MIB, minimise="time"), World())
    best = picked(question(4096 * MIB), World())
    assert quick.attempt is not None
    assert quick.attempt.candidate is not None
    assert best.attempt is not None
    assert best.attempt.candidate is not None
    assert quick.attempt.tried.wall_s is not None
    assert best.attempt.tried.wall_s is not None
    assert quick.attempt.tried.wall_s <= best.attempt.tried.wall_s
    assert quick.attempt.candidate.loss - quick.frontier[0].candidate.loss <= SAME_SCORE


class DiesAfterFit(World):
    """Training keeps to the limit; reading the test part beside it does not."""

    def ended(self, cell: object) -> SampleRow:
        row = super().ended(cell)  # type: ignore[arg-type]
        if row.spec.get("memory_limit_bytes") is None:
            return row
        from treebench.store.row import SampleError

        error = SampleError("OutOfMemory", "it was killed", phase="predict")
        return replace(row, status="oom", score=None, error=error)


def test_training_within_the_budget_is_proven_though_scoring_beside_it_needs_more() -> None:
    world = DiesAfterFit()
    pick = picked(question(4096 * MIB), world)
    assert pick.attempt is not None
    assert pick.attempt.scored_apart
    assert pick.attempt.tried.score is not None
    assert [cell.spec.memory_limit_bytes for cell in world.taken[-2:]] == [4096 * MIB, None]


def test_equal_questions_have_equal_answers() -> None:
    first, second = World(), World()
    one, other = picked(question(4096 * MIB), first), picked(question(4096 * MIB), second)
    assert [cell.id for cell in first.taken] == [cell.id for cell in second.taken]
    assert one.to_json() == other.to_json()


def test_another_seed_proposes_other_points() -> None:
    first, second = World(), World()
    picked(question(4096 * MIB), first)
    picked(question(4096 * MIB, seed=5), second)
    assert {cell.id for cell in first.taken} != {cell.id for cell in second.taken}


def test_another_budget_uses_the_pilots_and_what_of_the_search_still_fits(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    world = World()
    picked(question(4096 * MIB), world, read_state(path, "0"))
    again = World(rows=world.rows, seen=1)
    pick = picked(question(2048 * MIB), again, read_state(path, "0"))
    assert pick.attempt is not None
    assert limits(again) == [2048 * MIB]
    assert len(again.taken) < len(world.taken) / 3


def test_an_unknown_time_is_not_taken_for_none_at_all() -> None:
    best = picked(question(4096 * MIB), World()).frontier[0].candidate
    assert best.fit.seconds is not None
    worse = replace(best, tried=(replace(best.tried[0], score=0.5),))
    untold = replace(best, fit=replace(best.fit, seconds=None))
    instant = replace(worse, fit=replace(worse.fit, seconds=Forecast(0.0, 0.0, 0.0)))
    assert [each.standing for each in frontier_of([best, worse], [])] == ["front", "dominated"]
    assert [each.standing for each in frontier_of([untold, instant], [])] == ["front", "front"]
    both = [untold, replace(worse, fit=untold.fit)]
    assert [each.standing for each in frontier_of(both, [])] == ["front", "dominated"]


class Slow(World):
    """Nothing that is searched ends in time; pilots and proofs do."""

    def _row(self, cell: PlannedCell, deadline_s: float) -> SampleRow:
        pilots = cell.spec.params["n_estimators"] in (10, 30)
        if cell.spec.dataset.endswith(".search") and not pilots:
            return dead(cell, "timeout", "fit")
        return super()._row(cell, deadline_s)


def test_where_nothing_came_to_a_score_in_time_the_smallest_is_proven() -> None:
    """It is trained within the budget, so that saying that nothing can be would be untrue."""
    pick = picked(question(4096 * MIB, trainers=("xgboost",)), Slow())
    assert pick.frontier == ()
    assert pick.attempt is not None
    assert pick.attempt.candidate is None
    assert pick.attempt.fit.point.values["n_estimators"] == 50
    assert pick.attempt.tried.score is not None
    assert pick.smallest is None


def test_rows_that_all_fit_are_all_told() -> None:
    slow = picked(question(4096 * MIB, rows=1_600, time_budget_s=0.01), World())
    assert slow.smallest is not None
    assert {each.rows_within for each in slow.smallest.needs} == {1_600}
