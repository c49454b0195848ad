"""Series with a known truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treebench.analysis.scaling.series import Series

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SIZES = (10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 640_000)


def planted(
    truth: Callable[[float], float],
    seed: int,
    *,
    sizes: Sequence[float] = SIZES,
    repeats: int = 5,
    noise: float = 0.03,
) -> Series:
    """Samples of `truth`, each off by a lognormal error of relative standard deviation `noise`."""
    rng = np.random.default_rng(seed)
    return Series.of(
        (size, truth(size) * float(np.exp(noise * rng.standard_normal())))
        for size in sizes
        for _ in range(repeats)
    )
