"""The best a and b of y = a + b x^c, neither below zero, for every exponent c of a grid.

With c given, least squares for two coefficients of one sign is a closed form: that of the line, or
of the better of its two halves. So a thousand series over the same x are fitted at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

EXPONENTS = np.concatenate([np.arange(-3.0, 0.0, 0.02), np.arange(0.02, 4.01, 0.02)])
"""Zero is left out: x^0 is the constant that `a` already is."""


class Grid:
    """Best fits for every exponent of the grid, for many series over the same x."""

    def __init__(
        self,
        x: NDArray[np.float64],
        weights: NDArray[np.float64],
        exponents: NDArray[np.float64] = EXPONENTS,
    ) -> None:
        self._powers = np.power(x[:, None], exponents[None, :])
        self._weights = weights

    def fit(self, ys: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Sums of squares, shape (series, exponents), and a and b, (series, exponents, 2)."""
        return best_pair(self._powers, ys, self._weights)


def best_pair(
    powers: NDArray[np.float64], ys: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For y = a + b p with a, b >= 0: sums of squares, shape (series, exponents), and a and b,
    shape (series, exponents, 2). `powers` has shape (samples, exponents)."""
    total = weights.sum()
    mean_y = ys @ weights / total
    mean_p = weights @ powers / total
    centred_p = powers - mean_p
    var_p = weights @ centred_p**2
    covariance = (ys - mean_y[:, None]) @ (weights[:, None] * centred_p)
    var_y = (ys - mean_y[:, None]) ** 2 @ weights
    slope = covariance / var_p
    base = mean_y[:, None] - slope * mean_p
    both = var_y[:, None] - slope * covariance
    # Where the fixed cost would be below zero there is none; where the slope would, no growth.
    moment = ys @ (weights[:, None] * powers)
    square_p = weights @ powers**2
    alone = moment / square_p
    without_base = (ys**2 @ weights)[:, None] - alone * moment
    flat = np.broadcast_to(var_y[:, None], slope.shape)
    case = np.where(slope <= 0, 2, np.where(base < 0, 1, 0))
    squares = np.choose(case, [both, without_base, flat])
    a = np.choose(case, [base, np.zeros_like(base), np.broadcast_to(mean_y[:, None], base.shape)])
    b = np.choose(case, [slope, alone, np.zeros_like(slope)])
    return squares, np.stack([a, b], axis=-1)
