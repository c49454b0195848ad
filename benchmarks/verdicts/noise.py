"""Noise of the shapes seen in practice, as factors around 1.

The size is the standard deviation of a night's median, Gaussian noise assumed. It has two parts: a
disturbance of the night, which all its samples share, and one of each sample, whose standard
deviation is the size once more. The samples of a re-run, interleaved, share one night.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Shape = Literal["Gaussian", "5 % outliers", "AR(1) 0.7", "drift"]
SHAPES: tuple[Shape, ...] = get_args(Shape)
_CARRIED = 0.7
_WILD_SHARE, _WILD_SIZE = 0.05, 10.0
_DRIFT = 0.12
SAMPLES = 5
_NIGHT_PART = math.sqrt(1 - math.pi / 2 / SAMPLES)
"""The variance of a median of n Gaussian values is about pi / 2n of theirs."""


@dataclass(frozen=True)
class Noise:
    """Noise of a shape and size; `seed` makes it repeat."""

    shape: Shape
    size: float
    seed: int
    draw: np.random.Generator = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "draw", np.random.default_rng(self.seed))

    def nights(self, cells: int, nights: int) -> NDArray[np.float64]:
        """The factor of each night of each cell."""
        return 1 + _NIGHT_PART * self._along((cells, nights))

    def samples(self, *shape: int) -> NDArray[np.float64]:
        """The factor of each sample; the last axis is the order in which they are taken."""
        return 1 + self._along(shape)

    def machine(self, nights: int) -> NDArray[np.float64]:
        """What the machine does to every cell, the control cell too: nothing, save for drift: a
        slow wave and a step."""
        if self.shape != "drift":
            return np.ones(nights)
        at = np.arange(nights)
        wave = np.sin(2 * np.pi * (at / self.draw.uniform(30, 90) + self.draw.uniform()))
        step = at >= self.draw.integers(nights)
        return 1 + _DRIFT * (wave / 2 + step)

    def _along(self, shape: tuple[int, ...]) -> NDArray[np.float64]:
        made = self.draw.normal(0, self.size, shape)
        if self.shape == "5 % outliers":
            wild = self.draw.uniform(size=shape) < _WILD_SHARE
            made = np.where(wild, self.draw.exponential(_WILD_SIZE * self.size, shape), made)
        if self.shape == "AR(1) 0.7":
            fresh = np.sqrt(1 - _CARRIED**2)
            for at in range(1, shape[-1]):
                made[..., at] = _CARRIED * made[..., at - 1] + fresh * made[..., at]
        return made
