"""CSR and CSC matrices, their arrays sized by the file's own counts and filled in place."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from scipy import sparse

from treebench.data.reading.dense import narrow_batch_rows, narrow_spans, on_spans, row_slabs
from treebench.data.reading.made_file import ahead, reading_threads, record_batches
from treebench.data.reading.row_groups import group_columns
from treebench.data.reading.sparse_rows import (
    BLOCK_ENTRIES,
    check_indices,
    check_values,
    column_lists,
    row_blocks,
    unequal_lists,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treebench.data.reading.made_file import MadeFile
    from treebench.data.reading.row_groups import StoredColumn
    from treebench.data.reading.sparse_rows import RowBlock

_INT32_MAX = 2**31 - 1
_MANY_STORED = 0.25


@dataclass(frozen=True)
class RowLengths:
    """How many entries the rows had so far, and a CRC-32 of where each block's rows end."""

    entries: int = 0
    checksum: int = 0


def csr_from_wide(made: MadeFile, features: int) -> sparse.csr_matrix:
    """The first `features` columns as CSR, indices sorted; zeros are not stored, NaN is.

    Raises:
        DataError: the file cannot be decoded, has nulls, or miscounts its entries.
    """
    share = made.entries(features) / max(1, made.rows * features)
    return (_csr_by_slabs if share > _MANY_STORED else _csr_by_groups)(made, features)


def csc_from_wide(made: MadeFile, features: int) -> sparse.csc_matrix:
    """The first `features` columns as CSC, indices sorted; zeros are not stored, NaN is.

    Raises:
        DataError: the file cannot be decoded, has nulls, or miscounts its entries.
    """
    rows = made.rows
    data, indices, indptr = _arrays_by_column(made, features)

    def fill(span: tuple[int, int]) -> None:
        _fill_columns(made, span, data, indices, indptr)

    on_spans(fill, narrow_spans(made, features))
    return csc(data, indices, indptr, (rows, features))


def csr_from_sparse_rows(made: MadeFile, features: int) -> sparse.csr_matrix:
    """The first `features` columns as CSR: the file's own lists, copied once.

    Raises:
        DataError: the file cannot be decoded, its rows are damaged, or it miscounts its entries.
    """
    arrays = empty_arrays(made.entries(features), made.rows, features)
    fill = _fill_side_by_side if features == made.width else _fill_by_blocks
    fill(made, features, *arrays)
    return csr(*arrays, (made.rows, features))


def csc_from_sparse_rows(made: MadeFile, features: int) -> sparse.csc_matrix:
    """The first `features` columns as CSC, indices sorted.

    Each block is turned by scipy, then its columns are written behind what they already hold.

    Raises:
        DataError: the file cannot be decoded, its rows are damaged, or it miscounts its entries.
    """
    data, indices, indptr = _arrays_by_column(made, features)
    free, ends = indptr[:-1].copy(), indptr[1:]
    # A block costs a pass over all columns, so it holds at least as many entries.
    for block in row_blocks(made, features, max(BLOCK_ENTRIES, features)):
        turned = _turned(block, features)
        counts = np.diff(turned.indptr)
        if np.any(free + counts > ends):
            raise miscounted(made)
        place = np.repeat(free - turned.indptr[:-1], counts)
        place += np.arange(len(place), dtype=place.dtype)
        data[place] = turned.data
        indices[place] = turned.indices + block.start
        free += counts
    if not np.array_equal(free, ends):
        raise miscounted(made)
    return csc(data, indices, indptr, (made.rows, features))


def index_type(entries: int, rows: int, features: int) -> type[np.int32 | np.int64]:
    """int32, unless the number of entries, rows or features needs int64."""
    return np.int32 if max(entries, rows, features) <= _INT32_MAX else np.int64


def empty_arrays(
    entries: int, major: int, minor: int
) -> tuple[NDArray[np.float32], NDArray[np.integer], NDArray[np.integer]]:
    """Data, indices and indptr of exactly the right size; only `indptr[0]` is set.

    `major` is the number of rows for CSR, of columns for CSC.
    """
    index = index_type(entries, major, minor)
    indptr = np.empty(major + 1, index)
    indptr[0] = 0
    return np.empty(entries, np.float32), np.empty(entries, index), indptr


def csr(
    data: NDArray[np.float32],
    indices: NDArray[np.integer],
    indptr: NDArray[np.integer],
    shape: tuple[int, int],
) -> sparse.csr_matrix:
    """A CSR matrix on these very arrays, known to be sorted and free of duplicates."""
    matrix = sparse.csr_matrix((data, indices, indptr), shape=shape, copy=False)
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    return matrix


def csc(
    data: NDArray[np.float32],
    indices: NDArray[np.integer],
    indptr: NDArray[np.integer],
    shape: tuple[int, int],
) -> sparse.csc_matrix:
    """A CSC matrix on these very arrays, known to be sorted and free of duplicates."""
    matrix = sparse.csc_matrix((data, indices, indptr), shape=shape, copy=False)
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    return matrix


def miscounted(made: MadeFile) -> Exception:
    """The error for a file whose entries are not as many as it says."""
    return made.damaged("holds another number of entries than its metadata counts")


def _csr_by_slabs(made: MadeFile, features: int) -> sparse.csr_matrix:
    """CSR from rows of which many values are stored: pick the stored ones of each dense slab."""
    entries, rows = made.entries(features), made.rows
    data, indices, indptr = empty_arrays(entries, rows, features)
    positions = np.empty(0, indices.dtype)
    filled = 0
    for start, slab in ahead(row_slabs(made, made.feature_names[:features])):
        if len(positions) < slab.size:
            positions = np.tile(np.arange(features, dtype=indices.dtype), len(slab))
        values, stored = slab.reshape(-1), slab.reshape(-1) != 0
        upto = filled + int(np.count_nonzero(stored))
        if upto > entries:
            raise miscounted(made)
        _pick(values, stored, data[filled:upto])
        _pick(positions[: slab.size], stored, indices[filled:upto])
        ends = indptr[start + 1 : start + len(slab) + 1]
        np.cumsum(stored.reshape(slab.shape).sum(axis=1, dtype=ends.dtype), out=ends)
        ends += filled
        filled = upto
    if filled != entries:
        raise miscounted(made)
    return csr(data, indices, indptr, (rows, features))


def _pick(values: NDArray[Any], stored: NDArray[np.bool_], out: NDArray[Any]) -> None:
    """The stored values; almost always all of them, which is a plain copy."""
    if len(out) == len(values):
        out[:] = values
    else:
        np.compress(stored, values, out=out)


def _csr_by_groups(made: MadeFile, features: int) -> sparse.csr_matrix:
    """CSR from rows of which few values are stored: keep those of one row group, then merge."""
    entries, rows = made.entries(features), made.rows
    data, indices, indptr = empty_arrays(entries, rows, features)
    row = filled = 0
    for columns in group_columns(made, features):
        counts = _row_counts(columns)
        upto = filled + int(counts.sum())
        if upto > entries:
            raise miscounted(made)
        ends = indptr[row + 1 : row + len(counts) + 1]
        np.cumsum(counts, out=ends)
        _scatter(columns, ends - counts, data[filled:upto], indices[filled:upto])
        ends += filled
        row, filled = row + len(counts), upto
    if filled != entries:
        raise miscounted(made)
    return csr(data, indices, indptr, (rows, features))


def _fill_side_by_side(
    made: MadeFile,
    features: int,
    data: NDArray[np.float32],
    indices: NDArray[np.integer],
    indptr: NDArray[np.integer],
) -> None:
    """Whole rows: one thread reads the indices, another the values."""
    with ThreadPoolExecutor(reading_threads()) as pool:
        of_indices = pool.submit(_fill_indices, made, indices, indptr)
        of_values = pool.submit(_fill_values, made, data)
        if of_indices.result() != of_values.result():
            raise unequal_lists(made)
    if of_indices.result().entries != len(data):
        raise miscounted(made)


def _fill_indices(
    made: MadeFile, indices: NDArray[np.integer], indptr: NDArray[np.integer]
) -> RowLengths:
    lengths = RowLengths()
    for start, ends, items in column_lists(made, "indices"):
        check_indices(made, start, ends, items)
        np.add(ends[1:], lengths.entries, out=indptr[start + 1 :][: len(ends) - 1])
        lengths = _put(indices, items, ends, lengths)
    return lengths


def _fill_values(made: MadeFile, data: NDArray[np.float32]) -> RowLengths:
    lengths = RowLengths()
    for start, ends, items in column_lists(made, "values"):
        check_values(made, start, items)
        lengths = _put(data, items, ends, lengths)
    return lengths


def _put(
    out: NDArray[Any], items: NDArray[Any], ends: NDArray[np.int32], before: RowLengths
) -> RowLengths:
    """Write the items behind those before; too many are only counted, to be refused later."""
    upto = before.entries + len(items)
    if upto <= len(out):
        out[before.entries : upto] = items
    return RowLengths(upto, crc32(ends.data, before.checksum))


def _fill_by_blocks(
    made: MadeFile,
    features: int,
    data: NDArray[np.float32],
    indices: NDArray[np.integer],
    indptr: NDArray[np.integer],
) -> None:
    filled = 0
    for block in row_blocks(made, features):
        upto = filled + len(block.values)
        if upto > len(data):
            raise miscounted(made)
        data[filled:upto], indices[filled:upto] = block.values, block.indices
        np.add(block.indptr[1:], filled, out=indptr[block.start + 1 :][: block.rows])
        filled = upto
    if filled != len(data):
        raise miscounted(made)


def _arrays_by_column(
    made: MadeFile, features: int
) -> tuple[NDArray[np.float32], NDArray[np.integer], NDArray[np.integer]]:
    data, indices, indptr = empty_arrays(made.entries(features), features, made.rows)
    np.cumsum(made.stored_entries[:features], out=indptr[1:], dtype=indptr.dtype)
    return data, indices, indptr


def _row_counts(columns: list[StoredColumn]) -> NDArray[np.int32]:
    counts = np.zeros(columns[0].column_rows, np.int32)
    for column in columns:
        counts[column.rows] += 1
    return counts


def _scatter(
    columns: list[StoredColumn],
    free: NDArray[np.integer],
    data: NDArray[np.float32],
    indices: NDArray[np.integer],
) -> None:
    """Write the columns in order, each entry behind those its row already holds.

    The columns are dropped as they are written, so that the next group can take their room.
    """
    columns.reverse()
    position = 0
    while columns:
        column = columns.pop()
        place = free[column.rows]
        data[place] = column.values
        indices[place] = position
        free[column.rows] = place + 1
        position += 1


def _fill_columns(
    made: MadeFile,
    span: tuple[int, int],
    data: NDArray[np.float32],
    indices: NDArray[np.integer],
    indptr: NDArray[np.integer],
) -> None:
    first, last = span
    free, ends = indptr[first:last].tolist(), indptr[first + 1 : last + 1].tolist()
    names = made.feature_names[first:last]
    for start, batch in record_batches(made, names, narrow_batch_rows(last - first)):
        for place, column in enumerate(batch.columns):
            values = column.to_numpy()
            rows = np.flatnonzero(values != 0)
            upto = free[place] + len(rows)
            if upto > ends[place]:
                raise miscounted(made)
            data[free[place] : upto] = values[rows]
            indices[free[place] : upto] = rows + start
            free[place] = upto
    if free != ends:
        raise miscounted(made)


def _turned(block: RowBlock, features: int) -> sparse.csc_matrix:
    shape = (block.rows, features)
    return csr(block.values, block.indices, block.indptr, shape).tocsc()
