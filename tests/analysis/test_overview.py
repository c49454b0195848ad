from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

from tests.analysis.rows import CONTROL, exact_vs_hist, facts, failed, realistic, samples, spec
from treebench.analysis.overview import overview
from treebench.analysis.scores import lower_is_better, main_score
from treebench.report.sentences import memory_timelines, progress

TIMELINE = {
    "source": "smaps_rollup",
    "interval_ns": 50_000_000,
    "ticks": 3,
    "largest_gap_ns": 60_000_000,
    "t_ns": [0, 60_000_000, 110_000_000],
    "pss_bytes": [1 << 20, 3 << 20, 2 << 20],
    "phase": [None, "fit", "fit"],
}


def test_a_complete_run() -> None:
    cells = exact_vs_hist(sizes=(20_000,))
    found = overview(facts(cells), [row for cell in [*cells, CONTROL] for row in samples(cell)])
    assert [cell.spec for cell in found.cells] == cells
    assert (found.finished_samples, found.planned_samples) == (5 * len(cells), 5 * len(cells))
    assert found.is_complete
    assert found.control is not None
    assert found.control.fit_wall_ns.n == 5


def test_a_run_cut_short_says_how_far_it_got() -> None:
    cells = exact_vs_hist(sizes=(20_000,))
    rows = [*samples(cells[0], 2), failed(cells[1], 0, "interrupted", "stopped")]
    found = overview(facts(cells), rows)
    assert (found.finished_samples, found.is_complete, found.has_figures) == (2, False, True)
    assert found.control is None


def test_only_timed_rows_are_summarised() -> None:
    cell = spec()
    traced = [replace(row, kind="memory") for row in samples(cell)]
    found = overview(facts([cell]), [*samples(cell, 3), *traced])
    assert found.cells[0].counts == {"ok": 3}


def test_samples_of_kind_memory_are_kept_apart_and_belong_to_a_whole_run() -> None:
    cell = spec()
    planned = facts([cell])
    planned["plan"]["memory_samples"] = 1
    partial = overview(planned, samples(cell))
    assert (partial.finished_samples, partial.planned_samples) == (5, 6)
    drawn = replace(samples(cell, 1)[0], kind="memory", timeline=TIMELINE)
    found = overview(planned, [*samples(cell), drawn])
    assert found.is_complete
    assert found.cells[0].counts == {"ok": 5}
    [said] = memory_timelines(found, cell.id)
    assert said == (
        "PSS of the process tree up to 3.00 MiB, in fit "
        "(3 readings by smaps_rollup, 60.0 ms apart at most)"
    )


def test_a_simulated_sample_per_cell_belongs_to_a_whole_run_of_that_tier() -> None:
    cell = spec()
    planned = {**facts([cell]), "counters": {"tier": "simulated", "absent": {}}}
    partial = overview(planned, samples(cell))
    assert (partial.finished_samples, partial.planned_samples, partial.is_complete) == (5, 6, False)
    assert "5 of 6 samples have an outcome" in str(progress(partial))
    simulated = replace(samples(cell, 1)[0], kind="simulated")
    stopped = replace(simulated, status="interrupted")
    assert not overview(planned, [*samples(cell), stopped]).is_complete
    found = overview(planned, [*samples(cell), simulated])
    assert (found.is_complete, progress(found)) == (True, None)
    assert found.cells[0].counts == {"ok": 5}


def test_more_timed_samples_than_planned_do_not_stand_in_for_another_kind() -> None:
    cell = spec()
    planned = facts([cell])
    planned["plan"].update(samples=3, memory_samples=1)
    found = overview(planned, samples(cell, 5))
    assert not found.is_complete
    assert "3 of 4 samples have an outcome" in str(progress(found))


def test_a_cell_that_the_plan_no_longer_has_is_still_shown() -> None:
    found = overview(facts([spec()]), samples(spec(rows=7)))
    assert [cell.spec.rows for cell in found.cells] == [20_000, 7]


def test_what_could_not_be_done_is_kept() -> None:
    found = overview(*realistic())
    assert len([cell for cell in found.cells if cell.n_failed]) == 3
    assert [refused.spec["rows"] for refused in found.unsupported] == [20_000, 80_000, 260_000]
    assert found.collapsed[0].into == found.cells[0].cell


def test_the_score_that_speaks_for_a_model() -> None:
    assert main_score({"log_loss": 1, "auc": 2}) == "auc"
    assert main_score({"own": 1}) == "own"
    assert main_score({}) is None
    assert lower_is_better("rmse")
    assert not lower_is_better("auc")


def test_analysis_needs_no_numpy() -> None:
    code = (
        "import sys, treebench.analysis.overview, treebench.analysis.labels, "
        "treebench.analysis.axes, treebench.report.units\n"
        "print(sorted({'numpy', 'pandas', 'altair', 'xgboost'} & sys.modules.keys()))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    )
    assert answer.stdout.strip() == "[]"
