"""Forests in processes, from the config to the report: who holds the data once more per job."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from treebench.analysis.jobs import jobs_series
from treebench.analysis.overview import overview
from treebench.analysis.tree_peaks import tree_peaks
from treebench.store.run_folder import open_run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.end_to_end.conftest import Treebench
    from treebench.analysis.overview import Overview

FEW_ROWS, MANY_ROWS, FEATURES = 2_000, 200_000, 100
DATA_BYTES = MANY_ROWS * FEATURES * 4
CARD = f"""
name: plain
title: Numbers enough for a copy to be plain
source: {{kind: generate, rows: {MANY_ROWS}, test_rows: 500, features: {FEATURES}}}
task: binary
licence: CC0-1.0
"""
CONFIG = f"""
name: forests
data: {{set: plain, rows: [{FEW_ROWS}, {MANY_ROWS}]}}
threads: 1
samples: 1
oversubscribe: true
reference:
  trainer: loky-forest-pickled
  n_jobs: [2, 4]
  n_estimators: 8
  max_depth: 8   # a tree takes long enough for all jobs to hold their data at one time
variants:
  - {{trainer: loky-forest-memmap}}
"""


def bytes_per_job(run: Overview) -> dict[tuple[str, int], float]:
    """What a further job adds to tree memory, by trainer and rows."""
    found = {}
    for series in jobs_series(run.cells, tree_peaks(run)):
        spec = series.cells[0].spec
        assert series.tree_bytes_per_job is not None
        found[spec.trainer, spec.rows] = series.tree_bytes_per_job
    return found


def measured(treebench: Treebench, folder: Path) -> Overview:
    """The run, gone on with to sampled PSS where the kernel keeps no peak of a tree."""
    for more in ([], ["--set", "memory_samples=1"]):
        done = treebench("run", "forests.yaml", *more)
        assert done.returncode == 0, done.stderr
        opened = open_run(folder / "results" / "forests")
        run = overview(opened.facts, opened.rows)
        if all(cell.tree_peak_bytes.estimate for cell in run.cells):
            break
    return run


@pytest.mark.slow
def test_pickled_data_is_held_once_more_by_each_job_and_mapped_data_is_not(
    treebench: Treebench, folder: Path
) -> None:
    (folder / "datasets").mkdir()
    (folder / "datasets" / "plain.yaml").write_text(CARD)
    (folder / "forests.yaml").write_text(CONFIG)
    run = measured(treebench, folder)
    # GIVEN what a process takes by itself: with hardly any data, both trainers' take the same
    each = bytes_per_job(run)
    pickled, mapped = (
        each[trainer, MANY_ROWS] - each[trainer, FEW_ROWS]
        for trainer in ("loky-forest-pickled", "loky-forest-memmap")
    )
    # THEN only pickled data comes on top of it with every further job
    assert pickled > 0.8 * DATA_BYTES
    assert abs(mapped) < 0.25 * DATA_BYTES
    # AND the sum of RSS does not show the difference: it counts the map once for each process
    for cell in run.cells:
        if cell.spec.rows == MANY_ROWS and cell.spec.trainer == "loky-forest-memmap":
            tree, summed = tree_peaks(run).of(cell).median, cell.summed_rss_peak_bytes.median
            assert tree is not None
            assert summed is not None
            assert summed > tree + DATA_BYTES
            assert cell.shared_files_peak_bytes.median == pytest.approx(DATA_BYTES, rel=0.1)
    assert treebench("report", "forests").returncode == 0
    assert (folder / "results" / "forests" / "report" / "memory-by-n_jobs.png").exists()
