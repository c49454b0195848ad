"""The shapes that theory names, each fitted as a fixed cost and a growing one: which of them do
the samples allow?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treebench.analysis.scaling.grid import best_pair

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from treebench.analysis.scaling.series import Series

_AS_GOOD = 4.0
"""Shapes this close to the best in AICc cannot be told from it. (K. P. Burnham and D. R. Anderson,
Model Selection and Multimodel Inference, 2nd edition (2002), section 2.6: considerably less
support from 4 on.)"""

LEAST_SAMPLES = 5
"""The correction of the criterion divides by what samples there are beyond these."""

SHAPES: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "constant": lambda x: np.ones_like(x),
    "log n": np.log,
    "n": lambda x: x,
    "n log n": lambda x: x * np.log(x),
    "n^2": np.square,
}


@dataclass(frozen=True)
class ShapeFit:
    """y = a + b f(x); `allowed`: the samples do not speak against it, beside the best one."""

    shape: str
    a: float
    b: float
    aicc: float
    allowed: bool


def fit_shapes(series: Series) -> list[ShapeFit]:
    """Every shape fitted, the best first, by Akaike's criterion corrected for few samples.

    A size below 2, whose logarithm is not above zero, leaves out the shapes with a logarithm.
    Fewer than `LEAST_SAMPLES` samples allow no choice: then there are no fits.
    """
    if len(series.y) < LEAST_SAMPLES:
        return []
    fits = [
        _fit(series, name, f)
        for name, f in SHAPES.items()
        if "log" not in name or series.sizes[0] >= 2
    ]
    fits.sort(key=lambda each: each[-1])
    best = fits[0][-1]
    return [ShapeFit(name, a, b, aicc, aicc - best <= _AS_GOOD) for name, a, b, aicc in fits]


def _fit(
    series: Series, name: str, f: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> tuple[str, float, float, float]:
    weights = 1 / series.scale**2
    n = len(series.y)
    if name == "constant":
        mean = float(np.average(series.y, weights=weights))
        return name, mean, 0.0, _aicc(float(weights @ (series.y - mean) ** 2), n, 1)
    basis = f(series.x)
    unit = float(np.mean(basis))
    pairs = best_pair((basis / unit)[:, None], series.y[None, :], weights)
    a, b = pairs.at(np.zeros(1, np.int64))
    return name, float(a[0]), float(b[0]) / unit, _aicc(float(pairs.squares[0, 0]), n, 2)


def _aicc(squares: float, n: int, coefficients: int) -> float:
    """Akaike's criterion for least squares; the noise's own variance is a parameter too."""
    k = coefficients + 1
    correction = 2 * k * (k + 1) / (n - k - 1)
    return n * float(np.log(max(squares, 1e-300) / n)) + 2 * k + correction
