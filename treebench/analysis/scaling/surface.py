"""Several axes at once: y = k rows^a features^b trees^c, fitted in logarithms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treebench.analysis.scaling.power import LEVEL, RESAMPLES, Band

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

_SINGULAR = 1e-12
"""Normal equations whose extents differ by more than this cannot tell the axes apart."""


@dataclass(frozen=True)
class SurfaceFit:
    """The exponent of every axis with its interval, and how well all of them together do:
    `typical_error` is the median relative distance of a sample from the fitted value."""

    exponents: dict[str, float]
    bands: dict[str, Band]
    constant: float
    typical_error: float

    def at(self, point: Mapping[str, float]) -> float:
        """The fitted value at a point that names every axis."""
        return self.constant * float(
            np.prod([point[axis] ** e for axis, e in self.exponents.items()])
        )


def fit_surface(
    axes: Mapping[str, NDArray[np.float64]], y: NDArray[np.float64], seed: int = 0
) -> SurfaceFit:
    """The power law in every axis, by least squares on logarithms.

    Points (not samples) are drawn anew for the intervals: samples of one point share what the law
    does not follow. (A. C. Davison and D. V. Hinkley, Bootstrap Methods and their Application
    (1997), section 6.2.4, resampling cases.)

    Args:
        axes: by name, the values of each sample, above zero, shape (samples,).
        y: the figure of each sample, above zero.
        seed: of what is drawn.

    Raises:
        ValueError: fewer distinct points than coefficients, or axes that vary together only.
    """
    logs = np.column_stack([np.log(values) for values in axes.values()])
    design = np.column_stack([np.ones(len(y)), logs - logs.mean(axis=0)])
    points, position = np.unique(logs, axis=0, return_inverse=True)
    if len(points) <= design.shape[1] or np.linalg.matrix_rank(design) < design.shape[1]:
        raise ValueError(f"{len(points)} points cannot tell {', '.join(axes)} apart")
    coefficients = _solved(design, np.log(y))
    exponents = dict(zip(axes, map(float, coefficients[1:]), strict=True))
    shift = float(coefficients[0] - coefficients[1:] @ logs.mean(axis=0))
    errors = np.abs(np.expm1(design @ coefficients - np.log(y)))
    drawn = _drawn(design, np.log(y), position.reshape(-1), len(points), seed)
    lows, highs = np.quantile(drawn[:, 1:], [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    bands = {
        axis: Band(float(low), float(high))
        for axis, low, high in zip(axes, lows, highs, strict=True)
    }
    return SurfaceFit(exponents, bands, float(np.exp(shift)), float(np.median(errors)))


def _solved(design: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.linalg.lstsq(design, y, rcond=None)[0], dtype=np.float64)


def _drawn(
    design: NDArray[np.float64],
    y: NDArray[np.float64],
    position: NDArray[np.int64],
    n_points: int,
    seed: int,
) -> NDArray[np.float64]:
    """Coefficients of designs whose points were drawn anew, shape (resamples, coefficients); draws
    that cannot tell the axes apart are drawn again.

    Samples of a point lie at one place, so that their number and their mean say all of them; and
    the normal equations of all draws are solved at once. Columns are brought to one length first,
    which keeps the equations far from singular.
    """
    rng = np.random.default_rng(seed)
    samples = np.bincount(position, minlength=n_points)
    lengths = np.sqrt(np.mean(design**2, axis=0))
    places = np.zeros((n_points, design.shape[1]))
    places[position] = design / lengths
    means = np.bincount(position, y, n_points) / samples
    found = np.empty((0, design.shape[1]))
    while len(found) < RESAMPLES:
        chosen = rng.integers(0, n_points, (RESAMPLES - len(found), n_points))
        found = np.concatenate([found, _solved_at_once(places, means, samples, chosen)])
    return np.asarray(found / lengths, dtype=np.float64)


def _solved_at_once(
    places: NDArray[np.float64],
    means: NDArray[np.float64],
    samples: NDArray[np.int64],
    chosen: NDArray[np.int64],
) -> NDArray[np.float64]:
    """The coefficients of each draw of points (`chosen`, shape (draws, points)) that tells the axes
    apart."""
    n_draws, n_points = chosen.shape
    flat = (chosen + n_points * np.arange(n_draws)[:, None]).reshape(-1)
    times = np.bincount(flat, minlength=chosen.size).reshape(chosen.shape)
    weights = times * samples.astype(np.float64)
    products = places[:, :, None] * places[:, None, :]
    normal = np.tensordot(weights, products, axes=1)
    right = weights @ (places * means[:, None])
    extents = np.linalg.eigvalsh(normal)
    apart = extents[:, 0] > _SINGULAR * extents[:, -1]
    solved = np.linalg.solve(normal[apart], right[apart][:, :, None])
    return np.asarray(solved[:, :, 0], dtype=np.float64)
