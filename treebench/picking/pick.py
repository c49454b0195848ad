"""One picking from beginning to end: pilots, search, proof, outcome."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from treebench.picking.bench import Bench
from treebench.picking.cells import Cells, Size
from treebench.picking.outcome import Pick, Spent, frontier_of
from treebench.picking.pilots import run_pilots
from treebench.picking.proof import prove
from treebench.picking.screen import Screen
from treebench.picking.search import search
from treebench.picking.smallest import smallest
from treebench.picking.snippet import snippet
from treebench.picking.state import State

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from treebench.picking.bench import Take, Told
    from treebench.picking.forecast import Foresight
    from treebench.picking.proof import Attempt
    from treebench.picking.question import Question
    from treebench.picking.search import Candidate


def pick(
    question: Question,
    take: Take,
    foresight: Foresight,
    told: Told,
    train: Path,
    state: State | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Pick:
    """Pick a configuration.

    Args:
        question: what is asked.
        take: takes a sample of a cell in a fresh worker.
        foresight: forecasts, and learns; it should have seen what earlier calls took.
        told: is told how far it is.
        train: the made training part, for the snippet.
        state: what earlier calls learnt, and where this one's is kept.
        clock: seconds.

    Raises:
        KeyboardInterrupt: Ctrl-C; what was learnt is in the state.
    """
    kept = State() if state is None else state
    before = len(kept.tried)
    cells = Cells(question)
    bench = Bench(cells, Screen(cells, foresight), foresight, take, told, kept, clock)
    run_pilots(bench)
    candidates = search(bench)
    attempts = prove(bench, candidates)
    outcome = _outcome(bench, candidates, attempts, before, train)
    kept.concluded(outcome.to_json())
    return outcome


def _outcome(
    bench: Bench,
    candidates: Sequence[Candidate],
    attempts: Sequence[Attempt],
    before: int,
    train: Path,
) -> Pick:
    stands = attempts[-1] if attempts and attempts[-1].failure is None else None
    least = None if stands is not None else smallest(bench)
    tried = bench.state.tried
    spent = Spent(
        samples=len(tried),
        samples_now=len(tried) - before,
        wall_s=sum(each.spent_wall_s for each in tried),
        cpu_s=sum(each.spent_cpu_s for each in tried),
    )
    frontier = frontier_of(candidates, attempts)
    groups = tuple(bench.screen.groups())
    question = bench.cells.question
    if stands is None:
        return Pick(question, None, tuple(attempts), frontier, groups, least, spent)
    size = Size(question.rows, search=False, limit_bytes=question.budget_bytes)
    point, holding = stands.fit.point, stands.fit.holding
    return Pick(
        question,
        stands,
        tuple(attempts),
        frontier,
        groups,
        None,
        spent,
        config=bench.cells.written(point, holding, size),
        snippet=snippet(stands.fit.cell, question.manifest, train),
    )
