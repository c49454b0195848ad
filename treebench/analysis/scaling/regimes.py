"""Where a curve changes its nature: a step, or another exponent, between two sizes.

One power law with a fixed cost is compared with two power laws that meet at no point. How much
better two must be is learnt from series drawn from the single curve, at which any break is chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treebench.analysis.scaling.grid import EXPONENTS, Grid
from treebench.analysis.scaling.power import fit_power

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from treebench.analysis.scaling.series import Series

LEVEL = 0.98
"""A break that chance makes in more than two of 100 straight series is none."""
RESAMPLES = 199
LEAST_SIZES = 2
"""On either side of a break: one size alone has no slope."""
LEAST_STEP = 0.10
LEAST_BEND = 0.15
"""A change that nobody would act on is none: the step relative to the curve, and the exponent."""


@dataclass(frozen=True)
class RegimeChange:
    """The curve is another one between the sizes `after` and `before`.

    `left` and `right` are the exponents on either side; `step` is how many times the right curve
    is the left one at the break; `p` is how often chance alone would show as much.
    """

    after: float
    before: float
    left: float
    right: float
    step: float
    p: float


@dataclass(frozen=True)
class _Break:
    """Two lines in logarithms, fitted apart: the operator that leaves their residuals."""

    split: int
    residual: NDArray[np.float64]


def find_change(series: Series, seed: int = 0) -> RegimeChange | None:
    """The change of regime that a series shows best, or None where one curve will do.

    None too for fewer than `2 * LEAST_SIZES` sizes, in which nothing can be told.
    """
    sizes = series.sizes
    if len(sizes) < 2 * LEAST_SIZES:
        return None
    breaks = _breaks(series)
    unit = float(np.exp(np.mean(np.log(series.x))))
    grid = Grid(series.x / unit, 1 / _median_of(series) ** 2, EXPONENTS[::3])
    gain, chosen = _gain(grid, breaks, series.y[None, :])
    fitted = fit_power(series, resamples=1).at(series.x)
    noise = _noise(series, breaks[int(chosen[0])])
    rng = np.random.default_rng(seed)
    drawn = fitted * np.exp(noise * rng.standard_normal((RESAMPLES, len(series.y))))
    by_chance, _ = _gain(grid, breaks, drawn)
    p = float((1 + np.sum(by_chance >= gain[0])) / (1 + RESAMPLES))
    change = _described(series, breaks[int(chosen[0])], p)
    return change if p <= 1 - LEVEL and _matters(change) else None


def _breaks(series: Series) -> list[_Break]:
    splits: Sequence[int] = range(LEAST_SIZES, len(series.sizes) - LEAST_SIZES + 1)
    return [_Break(split, _residual_operator(series, split)) for split in splits]


def _residual_operator(series: Series, split: int) -> NDArray[np.float64]:
    """Takes log y to what two lines in log x leave of it. All samples weigh the same: weights
    from the samples' own spread would make chance look like a break."""
    left = (series.x < series.sizes[split]).astype(np.float64)
    log_x = np.log(series.x) - float(np.mean(np.log(series.x)))
    design = np.column_stack([left, left * log_x, 1 - left, (1 - left) * log_x])
    return np.asarray(np.eye(len(left)) - design @ np.linalg.pinv(design), dtype=np.float64)


def _gain(
    grid: Grid, breaks: list[_Break], ys: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """How much the best break betters the single curve, as a ratio of sums of squares, and which
    break it is, for each series in `ys`."""
    single = grid.fit(ys).squares.min(axis=1)
    logs = np.log(ys)
    squares = np.stack([np.sum((logs @ b.residual) ** 2, axis=1) for b in breaks], axis=1)
    return single / np.maximum(squares.min(axis=1), 1e-300), np.argmin(squares, axis=1)


def _noise(series: Series, chosen: _Break) -> float:
    """The standard deviation of log y about its curve: by the repeats of a size where there
    are any, else by what the two lines leave, which is the most that a break could explain."""
    position = np.searchsorted(series.sizes, series.x)
    counts = np.bincount(position)
    logs = np.log(series.y)
    spare = len(logs) - len(counts)
    if spare > 0:
        means = np.bincount(position, logs) / counts
        variance = float(np.sum((logs - means[position]) ** 2)) / spare
    else:
        left_over = max(1, len(logs) - 4)
        variance = float(np.sum((chosen.residual @ logs) ** 2)) / left_over
    return float(np.sqrt(variance))


def _median_of(series: Series) -> NDArray[np.float64]:
    """The median at the size of each sample."""
    return series.medians[np.searchsorted(series.sizes, series.x)]


def _described(series: Series, chosen: _Break, p: float) -> RegimeChange:
    after, before = series.sizes[chosen.split - 1], series.sizes[chosen.split]
    middle = float(np.sqrt(after * before))
    left, at_left = _line(series.up_to(after), middle)
    right, at_right = _line(series.beyond(after), middle)
    return RegimeChange(float(after), float(before), left, right, at_right / at_left, p)


def _line(series: Series, at: float) -> tuple[float, float]:
    """The exponent of the power law through a series, and its value at `at`."""
    slope, base = np.polyfit(np.log(series.x / at), np.log(series.y), 1)
    return float(slope), float(np.exp(base))


def _matters(change: RegimeChange) -> bool:
    stepped = abs(np.log(change.step)) >= np.log1p(LEAST_STEP)
    return bool(stepped or abs(change.right - change.left) >= LEAST_BEND)
