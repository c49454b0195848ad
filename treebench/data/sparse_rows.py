"""The rows of a sparse-rows file, block by block, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treebench.data.made_file import record_batches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from treebench.data.made_file import MadeFile

_BLOCK_ENTRIES = 1 << 15


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
    made: MadeFile, features: int, block_entries: int = _BLOCK_ENTRIES
) -> Iterator[RowBlock]:
    """All rows in blocks of about `block_entries`, entries of index >= `features` left out.

    Raises:
        DataError: the file cannot be decoded, has nulls, has lists of different lengths, or has
            rows whose indices are outside the width, or not ascending, or a stored zero.
    """
    mean_entries = max(1.0, made.entries(made.width) / max(1, made.rows))
    batch_rows = max(16, int(block_entries / mean_entries))
    for start, batch in record_batches(made, ["indices", "values"], batch_rows):
        block = _block(made, start, batch)
        _check(made, block)
        yield block if features == made.width else _first_columns(block, features)


def _block(made: MadeFile, start: int, batch: Any) -> RowBlock:
    """The batch's buffers as arrays, without a copy (save for the offsets)."""
    lists, value_lists = batch.column("indices"), batch.column("values")
    offsets, value_offsets = lists.offsets.to_numpy(), value_lists.offsets.to_numpy()
    indptr = offsets - offsets[0]
    if not np.array_equal(indptr, value_offsets - value_offsets[0]):
        raise made.damaged(f"has rows with unequal numbers of indices and values {_from(start)}")
    indices = lists.values.to_numpy()[offsets[0] : offsets[-1]]
    values = value_lists.values.to_numpy()[value_offsets[0] : value_offsets[-1]]
    return RowBlock(start, indptr, indices, values)


def _check(made: MadeFile, block: RowBlock) -> None:
    # Seen as unsigned, a negative index is a very large one.
    if block.indices.size and block.indices.view(np.uint32).max() >= made.width:
        raise made.damaged(f"has an index outside its width of {made.width} {_from(block.start)}")
    ascending = block.indices[1:] > block.indices[:-1]
    starts = block.indptr[1:-1]
    inner = starts[(starts > 0) & (starts < len(block.indices))]
    ascending[inner - 1] = True
    if not ascending.all():
        raise made.damaged(f"has a row whose indices do not ascend {_from(block.start)}")
    if np.count_nonzero(block.values != 0) != len(block.values):
        raise made.damaged(f"stores a zero {_from(block.start)}")


def _from(start: int) -> str:
    return f"(in the rows from {start} on)"


def _first_columns(block: RowBlock, features: int) -> RowBlock:
    kept = block.indices < features
    counts = np.zeros(len(kept) + 1, np.int32)
    np.cumsum(kept, out=counts[1:])
    return RowBlock(block.start, counts[block.indptr], block.indices[kept], block.values[kept])
