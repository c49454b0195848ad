"""Pictures and words of a run whose jobs vary, against memory made from known parts."""

from __future__ import annotations

from dataclasses import replace

from tests.analysis.forests import (
    DATA_BYTES,
    MEMMAP,
    PICKLED,
    SERIES,
    cells,
    forest,
    forests,
    sampled_pss,
    summed_bytes,
    tree_bytes,
    without_tree,
)
from tests.analysis.rows import exact_vs_hist
from tests.report.test_charts import data_of, drawn, run_of
from treebench.analysis.overview import overview
from treebench.report.render import png, svg


def test_the_picture_has_both_measures_of_every_series_and_the_datas_own_size() -> None:
    picture = drawn(overview(*forests()))["memory-by-n_jobs"]
    points = [each for each in data_of(picture) if "series" in each]
    for trainer in SERIES:
        for jobs in (1, 2, 4):
            cell = forest(trainer, jobs)
            values = [p["value"] for p in points if p["series"] == trainer and p["x"] == jobs]
            assert set(values) == {tree_bytes(cell), summed_bytes(cell)}
    sizes = {each["value"] for each in data_of(picture) if each.get("text") == "the data itself"}
    assert sizes == {DATA_BYTES}


def test_it_says_how_it_was_had_and_what_is_held() -> None:
    picture = drawn(overview(*forests()))["memory-by-n_jobs"]
    subtitle = " ".join(picture.chart.to_dict()["title"]["subtitle"])
    assert "held at: n_estimators 8" in subtitle
    assert "by cgroup v1" in subtitle
    assert "short peaks are missed" not in subtitle
    assert png(picture.chart).startswith(b"\x89PNG")
    assert "interpreter and libraries" in svg(picture.chart)


def test_without_a_cgroup_it_is_drawn_from_the_samples_of_kind_memory() -> None:
    facts, rows = forests()
    rows = [without_tree(row) if row.cell in _ids() else row for row in rows]
    run = overview(facts, [*rows, *(sampled_pss(cell) for cell in cells())])
    picture = drawn(run)["memory-by-n_jobs"]
    subtitle = " ".join(picture.chart.to_dict()["title"]["subtitle"])
    assert "by PSS sampling; short peaks are missed" in subtitle
    values = {each["value"] for each in data_of(picture) if each.get("series") == PICKLED}
    assert tree_bytes(forest(PICKLED, 4)) - 5 * 2**20 in values


def test_measures_are_never_mixed() -> None:
    # GIVEN one cell without a kernel's peak, and samples of kind memory for that cell alone
    facts, rows = forests()
    odd = forest(MEMMAP, 2)
    rows = [without_tree(row) if row.cell == odd.id else row for row in rows]
    picture = drawn(overview(facts, [*rows, sampled_pss(odd)]))["memory-by-n_jobs"]
    # THEN only what was sampled is drawn as tree memory
    trees = {tree_bytes(cell) for cell in cells()} - {summed_bytes(cell) for cell in cells()}
    assert not trees & {each["value"] for each in data_of(picture)}


def test_the_workers_own_peak_is_said_to_be_that() -> None:
    found = drawn(overview(*forests()))
    subtitle = " ".join(found["memory-split"].chart.to_dict()["title"]["subtitle"])
    assert "of the worker process alone" in subtitle
    assert {"time-by-n_jobs", "score-by-n_jobs"} <= found.keys()


def test_a_run_without_jobs_has_no_such_picture_or_words() -> None:
    found = drawn(run_of(exact_vs_hist()))
    assert not {name for name in found if "n_jobs" in name}
    subtitle = " ".join(found["memory-by-rows"].chart.to_dict()["title"]["subtitle"])
    assert "worker process alone" not in subtitle


def test_a_run_that_measured_neither_has_no_picture_of_them() -> None:
    facts, rows = forests()
    bare = [
        replace(
            without_tree(row),
            phases={
                name: replace(each, summed_rss_peak_bytes=None)
                for name, each in without_tree(row).phases.items()
            },
        )
        for row in rows
    ]
    assert "memory-by-n_jobs" not in drawn(overview(facts, bare))


def _ids() -> set[str]:
    return {cell.id for cell in cells()}
