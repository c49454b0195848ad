from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from treebench.analysis.scaling import surface
from treebench.analysis.scaling.surface import fit_surface

PLACES = np.array(list(product([1e4, 3e4, 9e4], [10.0, 40.0], [50.0, 200.0])))
ROWS, FEATURES, TREES = np.repeat(PLACES, 3, axis=0).T


def test_draws_solved_at_once_are_the_draws_solved_one_by_one() -> None:
    rng = np.random.default_rng(1)
    y = 1e-3 * ROWS**0.9 * TREES * rng.lognormal(0, 0.1, len(ROWS))
    logs = np.column_stack([np.log(ROWS), np.log(TREES)])
    design = np.column_stack([np.ones(len(y)), logs - logs.mean(axis=0)])
    points, position = np.unique(logs, axis=0, return_inverse=True)
    position = position.reshape(-1)
    chosen = rng.integers(0, len(points), (20, len(points)))
    samples = np.bincount(position)
    means = np.bincount(position, np.log(y)) / samples
    places = np.zeros((len(points), 3))
    places[position] = design
    solved = surface._solved_at_once(places, means, samples, chosen)
    for draw, found in zip(chosen, solved, strict=True):
        taken = np.concatenate([np.flatnonzero(position == point) for point in draw])
        wanted = np.linalg.lstsq(design[taken], np.log(y[taken]), rcond=None)[0]
        assert found == pytest.approx(wanted, rel=1e-9)


def test_exponents_of_three_axes_are_found_within_their_intervals() -> None:
    noise = np.random.default_rng(2).lognormal(0, 0.05, len(ROWS))
    axes = {"rows": ROWS, "features": FEATURES, "n_estimators": TREES}
    fit = fit_surface(axes, 2e-6 * ROWS * FEATURES**0.5 * TREES**0.8 * noise)
    for axis, truth in {"rows": 1.0, "features": 0.5, "n_estimators": 0.8}.items():
        assert fit.exponents[axis] == pytest.approx(truth, abs=0.05)
        assert fit.bands[axis].low < fit.exponents[axis] < fit.bands[axis].high


def test_axes_that_vary_together_only_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot tell rows, features apart"):
        fit_surface({"rows": ROWS, "features": ROWS * 2}, ROWS)
