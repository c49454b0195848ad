"""The curve y = a + b x^c, with a and b not below zero: a fixed cost, and one that grows.

The fit is a search over the exponent alone (see `grid`). What it does not say is learnt from series
drawn anew from the curve and its residuals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize_scalar

from treebench.analysis.scaling.grid import EXPONENTS, Grid, Pairs, best_pair

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treebench.analysis.scaling.series import Series

LEVEL = 0.90
RESAMPLES = 400
_PARAMETERS = 3


@dataclass(frozen=True)
class Band:
    """An interval from `low` to `high` of the level `LEVEL`."""

    low: float
    high: float


@dataclass(frozen=True)
class PowerFit:
    """The fitted curve and what resampling says of it.

    `exponent` is None where the figure does not grow or shrink: then y = a. `exponent_band` is
    None where nothing is known of it. `resampled` has shape (resamples, 3): a, b, c of each;
    `noise` is the relative standard deviation of one sample about the curve.
    """

    a: float
    b: float
    exponent: float | None
    exponent_band: Band | None
    resampled: NDArray[np.float64]
    noise: float

    def at(self, x: float | NDArray[np.float64]) -> NDArray[np.float64]:
        """The curve at x."""
        return curve(self.a, self.b, self.exponent or 0.0, x)

    def band_at(self, x: float, *, new_sample: bool = False) -> Band:
        """The interval of the curve at x, or of a new sample there."""
        a, b, c = self.resampled.T
        values = curve(a, b, c, x)
        if new_sample:
            rng = np.random.default_rng(0)
            values = values * (1 + self.noise * rng.standard_normal(len(values)))
        low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return Band(float(low), float(high))


def fit_power(series: Series, resamples: int = RESAMPLES, seed: int = 0) -> PowerFit:
    """The curve through a series of at least three sizes.

    Raises:
        ValueError: fewer sizes than the curve has coefficients.
    """
    if len(series.sizes) < _PARAMETERS:
        raise ValueError(f"a curve a + b x^c needs 3 sizes; there are {len(series.sizes)}")
    scale = series.scale
    unit = float(np.exp(np.mean(np.log(series.x))))
    grid = Grid(series.x / unit, 1 / scale**2)
    squares = grid.fit(series.y[None, :]).squares[0]
    exponent = _refined(series, unit, int(np.argmin(squares)))
    _, a, b = _at_exponent(series, unit, exponent)
    drawn = grid.fit(_resampled(series, curve(a, b, exponent, series.x), scale, resamples, seed))
    residuals = (series.y - curve(a, b, exponent, series.x)) / scale
    inflated = float(np.sqrt(np.sum(residuals**2) / max(1, len(series.y) - _PARAMETERS)))
    band = _exponent_band(squares, drawn.squares)
    return PowerFit(
        a,
        b,
        exponent if b > 0 else None,
        band if b > 0 else None,
        _best_of(drawn, unit),
        inflated * float(np.median(series.relative_spread)),
    )


def _exponent_band(squares: NDArray[np.float64], drawn: NDArray[np.float64]) -> Band | None:
    """The exponents that the series does not speak against.

    An exponent is kept while its best curve's sum of squares is no worse, relative to the best of
    all, than the fitted exponent's is in nine of ten series drawn from the fitted curve. Unlike
    quantiles of the drawn exponents this holds where the fixed cost is zero, which it cannot be
    below: there the exponents scatter to one side. (A. C. Davison and D. V. Hinkley, Bootstrap
    Methods and their Application (1997), chapters 4 and 5: an interval as the values a test keeps.)
    """
    best = int(np.argmin(squares))
    excess = drawn[:, best] / np.maximum(drawn.min(axis=1), 1e-300)
    threshold = float(np.quantile(excess, LEVEL))
    limit = float(squares[best]) * threshold
    low = _crossing(squares[best::-1], EXPONENTS[best::-1], limit)
    high = _crossing(squares[best:], EXPONENTS[best:], limit)
    return None if low is None or high is None else Band(low, high)


def _crossing(
    squares: NDArray[np.float64], exponents: NDArray[np.float64], limit: float
) -> float | None:
    """Where the sums of squares, from the best on outwards, last are below the limit; None where
    they are so to the end of the grid."""
    below = np.flatnonzero(squares <= limit)[-1]
    if below == len(squares) - 1:
        return None
    rise = squares[below + 1] - squares[below]
    share = (limit - squares[below]) / rise if rise > 0 else 0.0
    return float(exponents[below] + share * (exponents[below + 1] - exponents[below]))


def curve(
    a: float | NDArray[np.float64],
    b: float | NDArray[np.float64],
    c: float | NDArray[np.float64],
    x: float | NDArray[np.float64],
) -> NDArray[np.float64]:
    """a + b x^c, element by element."""
    return np.asarray(a + b * np.float_power(x, c), dtype=np.float64)


def _resampled(
    series: Series,
    fitted: NDArray[np.float64],
    scale: NDArray[np.float64],
    n: int,
    seed: int,
) -> NDArray[np.float64]:
    """Series of the curve plus residuals drawn anew, shape (n, samples).

    Residuals are made wider by what the fit took of them (as the unbiased variance is), and every
    size is moved as a whole by what its own residuals say of a common error: real curves bend in
    ways that no three coefficients follow, and more samples do not help there. (A. C. Davison and
    D. V. Hinkley, Bootstrap Methods and their Application (1997), section 6.2.)
    """
    rng = np.random.default_rng(seed)
    residuals = (series.y - fitted) / scale
    position = np.searchsorted(series.sizes, series.x)
    counts = np.bincount(position)
    of_size = np.bincount(position, residuals) / counts
    within = residuals - of_size[position]
    degrees = max(1, len(residuals) - len(counts))
    variance_within = float(np.sum(within**2)) / degrees
    if len(residuals) == len(counts):
        variance_within = 0.0
    spare = max(1, len(counts) - _PARAMETERS)
    between = float(np.sum(counts * of_size**2)) / spare
    common = max(0.0, (between - variance_within) / float(np.mean(counts)))
    drawn_within = _drawn(rng, within, variance_within, (n, len(residuals)))
    drawn_common = np.sqrt(common) * rng.standard_normal((n, len(counts)))
    drawn: NDArray[np.float64] = fitted + scale * (drawn_within + drawn_common[:, position])
    return np.maximum(drawn, 1e-12 * fitted)


def _drawn(
    rng: np.random.Generator, pool: NDArray[np.float64], variance: float, shape: tuple[int, int]
) -> NDArray[np.float64]:
    """Values drawn from the pool, which is brought to mean 0 and the variance given."""
    spread = float(np.std(pool))
    if spread == 0:
        return np.zeros(shape)
    return rng.choice((pool - pool.mean()) * np.sqrt(variance) / spread, shape)


def _refined(series: Series, unit: float, best: int) -> float:
    """The best exponent between the neighbours of the grid's best."""
    around = EXPONENTS[max(0, best - 1)], EXPONENTS[min(len(EXPONENTS) - 1, best + 1)]
    found = minimize_scalar(
        lambda c: _at_exponent(series, unit, c)[0],
        bounds=around,
        method="bounded",
        options={"xatol": 1e-6},
    )
    return float(found.x)


def _at_exponent(series: Series, unit: float, exponent: float) -> tuple[float, float, float]:
    """The sum of squares, a and b."""
    powers = np.power(series.x / unit, exponent)[:, None]
    pairs = best_pair(powers, series.y[None, :], 1 / series.scale**2)
    a, b = pairs.at(np.zeros(1, np.int64))
    return float(pairs.squares[0, 0]), float(a[0]), float(b[0]) / unit**exponent


def _best_of(pairs: Pairs, unit: float) -> NDArray[np.float64]:
    """a, b and c of each series at its best exponent of the grid, shape (series, 3)."""
    best = np.argmin(pairs.squares, axis=1)
    a, b = pairs.at(best)
    exponents = EXPONENTS[best]
    return np.column_stack([a, b / unit**exponents, exponents])
