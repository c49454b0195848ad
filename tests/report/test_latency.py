"""Latency on the terminal, in Markdown, as JSON and as a picture."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.analysis.rows import CONTROL, MS, facts, latency, samples, spec
from tests.report.test_charts import data_of, drawn
from treebench.analysis.overview import Overview, overview
from treebench.report.latency_screen import latency_screen
from treebench.report.lines import by_dataset, lines
from treebench.report.markdown import page
from treebench.report.raw import raw
from treebench.report.sections import sections
from treebench.report.terminal import Screen
from treebench.store.row import SampleRow

CELLS = [spec(), spec("lightgbm", {"n_estimators": 50})]
SLOW = 700


def measured(n: int = 3) -> list[SampleRow]:
    """Two cells; the samples of each differ by half their time per row."""
    return [
        replace(row, latency=latency(factor * (SLOW + SLOW // 2 * block)))
        for factor, cell in enumerate(CELLS, 1)
        for block, row in enumerate(samples(cell, n))
    ]


def run_of(rows: list[SampleRow]) -> Overview:
    return overview(facts(CELLS, planned=3), rows + samples(CONTROL, 3))


def shown(rows: list[SampleRow], width: int | None = None) -> str:
    run = run_of(rows)
    grouped = by_dataset(lines(run), "rows", reverse=False)
    return latency_screen(run, grouped, "test", Screen(width, colour=False, rules=False))


def test_the_median_over_samples_is_the_figure_of_a_cell() -> None:
    known = run_of(measured()).cells[0].latency["100"]
    assert known.p50_ns.median == 20_000 + (SLOW + SLOW // 2) * 100
    assert known.p99_ns.median == 3 * known.p50_ns.median
    assert known.repeats.median == 1000


def test_a_missing_quantile_keeps_its_reason_and_is_no_zero() -> None:
    known = run_of(measured()).cells[0].latency["all"]
    assert known.p99_ns.estimate is None
    assert known.p99_ns.missing == ("it needs 1,000 calls, and 5 s were too short for them",)
    said = shown(measured())
    assert "All rows of the test part at once, p99 of 2 cells: it needs 1,000 calls" in said


def test_each_batch_has_a_table() -> None:
    said = [" ".join(line.split()) for line in shown(measured()).splitlines()]
    for title in ("1 row", "100 rows", "10,000 rows"):
        assert f"{title} at a time" in said
    assert "20,000 xgboost hist dense-c 125 µs 150 µs 375 µs 800,000 1,000" in said
    assert said[-1] == "next: treebench show test"


@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_screen(width: int) -> None:
    assert max(map(len, shown(measured(), width).splitlines())) <= width


def test_a_run_without_latency_says_how_to_have_it() -> None:
    said = shown([row for cell in CELLS for row in samples(cell, 3)])
    assert "Latency was not measured in this run: set `latency: true`" in said
    assert "How to read" not in said


def test_a_batch_that_no_test_part_can_fill_has_no_table_but_a_reason() -> None:
    absent: dict[str, Any] = {
        "rows": 10_000,
        "repeats": 0,
        **dict.fromkeys(("p50_ns", "p90_ns", "p99_ns", "rows_per_s")),
        "missing": dict.fromkeys(
            ("p50_ns", "p90_ns", "p99_ns", "rows_per_s"), "the test part has 114 rows"
        ),
    }
    rows = [replace(row, latency={**(row.latency or {}), "10000": absent}) for row in measured()]
    said = shown(rows)
    assert "10,000 rows at a time\n" not in said
    assert "10,000 rows at a time, p50, p90, p99, rows/s of 2 cells: the test part has 114" in said


def test_the_page_has_a_table_of_medians_and_tails() -> None:
    run = run_of(measured())
    text = page(run, sections(run, lines(run)), [])
    assert "## Latency of predictions" in text
    assert "1 row, p50 \\| p99 |" in text
    assert "125 µs \\| 375 µs |" in text
    bare = run_of([row for cell in CELLS for row in samples(cell, 3)])
    assert "Latency" not in page(bare, sections(bare, lines(bare)), [])


def test_json_has_raw_values() -> None:
    run = run_of(measured())
    said = raw(run, lines(run))["cells"][0]["latency"]["1"]
    assert said["p50_ns"]["samples"] == [20_700, 21_050, 21_400]
    assert said["rows"] == 1
    assert said["missing"] == {}


def test_the_picture_has_a_point_for_each_batch_and_a_tail_where_it_is_known() -> None:
    points = data_of(drawn(run_of(measured()))["latency"])
    of_xgboost = [each for each in points if each["series"] == "xgboost hist"]
    assert [each["x"] for each in of_xgboost] == [1, 100, 10_000, 65_000]
    assert [each["tail"] is None for each in of_xgboost] == [False, False, True, True]
    assert of_xgboost[3]["high"] == of_xgboost[3]["value"] > MS
    places = {each["place"] for each in points}
    assert len(places) == 8
