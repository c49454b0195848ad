"""What several cells show together: how far they lie apart, how much each of them scatters.

- `range(FIGURE, CELLS)`: the largest median minus the smallest, over the cells called.
- `spread(FIGURE, CELLS)`: of each cell, its samples' range relative to their median; the median
  over the cells.
- `first_sample(FIGURE, CELLS)`: of each cell, its first sample relative to the median of the
  others; the median over the cells. 1 where the first is like any other.

The interval of the last two is from cells drawn anew: the question is of sweeps, not of one cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treebench.analysis.statistics import median

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

LEAST_SAMPLES = 3
LEAST_CELLS = 3
"""Fewer cells than these show a value, but no interval."""


def range_of(values: Sequence[float]) -> float:
    """The largest minus the smallest."""
    return max(values) - min(values)


def spread(by_block: Mapping[int, float]) -> float | None:
    """The range of a cell's samples relative to their median; None where they are too few."""
    values = list(by_block.values())
    centre = median(values)
    if len(values) < LEAST_SAMPLES or centre == 0:
        return None
    return range_of(values) / abs(centre)


def first_to_later(by_block: Mapping[int, float]) -> float | None:
    """A cell's first sample relative to the median of the others; None where they are too few,
    or the first block has none."""
    later = [value for block, value in by_block.items() if block != 0]
    if 0 not in by_block or len(by_block) < LEAST_SAMPLES or median(later) == 0:
        return None
    return by_block[0] / median(later)


def medians_of_cells(values: NDArray[np.float64], draws: int, seed: int) -> NDArray[np.float64]:
    """The median of as many cells drawn with replacement, shape (draws,)."""
    rng = np.random.default_rng(seed)
    drawn = rng.choice(values, (draws, len(values)))
    return np.asarray(np.median(drawn, axis=1), dtype=np.float64)
