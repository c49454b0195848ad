"""What a source hands over: the facts of a data set, and its rows in batches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from treebench.data.manifest import Feature, Storage, Task

PartName: TypeAlias = Literal["train", "test"]
GROUP_ROWS = 100_000
GROUP_BYTES = 64 << 20
FEWEST_GROUP_ROWS = 1_000


@dataclass(frozen=True)
class WideBatch:
    """Rows of a wide table: `columns` has shape (features, rows), `y` shape (rows,)."""

    columns: NDArray[np.float32]
    y: NDArray[np.float32]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.y)

    def cut(self, start: int, stop: int) -> WideBatch:
        """The rows from `start` up to `stop`, without a copy."""
        return WideBatch(self.columns[:, start:stop], self.y[start:stop])

    def take(self, mask: NDArray[np.bool_]) -> WideBatch:
        """The rows where `mask` is true, in order."""
        return WideBatch(self.columns[:, mask], self.y[mask])


@dataclass(frozen=True)
class SparseBatch:
    """Sparse rows: row i holds the next `lengths[i]` of `indices` and `values`.

    Indices ascend within a row; no value is zero.
    """

    lengths: NDArray[np.int32]
    indices: NDArray[np.int32]
    values: NDArray[np.float32]
    y: NDArray[np.float32]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.y)

    def cut(self, start: int, stop: int) -> SparseBatch:
        """The rows from `start` up to `stop`, without a copy."""
        first = int(self.lengths[:start].sum(dtype="int64"))
        last = first + int(self.lengths[start:stop].sum(dtype="int64"))
        return SparseBatch(
            self.lengths[start:stop],
            self.indices[first:last],
            self.values[first:last],
            self.y[start:stop],
        )

    def take(self, mask: NDArray[np.bool_]) -> SparseBatch:
        """The rows where `mask` is true, in order."""
        entries = mask.repeat(self.lengths)
        return SparseBatch(
            self.lengths[mask], self.indices[entries], self.values[entries], self.y[mask]
        )


Batch: TypeAlias = WideBatch | SparseBatch


@dataclass(frozen=True)
class Form:
    """How the rows of a data set are laid down in Parquet.

    `row_entries` is the mean number of entries that a row of sparse rows stores. It is a fact of
    the data, so the size of a row group does not depend on how the rows arrived.
    """

    storage: Storage
    n_features: int
    names: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    row_entries: float = 0.0

    @property
    def rows_per_group(self) -> int:
        """Rows of a row group: at most 100,000, at most 64 MiB decoded, at least 1,000."""
        if self.storage == "wide":
            row_bytes = 4.0 * (self.n_features + 1)
        else:
            row_bytes = 8.0 * self.row_entries + 8.0
        return max(FEWEST_GROUP_ROWS, min(GROUP_ROWS, int(GROUP_BYTES / row_bytes)))


@dataclass(frozen=True)
class Prepared:
    """A data set whose facts are known and whose rows are ready to be streamed.

    `batches(batch_rows)` yields every row once, in the source's order, each batch with the part
    it belongs to; it may be called again. `rows` is the number of rows over both parts.
    """

    task: Task
    classes: tuple[str, ...]
    target: str
    storage: Storage
    n_features: int
    rows: int
    batches: Callable[[int], Iterator[tuple[PartName, Batch]]]
    features: tuple[Feature, ...] = ()
    row_entries: float = 0.0
    dropped: dict[str, str] = field(default_factory=dict)

    @property
    def form(self) -> Form:
        """How these rows are written."""
        return Form(
            storage=self.storage,
            n_features=self.n_features,
            names=tuple(feature.name for feature in self.features),
            categorical=tuple(f.name for f in self.features if f.cardinality is not None),
            row_entries=self.row_entries,
        )
