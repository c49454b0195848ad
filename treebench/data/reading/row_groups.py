"""The stored entries of a wide file, row group by row group."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import numpy as np

from treebench.data.reading.dense import narrow_spans
from treebench.data.reading.made_file import open_reader, read_group, reading_threads

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future

    from numpy.typing import NDArray

    from treebench.data.reading.made_file import MadeFile


@dataclass(frozen=True)
class StoredColumn:
    """A column's entries within one row group of `column_rows` rows.

    `rows` (int32, ascending, counted from the group's first) and `values` (float32) have one
    item per entry.
    """

    column_rows: int
    rows: NDArray[np.int32]
    values: NDArray[np.float32]


def group_columns(made: MadeFile, features: int) -> Iterator[list[StoredColumn]]:
    """For each row group that has rows, its first `features` columns, in order.

    Two threads decode a few columns at a time, so that one group's entries are in memory, but
    only a few columns' zeros. The next group is not begun while the caller works: that gained a
    tenth of the time and cost a second group's entries.

    Raises:
        DataError: the file cannot be decoded, or has nulls.
    """
    spans = narrow_spans(made, features)
    groups = [g for g in range(made.footer.num_row_groups) if made.footer.row_group(g).num_rows]
    readers: SimpleQueue[Any] = SimpleQueue()

    def read(group: int, span: tuple[int, int]) -> list[StoredColumn]:
        reader = readers.get()
        try:
            return _stored(read_group(made, reader, group, made.feature_names[slice(*span)]))
        finally:
            readers.put(reader)

    def submit(group: int) -> list[Future[list[StoredColumn]]]:
        return [pool.submit(read, group, span) for span in spans]

    with ExitStack() as stack, ThreadPoolExecutor(reading_threads()) as pool:
        for _ in range(reading_threads()):
            readers.put(stack.enter_context(open_reader(made)))
        for group in groups:
            yield [column for future in submit(group) for column in future.result()]


def _stored(batch: Any) -> list[StoredColumn]:
    found = []
    for column in batch.columns:
        values = column.to_numpy()
        rows = np.flatnonzero(values != 0)
        found.append(StoredColumn(len(values), rows.astype(np.int32), values[rows]))
    return found
