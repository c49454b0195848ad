"""Taking samples of points: each at most once, each learnt from, each written down at once."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from treebench.picking.tried import Tried, tried_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from treebench.picking.cells import Cells, Size
    from treebench.picking.forecast import Foresight
    from treebench.picking.screen import Screen
    from treebench.picking.space import Holding, Point
    from treebench.picking.state import State
    from treebench.plan.build import PlannedCell
    from treebench.store.row import SampleRow

_LEAST_DEADLINE_S = 30.0
_LONGEST_PROOF_S = 7200.0
_PROOF_SLACK = 1.5
"""A proof has more than training in it: imports, the test part, predictions."""
PROOF = 99
"""The rung of a proof: on the whole data, with its test part."""


class Take(Protocol):
    """Something that takes a sample of a cell, in a fresh worker, within a deadline; what was taken
    before it gives again."""

    def __call__(self, cell: PlannedCell, deadline_s: float) -> SampleRow:
        """The sample's row; every failure is a row. Ctrl-C is `KeyboardInterrupt`."""


class Told(Protocol):
    """Something that tells a person how far the picking is."""

    def expect(self, more: int) -> None:
        """So many samples are still to come, as far as can be told."""

    def began(self, stage: str, cell: PlannedCell) -> None:
        """A sample begins."""

    def ended(self, tried: Tried) -> None:
        """A sample ended."""

    def said(self, text: str) -> None:
        """Something that a person should read."""


@dataclass
class Bench:
    """Where points are tried. `clock` gives seconds; the search's time runs from `began_s`."""

    cells: Cells
    screen: Screen
    foresight: Foresight
    take: Take
    told: Told
    state: State
    clock: Callable[[], float] = time.monotonic
    began_s: float = field(init=False)
    before_search_s: float = field(init=False, default=0.0)
    hurried: bool = field(init=False, default=False)
    """Whether time has kept the search from a point that it would have tried."""

    def __post_init__(self) -> None:
        self.began_s = self.clock()

    @property
    def elapsed_s(self) -> float:
        """Seconds since the search began."""
        return self.clock() - self.began_s

    @property
    def left_s(self) -> float:
        """Seconds of the search's time that are left."""
        return self.cells.question.search_time_s - self.elapsed_s

    def search_begins(self) -> None:
        """From now on shares are of the time that pilots or probes have left."""
        self.before_search_s = self.elapsed_s

    def within(self, share: float) -> bool:
        """Whether less than this share of the time is over: of all of it while pilots are taken,
        and then of what they left, however much that is."""
        left_s = self.cells.question.search_time_s - self.before_search_s
        return self.elapsed_s - self.before_search_s < share * left_s

    def within_all(self, share: float) -> bool:
        """Whether less than this share of all the search's time is over."""
        return self.elapsed_s < share * self.cells.question.search_time_s

    def has_time(self, share: float) -> bool:
        """The same, asked before a point is tried that would be missed."""
        within = self.within(share)
        self.hurried |= not within
        return within

    def try_point(
        self, point: Point, holding: Holding, rung: int, size: Size, stage: str
    ) -> Tried | None:
        """One sample; None where the library cannot train the point at this size. Points that
        differ only in trees above those of the size share it."""
        cell = self.cells.cell(point, holding, size)
        if isinstance(cell, str):
            return None
        earlier = self.state.find(cell.id)
        if earlier is not None:
            return replace(earlier, point=point, rung=rung)
        self.told.began(stage, cell)
        row = self.take(cell, self._deadline_s(rung))
        self.foresight.saw(cell, row)
        tried = tried_of(point, holding, rung, size, row)
        self.state.add(tried)
        self.told.ended(tried)
        return tried

    def _deadline_s(self, rung: int) -> float:
        """A proof may take all that the person allows, and a search no more than it has left."""
        question = self.cells.question
        if rung == PROOF:
            limit = question.time_budget_s
            return _LONGEST_PROOF_S if limit is None else limit * _PROOF_SLACK + _LEAST_DEADLINE_S
        return max(_LEAST_DEADLINE_S, question.search_time_s - self.elapsed_s)
