"""Pictures and words of a run whose jobs vary, against memory made from known parts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

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
from treebench.analysis.jobs import JOBS
from treebench.analysis.overview import overview
from treebench.analysis.tree_peaks import tree_peaks
from treebench.report.charts import Picture
from treebench.report.equal_score_screen import equal_score_screen, raw_equal_scores
from treebench.report.jobs_chart import jobs_chart
from treebench.report.lines import lines
from treebench.report.markdown import page
from treebench.report.palette import look_of
from treebench.report.points import select
from treebench.report.render import png, svg
from treebench.report.sections import sections
from treebench.report.terminal import Screen
from treebench.report.units import DASH

if TYPE_CHECKING:
    from treebench.analysis.overview import Overview


@pytest.fixture(scope="module")
def forest_pictures() -> dict[str, Picture]:
    return drawn(overview(*forests()))


def jobs_picture(run: Overview) -> Picture | None:
    """That one alone, since all take seconds."""
    selection = select(run.cells, JOBS)
    chart = jobs_chart(selection, tree_peaks(run), look_of(selection.labels), [])
    return None if chart is None else Picture("memory-by-n_jobs", "", chart)


def test_the_picture_has_both_measures_of_every_series_and_the_datas_own_size(
    forest_pictures: dict[str, Picture],
) -> None:
    picture = forest_pictures["memory-by-n_jobs"]
    points = [each for each in data_of(picture) if "series" in each]
    for trainer in SERIES:
        for jobs in (1, 2, 4):
            cell = forest(trainer, jobs)
            values = [p["value"] for p in points if p["series"] == trainer and p["x"] == jobs]
            assert set(values) == {tree_bytes(cell), summed_bytes(cell)}
    sizes = {each["value"] for each in data_of(picture) if each.get("text") == "the data itself"}
    assert sizes == {DATA_BYTES}


def test_it_says_how_it_was_had_and_what_is_held(forest_pictures: dict[str, Picture]) -> None:
    picture = forest_pictures["memory-by-n_jobs"]
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
    picture = jobs_picture(run)
    assert picture is not None
    subtitle = " ".join(picture.chart.to_dict()["title"]["subtitle"])
    assert "by PSS sampling; short peaks are missed" in subtitle
    values = {each["value"] for each in data_of(picture) if each.get("series") == PICKLED}
    assert tree_bytes(forest(PICKLED, 4)) - 5 * 2**20 in values


def test_measures_are_never_mixed() -> None:
    # GIVEN one cell without a kernel's peak, and samples of kind memory for that cell alone
    facts, rows = forests()
    odd = forest(MEMMAP, 2)
    rows = [without_tree(row) if row.cell == odd.id else row for row in rows]
    picture = jobs_picture(overview(facts, [*rows, sampled_pss(odd)]))
    assert picture is not None
    # THEN only what was sampled is drawn as tree memory
    trees = {tree_bytes(cell) for cell in cells()} - {summed_bytes(cell) for cell in cells()}
    assert not trees & {each["value"] for each in data_of(picture)}


def test_the_workers_own_peak_is_said_to_be_that(forest_pictures: dict[str, Picture]) -> None:
    subtitle = " ".join(forest_pictures["memory-split"].chart.to_dict()["title"]["subtitle"])
    assert "of the worker process alone" in subtitle
    assert {"time-by-n_jobs", "score-by-n_jobs"} <= forest_pictures.keys()


def test_a_run_without_jobs_has_no_such_picture_or_words() -> None:
    found = drawn(run_of(exact_vs_hist(layouts=("dense-c",))))
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
    assert jobs_picture(overview(facts, bare)) is None


def _ids() -> set[str]:
    return {cell.id for cell in cells()}


def page_of(run: Overview) -> str:
    return page(run, sections(run, lines(run)), []).replace("\\", "")


def test_the_page_compares_at_equal_trees_and_at_equal_score() -> None:
    text = page_of(overview(*forests()))
    for said in (
        "## Trees in parallel",
        "| loky-forest-memmap | 4 | 518 ms | 624 MiB | 853 MiB | 57.2 MiB | AUC 0.8800 |",
        "at 8 trees and 4 jobs, dask-forest: 441 ms for construct and fit, 567 MiB of tree memory, "
        "AUC 0.8600 (1.09x the time and 2.74x the tree memory of sklearn-forest)",
        "loky-forest-pickled: from 2 to 4 jobs, each further one changes tree memory by 147 MiB, "
        "2.57x the data's 57.2 MiB",
        "the sum of RSS is furthest from the truth for loky-forest-memmap at 8 trees and 4 jobs: "
        "853 MiB against 624 MiB of tree memory",
        "## At equal score",
        "at AUC 0.8800 (the best score that every series reaches)",
        "to reach AUC 0.8800, sklearn-forest takes 8 trees, construct+fit 403 ms, tree memory 207 "
        "MiB and sum of RSS 207 MiB",
        "dask-forest reaches it with 16 trees, for 2.17x the construct+fit, 1.87x the tree memory",
        "8 more cells are left out: measured at one number of trees only",
    ):
        assert said in text


def test_a_page_without_jobs_or_trees_that_vary_says_nothing_of_them() -> None:
    text = page_of(run_of(exact_vs_hist()))
    assert "Trees in parallel" not in text
    assert "At equal score" not in text


def test_words_are_of_what_was_measured() -> None:
    # GIVEN that the first series failed, and tree memory is unknown
    facts, rows = forests()
    rows = [without_tree(row) for row in rows if row.spec["trainer"] != SERIES[0]]
    text = page_of(overview(facts, rows))
    # THEN others are compared with the first that was measured, without that memory
    assert (
        f"at 8 trees and 4 jobs, loky-forest-pickled: 646 ms for construct and fit, {DASH} of"
        in text
    )
    assert "of loky-forest-pickled)" in text
    assert "each further one" not in text
    assert "furthest from the truth" not in text
    assert "had by" not in text


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (None, "(the best score that every series reaches)"),
        (0.885, "dask-forest does not reach AUC 0.8850; its best is 0.8800"),
        (0.871, "(a bound: one of the two reaches it with the fewest trees measured)"),
    ],
)
def test_the_screen_says_what_a_score_takes(target: float | None, said: str) -> None:
    run = overview(*forests())
    text = equal_score_screen(run, target, "forests", Screen(None, colour=False, rules=False))
    assert said in text
    assert text.endswith("next: treebench report forests\n")


def test_the_screen_says_when_there_is_nothing_to_compare() -> None:
    run = run_of(exact_vs_hist())
    text = equal_score_screen(run, None, "test", Screen(80, colour=False, rules=True))
    assert "give n_estimators as a list" in " ".join(text.split())


def test_programs_get_the_comparison_unrounded() -> None:
    [found] = raw_equal_scores(overview(*forests()), 0.885)
    assert found["target"] == 0.885
    by_series = {one["series"]: one for one in found["series"]}
    assert by_series["dask-forest"]["how"] == "not reached"
    assert by_series["sklearn-forest"]["trees"] == pytest.approx(12)
    assert by_series["sklearn-forest"]["tree_peak_bytes"]["value"] == tree_bytes(
        forest(SERIES[0], 2)
    )
