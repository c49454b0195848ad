"""Trees trained in parallel, in words: what each backend costs beside the first, and how its memory
grows with the jobs. Every figure and every name is taken from the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.analysis.axes import axis_value
from treebench.analysis.jobs import JOBS, JobsSeries, jobs_series, most_common_jobs
from treebench.analysis.scores import main_score, score_title
from treebench.analysis.tree_peaks import TreePeaks, tree_peaks
from treebench.report import units
from treebench.report.points import select

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.analysis.overview import Overview
    from treebench.analysis.summary import CellSummary

TITLE = "Trees in parallel"


@dataclass(frozen=True)
class _Side:
    """A cell in a comparison, and what it is called."""

    cell: CellSummary
    label: str
    tree_bytes: float | None


def jobs_titles() -> list[str]:
    """The columns of `jobs_rows`."""
    return ["series", "jobs", "construct+fit", "tree memory", "sum of RSS", "shared files", "score"]


def jobs_rows(run: Overview, dataset: str) -> list[list[str]]:
    """A line for each cell that is drawn against jobs."""
    peaks = tree_peaks(run)
    return [
        [
            _named(cell, label, run, dataset),
            units.number(axis_value(cell.spec, JOBS)),
            units.of_figure(cell.construct_fit_wall_ns, units.duration),
            units.of_figure(peaks.of(cell), units.size),
            units.of_figure(cell.summed_rss_peak_bytes, units.size),
            units.of_figure(cell.shared_files_peak_bytes, units.size),
            _score(cell),
        ]
        for cell, label in select(run.cells, JOBS).of(dataset)
    ]


def datasets_with_jobs(run: Overview) -> list[str]:
    """The data sets in which jobs vary, and something was measured."""
    selection = select(run.cells, JOBS)
    return [name for name in selection.datasets if any(c.n_ok for c, _ in selection.of(name))]


def jobs_words(run: Overview, dataset: str) -> list[str]:
    """The comparison at as many trees, and the growth with jobs, of one data set."""
    selection, peaks = select(run.cells, JOBS), tree_peaks(run)
    pairs = selection.of(dataset)
    names = {cell.cell: _named(cell, label, run, dataset) for cell, label in pairs}
    series = jobs_series([cell for cell, _ in pairs], peaks)
    return [
        *_at_equal_trees(series, names, peaks),
        *_growth(series, names),
        *_counted_twice(pairs, names, peaks),
    ]


def jobs_reading(run: Overview) -> list[str]:
    """What the columns mean."""
    peaks = tree_peaks(run)
    how = " and ".join(peaks.sources)
    missed = ", which misses short peaks" if peaks.sampled else ""
    by = f", had by {how}{missed}" if how else ""
    return [
        f"tree memory: the largest up to the end of fit, of the worker and all its children, with "
        f"shared pages once{by}",
        "sum of RSS: of the same processes, a page that several map counted once for each; sampled "
        "every 50 ms, less often where a reading is slow; it is what top adds up to, and no "
        "measure of the memory needed",
        "shared files: what the sample's own folder for memory-mapped data held at most; in "
        "/dev/shm that is memory, and part of the tree's where a cgroup measures it",
        "a process of its own holds an interpreter and libraries, with data or without; what a job "
        "adds beyond that is data of its own",
    ]


def _named(cell: CellSummary, label: str, run: Overview, dataset: str) -> str:
    of_data = [other.spec for other in run.cells if other.spec.dataset == dataset]
    several = len({spec.layout for spec in of_data}) > 1
    return f"{label}, {cell.spec.layout}" if several else label


def _score(cell: CellSummary) -> str:
    name = main_score(cell.score)
    if name is None:
        return units.DASH
    return f"{score_title(name)} {units.of_figure(cell.score[name], units.score)}"


def _at_equal_trees(
    series: Sequence[JobsSeries], names: dict[str, str], peaks: TreePeaks
) -> list[str]:
    """Each series against the first, at the most jobs that all have."""
    jobs = most_common_jobs(series)
    if jobs is None:
        return []
    sides = [
        _Side(cell, names[cell.cell], peaks.of(cell).median)
        for one in series
        if (cell := one.at(jobs)) is not None and cell.n_ok
    ]
    first, *others = sides
    return [_alone(first, jobs), *(_beside(one, first, jobs) for one in others)]


def _place(cell: CellSummary, jobs: float) -> str:
    trees = axis_value(cell.spec, "n_estimators")
    said = f"{units.number(jobs)} job" + "s" * (jobs != 1)
    return f"at {said}" if trees is None else f"at {units.number(trees)} trees and {said}"


def _figures(side: _Side) -> str:
    time = units.of_figure(side.cell.construct_fit_wall_ns, units.duration)
    return (
        f"{time} for construct and fit, {units.size(side.tree_bytes)} of tree memory, "
        f"{_score(side.cell)}"
    )


def _alone(side: _Side, jobs: float) -> str:
    return f"{_place(side.cell, jobs)}, {side.label}: {_figures(side)}"


def _beside(one: _Side, first: _Side, jobs: float) -> str:
    ratios = [
        f"{units.ratio(mine / theirs)} the {what}"
        for what, mine, theirs in (
            (
                "time",
                one.cell.construct_fit_wall_ns.median,
                first.cell.construct_fit_wall_ns.median,
            ),
            ("tree memory", one.tree_bytes, first.tree_bytes),
        )
        if mine is not None and theirs
    ]
    against = f" ({' and '.join(ratios)} of {first.label})" if ratios else ""
    return f"{_alone(one, jobs)}{against}"


def _growth(series: Sequence[JobsSeries], names: dict[str, str]) -> list[str]:
    said = []
    for one in series:
        slope, data = one.tree_bytes_per_job, one.data_bytes
        if slope is not None and data:
            first, *_, last = one.sloped_jobs
            said.append(
                f"{names[one.cells[0].cell]}: from {units.number(first)} to {units.number(last)} "
                f"jobs, each further one changes tree memory by {units.size(slope)}, "
                f"{_share(slope / data)} the data's {units.size(data)}"
            )
    return said


def _share(value: float) -> str:
    """A ratio that may be nothing at all, or below it."""
    return f"{value:.2f}x".replace("-", units.MINUS)


def _counted_twice(
    pairs: Sequence[tuple[CellSummary, str]], names: dict[str, str], peaks: TreePeaks
) -> list[str]:
    """Where the sum of RSS is furthest above what the tree holds."""
    above = [
        (summed - tree, cell, summed, tree)
        for cell, _ in pairs
        if (summed := cell.summed_rss_peak_bytes.median) is not None
        and (tree := peaks.of(cell).median) is not None
    ]
    if not above:
        return []
    most, cell, summed, tree = max(above, key=lambda each: each[0])
    if most <= 0:
        return []
    return [
        f"the sum of RSS is furthest from the truth for {names[cell.cell]} "
        f"{_place(cell, axis_value(cell.spec, JOBS) or 0)}: {units.size(summed)} against "
        f"{units.size(tree)} of tree memory"
    ]
