"""The rows of a sparse-rows file, block by block, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from treebench.data.reading.made_file import record_batches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from treebench.data.reading.made_file import MadeFile
    from treebench.errors import DataError

BLOCK_ENTRIES = 1 << 16
_COLUMNS = ("indices", "values")


@dataclass(frozen=True)
class RowBlock:
    """Consecutive rows from row `start` on, as CSR arrays of their own.

    `indptr` has shape (rows + 1,) and begins at 0; `indices` (int32) and `values` (float32)
    have one item per entry, with indices ascending in each row.
    """

    start: int
    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    values: NDArray[np.float32]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.indptr) - 1

    @property
    def row_counts(self) -> NDArray[np.int32]:
        """Entries of each row."""
        return np.diff(self.indptr)


def row_blocks(
    made: MadeFile, features: int, block_entries: int = BLOCK_ENTRIES
) -> Iterator[RowBlock]:
    """All rows in blocks of about `block_entries`, entries of index >= `features` left out.

    Raises:
        DataError: the file cannot be decoded, has nulls, has lists of different lengths, or has
            rows whose indices are outside the width, or not ascending, or a stored zero.
    """
    for start, batch in record_batches(made, _COLUMNS, _batch_rows(made, block_entries)):
        block = block_of(made, start, batch.column("indices"), batch.column("values"))
        yield block if features == made.width else first_columns(block, features)


def block_of(made: MadeFile, start: int, indices: Any, values: Any) -> RowBlock:
    """The rows from `start` on in two list arrays of Arrow, checked; `indices` and `values` of
    the block are their own buffers.

    Raises:
        DataError: the lists differ in length, an index is outside the width or does not ascend,
            or a zero is stored.
    """
    indptr, positions = _flat(indices)
    value_indptr, items = _flat(values)
    if not np.array_equal(indptr, value_indptr):
        raise unequal_lists(made, f" {_from(start)}")
    check_indices(made, start, indptr, positions)
    check_values(made, start, items)
    return RowBlock(start, indptr, positions, items)


def first_columns(block: RowBlock, features: int) -> RowBlock:
    """The block without its entries of index >= `features`."""
    kept = block.indices < features
    counts = np.zeros(len(kept) + 1, np.int32)
    np.cumsum(kept, out=counts[1:])
    return RowBlock(block.start, counts[block.indptr], block.indices[kept], block.values[kept])


def column_lists(
    made: MadeFile, column: Literal["indices", "values"]
) -> Iterator[tuple[int, NDArray[np.int32], NDArray[Any]]]:
    """One of the two columns by itself: first row, offsets from 0, and items, block by block.

    Raises:
        DataError: the file cannot be decoded, or has nulls.
    """
    for start, batch in record_batches(made, [column], _batch_rows(made, BLOCK_ENTRIES)):
        yield start, *_flat(batch.column(0))


def check_indices(
    made: MadeFile, start: int, indptr: NDArray[np.int32], indices: NDArray[np.int32]
) -> None:
    """Refuse an index outside the width, and a row whose indices do not ascend.

    Raises:
        DataError: with the first row of the block.
    """
    # Seen as unsigned, a negative index is a very large one.
    if indices.size and indices.view(np.uint32).max() >= made.width:
        raise made.damaged(f"has an index outside its width of {made.width} {_from(start)}")
    ascending = np.empty(len(indices) + 1, bool)
    np.greater(indices[1:], indices[:-1], out=ascending[1:-1])
    ascending[indptr] = True
    if not ascending.all():
        raise made.damaged(f"has a row whose indices do not ascend {_from(start)}")


def check_values(made: MadeFile, start: int, values: NDArray[np.float32]) -> None:
    """Refuse a zero, which an entry never is.

    Raises:
        DataError: with the first row of the block.
    """
    if not (values != 0).all():
        raise made.damaged(f"stores a zero {_from(start)}")


def unequal_lists(made: MadeFile, where: str = "") -> DataError:
    """The error for rows that have more indices than values, or fewer."""
    return made.damaged(f"has rows with unequal numbers of indices and values{where}")


def _batch_rows(made: MadeFile, block_entries: int) -> int:
    mean_entries = max(1.0, made.entries(made.width) / max(1, made.rows))
    return max(16, int(block_entries / mean_entries))


def _flat(lists: Any) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """A list array's own buffers as arrays: offsets (copied, from 0) and items (not copied)."""
    offsets = lists.offsets.to_numpy()
    return offsets - offsets[0], lists.values.to_numpy()[offsets[0] : offsets[-1]]


def _from(start: int) -> str:
    return f"(in the rows from {start} on)"
