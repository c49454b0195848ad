"""What a curve is fitted to: samples of a figure at several values of an axis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

_TO_SIGMA = 1.4826
"""From a MAD to a normal distribution's standard deviation."""
_PRIOR = 4
"""Samples that the spread of all sizes together counts as, beside a size's own."""
_LEAST_RELATIVE_SPREAD = 1e-3
"""Samples that agree to the last digit are still not known better than this: a clock ticks, and a
page is whole. Without it one size could silence all others."""


@dataclass(frozen=True)
class Series:
    """Samples of one figure along one axis.

    `x` and `y` have shape (samples,): the axis' value and the figure of each measured process,
    both above zero, sorted by x.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]

    @classmethod
    def of(cls, samples: Iterable[tuple[float, float]]) -> Series:
        """The series of (x, y) pairs in any order.

        Raises:
            ValueError: a value is not above zero, or not finite.
        """
        pairs = np.array(sorted(samples), dtype=np.float64).reshape(-1, 2)
        if not np.all(np.isfinite(pairs)) or np.any(pairs <= 0):
            raise ValueError("a series holds finite values above zero")
        return cls(pairs[:, 0], pairs[:, 1])

    @cached_property
    def sizes(self) -> NDArray[np.float64]:
        """The distinct values of x, ascending."""
        found: NDArray[np.float64] = np.unique(self.x)
        return found

    @cached_property
    def medians(self) -> NDArray[np.float64]:
        """The median of y at each size."""
        return np.array([np.median(self.y[self.x == size]) for size in self.sizes])

    @cached_property
    def relative_spread(self) -> NDArray[np.float64]:
        """The standard deviation of a sample relative to its median, shape (samples,).

        From each size's own MAD and that of all sizes together, weighted by the samples that
        each rests on: a few samples can agree by chance, and would be believed too much.
        """
        deviation = np.abs(self.y / self.medians[self._position] - 1)
        repeated = np.bincount(self._position)
        known = deviation[(repeated > 1)[self._position]]
        of_all = _TO_SIGMA * float(np.median(known)) if len(known) else 0.0
        own = np.array([np.median(deviation[self.x == size]) for size in self.sizes])
        counted = np.where(repeated > 1, repeated, 0)
        variance = (counted * (_TO_SIGMA * own) ** 2 + _PRIOR * of_all**2) / (counted + _PRIOR)
        spread: NDArray[np.float64] = np.sqrt(np.maximum(variance, _LEAST_RELATIVE_SPREAD**2))
        return spread[self._position]

    @property
    def scale(self) -> NDArray[np.float64]:
        """What one standard deviation of each sample is, in the unit of y."""
        return self.relative_spread * self.medians[self._position]

    @cached_property
    def _position(self) -> NDArray[np.int64]:
        """Which of the sizes each sample has."""
        return np.searchsorted(self.sizes, self.x)

    def up_to(self, size: float) -> Series:
        """The samples at sizes of at most `size`."""
        kept = self.x <= size
        return Series(self.x[kept], self.y[kept])

    def beyond(self, size: float) -> Series:
        """The samples at sizes above `size`."""
        kept = self.x > size
        return Series(self.x[kept], self.y[kept])
