"""Growth of memory with jobs, and one measure of it for a run, against memory of known parts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.forests import (
    DATA_BYTES,
    MEMMAP,
    PICKLED,
    PROCESS_BYTES,
    THREADS,
    cells,
    forest,
    forests,
    sampled_pss,
    tree_bytes,
    without_tree,
)
from tests.analysis.rows import MIB, failed
from treebench.analysis.jobs import jobs_series, most_common_jobs
from treebench.analysis.overview import overview
from treebench.analysis.tree_peaks import tree_peaks


def test_what_a_further_job_takes_is_found_back() -> None:
    run = overview(*forests([forest(t, n) for t in (THREADS, PICKLED, MEMMAP) for n in (1, 2, 4)]))
    threads, pickled, memmap = jobs_series(run.cells, tree_peaks(run))
    assert threads.tree_bytes_per_job == 0
    assert pickled.tree_bytes_per_job == pytest.approx(PROCESS_BYTES + DATA_BYTES)
    assert memmap.tree_bytes_per_job == pytest.approx(PROCESS_BYTES)
    assert pickled.data_bytes == DATA_BYTES
    assert list(pickled.sloped_jobs) == [2, 4]


def test_the_step_from_no_process_to_two_is_no_growth_per_job() -> None:
    run = overview(*forests([forest(MEMMAP, n) for n in (1, 2)]))
    [memmap] = jobs_series(run.cells, tree_peaks(run))
    assert memmap.tree_bytes_per_job is None


def test_series_are_compared_at_jobs_that_all_were_measured_at() -> None:
    chosen = [forest(t, n) for t in (THREADS, PICKLED) for n in (1, 2, 4)]
    facts, rows = forests(chosen)
    lost = forest(PICKLED, 4)
    rows = [row for row in rows if row.cell != lost.id] + [failed(lost, 0, "oom", "killed")]
    run = overview(facts, rows)
    series = jobs_series(run.cells, tree_peaks(run))
    assert most_common_jobs(series) == 2
    found = series[1].at(2)
    assert found is not None
    assert found.spec == forest(PICKLED, 2)
    assert series[1].at(8) is None


def test_the_kernels_peaks_are_taken_where_every_measured_cell_has_one() -> None:
    facts, rows = forests()
    lost = forest(PICKLED, 4)
    rows = [row for row in rows if row.cell != lost.id] + [failed(lost, 0, "oom", "killed")]
    peaks = tree_peaks(overview(facts, [*rows, *map(sampled_pss, cells())]))
    assert (peaks.sources, peaks.sampled) == (("cgroup v1",), False)
    assert set(peaks.figures) == {cell.id for cell in cells()} - {lost.id}


def test_without_them_the_sampled_ones_are() -> None:
    facts, rows = forests()
    ids = {cell.id for cell in cells()}
    rows = [without_tree(row) if row.cell in ids else row for row in rows]
    run = overview(facts, [*rows, *map(sampled_pss, cells())])
    peaks = tree_peaks(run)
    assert (peaks.sources, peaks.sampled) == (("PSS sampling",), True)
    for cell in run.cells:
        assert peaks.of(cell).median == tree_bytes(cell.spec) - 5 * MIB


def test_with_neither_there_is_none_and_no_source() -> None:
    facts, rows = forests()
    ids = {cell.id for cell in cells()}
    run = overview(facts, [without_tree(row) if row.cell in ids else row for row in rows])
    peaks = tree_peaks(run)
    assert peaks.sources == ()
    assert {peaks.of(cell).median for cell in run.cells} == {None}
    absent = replace(run.cells[0], cell="not there")
    assert peaks.of(absent).median is None
