"""The course that a noisy series follows: a level that wanders, seen through noise.

The local level model. Its best forecast is an exponentially weighted mean (J. F. Muth, "Optimal
properties of exponentially weighted forecasts of time series", JASA 55 (1960)), and its best
hindsight is that mean taken once more, backwards: the Kalman smoother of that model once its gain
is steady (A. C. Harvey, Forecasting, structural time series models and the Kalman filter (1989)).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WEIGHTS = np.array([0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
"""Of a value against all before it, the ones that are tried."""


def course_of(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The course of a series that is not empty, by the weight that foretells each next value best.
    With 1, where no weighing foretells better, a series is its own course."""
    each = np.repeat(values[:, None], len(_WEIGHTS), axis=1)
    places = np.arange(1, len(values) + 1)[:, None]
    # The first values weigh alike, until there are as many as a weight stands for.
    forward = _means(each, np.maximum(_WEIGHTS, 1 / places))
    best = int(np.argmin(((each[1:] - forward[:-1]) ** 2).sum(axis=0)))
    backward = _means(forward[::-1, [best]], np.full((len(values), 1), _WEIGHTS[best]))
    return backward[::-1, 0]


def _means(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weighted means so far down each column."""
    means = values.copy()
    for at in range(1, len(values)):
        means[at] = means[at - 1] + weights[at] * (values[at] - means[at - 1])
    return means
