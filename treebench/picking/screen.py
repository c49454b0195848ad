"""What is never run, and why: what a library cannot do, and what would break the budget."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from treebench.picking.space import holdings
from treebench.written.size import spelled

if TYPE_CHECKING:
    from treebench.picking.cells import Cells
    from treebench.picking.forecast import Forecast, Foresight
    from treebench.picking.space import Holding, Learner, Point
    from treebench.plan.build import PlannedCell

_CLEARLY_FASTER = 0.9
"""Of the preferred way's time: less of it than that is worth leaving the preference for."""

Kind = Literal["unsupported", "memory", "time", "killed"]


class Ruled(NamedTuple):
    """Why a point, held in one way, is not run."""

    learner: Learner
    holding: Holding
    kind: Kind
    reason: str
    needs_bytes: float | None = None


@dataclass(frozen=True)
class Fit:
    """A point that may be run, held in a way that meets the budget by the model's upper bound, or
    where none does by its likeliest value."""

    point: Point
    holding: Holding
    cell: PlannedCell
    memory: Forecast
    seconds: Forecast | None


def _kin(point: Point, holding: Holding) -> tuple[str, str | None, Holding]:
    """Points that hold columns of one kind in one way."""
    return (point.learner.trainer, point.learner.method, holding)


@dataclass(frozen=True)
class Group:
    """Points ruled out for one reason. `least_bytes` is the least that any of them would need."""

    learner: Learner
    holding: Holding
    kind: Kind
    reason: str
    points: int
    least_bytes: float | None

    def to_json(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {
            "learner": str(self.learner),
            "holding": str(self.holding),
            "kind": self.kind,
            "reason": self.reason,
            "points": self.points,
            "least_bytes": self.least_bytes,
        }


@dataclass
class Screen:
    """Judges points by the plan and by the foresight, and keeps what it ruled out.

    `likeliest` : judge memory by its likeliest value, where no upper bound keeps to the budget."""

    cells: Cells
    foresight: Foresight
    ruled: dict[tuple[Point, Holding], Ruled] = field(default_factory=dict)
    killed: dict[tuple[Learner, Holding], str] = field(default_factory=dict)
    broke: dict[tuple[Learner, Holding], str] = field(default_factory=dict)
    """Ways of which the least has broken the budget, and how."""
    too_much: dict[tuple[str, str | None, Holding], float] = field(default_factory=dict)
    """By trainer, method and holding, the likeliest bytes of the least point that broke it."""
    likeliest: bool = False

    def fit(self, point: Point) -> Fit | None:
        """The point in the best way that meets the budget; None where none does. Ways are in
        order of preference; another takes the place of the preferred one where it is foreseen to
        train in under nine tenths of its time."""
        fits = [
            fit
            for holding in holdings(point.learner)
            if (fit := self.held(point, holding)) is not None
        ]
        if not fits:
            return None
        known = [fit for fit in fits if fit.seconds is not None]
        first = fits[0]
        fastest = min(known, key=lambda fit: fit.seconds.mid if fit.seconds else 0.0, default=first)
        if first.seconds is None or fastest.seconds is None:
            return first
        return fastest if fastest.seconds.mid < _CLEARLY_FASTER * first.seconds.mid else first

    def held(self, point: Point, holding: Holding) -> Fit | None:
        """The point held in this way, if it may be run."""
        cell = self.cells.full(point, holding)
        if isinstance(cell, str):
            self._rule(point, holding, "unsupported", cell)
            return None
        way = (point.learner, holding)
        if (killed := self.killed.get(way) or self.broke.get(way)) is not None:
            self._rule(point, holding, "killed", killed)
            return None
        memory, seconds = self.foresight.memory(cell), self.foresight.seconds(cell)
        question = self.cells.question
        needed = memory.mid if self.likeliest else memory.high
        if needed > question.budget_bytes:
            budget = spelled(question.budget_bytes)
            why = f"it may need more than the budget of {budget}"
            self._rule(point, holding, "memory", why, memory.high)
            return None
        if memory.mid >= self.too_much.get(_kin(point, holding), float("inf")):
            why = "one that was foreseen to need no more broke the budget in its proof"
            self._rule(point, holding, "killed", why, memory.high)
            return None
        limit = question.time_budget_s
        if limit is not None and seconds is not None and seconds.low > limit:
            self._rule(point, holding, "time", f"it takes longer than {limit:g} s")
            return None
        self.ruled.pop((point, holding), None)
        return Fit(point, holding, cell, memory, seconds)

    def was_killed(self, point: Point, holding: Holding, why: str) -> None:
        """No point of this learner, held so, is tried again: a small sample of it was killed."""
        self.killed[(point.learner, holding)] = why

    def broke_budget(self, point: Point, holding: Holding, why: str) -> None:
        """No point of this learner, held so, is tried again: the least of them needs too much."""
        self.broke[(point.learner, holding)] = why

    def broke_in_proof(self, fit: Fit) -> None:
        """This one broke the budget in its proof: none that needs as much is tried again, so."""
        key = _kin(fit.point, fit.holding)
        self.too_much[key] = min(fit.memory.mid, self.too_much.get(key, float("inf")))

    def groups(self) -> list[Group]:
        """What was ruled out, one group for each learner, holding and reason."""
        counts = Counter((r.learner, r.holding, r.kind, r.reason) for r in self.ruled.values())
        found = []
        for key, count in counts.items():
            needs = [
                r.needs_bytes
                for r in self.ruled.values()
                if (r.learner, r.holding, r.kind, r.reason) == key and r.needs_bytes is not None
            ]
            found.append(Group(*key, points=count, least_bytes=min(needs, default=None)))
        return sorted(found, key=lambda group: (group.kind, -group.points, str(group.learner)))

    def _rule(
        self,
        point: Point,
        holding: Holding,
        kind: Kind,
        reason: str,
        needs_bytes: float | None = None,
    ) -> None:
        self.ruled[(point, holding)] = Ruled(point.learner, holding, kind, reason, needs_bytes)
