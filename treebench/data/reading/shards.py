"""A part of a data set's rows, for one of several processes that each train on their own.

Every process works out by itself which rows are its own, from the labels alone, and reads the file
row group by row group, keeping those. No row passes through another process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treebench.data.matrix import Part
from treebench.data.reading.sparse import csc, csr, empty_arrays
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from scipy import sparse

    from treebench.data.matrix import FloatMatrix, RowSource


def shard(source: RowSource, index: int, n_shards: int, seed: int, *, stratified: bool) -> Part:
    """Shard `index` of `n_shards`, in exactly sized arrays; rows keep the order of the file.

    Beside it, one row group and the row numbers are in memory. Two sparse copies of a shard never
    are, though its entries are counted only as they are read: the arrays that they are
    gathered into take no memory before they are written.

    Args:
        source: the rows, where they lie.
        index: from 0 on.
        n_shards: how many there are.
        seed: of the drawing; the same for all shards.
        stratified: the labels are classes, to be spread evenly.

    Raises:
        DataError: a class of the data has no row in this shard; the shard would be empty; or the
            file cannot be decoded.
    """
    labels = source.labels()
    own = rows_of(labels, index, n_shards, seed, stratified=stratified)
    if not len(own):
        raise DataError(
            f"shard {index} of {n_shards} has no row: the data has {len(labels):,}; lower n_jobs"
        )
    if stratified:
        _refuse_missing_class(labels, own, index, n_shards)
    X = _read(source, own)
    return Part(X, labels[own], source.layout, source.cardinalities)


def rows_of(
    labels: NDArray[np.float32], index: int, n_shards: int, seed: int, *, stratified: bool
) -> NDArray[np.int64]:
    """The row numbers of shard `index`, ascending.

    Rows are shuffled, put in the order of their classes where `stratified`, and dealt out like
    cards: the shards' sizes, and their shares of each class, differ by one row at most.
    """
    order = np.random.default_rng(seed).permutation(len(labels))
    if stratified:
        order = order[np.argsort(labels[order], kind="stable")]
    return np.sort(order[index::n_shards])


def _refuse_missing_class(
    labels: NDArray[np.float32], own: NDArray[np.int64], index: int, n_shards: int
) -> None:
    missing = np.setdiff1d(labels, labels[own])
    if len(missing):
        rows = int(np.count_nonzero(labels == missing[0]))
        raise DataError(
            f"shard {index} of {n_shards} has no row of class {missing[0]:g}, of which the data "
            f"has {rows:,}; lower n_jobs to {rows} at most, or use more rows"
        )


def _read(source: RowSource, own: NDArray[np.int64]) -> FloatMatrix:
    if source.layout == "csr":
        return _csr(source, own)
    if source.layout == "csc":
        return _csc(source, own)
    return _dense(source, own)


def _dense(source: RowSource, own: NDArray[np.int64]) -> NDArray[np.float32]:
    order: Any = "C" if source.layout == "dense-c" else "F"
    X = np.empty((len(own), source.n_features), np.float32, order=order)
    filled = 0
    for part, kept in _kept(source, own):
        X[filled : filled + len(kept)] = part.X[kept]
        filled += len(kept)
    return X


def _csr(source: RowSource, own: NDArray[np.int64]) -> sparse.csr_matrix:
    pieces = [part.X[kept] for part, kept in _kept(source, own)]
    entries = sum(piece.nnz for piece in pieces)
    data, indices, indptr = empty_arrays(entries, len(own), source.n_features)
    row = filled = 0
    for piece in _taken_apart(pieces):
        upto = filled + piece.nnz
        data[filled:upto], indices[filled:upto] = piece.data, piece.indices
        np.add(piece.indptr[1:], filled, out=indptr[row + 1 : row + 1 + piece.shape[0]])
        row, filled = row + piece.shape[0], upto
    return csr(data, indices, indptr, (len(own), source.n_features))


def _csc(source: RowSource, own: NDArray[np.int64]) -> sparse.csc_matrix:
    pieces = [part.X.tocsr()[kept].tocsc() for part, kept in _kept(source, own)]
    entries = sum(piece.nnz for piece in pieces)
    data, indices, indptr = empty_arrays(entries, source.n_features, len(own))
    np.cumsum(sum(np.diff(piece.indptr) for piece in pieces), out=indptr[1:], dtype=indptr.dtype)
    free, row = indptr[:-1].copy(), 0
    for piece in _taken_apart(pieces):
        counts = np.diff(piece.indptr)
        place = np.repeat(free - piece.indptr[:-1], counts)
        place += np.arange(len(place), dtype=place.dtype)
        data[place], indices[place] = piece.data, piece.indices + row
        free += counts
        row += piece.shape[0]
    return csc(data, indices, indptr, (len(own), source.n_features))


def _taken_apart(pieces: list[Any]) -> Iterator[Any]:
    """Each piece in order; it is dropped once the next is asked for."""
    pieces.reverse()
    while pieces:
        yield pieces.pop()


def _kept(source: RowSource, own: NDArray[np.int64]) -> Iterator[tuple[Any, NDArray[np.int64]]]:
    """Each part of the file with rows of the shard, and their numbers within it."""
    start = 0
    for part in source.parts():
        first, last = np.searchsorted(own, (start, start + len(part.y)))
        if last > first:
            yield part, own[first:last] - start
        start += len(part.y)
