"""The best a and b of y = a + b x^c, neither below zero, for every exponent c of a grid.

With c given, least squares for two coefficients of one sign is a closed form: that of the line, or
of the better of its two halves. So a thousand series over the same x are fitted at once.
"""

from __future__ import annotations

from dataclasses import dataclass
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

    def fit(self, ys: NDArray[np.float64]) -> Pairs:
        """The fits, for each series and exponent."""
        return best_pair(self._powers, ys, self._weights)


@dataclass(frozen=True)
class Pairs:
    """For y = a + b p with a, b >= 0: `squares` are the sums of squares, shape (series, exponents).

    The coefficients are worked out where they are asked for, which is at few of the exponents.
    """

    squares: NDArray[np.float64]
    _slope: NDArray[np.float64]
    _alone: NDArray[np.float64]
    _mean_y: NDArray[np.float64]
    _mean_p: NDArray[np.float64]

    def at(self, exponents: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """a and b of each series at one exponent each, by its number; shapes (series,)."""
        series = np.arange(len(exponents))
        slope, alone = self._slope[series, exponents], self._alone[series, exponents]
        base = self._mean_y - slope * self._mean_p[exponents]
        grows, from_zero = ~(slope <= 0), base < 0
        a = np.where(grows, np.where(from_zero, 0.0, base), self._mean_y)
        b = np.where(grows, np.where(from_zero, alone, slope), 0.0)
        return a, b


def best_pair(
    powers: NDArray[np.float64], ys: NDArray[np.float64], weights: NDArray[np.float64]
) -> Pairs:
    """The fits for `ys`, shape (series, samples); `powers` has shape (samples, exponents)."""
    total = weights.sum()
    mean_y = ys @ weights / total
    mean_p = weights @ powers / total
    centred_p = powers - mean_p
    var_p = weights @ centred_p**2
    covariance = (ys - mean_y[:, None]) @ (weights[:, None] * centred_p)
    var_y = (ys - mean_y[:, None]) ** 2 @ weights
    slope = covariance / var_p
    squares = var_y[:, None] - slope * covariance
    # Where the fixed cost would be below zero there is none; where the slope would, no growth.
    moment = ys @ (weights[:, None] * powers)
    alone = moment / (weights @ powers**2)
    without_base = (ys**2 @ weights)[:, None] - alone * moment
    np.copyto(squares, without_base, where=mean_y[:, None] < slope * mean_p)
    np.copyto(squares, var_y[:, None], where=slope <= 0)
    return Pairs(squares, slope, alone, mean_y, mean_p)
