"""The known, non-linear relation between features and label in generated data.

Only additions, multiplications, divisions and comparisons are used, whose results IEEE 754 fixes to
the last bit: sines, exponentials and sums by matrix product differ between processors, and with
them a few labels would, and the content hash.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Column = NDArray[np.float64]

MOST_TERMS = 12
MOST_SPARSE_TERMS = 48


def wave(x: Column) -> Column:
    """A sine of period 2, sin(pi x) for x in [-1, 1], to within 0.2 %.

    Bhaskara's rational approximation: 16 t (pi - t) / (5 pi^2 - 4 t (pi - t)) for angles t.
    """
    size = np.abs(x)
    arch = size * (1.0 - size)
    height = 16.0 * arch / (5.0 - 4.0 * arch)
    return np.where(x < 0, -height, height)


def signal(columns: Sequence[Column], first: int = 0) -> Column:
    """The signal of dense rows, from the informative columns, values in [-1, 1]; shape (rows,).

    Terms go round a slope, a wave, a step, and a product with the column two before; their weights
    fall, so the first columns matter most. `first` turns the columns round, which gives each class
    of a multiclass problem a signal of its own.
    """
    width = len(columns)
    total = np.zeros_like(columns[0])
    for term in range(width):
        x = columns[(term + first) % width]
        partner = columns[(term + first - 2) % width]
        total += _term(term % 4, x, partner) / (1.0 + term / 6.0)
    return total


def sparse_signal(columns: Sequence[Column], first: int = 0) -> Column:
    """The signal of sparse rows, from the informative columns, values in [0, 1], mostly 0.

    A column's presence raises or lowers; a pair of columns does so beyond the sum of both, and the
    size of the value matters for every third.
    """
    width = len(columns)
    total = np.zeros_like(columns[0])
    for term in range(width):
        x = columns[(term + first) % width]
        partner = columns[(term + first + width // 2) % width]
        sign = 1.0 if term % 2 else -1.0
        present = np.where(x > 0, sign, 0.0)
        both = np.where((x > 0) & (partner > 0), -1.5 * sign, 0.0)
        sized = wave(x) if term % 3 == 0 else 0.0
        total += (present + both + sized) * math.sqrt(1.0 + term / 4.0)
    return total


def _term(shape: int, x: Column, partner: Column) -> Column:
    if shape == 0:
        return x
    if shape == 1:
        return wave(x)
    if shape == 2:
        return np.where(x > 0.3, 1.0, -0.5) + 2.0 * x * partner
    return 3.0 * x * partner
