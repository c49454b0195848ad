"""One-hot columns of CSR and CSC matrices.

An absent entry of a categorical column is code 0, which after the expansion *is* an entry. So the
number of entries is that of the numeric columns, plus one for each category that is not missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treebench.data.reading.onehot_dense import known_codes
from treebench.data.reading.sparse import csc, csr, empty_arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from treebench.data.reading.expansion import Expansion

_CHUNK_ROWS = 1 << 14


def expand_csr(X: sparse.csr_matrix, to: Expansion) -> sparse.csr_matrix:
    """X with its categorical columns expanded, indices sorted.

    Raises:
        DataError: a value is no code of its column.
    """
    rows = X.shape[0]
    data, indices, indptr = empty_arrays(_entries(X, X.indices, to), rows, to.width)
    for begin in range(0, rows, _CHUNK_ROWS):
        chunk = _expand_rows(X[begin : begin + _CHUNK_ROWS], to)
        filled = int(indptr[begin])
        data[filled : filled + chunk.nnz] = chunk.data
        indices[filled : filled + chunk.nnz] = chunk.indices
        np.add(chunk.indptr[1:], filled, out=indptr[begin + 1 :][: chunk.shape[0]])
    return csr(data, indices, indptr, (rows, to.width))


def expand_csc(X: sparse.csc_matrix, to: Expansion) -> sparse.csc_matrix:
    """X with its categorical columns expanded, indices sorted.

    Raises:
        DataError: a value is no code of its column.
    """
    rows, features = X.shape
    columns = np.repeat(np.arange(features), np.diff(X.indptr))
    data, indices, indptr = empty_arrays(_entries(X, columns, to), to.width, rows)
    filled = 0
    for position in range(features):
        column = _expand_column(X, position, to)
        upto = filled + len(column.indices)
        data[filled:upto], indices[filled:upto] = column.data, column.indices
        first = to.starts[position]
        indptr[first + 1 : to.starts[position + 1] + 1] = column.indptr[1:] + filled
        filled = upto
    return csc(data, indices, indptr, (rows, to.width))


def _entries(X: Any, columns: NDArray[np.integer], to: Expansion) -> int:
    """Entries after the expansion; `columns` is the input column of each entry of X."""
    is_categorical = _is_categorical(X.shape[1], to)[columns]
    missing = np.count_nonzero(is_categorical & np.isnan(X.data))
    numeric = len(X.data) - np.count_nonzero(is_categorical)
    return int(numeric + X.shape[0] * len(to.cardinalities) - missing)


def _is_categorical(features: int, to: Expansion) -> NDArray[np.bool_]:
    mask = np.zeros(features, bool)
    mask[list(to.cardinalities)] = True
    return mask


def _expand_rows(X: sparse.csr_matrix, to: Expansion) -> sparse.csr_matrix:
    """A few rows: numeric entries moved to their new columns, merged with the categories' ones."""
    is_categorical = _is_categorical(X.shape[1], to)[X.indices]
    starts = np.array(to.starts[:-1], X.indices.dtype)
    ends = np.concatenate([[0], np.cumsum(~is_categorical)])[X.indptr].astype(X.indptr.dtype)
    kept = ~is_categorical
    numeric = csr(X.data[kept], starts[X.indices[kept]], ends, (X.shape[0], to.width))
    merged: sparse.csr_matrix = numeric + _category_rows(X, is_categorical, to)
    return merged


def _category_rows(
    X: sparse.csr_matrix, is_categorical: NDArray[np.bool_], to: Expansion
) -> sparse.csr_matrix:
    """Ones at each row's categories."""
    positions = np.array(sorted(to.cardinalities))
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[is_categorical]
    values = np.zeros((X.shape[0], len(positions)), np.float32)
    values[rows, np.searchsorted(positions, X.indices[is_categorical])] = X.data[is_categorical]
    columns = np.full(values.shape, -1, X.indices.dtype)
    for place, position in enumerate(positions.tolist()):
        known, codes = known_codes(values[:, place], position, to.cardinalities[position])
        columns[known, place] = to.starts[position] + codes
    present = columns >= 0
    indptr = np.zeros(X.shape[0] + 1, X.indptr.dtype)
    np.cumsum(present.sum(axis=1), out=indptr[1:])
    chosen = columns[present]
    return csr(np.ones(len(chosen), np.float32), chosen, indptr, (X.shape[0], to.width))


def _expand_column(X: sparse.csc_matrix, position: int, to: Expansion) -> sparse.csc_matrix:
    """One column of X as the columns it becomes."""
    entries = slice(*X.indptr[position : position + 2].tolist())
    rows, values = X.indices[entries], X.data[entries]
    n_rows = X.shape[0]
    if position not in to.cardinalities:
        return csc(values, rows, np.array([0, len(rows)], X.indptr.dtype), (n_rows, 1))
    codes_of_rows = np.zeros(n_rows, np.float32)
    codes_of_rows[rows] = values
    n_codes = to.cardinalities[position]
    known, codes = known_codes(codes_of_rows, position, n_codes)
    ends = np.zeros(n_rows + 1, np.int32)
    ends[1:][known] = 1
    np.cumsum(ends, out=ends)
    return csr(np.ones(len(known), np.float32), codes, ends, (n_rows, n_codes)).tocsc()
