"""The proof: the whole data, a fresh worker, and a limit equal to the budget that is enforced.

A pick that dies, or takes longer than was allowed, is not picked: what it showed is learnt, and
the next one is tried. The test part is read here alone, once for the pick.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.picking.bench import PROOF
from treebench.picking.cells import Size
from treebench.picking.space import learners, smallest_point
from treebench.written.size import spelled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.picking.bench import Bench
    from treebench.picking.question import Question
    from treebench.picking.screen import Fit
    from treebench.picking.search import Candidate
    from treebench.picking.space import Point
    from treebench.picking.tried import Tried

SAME_SCORE = 0.002
"""Scores from 0 to 1 that differ by less are the same where time is what counts."""
SAME_LOSS_SHARE = 0.01
"""The same for errors, as a share."""
_UNIT_SCORES = ("auc", "accuracy", "r2")
_MOST_PROOFS = 6


@dataclass(frozen=True)
class Attempt:
    """One proof. `forecast` is what was foreseen just before it; `failure` says why it is none.

    `scored_apart` : training kept to the budget, and the test part was then scored without the
    limit, since reading it beside the training data did not fit in."""

    fit: Fit
    tried: Tried
    candidate: Candidate | None
    failure: str | None
    scored_apart: bool = False

    def to_json(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {
            "point": self.fit.point.to_json(),
            "holding": list(self.fit.holding),
            "cell": self.tried.cell,
            "foreseen_bytes": self.fit.memory.to_json(),
            "foreseen_s": None if self.fit.seconds is None else self.fit.seconds.to_json(),
            "peak_bytes": self.tried.peak_bytes,
            "wall_s": self.tried.wall_s,
            "metric": self.tried.metric,
            "score": self.tried.score,
            "failure": self.failure,
            "scored_apart": self.scored_apart,
        }


def prove(
    bench: Bench,
    candidates: Sequence[Candidate],
    before: Sequence[Attempt] = (),
    *,
    with_smallest: bool = True,
) -> list[Attempt]:
    """The proofs in order, after those of `before`; the last one stands if it has no failure. After
    the candidates comes the smallest point of each learner, of theirs first."""
    attempts = list(before)
    order = _ranked(bench, candidates)
    if with_smallest:
        order += _smallest_points(bench, candidates)
    for point, candidate in order:
        # What an earlier proof taught may rule a way out, or leave only another.
        while len(attempts) < _MOST_PROOFS and (fit := bench.screen.fit(point)) is not None:
            attempt = _attempt(bench, fit, candidate)
            if attempt is None:
                break
            attempts.append(attempt)
            if attempt.failure is None:
                return attempts
            # What broke the budget may keep to it in another way; all else would be the same.
            if not broke_budget(bench, attempt.tried):
                break
            bench.screen.broke_in_proof(attempt.fit)
    return attempts


def _attempt(bench: Bench, fit: Fit, candidate: Candidate | None) -> Attempt | None:
    question = bench.cells.question
    size = Size(question.rows, search=False, limit_bytes=question.budget_bytes)
    tried = bench.try_point(fit.point, fit.holding, PROOF, size, "proof")
    if tried is None:
        return None
    failure = failure_of(question, tried, question.budget_bytes)
    if failure is None and tried.status == "ok":
        return Attempt(fit, tried, candidate, None)
    if failure is None:
        return _scored_apart(bench, fit, candidate, tried)
    bench.told.said(f"not proven: {fit.point.learner}, {fit.holding}: {failure}")
    return Attempt(fit, tried, candidate, failure)


def failure_of(question: Question, tried: Tried, limit_bytes: int) -> str | None:
    """Why a sample under a limit proves nothing; None where training kept to it, and to the time
    that is allowed. The kernel's limit does not count the pages of libraries that others have read
    before, as resident memory does: one that lived may have had its peak above it."""
    if tried.status == "oom" and not tried.trained:
        return f"it was killed by the limit of {spelled(limit_bytes)}"
    if tried.status != "ok" and not (tried.status == "oom" and tried.trained):
        return tried.failure or tried.status
    if tried.peak_bytes is not None and tried.peak_bytes > limit_bytes:
        return f"its peak was {tried.peak_bytes / 2**20:,.0f} MiB, above the budget"
    limit = question.time_budget_s
    if limit is not None and tried.wall_s is not None and tried.wall_s > limit:
        return f"training took {tried.wall_s:.1f} s, above the {limit:g} s allowed"
    return None


def broke_budget(bench: Bench, tried: Tried) -> bool:
    """Whether it was memory that a proof failed by: it died by the limit, or lived above it."""
    peak = tried.peak_bytes
    lived_above = peak is not None and peak > bench.cells.question.budget_bytes
    return (tried.status == "oom" and not tried.trained) or lived_above


def _scored_apart(
    bench: Bench, fit: Fit, candidate: Candidate | None, trained: Tried
) -> Attempt | None:
    """Training was proven; the score comes from a run without the limit."""
    bench.told.expect(1)
    size = Size(bench.cells.question.rows, search=False)
    scored = bench.try_point(fit.point, fit.holding, PROOF, size, "score")
    if scored is None:
        return None
    return Attempt(fit, trained.scored_by(scored), candidate, scored.failure, scored_apart=True)


def _ranked(bench: Bench, candidates: Sequence[Candidate]) -> list[tuple[Point, Candidate | None]]:
    """The candidates as the question ranks them."""
    ranked = list(candidates)
    if bench.cells.question.minimise == "time" and candidates:
        least = candidates[0]
        same = [one for one in candidates if same_score(one, least)]
        rest = [one for one in candidates if one not in same]
        ranked = [*sorted(same, key=_seconds), *rest]
    return [(one.fit.point, one) for one in ranked]


def _smallest_points(
    bench: Bench, candidates: Sequence[Candidate]
) -> list[tuple[Point, Candidate | None]]:
    scored = [one.point.learner for one in candidates]
    order = dict.fromkeys([*scored, *learners(bench.cells.question)])
    return [(smallest_point(learner), None) for learner in order]


def same_score(one: Candidate, other: Candidate) -> bool:
    """Whether two candidates' scores are too near to matter where time counts."""
    metric = one.tried[0].metric
    near = SAME_SCORE if metric in _UNIT_SCORES else SAME_LOSS_SHARE * abs(other.loss)
    return abs(one.loss - other.loss) <= near


def _seconds(candidate: Candidate) -> float:
    """What training is foreseen to take; what the sample took where nothing is foreseen."""
    if candidate.fit.seconds is not None:
        return candidate.fit.seconds.mid
    wall = candidate.tried[0].wall_s
    return float("inf") if wall is None else wall
