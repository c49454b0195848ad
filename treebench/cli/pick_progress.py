"""How far a picking is: what is tried now, the best so far, and about how long it will take."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from treebench.analysis.scores import score_title
from treebench.report import units

if TYPE_CHECKING:
    from treebench.cli.progress import Display
    from treebench.picking.tried import Tried
    from treebench.plan.build import PlannedCell


class PickProgress:
    """Counts samples and foresees what is left by what the last ones took."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._done = 0
        self._expected = 0
        self._began = 0.0
        self._seconds: list[float] = []
        self._best: Tried | None = None

    def expect(self, more: int) -> None:
        """So many samples are still to come."""
        self._expected = self._done + max(0, more)

    def began(self, stage: str, cell: PlannedCell) -> None:
        """A sample begins."""
        from treebench.cli.progress import describe

        self._began = time.monotonic()
        parts = [f"{stage}: {describe(cell)}", self._so_far(), self._left()]
        total = max(self._expected, self._done + 1)
        self._display.status(self._done, total, ", ".join(part for part in parts if part))

    def ended(self, tried: Tried) -> None:
        """A sample ended."""
        self._done += 1
        self._seconds.append(time.monotonic() - self._began)
        if tried.failure is not None:
            self._display.line(f"{tried.point.learner}, {tried.holding}: {tried.failure}")
        if tried.rung < 0 or tried.loss is None:
            return
        best = self._best
        if best is None or best.loss is None or tried.rung > best.rung or tried.loss < best.loss:
            self._best = tried

    def said(self, text: str) -> None:
        """Something that a person should read."""
        self._display.line(text)

    def _so_far(self) -> str:
        if self._best is None or self._best.metric is None:
            return ""
        return f"best {score_title(self._best.metric)} {units.score(self._best.score)}"

    def _left(self) -> str:
        if len(self._seconds) < 2:
            return ""
        recent = self._seconds[-10:]
        left = max(1, self._expected - self._done)
        return f"{units.time_left(left * sum(recent) / len(recent))} left"
