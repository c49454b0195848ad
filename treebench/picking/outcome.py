"""What a picking comes to: one configuration or none, the frontier, what was ruled out."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import stdev
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.picking.proof import Attempt
    from treebench.picking.question import Question
    from treebench.picking.screen import Group
    from treebench.picking.search import Candidate
    from treebench.picking.smallest import Smallest

Standing = Literal["pick", "failed", "front", "dominated"]
SCHEMA = 1


@dataclass(frozen=True)
class OnFrontier:
    """A candidate among the others: its mean score on the validation part, and what its whole
    training is foreseen to take. `standing`: picked, failed its proof, or whether another is at
    least as good in score, memory and time and better in one."""

    candidate: Candidate
    standing: Standing

    def to_json(self) -> dict[str, Any]:
        """JSON-ready values."""
        one = self.candidate
        return {
            "standing": self.standing,
            "learner": str(one.point.learner),
            "holding": str(one.fit.holding),
            "numbers": one.fit.point.values,
            "metric": one.tried[0].metric,
            "score": mean_score(one),
            "score_sd_over_seeds": seed_spread(one),
            "seeds": len(one.losses),
            "foreseen_bytes": one.fit.memory.to_json(),
            "foreseen_s": None if one.fit.seconds is None else one.fit.seconds.to_json(),
        }


@dataclass(frozen=True)
class Spent:
    """What the picking took, over all calls that its folder knows of. `samples_now` are those of
    this call."""

    samples: int
    samples_now: int
    wall_s: float
    cpu_s: float

    def to_json(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {
            "samples": self.samples,
            "samples_now": self.samples_now,
            "wall_s": self.wall_s,
            "cpu_s": self.cpu_s,
        }


@dataclass(frozen=True)
class Pick:
    """The answer. `attempt` is the proof that stands; None where nothing was picked, and then
    `smallest` says what could be. `config` is the cell as `treebench run` takes it, `snippet` the
    same as Python; `notes` are what a person should bear in mind."""

    question: Question
    attempt: Attempt | None
    attempts: tuple[Attempt, ...]
    frontier: tuple[OnFrontier, ...]
    ruled_out: tuple[Group, ...]
    smallest: Smallest | None
    spent: Spent
    config: dict[str, Any] | None = None
    snippet: str | None = None
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """JSON-ready values; what `--json` prints and `pick.json` keeps."""
        return {
            "schema": SCHEMA,
            "question": self.question.to_json(),
            "pick": None if self.attempt is None else self.attempt.to_json(),
            "config": self.config,
            "snippet": self.snippet,
            "attempts": [each.to_json() for each in self.attempts],
            "frontier": [each.to_json() for each in self.frontier],
            "ruled_out": [each.to_json() for each in self.ruled_out],
            "smallest": None if self.smallest is None else self.smallest.to_json(),
            "spent": self.spent.to_json(),
            "notes": list(self.notes),
        }


def frontier_of(
    candidates: Sequence[Candidate], attempts: Sequence[Attempt]
) -> tuple[OnFrontier, ...]:
    """The candidates with their standings, best score first."""
    proven = [each.candidate for each in attempts if each.failure is None]
    failed = [each.candidate for each in attempts if each.failure is not None]

    def standing(one: Candidate) -> Standing:
        if any(one is each for each in proven):
            return "pick"
        if any(one is each for each in failed):
            return "failed"
        beaten = any(_dominates(other, one) for other in candidates if other is not one)
        return "dominated" if beaten else "front"

    ordered = sorted(candidates, key=lambda one: one.loss)
    return tuple(OnFrontier(one, standing(one)) for one in ordered)


def mean_score(candidate: Candidate) -> float:
    """The mean over seeds of the validation score."""
    scores = [each.score for each in candidate.tried if each.score is not None]
    return sum(scores) / len(scores)


def seed_spread(candidate: Candidate) -> float | None:
    """The standard deviation of the score over seeds; None of a single one."""
    return stdev(candidate.losses) if len(candidate.losses) > 1 else None


def _dominates(one: Candidate, other: Candidate) -> bool:
    """By score, memory and time; by the first two alone where nothing foresees either's time. Where
    one time alone is unknown, it may be the shorter one."""
    times = [each.fit.seconds for each in (one, other)]
    if (times[0] is None) != (times[1] is None):
        return False
    a, b = (
        (each.loss, each.fit.memory.mid, *(() if time is None else (time.mid,)))
        for each, time in zip((one, other), times, strict=True)
    )
    return a != b and all(x <= y for x, y in zip(a, b, strict=True))
