"""The chart of score against time, and the words beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.analysis.rows import BOOSTING, HIST, MS, facts, sample, spec
from treebench.analysis.overview import Overview, overview
from treebench.report.charts import pictures
from treebench.report.curve_text import best_iterations, curve_blocks, curve_missing
from treebench.report.lines import lines

FAST = spec("xgboost", HIST, rows=1000)
SIDE_BY_SIDE = spec("sklearn-hist-gbdt", BOOSTING, rows=1000)


def curve(*, timed: bool = True, best: int | None = 2) -> dict[str, Any]:
    points = [
        {
            "iteration": n,
            "wall_ns": n * 10 * MS if timed else None,
            "test": {"auc": 0.7 + n / 100},
            "validation": {"auc": 0.6 + n / 100},
        }
        for n in (1, 2, 3)
    ]
    missing = {} if timed else {"wall_ns": "its trees are grown side by side"}
    known = {"metric": "auc", "n_iterations": 3, "iterations": points}
    return {**known, "best_iteration": best, "missing": missing}


def run(*, timed: bool = True, best: int | None = 2) -> Overview:
    rows = [
        *(replace(sample(FAST, b), curve=curve(timed=timed, best=best)) for b in range(3)),
        *(replace(sample(SIDE_BY_SIDE, b), curve=curve(timed=False)) for b in range(3)),
    ]
    return overview(facts([FAST, SIDE_BY_SIDE], planned=3), rows)


def spec_of(made: Overview) -> dict[str, Any] | None:
    found = [p.chart for p in pictures(made) if p.name == "score-by-fit-time"]
    return found[0].to_dict() if found else None


def test_the_chart_has_a_line_for_what_has_times_and_marks_the_best() -> None:
    drawn = spec_of(run())
    assert drawn is not None
    points = drawn["concat"][0]["data"]
    points = points["values"] if "values" in points else drawn["datasets"][points["name"]]
    assert {point["series"] for point in points} == {"xgboost hist"}
    assert [(p["x"], p["value"], p["best"]) for p in points] == [
        (10 * MS, 0.71, False),
        (20 * MS, 0.72, True),
        (30 * MS, 0.73, False),
    ]
    said = " ".join(drawn["title"]["subtitle"])
    assert "mark: the best one" in said
    assert "without times, so not drawn: sklearn-hist-gbdt" in said


def test_a_line_says_what_it_is_at_its_iterations() -> None:
    drawn = spec_of(run())
    assert drawn is not None
    layers = drawn["concat"][0]["layer"]
    pointed_at = [layer for layer in layers if layer["mark"]["type"] == "circle"]
    assert [layer["encoding"]["tooltip"]["field"] for layer in pointed_at] == ["said"]
    points = drawn["concat"][0]["data"]["values"]
    assert points[1]["said"] == "xgboost hist, dense-c, iteration 2: AUC 0.7200 after 20.0 ms"


def test_of_a_long_line_some_iterations_say_what_they_are() -> None:
    long = curve()
    long["iterations"] = [long["iterations"][0] | {"iteration": n} for n in range(1, 1001)]
    rows = [replace(sample(FAST, b), curve=long) for b in range(3)]
    drawn = spec_of(overview(facts([FAST], planned=3), rows))
    assert drawn is not None
    points = drawn["concat"][0]["data"]["values"]
    assert len(points) == 1000
    assert 40 <= sum(point["pointed at"] for point in points) <= 80


def test_without_a_best_no_mark_is_spoken_of() -> None:
    drawn = spec_of(run(best=None))
    assert drawn is not None
    assert "mark" not in " ".join(drawn["title"]["subtitle"])


def test_without_times_there_is_no_chart() -> None:
    assert spec_of(run(timed=False)) is None


def test_a_line_for_each_cell() -> None:
    first, second = best_iterations(lines(run()))
    assert "xgboost" in first
    assert "2 of 3, AUC 0.7200, after 20.0 ms of fit (validation 0.6200; the last 0.7300)" in first
    assert "sklearn-hist-gbdt" in second
    assert " of fit" not in second


def test_what_is_missing_is_said_once_for_all_cells_of_a_reason() -> None:
    listed = lines(run())
    assert curve_missing(listed) == [
        "sklearn-hist-gbdt: no time by iteration: its trees are grown side by side"
    ]
    assert len(curve_blocks(listed)) == 2
