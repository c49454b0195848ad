"""The rows of one row group at a time, as they are stored, and cut from there into parts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from scipy import sparse

from treebench.data.reading.dense import broad_spans, narrow_spans, row_slabs_of
from treebench.data.reading.made_file import TARGET, open_reader, read_group, reading_threads
from treebench.data.reading.sparse_rows import RowBlock, block_of, first_columns

if TYPE_CHECKING:
    from types import TracebackType

    from numpy.typing import NDArray

    from treebench.data.manifest import Layout
    from treebench.data.matrix import FloatMatrix
    from treebench.data.reading.made_file import MadeFile


@dataclass(frozen=True)
class GroupRows:
    """Consecutive rows of one row group, with the columns taken.

    `X` has shape (rows, features), float32: dense where the storage is wide (Fortran-ordered for
    the layouts that go by column), CSR where it is sparse rows. `y` has shape (rows,), float32.
    """

    X: Any
    y: NDArray[np.float32]

    def cut(self, start: int, stop: int) -> GroupRows:
        """Some of the rows; of a dense group a view."""
        if start == 0 and stop == len(self.y):
            return self
        return GroupRows(self.X[start:stop], self.y[start:stop])

    def in_layout(self, layout: Layout) -> FloatMatrix:
        """The matrix in a layout. What is stored stays stored, NaN too; zeros never are."""
        return (_from_sparse if sparse.issparse(self.X) else _from_dense)(self.X, layout)


class GroupReader:
    """Reads whole row groups of a made file, in any order, on two threads at most.

    In memory are the group that is being read and, of a wide file, a few columns more: as many
    as `data.reading.dense` reads at a time. Sparse rows are there twice for a moment, in Arrow's
    lists and as CSR. To be used as a context manager.
    """

    def __init__(self, made: MadeFile, features: int, layout: Layout) -> None:
        self._made = made
        self._features = features
        self._by_column = layout in ("dense-f", "csc")
        spans = narrow_spans if self._by_column else broad_spans
        self._spans = spans(made, features) if made.storage == "wide" else []
        self._readers: SimpleQueue[Any] = SimpleQueue()
        self._stack = ExitStack()

    def __enter__(self) -> GroupReader:
        for _ in range(reading_threads()):
            self._readers.put(self._stack.enter_context(open_reader(self._made)))
        self._pool = self._stack.enter_context(ThreadPoolExecutor(reading_threads()))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def read(self, group: int) -> GroupRows:
        """All rows of a group.

        Raises:
            DataError: the file cannot be decoded, has nulls, or its sparse rows are damaged.
        """
        read = self._wide if self._made.storage == "wide" else self._sparse
        rows = read(group)
        # By itself the pool would keep what each group leaves.
        pa.default_memory_pool().release_unused()
        return rows

    def _wide(self, group: int) -> GroupRows:
        size = self._made.footer.row_group(group).num_rows
        order = "F" if self._by_column else "C"
        X = np.empty((size, self._features), np.float32, order=order)  # type: ignore[call-overload]

        def fill(span: tuple[int, int]) -> None:
            batch = self._decoded(group, self._made.feature_names[slice(*span)])
            (_fill_columns if self._by_column else _fill_rows)(X[:, slice(*span)], batch)

        y = self._pool.submit(self._decoded, group, (TARGET,))
        for _ in self._pool.map(fill, self._spans):
            pass
        return GroupRows(X, np.array(y.result().column(0)))

    def _sparse(self, group: int) -> GroupRows:
        columns = self._pool.map(
            lambda name: self._decoded(group, (name,)), ("indices", "values", TARGET)
        )
        indices, values, target = (batch.column(0) for batch in columns)
        block = block_of(self._made, _first_row(self._made, group), indices, values)
        if self._features < self._made.width:
            block = first_columns(block, self._features)
        return GroupRows(_csr(block, self._features), np.array(target))

    def _decoded(self, group: int, names: tuple[str, ...]) -> Any:
        reader = self._readers.get()
        try:
            return read_group(self._made, reader, group, names)
        finally:
            self._readers.put(reader)


def _fill_rows(out: NDArray[np.float32], batch: Any) -> None:
    for start, slab in row_slabs_of(batch):
        out[start : start + len(slab)] = slab


def _fill_columns(out: NDArray[np.float32], batch: Any) -> None:
    for position, column in enumerate(batch.columns):
        out[:, position] = column.to_numpy()


def _first_row(made: MadeFile, group: int) -> int:
    return sum(made.footer.row_group(before).num_rows for before in range(group))


def _csr(block: RowBlock, features: int) -> sparse.csr_matrix:
    """With arrays of its own: Arrow's cannot be written to, which some libraries ask of them."""
    arrays = (block.values.copy(), block.indices.copy(), block.indptr)
    X = sparse.csr_matrix(arrays, shape=(block.rows, features), copy=False)
    X.has_sorted_indices = X.has_canonical_format = True
    return X


def _from_sparse(X: sparse.csr_matrix, layout: Layout) -> FloatMatrix:
    if layout == "csr":
        return X
    if layout == "csc":
        return X.tocsc()
    dense: FloatMatrix = X.toarray(order="C" if layout == "dense-c" else "F")
    return dense


def _from_dense(X: NDArray[np.float32], layout: Layout) -> FloatMatrix:
    """`X` is in Fortran order for the layouts by column, so that its transpose is in C order."""
    if layout == "dense-c":
        return X
    if layout == "dense-f":
        return np.asfortranarray(X)
    if layout == "csr":
        return sparse.csr_matrix(_stored(X), shape=X.shape, copy=False)
    return sparse.csc_matrix(_stored(X.T), shape=X.shape, copy=False)


def _stored(
    X: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.int32]]:
    """Data, indices and indptr of what is not zero, row by row.

    scipy's own way goes by coordinates of 64 bits, four times the matrix.
    """
    stored = X != 0
    indptr = np.zeros(len(X) + 1, np.int32)
    np.cumsum(np.count_nonzero(stored, axis=1), out=indptr[1:])
    positions = np.broadcast_to(np.arange(X.shape[1], dtype=np.int32), X.shape)
    return X[stored], positions[stored], indptr
