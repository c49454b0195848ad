"""Where no budget can be met: the smallest that could, and what would have to give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.picking.bench import PROOF
from treebench.picking.cells import Size
from treebench.picking.proof import broke_budget, failure_of
from treebench.picking.space import holdings, learners, smallest_point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.picking.bench import Bench
    from treebench.picking.forecast import Forecast
    from treebench.picking.proof import Attempt
    from treebench.picking.space import Holding, Learner, Point

_MEBIBYTE = 1 << 20
_CHEAP_S = 60.0
_FEWEST_ROWS = 100


@dataclass(frozen=True)
class Need:
    """What the smallest configuration of a learner, held in one way, would need on all rows.

    `rows_within` is how many rows of the data it could train on within the budget, None where not
    even a hundred."""

    point: Point
    holding: Holding
    memory: Forecast
    rows_within: int | None

    @property
    def learner(self) -> Learner:
        """What it is learnt with."""
        return self.point.learner

    def to_json(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {
            "learner": str(self.learner),
            "holding": str(self.holding),
            "numbers": self.point.values,
            "foreseen_bytes": self.memory.to_json(),
            "rows_within_budget": self.rows_within,
        }


@dataclass(frozen=True)
class Lived:
    """A proof that trained on all rows and whose peak lay above the budget: so much is enough."""

    point: Point
    holding: Holding
    peak_bytes: int

    def to_json(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {
            "learner": str(self.point.learner),
            "holding": str(self.holding),
            "numbers": self.point.values,
            "peak_bytes": self.peak_bytes,
        }


@dataclass(frozen=True)
class Smallest:
    """The least that is needed, the need of each way in order, and whether the least was proven
    under its own limit (`proven_bytes`: that limit; None where it was not tried or died). `lived`:
    a proof that needed less than the least that is foreseen, so that nothing need be proven."""

    needs: tuple[Need, ...]
    proven_bytes: int | None
    lived: Lived | None = None

    @property
    def budget_bytes(self) -> int | None:
        """The smallest budget that could be met: whole MiB, so that it can be typed."""
        if self.lived is not None:
            return _up(self.lived.peak_bytes)
        return _up(self.needs[0].memory.high) if self.needs else None

    def to_json(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {
            "budget_bytes": self.budget_bytes,
            "proven_bytes": self.proven_bytes,
            "needs": [each.to_json() for each in self.needs],
            "lived": None if self.lived is None else self.lived.to_json(),
        }


def smallest(bench: Bench, attempts: Sequence[Attempt]) -> Smallest:
    """What would do: what a failed proof has shown to be enough, else what is foreseen for every
    way, proven for the least if that is cheap."""
    broken = any(broke_budget(bench, each.tried) for each in attempts)
    needs = sorted(_needs(bench, broken=broken), key=lambda need: need.memory.high)
    lived = _lived(bench, attempts)
    if lived is not None and not (needs and needs[0].memory.high <= lived.peak_bytes):
        return Smallest(tuple(needs), None, lived)
    return Smallest(tuple(needs), _proven(bench, needs[0]) if needs else None)


def _lived(bench: Bench, attempts: Sequence[Attempt]) -> Lived | None:
    """The least peak above the budget of a proof that ended well."""
    budget = bench.cells.question.budget_bytes
    found = [
        Lived(each.fit.point, each.fit.holding, each.tried.peak_bytes)
        for each in attempts
        if each.tried.status == "ok"
        and each.tried.peak_bytes is not None
        and each.tried.peak_bytes > budget
    ]
    return min(found, key=lambda one: one.peak_bytes, default=None)


def _needs(bench: Bench, *, broken: bool) -> list[Need]:
    """What each way would need; where proofs have broken the budget, without those that were
    foreseen to keep to it as these were."""
    found = []
    question = bench.cells.question
    for learner in learners(question):
        point = smallest_point(learner)
        for holding in holdings(learner):
            cell = bench.cells.full(point, holding)
            if isinstance(cell, str) or (learner, holding) in bench.screen.killed:
                continue
            memory = bench.foresight.memory(cell)
            if broken and memory.high <= question.budget_bytes:
                continue
            found.append(Need(point, holding, memory, _rows_within(bench, point, holding)))
    return found


def _rows_within(bench: Bench, point: Point, holding: Holding) -> int | None:
    """The most rows whose upper bound meets the budget, to two digits, by bisection."""
    question = bench.cells.question

    def fits(rows: int) -> bool:
        cell = bench.cells.cell(point, holding, Size(max(1, rows), search=False))
        return not isinstance(cell, str) and (
            bench.foresight.memory(cell).high <= question.budget_bytes
        )

    if fits(question.rows):
        return question.rows
    low, high = 0, question.rows
    while high - low > max(1, low // 100):
        rows = (low + high) // 2
        low, high = (rows, high) if fits(rows) else (low, rows)
    return low if low >= min(_FEWEST_ROWS, question.rows) else None


def _proven(bench: Bench, need: Need) -> int | None:
    """The limit under which the least was trained; None where that is dear, or proved nothing."""
    cell = bench.cells.full(need.point, need.holding)
    if isinstance(cell, str):
        return None
    seconds = bench.foresight.seconds(cell)
    if seconds is not None and seconds.high > _CHEAP_S:
        return None
    limit = _up(need.memory.high)
    size = Size(bench.cells.question.rows, search=False, limit_bytes=limit)
    bench.told.expect(1)
    tried = bench.try_point(need.point, need.holding, PROOF, size, "least")
    if tried is None or failure_of(bench.cells.question, tried, limit) is not None:
        return None
    return limit


def _up(n_bytes: float) -> int:
    """The next whole MiB."""
    return -int(-n_bytes // _MEBIBYTE) * _MEBIBYTE
