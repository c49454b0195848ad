"""Figures of columns whose truth was planted."""

from __future__ import annotations

import pytest

from tests.analysis.published.tables import planted, preset, read
from tests.analysis.rows import MIB, MS
from treebench.analysis.expressions.evaluate import Value
from treebench.analysis.published.readings import FIGURES, common_score
from treebench.analysis.sample import Missing


def point(value: Value | Missing) -> float:
    assert not isinstance(value, Missing), value
    return value.point


def test_every_clock_score_and_size_of_a_column() -> None:
    hist = read(preset(), planted(noise=0)).readings["hist"]
    assert point(hist.of("boosting")) == 140 * MS
    assert point(hist.of("construct_fit")) == 200 * MS
    assert point(hist.of("final")) == 0.83
    assert point(hist.of("best_iteration")) == 0.84
    assert point(hist.of("iteration")) == 20
    assert point(hist.of("best_on_test")) == 0.84
    assert point(hist.of("memory")) == 20 * MIB
    assert point(hist.of("peak")) == 219 * MIB
    assert set(hist.figures) == set(FIGURES)


def test_the_best_iteration_is_chosen_on_validation_and_not_on_the_test_part() -> None:
    """The third iteration is best on validation and not on the test part: its score counts."""
    misled = {"aucs": [0.78, 0.84, 0.83], "validation": [0.7, 0.71, 0.72]}
    hist = read(preset(), planted(noise=0, hist=misled)).readings["hist"]
    assert (point(hist.of("best_iteration")), point(hist.of("iteration"))) == (0.83, 30)
    assert point(hist.of("best_on_test")) == 0.84


def test_the_common_score_is_the_lowest_of_the_final_ones() -> None:
    table = read(preset(), planted(noise=0))
    assert table.reached == 0.79
    # hist is at 0.78 after a third of its 140 ms, and at 0.84 after two.
    third = 140 * MS / 3
    crossed = 60 * MS + third + third * (0.79 - 0.78) / (0.84 - 0.78)
    assert point(table.readings["hist"].of("reach")) == pytest.approx(crossed, rel=1e-6)
    assert point(table.readings["exact"].of("reach")) == pytest.approx(400 * MS, rel=1e-6)
    boosting = read(preset(clock="boosting"), planted(noise=0))
    assert point(boosting.readings["exact"].of("reach")) == pytest.approx(390 * MS, rel=1e-6)


def test_the_common_score_is_rounded_down_so_that_all_come_to_it() -> None:
    finals: list[Value | Missing] = [Value(0.83219, None, None), Missing("no"), Value(0.9, 1, 1)]
    assert common_score(finals) == 0.8321
    assert common_score([Missing("no")]) is None


def test_a_column_without_a_cell_or_a_sample_says_why() -> None:
    table = read(preset(), planted(noise=0))
    catboost = table.readings["catboost"]
    assert catboost.of("final") == Missing("not installed: pip install catboost")
    gone = read(preset(), [one for one in planted() if one.spec["trainer"] != "lightgbm"])
    lacking = gone.readings["lightgbm"].of("boosting")
    assert isinstance(lacking, Missing)
    assert "no sample of it ended well" in lacking.reason
    assert gone.reached == 0.79


def test_nothing_measured_is_no_score_to_reach() -> None:
    table = read(preset(), [])
    assert table.reached is None
    assert table.readings["hist"].of("reach") == Missing("no column has a score")
