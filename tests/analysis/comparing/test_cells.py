"""Runs against each other: planted changes are found, chance is not, and nothing is made up for."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.analysis.rows import HIST, MIB, MS, phase, row, spec
from treebench.analysis.comparing.cells import ComparedCell, compare_cells
from treebench.analysis.comparing.rule import Verdict, bounds_of, change_of, verdict
from treebench.analysis.figures import figure_named
from treebench.store.row import ModelFigures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.store.row import SampleRow

CELL = spec(params=HIST)
FIT = figure_named("fit_time")
FIGURES = [figure_named(name) for name in ("fit_time", "peak_memory", "score:auc", "model_size")]


def taken(
    fit_ms: Sequence[float], peak_mib: float = 500, auc: float = 0.8, model: int = 90_000
) -> list[SampleRow]:
    return [
        row(
            CELL,
            block,
            phases={"fit": phase(int(ms * MS), 0, int((peak_mib + block / 10) * MIB))},
            score={"auc": auc},
            model=ModelFigures(model, 5, 5, 5),
        )
        for block, ms in enumerate(fit_ms)
    ]


def compared(before: list[SampleRow], after: list[SampleRow]) -> ComparedCell:
    return compare_cells({"a": before}, {"a": after}, FIGURES).cells[0]


def of(cell: ComparedCell, name: str) -> Verdict:
    return next(each.verdict for each in cell.judged if each.figure.name == name)


STEADY = [1000, 1004, 996, 1010, 1002]


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ([1200, 1206, 1190, 1212, 1199], "worse"),
        ([800, 806, 790, 812, 799], "better"),
        ([1003, 999, 1008, 995, 1001], "same"),
        ([1030, 1034, 1026, 1040, 1032], "same"),
        ([900, 1300, 1000, 1250, 1100], "unclear"),
        ([1200, 1206], "unclear"),
    ],
)
def test_a_time_is_judged_by_evidence_band_and_floor(after: list[float], expected: Verdict) -> None:
    assert of(compared(taken(STEADY), taken(after)), "fit_time") == expected


def test_a_change_below_the_floor_is_none() -> None:
    before, after = taken([10, 11, 10.5, 10.2, 10.8]), taken([20, 21, 20.5, 20.2, 20.8])
    assert of(compared(before, after), "fit_time") == "same"


def test_a_faster_model_that_lost_accuracy_is_worse() -> None:
    cell = compared(taken(STEADY, auc=0.80), taken([500, 502, 498, 505, 501], auc=0.79))
    assert of(cell, "fit_time") == "better"
    assert of(cell, "score:auc") == "worse"
    assert cell.verdict == "worse"


@pytest.mark.parametrize(
    ("figure", "change"), [("peak_memory", {"peak_mib": 560}), ("model_size", {"model": 99_000})]
)
def test_memory_and_model_are_guarded_like_time(figure: str, change: dict[str, float]) -> None:
    cell = compared(taken(STEADY), taken(STEADY, **change))  # type: ignore[arg-type]
    assert of(cell, figure) == "worse"
    assert of(compared(taken(STEADY, **change), taken(STEADY)), figure) == "better"  # type: ignore[arg-type]


def test_samples_may_differ_in_number() -> None:
    assert of(compared(taken(STEADY), taken([1200, 1210, 1190])), "fit_time") == "worse"


def test_three_samples_each_are_judged_by_intervals_that_do_not_meet() -> None:
    assert of(compared(taken([1000, 1002, 998]), taken([1200, 1205, 1190])), "fit_time") == "worse"
    assert (
        of(compared(taken([1000, 1300, 998]), taken([1200, 1205, 1190])), "fit_time") == "unclear"
    )


def test_a_new_failure_is_worse() -> None:
    failed = dataclasses.replace(taken(STEADY)[-1], status="oom")
    cell = compared(taken(STEADY), [*taken(STEADY)[:-1], failed])
    assert cell.new_failures == 1
    assert cell.verdict == "worse"
    assert compared([*taken(STEADY)[:-1], failed], [*taken(STEADY)[:-1], failed]).verdict == "same"


def test_cells_of_one_side_are_named() -> None:
    found = compare_cells({"a": taken(STEADY), "b": []}, {"a": taken(STEADY), "c": []}, FIGURES)
    assert (found.only_before, found.only_after) == (("b",), ("c",))
    assert found.counts == {"same": 1}


def test_a_cell_without_a_figure_in_both_is_not_comparable() -> None:
    assert compared(taken(STEADY), [row(CELL, 0, "error")]).verdict == "worse"
    assert compared([], []).verdict == "not comparable"


@pytest.mark.parametrize("samples", [3, 5, 8])
def test_one_run_against_itself_raises_few_alarms(samples: int) -> None:
    """200 cells of the same truth, with 4 % of noise: false alarms stay below 1 % of cells."""
    rng = np.random.default_rng(samples)

    def cells() -> dict[str, list[SampleRow]]:
        return {
            str(at): taken(list(1000 * np.exp(0.04 * rng.standard_normal(samples))))
            for at in range(200)
        }

    found = compare_cells(cells(), cells(), FIGURES)
    assert found.counts.get("worse", 0) + found.counts.get("better", 0) <= 2


def test_a_planted_slowdown_is_found_in_most_cells() -> None:
    rng = np.random.default_rng(1)
    before = {
        str(at): taken(list(1000 * np.exp(0.02 * rng.standard_normal(7)))) for at in range(60)
    }
    after = {str(at): taken(list(1150 * np.exp(0.02 * rng.standard_normal(7)))) for at in range(60)}
    assert compare_cells(before, after, FIGURES).counts.get("worse", 0) >= 57


def test_a_loss_is_worse_when_it_grows() -> None:
    loss = figure_named("score:logloss")
    change = change_of([0.5] * 3, [0.6] * 3)
    assert verdict(change, loss, 1.0) == "worse"
    assert verdict(change_of([0.6] * 3, [0.5] * 3), loss, 1.0) == "better"
    assert verdict(change_of([0.5] * 3, [0.5001] * 3), loss, 1.0) == "same"


def test_every_unit_has_bounds() -> None:
    names = ("fit_time", "peak_memory", "n_leaves", "score:auc", "latency:1:p50", "model_size")
    assert all(bounds_of(figure_named(name)).band >= 0 for name in names)


def test_values_of_zero_have_no_ratio() -> None:
    change = change_of([0, 0, 0.0], [5, 6, 7])
    assert change.interval is None
    assert change.furthest == 7
    assert verdict(change, FIT, 0.01) == "same"  # no two samples differ by more than the floor
    assert verdict(change_of([0, 0, 0.0], [5 * MS, 6 * MS, 70 * MS]), FIT, 0.2) == "unclear"
