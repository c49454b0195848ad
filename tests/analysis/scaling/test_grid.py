from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from treebench.analysis.scaling.grid import EXPONENTS, Grid

X = np.repeat([0.25, 0.5, 1.0, 2.0, 4.0], 3)
RNG = np.random.default_rng(5)
WEIGHTS = RNG.uniform(0.5, 2.0, len(X))
SERIES = {
    "a fixed cost and growth": 3 + 2 * X**1.2,
    "growth from nothing": 2 * X**0.9,
    "below zero at the left end": np.maximum(0.01, 2 * X - 0.6),
    "falling": 5 - X,
    "constant": np.full(len(X), 4.0),
}


@pytest.mark.parametrize("number", range(0, len(EXPONENTS), 29))
def test_every_series_and_exponent_has_the_best_pair_of_one_sign(number: int) -> None:
    """Beside the general method for least squares without values below zero, one by one."""
    ys = np.array(list(SERIES.values())) * RNG.normal(1, 0.02, (len(SERIES), len(X)))
    pairs = Grid(X, WEIGHTS).fit(ys)
    a, b = pairs.at(np.full(len(ys), number))
    design = np.column_stack([np.ones(len(X)), X ** EXPONENTS[number]])
    root = np.sqrt(WEIGHTS)
    for row, y in enumerate(ys):
        wanted, norm = nnls(design * root[:, None], y * root)
        assert pairs.squares[row, number] == pytest.approx(norm**2, rel=1e-6)
        assert (a[row], b[row]) == pytest.approx(tuple(wanted), rel=1e-5, abs=1e-7)
