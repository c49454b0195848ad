"""The control cell: the same work in every block, so that the machine's own drift shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.analysis.statistics import Estimate, estimate, theil_sen_slope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.store.row import SampleRow

UNSTEADY_PERCENT = 5.0


@dataclass(frozen=True)
class ControlSummary:
    """How steady the machine was over the run.

    `fit_wall_ns` is over the samples that ended well, in the order of their blocks.
    `low_percent` and `high_percent` are the fastest and slowest sample against the median.
    `drift_percent` is the trend over the whole run (Theil-Sen slope times the blocks between
    the first and the last), in percent of the median; None with fewer than two blocks.
    """

    fit_wall_ns: Estimate
    low_percent: float
    high_percent: float
    drift_percent: float | None

    @property
    def unsteady(self) -> bool:
        """Whether the samples spread over more than 5 % of their median."""
        spread = self.fit_wall_ns.spread_percent
        return spread is not None and spread > UNSTEADY_PERCENT


def summarise_control(rows: Sequence[SampleRow]) -> ControlSummary | None:
    """The summary of the control cell's rows; None if none of them has a time above zero."""
    timed = sorted((row.block, wall) for row in rows if (wall := _fit_wall_ns(row)) is not None)
    if not timed:
        return None
    blocks = [block for block, _ in timed]
    known = estimate([wall for _, wall in timed])
    slope = theil_sen_slope(blocks, known.values)
    return ControlSummary(
        fit_wall_ns=known,
        low_percent=_against(min(known.values), known.median),
        high_percent=_against(max(known.values), known.median),
        drift_percent=None
        if slope is None
        else 100 * slope * (blocks[-1] - blocks[0]) / known.median,
    )


def _fit_wall_ns(row: SampleRow) -> int | None:
    figures = row.phases.get("fit")
    if row.status != "ok" or figures is None:
        return None
    return figures.wall_ns or None


def _against(value: float, centre: float) -> float:
    return 100 * (value - centre) / centre
