"""Named shapes, held-out sizes and several axes, on series whose truth is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.analysis.scaling.planted import SIZES, planted
from treebench.analysis.scaling.extrapolation import TooFarError, hold_out_largest, predict
from treebench.analysis.scaling.power import fit_power
from treebench.analysis.scaling.series import Series
from treebench.analysis.scaling.shapes import SHAPES, fit_shapes
from treebench.analysis.scaling.surface import fit_surface

if TYPE_CHECKING:
    from collections.abc import Callable

TRUTHS: dict[str, Callable[[float], float]] = {
    "constant": lambda _: 20.0,
    "log n": lambda x: 3 + 2 * float(np.log(x)),
    "n": lambda x: 10 + 1e-3 * x,
    "n log n": lambda x: 1e-4 * x * float(np.log(x)),
    "n^2": lambda x: 1e-8 * x * x,
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_true_shape_is_allowed_and_mostly_the_best(name: str) -> None:
    best = 0
    for seed in range(20):
        fits = fit_shapes(planted(TRUTHS[name], seed, noise=0.01))
        best += fits[0].shape == name
        assert name in [fit.shape for fit in fits if fit.allowed] or seed > 0
    assert best >= 14


def test_shapes_that_cannot_be_told_apart_are_all_allowed() -> None:
    allowed = [f.shape for f in fit_shapes(planted(TRUTHS["n"], 1, noise=0.3)) if f.allowed]
    assert {"n", "n log n"} <= set(allowed)


def test_the_coefficients_are_those_of_the_truth() -> None:
    (fit,) = [f for f in fit_shapes(planted(TRUTHS["n"], 1, noise=0)) if f.shape == "n"]
    assert fit.a == pytest.approx(10, rel=1e-6)
    assert fit.b == pytest.approx(1e-3, rel=1e-6)


def test_a_size_of_one_has_no_logarithm_to_grow_with() -> None:
    shapes = [fit.shape for fit in fit_shapes(Series.of([(x, x) for x in (1, 2, 4, 8, 16)]))]
    assert shapes[0] == "n"
    assert not [shape for shape in shapes if "log" in shape]


def test_four_samples_allow_no_choice() -> None:
    assert fit_shapes(Series.of([(x, x) for x in (2, 4, 8, 16)])) == []


def test_the_largest_size_is_foretold_by_the_others() -> None:
    held = hold_out_largest(planted(TRUTHS["n"], 2))
    assert held is not None
    assert held.x == SIZES[-1]
    assert abs(held.relative_error) < 0.1
    broken = hold_out_largest(planted(lambda x: 1e-3 * min(x, 320_000), 2))
    assert broken is not None
    assert broken.relative_error == pytest.approx(1, abs=0.2)
    assert not broken.inside


def test_three_sizes_are_too_few_to_hold_one_out() -> None:
    assert hold_out_largest(planted(TRUTHS["n"], 2, sizes=SIZES[:3])) is None


def test_a_prediction_too_far_out_is_refused_unless_asked_for() -> None:
    series = planted(TRUTHS["n"], 2)
    fit = fit_power(series)
    value, band = predict(fit, series, 2_000_000)
    assert band.low < value < band.high
    assert value == pytest.approx(2010, rel=0.1)
    with pytest.raises(TooFarError, match=r"3e\+06 is 4.7 times the largest size measured"):
        predict(fit, series, 3_000_000)
    far, far_band = predict(fit, series, 3_000_000, far=True)
    assert far_band.high - far_band.low > band.high - band.low
    assert far == pytest.approx(3010, rel=0.15)


def _points(noise: float) -> tuple[dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(0)
    grid = [(r, f, t) for r in (1e4, 4e4, 1.6e5) for f in (10, 40) for t in (10, 50) for _ in "abc"]
    rows, features, trees = np.array(grid, dtype=float).T
    truth = 1e-6 * rows**1.1 * features**0.9 * trees
    return {"rows": rows, "features": features, "trees": trees}, truth * np.exp(
        noise * rng.standard_normal(len(rows))
    )


def test_the_exponents_of_several_axes_are_found() -> None:
    fit = fit_surface(*_points(0.05))
    truth = {"rows": 1.1, "features": 0.9, "trees": 1.0}
    for axis, exponent in truth.items():
        assert fit.exponents[axis] == pytest.approx(exponent, abs=0.05)
        assert fit.bands[axis].low < exponent < fit.bands[axis].high
    assert fit.typical_error < 0.1
    at = fit.at({"rows": 4e4, "features": 20, "trees": 20})
    assert at == pytest.approx(1e-6 * 4e4**1.1 * 20**0.9 * 20, rel=0.1)


def test_axes_that_vary_together_cannot_be_told_apart() -> None:
    axes, y = _points(0)
    with pytest.raises(ValueError, match="cannot tell rows, features apart"):
        fit_surface({"rows": axes["rows"], "features": axes["rows"] * 2}, y)
