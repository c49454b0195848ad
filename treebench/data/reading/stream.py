"""A made file read a part at a time, for what cannot or will not hold the whole matrix."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from treebench.data.matrix import Part
from treebench.data.reading import expansion
from treebench.data.reading.made_file import (
    TARGET,
    open_made,
    open_reader,
    read_group,
    read_target,
)
from treebench.data.reading.onehot import one_hot
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from treebench.data.manifest import Layout
    from treebench.data.matrix import FloatMatrix
    from treebench.data.reading.made_file import MadeFile

_ROW_COLUMNS = ("indices", "values")


@dataclass(frozen=True)
class RowStream:
    """The rows of the made file at `path`, in a layout; `data.matrix.RowSource` in full.

    Args:
        path: a file in the format of `docs/DATA.md`.
        layout: of the parts.
        stored_cardinalities: the number of codes of each stored categorical column by position.
        features: how many stored columns to take, from the first on; all if None.
        onehot: whether categorical columns are spread out.

    Raises:
        DataError: when first read: the file is missing or damaged, or has fewer features.
    """

    path: Path
    layout: Layout
    stored_cardinalities: dict[int, int] = field(default_factory=dict)
    features: int | None = None
    onehot: bool = False

    def __getstate__(self) -> dict[str, Any]:
        # The footer is read again where the stream goes: it can be megabytes.
        return {name: value for name, value in vars(self).items() if name != "_made"}

    @property
    def cardinalities(self) -> dict[int, int]:
        """Of the columns as a trainer meets them: none once they are spread out."""
        return {} if self.onehot else self._kept_cardinalities

    @property
    def n_rows(self) -> int:
        """Rows of the file."""
        return self._made.rows

    @property
    def n_features(self) -> int:
        """Columns of a part."""
        if self.onehot:
            return expansion.width(self._taken, self._kept_cardinalities)
        return self._taken

    @property
    def data_bytes(self) -> int:
        """Bytes that the whole matrix would have; for sparse layouts with 32-bit indices, and
        a one for every row of each column spread out."""
        if self.layout.startswith("dense"):
            return 4 * self.n_rows * self.n_features
        spread = self._kept_cardinalities if self.onehot else {}
        kept = np.delete(self._made.stored_entries[: self._taken], list(spread))
        entries = int(kept.sum()) + len(spread) * self.n_rows
        outer = self.n_rows if self.layout == "csr" else self.n_features
        return 8 * entries + 4 * (outer + 1)

    def labels(self) -> NDArray[np.float32]:
        """All labels, shape (rows,)."""
        return read_target(self._made)

    def parts(self, most_rows: int | None = None) -> Iterator[Part]:
        """All rows in order, in parts of at most `most_rows`, or as the row groups are.

        Raises:
            DataError: the file cannot be decoded, or has nulls.
        """
        with open_reader(self._made) as reader:
            for group in range(self._made.footer.num_row_groups):
                batch = read_group(self._made, reader, group, self._columns)
                step = most_rows or max(1, batch.num_rows)
                for start in range(0, batch.num_rows, step):
                    yield self._part(batch.slice(start, step))

    def rows(self, start: int, stop: int) -> Part:
        """The rows from `start` up to `stop`; reads the row groups that they lie in.

        Raises:
            DataError: the file cannot be decoded, or has nulls.
            IndexError: the file does not have these rows.
        """
        if not 0 <= start < stop <= self.n_rows:
            raise IndexError(f"rows {start} to {stop} of {self.n_rows}")
        starts = self.group_starts
        first = int(np.searchsorted(starts, start, side="right")) - 1
        last = int(np.searchsorted(starts, stop, side="left"))
        with open_reader(self._made) as reader:
            batches = [
                read_group(self._made, reader, group, self._columns) for group in range(first, last)
            ]
        offset = int(starts[first])
        return self._part(_joined(batches).slice(start - offset, stop - start))

    @cached_property
    def group_starts(self) -> NDArray[np.int64]:
        """The first row of each row group, and the number of rows at the end."""
        groups = range(self._made.footer.num_row_groups)
        sizes = [self._made.footer.row_group(group).num_rows for group in groups]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @cached_property
    def _made(self) -> MadeFile:
        made = open_made(self.path)
        taken = made.width if self.features is None else self.features
        if not 1 <= taken <= made.width:
            raise DataError(f"features: {taken} asked of {self.path}; it has 1 to {made.width}")
        return made

    @property
    def _taken(self) -> int:
        return self._made.width if self.features is None else self.features

    @property
    def _kept_cardinalities(self) -> dict[int, int]:
        taken = self._taken
        return {at: codes for at, codes in self.stored_cardinalities.items() if at < taken}

    @property
    def _columns(self) -> list[str]:
        if self._made.storage == "wide":
            return [*self._made.feature_names[: self._taken], TARGET]
        return [*_ROW_COLUMNS, TARGET]

    def _part(self, batch: Any) -> Part:
        y = batch.column(batch.num_columns - 1).to_numpy().astype(np.float32)
        stored = self._wide(batch) if self._made.storage == "wide" else self._sparse(batch)
        part = Part(_in_layout(stored, self.layout), y, self.layout, self._kept_cardinalities)
        return one_hot(part, self.layout) if self.onehot else part

    def _wide(self, batch: Any) -> NDArray[np.float32]:
        X = np.empty((batch.num_rows, self._taken), np.float32)
        for at in range(self._taken):
            X[:, at] = batch.column(at).to_numpy()
        return X

    def _sparse(self, batch: Any) -> sparse.csr_matrix:
        indices, values = batch.column(0), batch.column(1)
        indptr = indices.offsets.to_numpy()
        entries = slice(int(indptr[0]), int(indptr[-1]))
        X = sparse.csr_matrix(
            (
                values.values.to_numpy()[_entries_of(values)],
                indices.values.to_numpy()[entries],
                indptr - indptr[0],
            ),
            shape=(batch.num_rows, self._made.width),
        )
        return X if self._taken == self._made.width else X[:, : self._taken]


def _entries_of(lists: Any) -> slice:
    offsets = lists.offsets
    return slice(offsets[0].as_py(), offsets[len(offsets) - 1].as_py())


def _joined(batches: list[Any]) -> Any:
    import pyarrow as pa

    table = pa.Table.from_batches(batches)
    return table.combine_chunks().to_batches(max_chunksize=None)[0]


def _in_layout(X: Any, layout: Layout) -> FloatMatrix:
    """The same values in a layout; what is stored stays stored, NaN too."""
    dense = not sparse.issparse(X)
    if layout == "csr":
        return sparse.csr_matrix(X)
    if layout == "csc":
        return sparse.csc_matrix(X)
    whole = X if dense else X.toarray()
    made: FloatMatrix = np.asfortranarray(whole) if layout == "dense-f" else whole
    return made
