"""Dense matrices, filled in place from a made file."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from treebench.data.reading.made_file import reading_threads, record_batches
from treebench.data.reading.sparse_rows import row_blocks
from treebench.errors import DataError
from treebench.machine.memory import available_memory_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from treebench.data.reading.made_file import MadeFile

Order = Literal["C", "F"]

_SLAB_BYTES = 1 << 19
_SLABS_DECODED_AT_ONCE = 4
_NARROW_BYTES = 1 << 19
_BROAD_BYTES = 10 << 20
_LINE_COLUMNS = 16
_LEAST_BATCH_ROWS = 1024
_SPARED_SHARE = 0.1


def dense_from_wide(made: MadeFile, features: int, order: Order) -> NDArray[np.float32]:
    """The first `features` columns, shape (rows, features), in C or Fortran order.

    Raises:
        DataError: the file cannot be decoded, or has nulls.
    """
    X = np.empty((made.rows, features), np.float32, order=order)
    if order == "C":
        on_spans(lambda span: _fill_by_slabs(made, X, span), broad_spans(made, features))
    else:
        on_spans(lambda span: _fill_by_columns(made, X, span), narrow_spans(made, features))
    return X


def dense_from_sparse_rows(made: MadeFile, features: int, order: Order) -> NDArray[np.float32]:
    """The first `features` columns of sparse rows, absent entries as 0.

    Raises:
        DataError: the dense matrix does not fit the available memory; the file cannot be
            decoded, or its rows are damaged.
    """
    refuse_too_large(made.rows, features, f"{made.path} has sparse rows")
    X = np.zeros((made.rows, features), np.float32, order=order)
    flat = X.reshape(-1) if order == "C" else X.T.reshape(-1)
    for block in row_blocks(made, features):
        rows = block.start + np.repeat(np.arange(block.rows, dtype=np.int64), block.row_counts)
        if order == "C":
            flat[rows * features + block.indices] = block.values
        else:
            flat[block.indices * np.int64(made.rows) + rows] = block.values
    return X


def refuse_too_large(rows: int, features: int, what: str) -> None:
    """Refuse a dense matrix that would leave less than a tenth of the available memory.

    Raises:
        DataError: with the two sizes and the layouts to use instead.
    """
    needed, available = rows * features * 4, available_memory_bytes()
    if available is not None and needed > available * (1 - _SPARED_SHARE):
        raise DataError(
            f"{what}: as a dense matrix of {rows} x {features} it takes {needed / 2**30:.1f} GiB, "
            f"and {available / 2**30:.1f} GiB are available; use layout csr or csc, or fewer rows"
        )


def row_slabs(made: MadeFile, columns: Sequence[str]) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """Consecutive rows of `columns`, C-ordered, with the number of the first; about 512 KiB each.

    Small, so that a slab is turned from columns to rows, and used, while it is in cache.
    """
    batch_rows = max(_LEAST_BATCH_ROWS, _SLABS_DECODED_AT_ONCE * _slab_rows(len(columns)))
    for start, batch in record_batches(made, columns, batch_rows):
        for offset, slab in row_slabs_of(batch):
            yield start + offset, slab


def row_slabs_of(batch: Any) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """The rows of a record batch of float32 columns in such slabs."""
    slab_rows = _slab_rows(batch.num_columns)
    for offset in range(0, batch.num_rows, slab_rows):
        yield offset, batch.slice(offset, slab_rows).to_tensor(row_major=True).to_numpy()


def column_spans(features: int, columns: int) -> list[tuple[int, int]]:
    """The first and the one-past-last column of consecutive spans of `columns` each."""
    return [(first, min(first + columns, features)) for first in range(0, features, columns)]


def narrow_spans(made: MadeFile, features: int) -> list[tuple[int, int]]:
    """Spans whose pages of one row group, decoded, take about 512 KiB (but 4 columns at least)."""
    columns = _NARROW_BYTES // (4 * max(1, made.largest_group_rows))
    return column_spans(features, max(4, columns))


def broad_spans(made: MadeFile, features: int) -> list[tuple[int, int]]:
    """Spans of equal width whose pages take about 10 MiB (but 16 columns at least).

    A row of narrower ones would leave its cache lines half written. As many for each thread.
    """
    most = max(_LINE_COLUMNS, _BROAD_BYTES // (4 * max(1, made.largest_group_rows)))
    rounds = -(-features // (most * reading_threads()))
    return column_spans(features, -(-features // (rounds * reading_threads())))


def on_spans(fill: Callable[[tuple[int, int]], None], spans: Iterable[tuple[int, int]]) -> None:
    """Call `fill` for every span, two at a time; what one raises is raised here."""
    with ThreadPoolExecutor(reading_threads()) as pool:
        for _ in pool.map(fill, spans):
            pass


def _slab_rows(columns: int) -> int:
    return max(1, _SLAB_BYTES // (4 * columns))


def narrow_batch_rows(columns: int) -> int:
    """Rows of a batch of `columns` columns, so that it takes about 512 KiB."""
    return max(_LEAST_BATCH_ROWS, _NARROW_BYTES // (4 * columns))


def _fill_by_slabs(made: MadeFile, X: NDArray[np.float32], span: tuple[int, int]) -> None:
    """Fill a span of C-ordered columns."""
    for start, slab in row_slabs(made, made.feature_names[slice(*span)]):
        X[start : start + len(slab), slice(*span)] = slab


def _fill_by_columns(made: MadeFile, X: NDArray[np.float32], span: tuple[int, int]) -> None:
    """Fill a span of Fortran-ordered columns; each is one copy per batch."""
    first, last = span
    names = made.feature_names[first:last]
    for start, batch in record_batches(made, names, narrow_batch_rows(last - first)):
        for position, column in enumerate(batch.columns, start=first):
            X[start : start + batch.num_rows, position] = column.to_numpy()
