"""One-hot columns of a dense matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treebench.data.reading.dense import refuse_too_large
from treebench.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treebench.data.reading.dense import Order
    from treebench.data.reading.expansion import Expansion

_CHUNK_ROWS = 1 << 14


def expand(X: NDArray[np.float32], to: Expansion, order: Order) -> NDArray[np.float32]:
    """X of shape (rows, features) as (rows, `to.width`), float32, in C or Fortran order.

    Raises:
        DataError: a value is no code of its column, or the result would not fit the memory.
    """
    rows = X.shape[0]
    refuse_too_large(rows, to.width, "one-hot columns")
    expanded = np.zeros((rows, to.width), np.float32, order=order)
    for begin in range(0, rows, _CHUNK_ROWS):
        chunk = X[begin : begin + _CHUNK_ROWS]
        _expand_chunk(chunk, expanded[begin : begin + len(chunk)], to)
    return expanded


def known_codes(
    values: NDArray[np.float32], position: int, codes: int
) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """The rows where column `position` has a category (ascending), and its codes there.

    Raises:
        DataError: a value is neither NaN nor a whole number from 0 to `codes` - 1.
    """
    rows = np.flatnonzero(~np.isnan(values))
    known = values[rows]
    wrong = (known < 0) | (known >= codes) | (known != np.floor(known))
    if wrong.any():
        raise DataError(
            f"column {position} has the value {known[wrong][0]:g}, where its codes are 0 to "
            f"{codes - 1}; make the data set again"
        )
    return rows, known.astype(np.int32)


def _expand_chunk(X: NDArray[np.float32], out: NDArray[np.float32], to: Expansion) -> None:
    numeric = [j for j in range(X.shape[1]) if j not in to.cardinalities]
    out[:, [to.starts[j] for j in numeric]] = X[:, numeric]
    for position, codes in to.cardinalities.items():
        rows, known = known_codes(X[:, position], position, codes)
        out[rows, to.starts[position] + known] = 1
