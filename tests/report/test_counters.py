"""Counters on the terminal: every tier named, nothing mixed, nothing unknown shown as 0."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.analysis.rows import EXACT, facts, failed, samples, spec
from treebench.analysis.counters import cell_counters
from treebench.analysis.overview import overview
from treebench.plan.cell import CellSpec
from treebench.report.counters_screen import counters_screen
from treebench.report.counters_text import reduced_size
from treebench.report.lines import by_dataset, lines
from treebench.report.screens import run_screen
from treebench.report.terminal import Screen
from treebench.store.row import SampleRow

CELL = spec("xgboost", EXACT)  # 20,000 rows, 12 features, 50 trees
WORK = 20_000 * 12 * 50
SIMULATED: dict[str, Any] = {
    "tier": "simulated",
    "absent": {"hardware": "no PMU"},
    "by": "callgrind 3.19.0",
    "geometry": {"I1": "32768,8,64", "D1": "32768,8,64", "LL": "8388608,16,64"},
    "reduced": {
        "rows": 2000,
        "n_estimators": 5,
        "threads": 1,
        "rows_share": 0.1,
        "trees_share": 0.1,
    },
    "phases": {"fit": {"D1-read-misses": 240_000, "instructions": 12_000_000}},
    "missing": {"predict": "callgrind could not be switched"},
    "running_pct": {},
    "functions": {
        "fit": [
            {
                "function": "EnumerateSplit",
                "read_misses": 0.92,
                "write_misses": None,
                "instructions": 0.4,
            }
        ]
    },
}


def hardware(events: dict[str, int | None], **more: Any) -> dict[str, Any]:
    return {
        "tier": "hardware",
        "absent": {},
        "phases": {"fit": events},
        "missing": {},
        "running_pct": dict.fromkeys(events, 100.0),
        **more,
    }


def counting(*counters: dict[str, Any], kind: Any = "timed") -> list[SampleRow]:
    rows = samples(CELL, len(counters))
    return [replace(row, counters=one, kind=kind) for row, one in zip(rows, counters, strict=True)]


def shown(rows: list[SampleRow], cell: CellSpec = CELL) -> str:
    run = overview(facts([cell], planned=1), rows)
    grouped = by_dataset(lines(run), "rows", reverse=False)
    return counters_screen(run, grouped, "test", Screen(None, colour=False, rules=False))


def test_blocks_that_took_turns_make_one_cell() -> None:
    one = cell_counters(
        counting(
            hardware(
                {"cycles": 100, "instructions": 200}, missing={"LLC-load-misses": "elsewhere"}
            ),
            hardware({"cycles": 300, "instructions": 300, "LLC-load-misses": 5 * WORK}),
        )
    )
    assert one is not None
    assert one.value("fit", "cycles") == 200
    assert one.ratio("fit", "instructions", "cycles") == 1.25
    assert one.per_cell_and_tree("fit", "LLC-load-misses") == 5
    assert one.missing == {}


def test_an_event_that_nothing_counted_is_unknown() -> None:
    one = cell_counters(counting(hardware({"cycles": None}, missing={"cycles": "no PMU"})))
    assert one is not None
    assert one.value("fit", "cycles") is None
    assert one.per_cell_and_tree("fit", "cycles") is None
    assert one.missing == {"cycles": "no PMU"}


def test_a_scaled_counter_is_called_an_estimate() -> None:
    counted = counting(hardware({"cache-misses": 9, "cycles": 9}, running_pct={"cache-misses": 60}))
    one = cell_counters(counted)
    assert one is not None
    assert one.estimates == ("cache-misses",)
    assert "part of the time: cache-misses" in shown(counted)


def test_a_simulated_figure_is_by_the_size_that_was_simulated() -> None:
    one = cell_counters(counting(SIMULATED, kind="simulated"))
    assert one is not None
    assert one.per_cell_and_tree("fit", "D1-read-misses") == 240_000 / (2000 * 12 * 5)


def test_the_screen_names_tier_size_functions_and_reasons() -> None:
    text = shown([*samples(CELL, 1), *counting(SIMULATED, kind="simulated")])
    assert "Simulated counters of fit" in text
    assert "EnumerateSplit 92.0 %" in text
    assert "no hardware counters: no PMU" in text
    assert "2,000 rows (10.0 % of the cell's), 5 trees" in text
    assert "predict: callgrind could not be switched" in text


def test_samples_that_ended_badly_count_nothing() -> None:
    rows = [replace(row, status="oom") for row in counting(SIMULATED)]
    assert cell_counters(rows) is None


@pytest.mark.parametrize(
    ("counters", "said"),
    [
        (None, "Nothing was counted"),
        ({**hardware({}), "tier": None, "absent": {"hardware": "no PMU here"}}, "no PMU here"),
    ],
)
def test_without_counters_it_says_why(counters: dict[str, Any] | None, said: str) -> None:
    rows = samples(CELL, 1) if counters is None else counting(counters)
    assert said in shown(rows)


def test_a_simulation_that_failed_is_said_and_not_that_nobody_asked_for_one() -> None:
    broken = replace(failed(CELL, 0, "error", "valgrind gave up"), kind="simulated")
    said = shown([*samples(CELL, 1), broken])
    assert "Nothing was counted in this run" not in said
    assert "simulated sample, error: valgrind gave up" in " ".join(said.split())


def test_a_run_that_counted_says_where_the_counts_are() -> None:
    for rows, told in ((counting(SIMULATED, kind="simulated"), True), (samples(CELL), False)):
        run = overview(facts([CELL], planned=1), [*samples(CELL), *rows])
        grouped = by_dataset(lines(run), "rows", reverse=False)
        text = run_screen(run, grouped, "test", Screen(None, colour=False, rules=False))
        assert ("treebench show test --counters" in text) == told


def test_one_tree_that_was_simulated_is_one_tree() -> None:
    assert "1 tree (" in reduced_size({**SIMULATED["reduced"], "n_estimators": 1})
