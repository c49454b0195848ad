"""Memory of whole process trees, by one measure for a whole run, so that cells compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.analysis.summary import NO_SAMPLE, Figure, summarise

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treebench.analysis.overview import Overview
    from treebench.analysis.summary import CellSummary

UNKNOWN = Figure(None, (NO_SAMPLE,))


@dataclass(frozen=True)
class TreePeaks:
    """Peak of each cell's tree up to the end of fit, by cell, and what it was had from.

    `sampled` says that it is of the samples of kind `memory`, whose readings miss short peaks.
    """

    figures: Mapping[str, Figure]
    sources: tuple[str, ...]
    sampled: bool

    def of(self, cell: CellSummary) -> Figure:
        """The cell's; without an estimate where there is none."""
        return self.figures.get(cell.cell, UNKNOWN)


def tree_peaks(run: Overview) -> TreePeaks:
    """The kernel's peaks of the timed samples where each measured cell has one, else the sampled
    PSS of those of kind `memory` if there are any. The two are never mixed: a cgroup counts page
    cache, and PSS does not."""
    measured = [cell for cell in run.cells if cell.n_ok]
    if all(cell.tree_peak_bytes.estimate for cell in measured) or not run.memory_rows:
        return _of(measured, sampled=False)
    specs = {cell.cell: cell.spec.to_json() for cell in run.cells}
    sampled = (summarise(cell, specs[cell], rows) for cell, rows in run.memory_rows.items())
    return _of([cell for cell in sampled if cell.n_ok], sampled=True)


def _of(cells: list[CellSummary], *, sampled: bool) -> TreePeaks:
    sources = dict.fromkeys(source for cell in cells for source in cell.tree_peak_sources)
    return TreePeaks({cell.cell: cell.tree_peak_bytes for cell in cells}, tuple(sources), sampled)
