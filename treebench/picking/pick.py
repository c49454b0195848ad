"""One picking from beginning to end: pilots, search, proof, outcome."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from treebench.picking.bench import Bench
from treebench.picking.cells import Cells, Size
from treebench.picking.notes import notes_on
from treebench.picking.outcome import Pick, Spent, frontier_of
from treebench.picking.pilots import run_pilots
from treebench.picking.probes import run_probes
from treebench.picking.proof import broke_budget, prove
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
    from treebench.picking.tried import Tried


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
    bench.search_begins()
    candidates = search(bench)
    attempts = prove(bench, candidates)
    if all(broke_budget(bench, each.tried) for each in attempts):
        candidates, attempts = _likely(bench, candidates, attempts)
    outcome = _outcome(bench, candidates, attempts, before, train)
    kept.concluded(outcome.to_json())
    return outcome


def _likely(
    bench: Bench, candidates: list[Candidate], attempts: list[Attempt]
) -> tuple[list[Candidate], list[Attempt]]:
    """Search and proof among what is likely to keep to the budget, where nothing is sure to: one
    that can be met may lie below every upper bound, and the enforced limit decides then."""
    bench.screen.likeliest = True
    run_probes(bench)
    bench.search_begins()
    found = search(bench)
    proofs = prove(bench, found, attempts)
    if not proofs or proofs[-1].failure is not None or proofs[-1].candidate is not None:
        return found or candidates, proofs
    # Only a smallest point stood: what its proof has taught may let larger ones in.
    *failed, least = proofs
    larger = search(bench)
    better = prove(bench, larger, failed, with_smallest=False)
    stands = len(better) > len(failed) and better[-1].failure is None
    return larger or found or candidates, better if stands else [*better, least]


def _outcome(
    bench: Bench,
    candidates: Sequence[Candidate],
    attempts: Sequence[Attempt],
    before: int,
    train: Path,
) -> Pick:
    stands = attempts[-1] if attempts and attempts[-1].failure is None else None
    least = None if stands is not None else smallest(bench, attempts)
    question, groups = bench.cells.question, tuple(bench.screen.groups())
    answer = Pick(
        question,
        stands,
        tuple(attempts),
        frontier_of(candidates, attempts),
        groups,
        least,
        _spent(bench.state.tried, before),
        notes=notes_on(question, stands, groups, hurried=bench.hurried),
    )
    return answer if stands is None else _written(answer, bench, stands, train)


def _spent(tried: Sequence[Tried], before: int) -> Spent:
    return Spent(
        samples=len(tried),
        samples_now=len(tried) - before,
        wall_s=sum(each.spent_wall_s for each in tried),
        cpu_s=sum(each.spent_cpu_s for each in tried),
    )


def _written(answer: Pick, bench: Bench, stands: Attempt, train: Path) -> Pick:
    """The answer with its pick as a cell and as Python."""
    question = answer.question
    size = Size(question.rows, search=False, limit_bytes=question.budget_bytes)
    return replace(
        answer,
        config=bench.cells.written(stands.fit.point, stands.fit.holding, size),
        snippet=snippet(stands.fit.cell, question.manifest, train),
    )
