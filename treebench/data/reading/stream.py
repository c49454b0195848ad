"""A made file read a part at a time, for what cannot or will not hold the whole matrix."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from treebench.data.matrix import Part
from treebench.data.reading import expansion
from treebench.data.reading.group_reader import GroupReader
from treebench.data.reading.made_file import open_made, read_target
from treebench.data.reading.onehot import one_hot
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from treebench.data.manifest import Layout
    from treebench.data.reading.group_reader import GroupRows
    from treebench.data.reading.made_file import MadeFile

_PART_BYTES = 64 << 20


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

    def parts(self) -> Iterator[Part]:
        """All rows in order, in parts as the row groups are, save that a dense part takes 64 MiB at
        most (one-hot columns can be many).

        Two threads decode; while a part is in use nothing is read ahead, which would double what
        is in memory and take cores from whoever uses it.

        Raises:
            DataError: the file cannot be decoded, has nulls, or its sparse rows are damaged.
        """
        step = self._rows_of_a_part
        with self._reader() as reader:
            for group, size in enumerate(self._group_sizes()):
                stored = reader.read(group) if size else None
                for start in range(0, size, step):
                    part = self._part(stored, start, min(start + step, size))
                    if start + step >= size:
                        # Else the group would still be here while the next one is read.
                        stored = None
                    yield part
                    del part

    def _group_sizes(self) -> list[int]:
        """Rows of each row group."""
        groups = range(self._made.footer.num_row_groups)
        return [self._made.footer.row_group(group).num_rows for group in groups]

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
    def _rows_of_a_part(self) -> int:
        """No bound in sparse layouts: there a part has as many entries as its rows in the file."""
        if self.layout.startswith("dense"):
            return max(1, _PART_BYTES // (4 * self.n_features))
        return max(1, self.n_rows)

    def _reader(self) -> GroupReader:
        return GroupReader(self._made, self._taken, self.layout)

    def _part(self, stored: GroupRows | None, start: int, stop: int) -> Part:
        assert stored is not None  # noqa: S101 - there are rows, so they were read
        rows = stored.cut(start, stop)
        part = Part(rows.in_layout(self.layout), rows.y, self.layout, self._kept_cardinalities)
        return one_hot(part, self.layout) if self.onehot else part
