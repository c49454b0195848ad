"""Probes: where no upper bound keeps to the budget, samples nearly as large as the data.

A small pilot leaves some percent of doubt about what all rows will need, in which such a budget
lies. A sample of nearly all rows leaves less, and with few trees costs little more than reading.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from treebench.picking.cells import Size
from treebench.picking.space import holdings, learners, smallest_point

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from treebench.picking.bench import Bench
    from treebench.picking.space import Holding, Learner, Point

PROBE = -2
"""The rung of a probe: it is compared with nothing."""

_TREES = 10
_MOST_PROBES = 12
_TIME_SHARE = 0.5
"""Of the search's time, what pilots and probes may take together."""


class _Way(NamedTuple):
    """The smallest point of a learner, held in one way, and what is likely to be needed."""

    point: Point
    holding: Holding
    mid_bytes: float


def run_probes(bench: Bench) -> None:
    """Probe the ways to train until each method has one that fits, or none is left that could.

    A way whose forecast leaves it out by its lower bound is never run. Each probe is limited to the
    budget, and one that dies rules its way out.
    """
    done: list[_Way] = []
    while pending := _pending(bench, done):
        bench.told.expect(len(pending))
        for way in pending:
            if len(done) >= _MOST_PROBES or (done and not bench.within_all(_TIME_SHARE)):
                return
            _probe(bench, way)
            done.append(way)


def _pending(bench: Bench, done: Sequence[_Way]) -> list[_Way]:
    """For each trainer, method and form without a probed way that fits, the least of the others
    that could; the least of all first."""
    least = []
    for kin in _kin(bench):
        probed = [way for way in done if way.point.learner in kin]
        if any(bench.screen.held(way.point, way.holding) for way in probed):
            continue
        possible = [
            way
            for learner in kin
            for way in _possible(bench, learner)
            if not _is_known(bench, way, probed)
        ]
        if possible:
            least.append(min(possible, key=lambda way: way.mid_bytes))
    return sorted(least, key=lambda way: way.mid_bytes)


def _is_known(bench: Bench, way: _Way, probed: Sequence[_Way]) -> bool:
    """Whether it was probed, or a probe of the same container in another layout has taught that it
    needs too much."""
    alike = [one.holding for one in probed if one.holding[1:] == way.holding[1:]]
    too_much = way.mid_bytes > bench.cells.question.budget_bytes
    return way.holding in alike or bool(alike and too_much)


def _kin(bench: Bench) -> Iterable[list[Learner]]:
    """Learners that differ in their categories alone: they hold columns of one kind."""
    kin: dict[tuple[str, str | None, str], list[Learner]] = {}
    for learner in learners(bench.cells.question):
        kin.setdefault((learner.trainer, learner.method, learner.form), []).append(learner)
    return kin.values()


def _possible(bench: Bench, learner: Learner) -> Iterator[_Way]:
    """The ways whose lower bound keeps to the budget and whose upper one does not: of others it is
    not memory that is in doubt."""
    point = smallest_point(learner)
    for holding in holdings(learner):
        cell = bench.cells.full(point, holding)
        if isinstance(cell, str) or _is_out(bench, learner, holding):
            continue
        memory = bench.foresight.memory(cell)
        if memory.low <= bench.cells.question.budget_bytes < memory.high:
            yield _Way(point, holding, memory.mid)


def _is_out(bench: Bench, learner: Learner, holding: Holding) -> bool:
    way = (learner, holding)
    return way in bench.screen.killed or way in bench.screen.broke


def _probe(bench: Bench, way: _Way) -> None:
    question = bench.cells.question
    size = Size(question.search_rows, _TREES, limit_bytes=question.budget_bytes)
    tried = bench.try_point(way.point, way.holding, PROBE, size, "probe")
    if tried is not None and tried.status in ("oom", "killed") and not tried.trained:
        why = f"its probe of {size.rows:,} rows was killed ({tried.failure})"
        bench.screen.broke_budget(way.point, way.holding, why)
        bench.told.said(f"{way.point.learner}, {way.holding}: {why}")
