from __future__ import annotations

import pytest

from tests.analysis.curves.growing import FIT_TIME, grown_run, hist, lightgbm
from tests.analysis.rows import HIST, spec
from treebench.analysis.curves.growth import growth
from treebench.analysis.curves.several import together

ROWS = (10_000, 40_000, 160_000)


def test_the_exponents_of_three_axes_are_found() -> None:
    cells = [
        spec("xgboost", HIST | {"n_estimators": trees}, rows=rows, features=features)
        for rows in ROWS
        for features in (10, 40)
        for trees in (10, 50)
    ]
    run = grown_run(
        cells, lambda c: 5 * c.rows**1.1 * c.features**0.8 * c.params["n_estimators"] ** 1.0
    )
    (found,) = together(run, FIT_TIME)
    assert found.fit is not None
    for axis, truth in (("rows", 1.1), ("features", 0.8), ("n_estimators", 1.0)):
        assert found.fit.exponents[axis] == pytest.approx(truth, abs=0.03)
        assert found.fit.bands[axis].low <= truth <= found.fit.bands[axis].high
    assert found.points == 12
    assert found.fit.typical_error < 0.05


def test_a_run_of_one_axis_has_none() -> None:
    assert together(grown_run(map(hist, ROWS), lambda c: c.rows * 1e3), FIT_TIME) == []


def test_a_series_that_varies_one_of_them_alone_is_left_out() -> None:
    cells = [hist(rows, n_estimators=trees) for rows in ROWS for trees in (10, 50)]
    cells += map(lightgbm, ROWS)
    (found,) = together(grown_run(cells, lambda c: c.rows * 1e3), FIT_TIME)
    assert found.label == "xgboost hist"


def test_axes_that_vary_only_together_are_not_told_apart() -> None:
    cells = [hist(rows, n_estimators=50) for rows in ROWS]
    cells += [hist(ROWS[0], n_estimators=100)]
    found = together(grown_run(cells[:2] + cells[3:], lambda c: c.rows * 1e3), FIT_TIME)
    assert [each.problem for each in found] == ["3 points cannot tell rows, n_estimators apart"]
    assert found[0].fit is None


def test_all_of_a_run_at_once() -> None:
    cells = [hist(rows, n_estimators=trees) for rows in ROWS for trees in (10, 20, 50)]
    run = grown_run(cells, lambda c: c.rows * 1e2 * c.params["n_estimators"])
    grown = growth(run, ["rows", "n_estimators"], [FIT_TIME])
    assert [(one.axis, len(one.curves)) for one in grown.along] == [
        ("rows", 3),
        ("n_estimators", 3),
    ]
    assert grown.any_fitted
    assert [figure.name for figure, _ in grown.together] == ["fit_time"]
