"""Costs at equal score, against curves whose crossing is known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.analysis.forests import MEMMAP, SHARDED, THREADS, fit_ns, forest, sample, several
from tests.analysis.rows import MS, failed
from treebench.analysis.equal_score import Crossing, crossing, equal_scores
from treebench.analysis.summary import CellSummary, summarise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.plan.cell import CellSpec
    from treebench.store.row import SampleRow

COSTS = {
    "wall_ns": lambda cell: cell.construct_fit_wall_ns,
    "tree_bytes": lambda cell: cell.tree_peak_bytes,
}


def summed(cell: CellSpec, rows: Sequence[SampleRow] | None = None) -> CellSummary:
    return summarise(cell.id, cell.to_json(), [sample(cell, 0)] if rows is None else rows)


def scored(cell: CellSpec, block: int, score: dict[str, float], fit_ms: int = 100) -> SampleRow:
    made = sample(cell, block)
    fit = replace(made.phases["fit"], wall_ns=fit_ms * MS)
    return replace(made, score=score, phases=made.phases | {"fit": fit})


@pytest.mark.parametrize(
    ("aim", "there"),
    [
        (0.5, Crossing("at most", 10)),
        (0.6, Crossing("measured", 10)),
        (0.7, Crossing("interpolated", 15)),
        (0.8, Crossing("measured", 20)),
        (0.85, Crossing("interpolated", 30)),
        (0.91, Crossing("not reached", None)),
    ],
)
def test_where_a_line_through_points_comes_to_a_value(aim: float, there: Crossing) -> None:
    found = crossing([(0.6, 10), (0.8, 20), (0.9, 40)], aim)
    assert found.how == there.how
    assert found.value == (None if there.value is None else pytest.approx(there.value))


def test_the_first_crossing_counts_where_more_trees_are_worse_again() -> None:
    assert crossing([(0.6, 10), (0.8, 20), (0.7, 40), (0.9, 80)], 0.75).value == pytest.approx(17.5)


def test_threads_and_shards_at_the_best_score_that_both_reach() -> None:
    # GIVEN forests whose AUC grows by 0.01 with each doubling, two shards being one doubling behind
    chosen = [forest(trainer, 2, trees) for trainer in (THREADS, SHARDED) for trees in (8, 16, 32)]
    # WHEN compared at the best score that both reach
    [compared] = equal_scores([summed(cell) for cell in chosen], COSTS)
    threads, sharded = compared.series
    # THEN that is the sharded forest's best, and it takes twice the trees
    assert (compared.score, compared.target, compared.common) == ("auc", 0.89, True)
    assert (threads.how, threads.trees) == ("measured", 16)
    assert (sharded.how, sharded.trees) == ("measured", 32)
    assert threads.prices["wall_ns"].value == fit_ns(forest(THREADS, 2, 16))
    assert sharded.prices["wall_ns"].value == fit_ns(forest(SHARDED, 2, 32))


def test_between_two_numbers_of_trees_costs_are_on_the_line_between_them() -> None:
    chosen = [forest(THREADS, 2, trees) for trees in (8, 16)]
    [compared] = equal_scores([summed(cell) for cell in chosen], COSTS, 0.885)
    [threads] = compared.series
    assert (threads.how, compared.common) == ("interpolated", False)
    assert threads.trees == pytest.approx(12)
    assert threads.prices["wall_ns"].value == pytest.approx(12 * 50 * MS)


def test_nothing_is_said_outside_of_what_was_measured() -> None:
    cells = [summed(forest(THREADS, 2, trees)) for trees in (8, 16)]
    [above] = equal_scores(cells, COSTS, 0.95)[0].series
    assert (above.how, above.trees, above.prices["wall_ns"].value) == ("not reached", None, None)
    [below] = equal_scores(cells, COSTS, 0.80)[0].series
    assert (below.how, below.trees) == ("at most", 8)
    assert below.prices["wall_ns"].low is None


def test_a_score_that_is_better_when_lower() -> None:
    few, many = (forest(THREADS, 2, trees) for trees in (8, 16))
    cells = [
        summed(few, [scored(few, 0, {"rmse": 3.0}, 100)]),
        summed(many, [scored(many, 0, {"rmse": 2.0}, 300)]),
    ]
    [compared] = equal_scores(cells, COSTS, 2.5)
    [one] = compared.series
    assert (compared.score, compared.target, one.best) == ("rmse", 2.5, 2.0)
    assert one.prices["wall_ns"].value == pytest.approx(200 * MS)


def test_the_ends_are_as_cheap_and_as_dear_as_scores_and_costs_allow() -> None:
    # GIVEN two samples of each, whose intervals are their ranges
    few, many = (forest(THREADS, 2, trees) for trees in (8, 16))
    cells = [
        summed(few, [scored(few, 0, {"auc": 0.70}, 100), scored(few, 1, {"auc": 0.72}, 120)]),
        summed(many, [scored(many, 0, {"auc": 0.90}, 300), scored(many, 1, {"auc": 0.92}, 320)]),
    ]
    [one] = equal_scores(cells, COSTS, 0.81)[0].series
    price = one.prices["wall_ns"]
    # THEN the middle is half way, the ends 9/20 and 11/20 of the way from end to end
    assert price.value == pytest.approx(210 * MS)
    assert price.low == pytest.approx((100 + 200 * 9 / 20) * MS)
    assert price.high == pytest.approx((120 + 200 * 11 / 20) * MS)


def test_an_end_that_the_measured_does_not_bound_is_open() -> None:
    few, many = (forest(THREADS, 2, trees) for trees in (8, 16))
    cells = [
        summed(few, [scored(few, 0, {"auc": 0.70}), scored(few, 1, {"auc": 0.70})]),
        summed(many, [scored(many, 0, {"auc": 0.88}), scored(many, 1, {"auc": 0.92})]),
    ]
    [one] = equal_scores(cells, COSTS)[0].series
    assert one.prices["wall_ns"].value is not None
    assert one.prices["wall_ns"].low is not None
    assert one.prices["wall_ns"].high is None


def test_one_sample_has_no_ends() -> None:
    [one] = equal_scores([summed(forest(THREADS, 2, n)) for n in (8, 16)], COSTS, 0.885)[0].series
    assert (one.prices["wall_ns"].low, one.prices["wall_ns"].high) == (None, None)


def test_cells_that_cannot_be_compared_are_counted_not_compared() -> None:
    alone, lost = forest(MEMMAP, 4), forest(SHARDED, 2)
    cells = [
        *(summed(forest(THREADS, 2, trees)) for trees in (8, 16)),
        summed(alone),
        summed(lost, [failed(lost, 0, "oom", "killed")]),
    ]
    [compared] = equal_scores(cells, COSTS)
    assert (len(compared.series), compared.single, compared.without_score) == (1, 1, 1)


def test_runs_in_which_trees_do_not_vary_have_no_comparison() -> None:
    assert equal_scores([summed(forest(THREADS, jobs)) for jobs in (1, 2)], COSTS) == []
    assert equal_scores([summed(forest(THREADS, 2), [])], COSTS) == []


def test_another_data_set_is_another_comparison() -> None:
    cells = [
        replace(forest(THREADS, 2, trees), dataset=name) for name in ("a", "b") for trees in (8, 16)
    ]
    found = equal_scores([summed(cell, several(cell)) for cell in cells], COSTS)
    assert [one.dataset for one in found] == ["a", "b"]


def test_a_cost_that_a_cell_lacks_is_unknown_and_the_others_stay() -> None:
    few, many = (forest(THREADS, 2, trees) for trees in (8, 16))
    bare = sample(many, 0)
    fit = replace(bare.phases["fit"], tree_peak_bytes=None)
    cells = [summed(few), summed(many, [replace(bare, phases=bare.phases | {"fit": fit})])]
    [one] = equal_scores(cells, COSTS, 0.885)[0].series
    assert one.prices["tree_bytes"].value is None
    assert one.prices["wall_ns"].value is not None
