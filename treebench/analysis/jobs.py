"""How memory grows with the number of jobs: does each job hold the data once more?"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.analysis.axes import all_but, axis_value
from treebench.analysis.statistics import theil_sen_slope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.analysis.summary import CellSummary
    from treebench.analysis.tree_peaks import TreePeaks

JOBS = "n_jobs"


@dataclass(frozen=True)
class JobsSeries:
    """Cells that differ in their number of jobs alone, fewest first.

    `tree_bytes_per_job` is the median slope between their peaks of tree memory (Theil and Sen),
    over the `sloped_jobs`, which begin at two; None where fewer than two are known.
    """

    cells: tuple[CellSummary, ...]
    tree_bytes_per_job: float | None
    sloped_jobs: tuple[float, ...]

    @property
    def data_bytes(self) -> float | None:
        """The matrix itself, which jobs do not change."""
        known = (cell.data_bytes.median for cell in self.cells)
        return next((value for value in known if value is not None), None)

    def at(self, jobs: float) -> CellSummary | None:
        """The cell of so many jobs."""
        found = (cell for cell in self.cells if axis_value(cell.spec, JOBS) == jobs)
        return next(found, None)


def jobs_series(cells: Sequence[CellSummary], peaks: TreePeaks) -> list[JobsSeries]:
    """The series along `n_jobs`, in the order of their first cells; those of one cell too."""
    families: dict[str, list[CellSummary]] = defaultdict(list)
    for cell in cells:
        if axis_value(cell.spec, JOBS) is not None:
            families[all_but(cell.spec, {JOBS})].append(cell)
    return [_series(sorted(family, key=_jobs), peaks) for family in families.values()]


def most_common_jobs(series: Sequence[JobsSeries]) -> float | None:
    """The largest number of jobs at which every series was measured; None if there is none."""
    measured = [
        {_jobs(cell) for cell in one.cells if cell.n_ok}
        for one in series
        if any(cell.n_ok for cell in one.cells)
    ]
    return max(set.intersection(*measured), default=None) if measured else None


def _jobs(cell: CellSummary) -> float:
    return axis_value(cell.spec, JOBS) or 0


def _series(cells: Sequence[CellSummary], peaks: TreePeaks) -> JobsSeries:
    # joblib starts no process for a single job: the step from one to two is of another kind.
    known = [
        (jobs, peak)
        for cell in cells
        if (peak := peaks.of(cell).median) is not None and (jobs := _jobs(cell)) > 1
    ]
    slope = theil_sen_slope([jobs for jobs, _ in known], [peak for _, peak in known])
    return JobsSeries(tuple(cells), slope, tuple(jobs for jobs, _ in known))
