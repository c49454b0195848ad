"""The quantities that are drawn: how each is picked, named and ticked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.report import scales, units

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treebench.analysis.summary import CellSummary, Figure
    from treebench.report.scales import Ticks

AXIS_TITLES = {
    "rows": "training rows",
    "features": "features",
    "threads": "threads",
    "n_estimators": "trees (n_estimators)",
    "max_depth": "deepest level of a tree (max_depth)",
    "max_leaves": "most leaves of a tree (max_leaves)",
    "max_bin": "most bins of a feature (max_bin)",
    "n_jobs": "trees or shards trained at a time (n_jobs)",
    "learning_rate": "learning rate",
}


@dataclass(frozen=True)
class Quantity:
    """Something measured. `name` goes into file names, `title` into headings."""

    name: str
    title: str
    pick: Callable[[CellSummary], Figure]
    log_ticks: Callable[[Sequence[float]], Ticks]
    linear_ticks: Callable[[Sequence[float]], Ticks]
    text: Callable[[float | None], str]


TIME = Quantity(
    "time",
    "Time of construct + fit",
    lambda cell: cell.construct_fit_wall_ns,
    scales.duration_log,
    scales.duration_linear,
    units.duration,
)
MEMORY = Quantity(
    "memory",
    "Peak memory (RSS)",
    lambda cell: cell.peak_rss_bytes,
    scales.size_log,
    scales.size_linear,
    units.size,
)


def axis_title(axis: str) -> str:
    """An axis in plain words."""
    return AXIS_TITLES.get(axis, axis)
