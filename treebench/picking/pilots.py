"""Pilots: small samples that teach the foresight what this data costs, before anything is searched.

Two for each way of training and holding that may come to be used: one of few rows, bins and leaves,
and one of more of each, so that what grows with rows, with bins and with leaves can be told apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.picking.cells import Size
from treebench.picking.forecast import CALIBRATED
from treebench.picking.space import holdings, learners, smallest_point, starting_point

if TYPE_CHECKING:
    from treebench.picking.bench import Bench
    from treebench.picking.space import Holding, Learner, Point

PILOT = -1
"""The rung of a pilot: it is compared with nothing."""

_FEWEST_ROWS = 200
_MOST_ROWS = 40_000
_SHARE = 5
"""Pilots take a fifth of the rows at most: what is foreseen is five times as large, or more."""
_SMALL_TREES, _TREES = 10, 30
_SMALLER = 4
_TIME_SHARE = 0.3
"""Of the search's time, what pilots may take."""


def pilot_rows(search_rows: int) -> tuple[int, int]:
    """Rows of the small and of the large pilot."""
    large = max(min(search_rows, _FEWEST_ROWS), min(search_rows // _SHARE, _MOST_ROWS))
    return max(min(large, _FEWEST_ROWS // 2), large // _SMALLER), large


def run_pilots(bench: Bench) -> None:
    """Pilot the ways to train until each learner has one that fits, or none is left.

    A way whose forecast leaves it out before any pilot by its lower bound is never run. One whose
    pilot is killed is ruled out for good.
    """
    pending = _wanted(bench)
    bench.told.expect(2 * len(pending))
    done: set[tuple[str, str | None, Holding]] = set()
    while pending:
        for learner, holding in pending:
            if done and not bench.within(_TIME_SHARE):
                bench.told.said(
                    f"{_TIME_SHARE:.0%} of the search's time is over: what has no pilot yet is "
                    f"judged by the shipped reference; --search-time gives more"
                )
                return
            _pilot(bench, learner, holding)
            done.add((learner.trainer, learner.method, holding))
        pending = [
            (learner, holding)
            for learner, holding in _wanted(bench)
            if (learner.trainer, learner.method, holding) not in done
        ]
        bench.told.expect(2 * len(pending))


def _wanted(bench: Bench) -> list[tuple[Learner, Holding]]:
    """For each trainer, method and form the first way of holding that could still meet the budget.
    Learners that differ in their categories alone share it: they hold columns of one kind."""
    found: dict[tuple[str, str | None, str], tuple[Learner, Holding]] = {}
    for learner in learners(bench.cells.question):
        key = (learner.trainer, learner.method, learner.form)
        if key in found:
            continue
        holding = _first_possible(bench, learner)
        if holding is not None:
            found[key] = (learner, holding)
    return list(found.values())


def _first_possible(bench: Bench, learner: Learner) -> Holding | None:
    point = smallest_point(learner)
    budget = bench.cells.question.budget_bytes
    for holding in holdings(learner):
        cell = bench.cells.full(point, holding)
        if isinstance(cell, str) or (learner, holding) in bench.screen.killed:
            continue
        memory = bench.foresight.memory(cell)
        calibrated = memory.basis == CALIBRATED
        if (memory.high if calibrated else memory.low) <= budget:
            return holding
    return None


def _pilot(bench: Bench, learner: Learner, holding: Holding) -> None:
    small, large = pilot_rows(bench.cells.question.search_rows)
    for point, rows, trees in (
        (smallest_point(learner), small, _SMALL_TREES),
        (_moderate(learner), large, _TREES),
    ):
        size = Size(rows, trees)
        tried = bench.try_point(point, holding, PILOT, size, "pilot")
        if tried is not None and tried.status in ("oom", "killed"):
            why = f"its pilot of {rows:,} rows was killed ({tried.failure})"
            bench.screen.was_killed(point, holding, why)
            bench.told.said(f"{learner}, {holding}: {why}")
            return


def _moderate(learner: Learner) -> Point:
    """Near where the search begins, with more leaves, so that what they cost is seen."""
    point = starting_point(learner)
    more = {"max_depth": 8, "max_leaves": 127}
    return point.with_values(**{k: v for k, v in more.items() if k in point.values})
