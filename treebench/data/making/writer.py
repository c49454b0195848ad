"""Writes one part of a data set as Parquet, batch by batch, in bounded memory.

The bytes do not depend on how the rows were batched: rows are gathered into row groups of a fixed
size before anything is written, counted or hashed. `docs/DATA.md` gives the format.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from treebench.data.making.batches import Batch, Form, SparseBatch, WideBatch

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from types import TracebackType

    from numpy.typing import NDArray

TARGET = "__target__"
# Chosen for reading speed: in a trial with pyarrow 26 (one thread, medians of five), snappy read
# flights 2.8 to 3.7 times as slowly as no compression and zstd-1 2.5 to 2.9 times, and on random
# float32 columns zstd-1 took 2.1 times as long to save 11 % of the file. The price is disk: flights
# with all columns took 9 MiB with snappy and 19 MiB without.
COMPRESSION = "none"


@dataclass(frozen=True)
class PartFacts:
    """What was written: rows, stored entries per feature, the positions of the features that have
    a NaN, and of those that have nothing else, SHA-256 digest of the values."""

    rows: int
    stored_entries: tuple[int, ...]
    with_missing: tuple[int, ...]
    without_value: tuple[int, ...]
    digest: bytes


class PartWriter:
    """An open part. Rows go in through `write`; `close` returns the facts.

    Used as a context manager, so that the file is closed when the source fails.
    """

    def __init__(self, path: Path, form: Form, rows_per_group: int | None = None) -> None:
        self._form = form
        self._group_rows = rows_per_group or form.rows_per_group
        self._schema = parquet_schema(form)
        self._file = pq.ParquetWriter(
            path,
            self._schema,
            compression=COMPRESSION,
            use_dictionary=list(form.categorical) or False,
            write_statistics=False,
        )
        self._group = _WideGroup(form, self._group_rows) if _is_wide(form) else _SparseGroup()
        self._stored = np.zeros(form.n_features, dtype=np.int64)
        self._missing = np.zeros(form.n_features, dtype=np.int64)
        self._digest = hashlib.sha256()
        self._rows = 0

    def write(self, batch: Batch) -> None:
        """Take the rows of `batch`; whole row groups are written as soon as they are full."""
        start = 0
        while start < batch.rows:
            stop = min(batch.rows, start + self._group_rows - self._group.rows)
            self._group.add(batch.cut(start, stop))
            if self._group.rows == self._group_rows:
                self._flush()
            start = stop

    def close(self) -> PartFacts:
        """Write what is left and the counts; the file is complete after this."""
        if self._group.rows:
            self._flush()
        stored = self._stored.tolist()
        self._file.add_key_value_metadata(
            {
                "treebench.storage": self._form.storage,
                "treebench.width": str(self._form.n_features),
                "treebench.stored_entries": json.dumps(stored, separators=(",", ":")),
            }
        )
        self._file.close()
        return PartFacts(
            self._rows,
            tuple(stored),
            with_missing=_positions(self._missing > 0),
            without_value=_positions(self._missing == self._rows),
            digest=self._digest.digest(),
        )

    def __enter__(self) -> PartWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file.is_open:
            self._file.close()

    def _flush(self) -> None:
        self._rows += self._group.rows
        for values in self._group.hashed():
            self._digest.update(_little_endian(values))
        self._stored += self._group.stored(self._form.n_features)
        self._missing += self._group.missing(self._form.n_features)
        table = pa.Table.from_arrays(self._group.arrays(), schema=self._schema)
        self._file.write_table(table, row_group_size=self._group.rows)
        self._group.clear()


class _WideGroup:
    """A row group of a wide table: one array of shape (features + 1, rows), target last."""

    def __init__(self, form: Form, rows: int) -> None:
        self._all = np.empty((form.n_features + 1, rows), dtype=np.float32)
        self.rows = 0

    def add(self, batch: Batch) -> None:
        assert isinstance(batch, WideBatch)  # noqa: S101 - a source yields what its form says
        place = slice(self.rows, self.rows + batch.rows)
        self._all[:-1, place] = batch.columns
        self._all[-1, place] = batch.y
        self.rows += batch.rows

    def hashed(self) -> Iterable[NDArray[Any]]:
        for column in self._filled():
            # One NaN for all, whatever bits the source had.
            column[np.isnan(column)] = np.nan
            yield column

    def stored(self, n_features: int) -> NDArray[np.int64]:
        counts = (np.count_nonzero(column) for column in self._filled()[:n_features])
        return np.fromiter(counts, dtype=np.int64, count=n_features)

    def missing(self, n_features: int) -> NDArray[np.int64]:
        counts = (np.count_nonzero(np.isnan(column)) for column in self._filled()[:n_features])
        return np.fromiter(counts, dtype=np.int64, count=n_features)

    def arrays(self) -> list[Any]:
        return [pa.array(column) for column in self._filled()]

    def clear(self) -> None:
        self.rows = 0

    def _filled(self) -> NDArray[np.float32]:
        return self._all[:, : self.rows]


class _SparseGroup:
    """A row group of sparse rows, gathered from pieces."""

    def __init__(self) -> None:
        self._pieces: list[SparseBatch] = []
        self._joined: SparseBatch | None = None
        self.rows = 0

    def add(self, batch: Batch) -> None:
        assert isinstance(batch, SparseBatch)  # noqa: S101 - a source yields what its form says
        self._pieces.append(batch)
        self.rows += batch.rows

    def hashed(self) -> Iterable[NDArray[Any]]:
        group = self._whole()
        return (group.lengths, group.indices, group.values, group.y)

    def stored(self, n_features: int) -> NDArray[np.int64]:
        return np.bincount(self._whole().indices, minlength=n_features).astype(np.int64)

    def missing(self, n_features: int) -> NDArray[np.int64]:
        group = self._whole()
        columns = group.indices[np.isnan(group.values)]
        return np.bincount(columns, minlength=n_features).astype(np.int64)

    def arrays(self) -> list[Any]:
        group = self._whole()
        offsets = np.zeros(group.rows + 1, dtype=np.int32)
        np.cumsum(group.lengths, out=offsets[1:])
        return [
            pa.ListArray.from_arrays(offsets, pa.array(group.indices), type=_list_of(pa.int32())),
            pa.ListArray.from_arrays(offsets, pa.array(group.values), type=_list_of(pa.float32())),
            pa.array(group.y),
        ]

    def clear(self) -> None:
        self._pieces = []
        self._joined = None
        self.rows = 0

    def _whole(self) -> SparseBatch:
        if self._joined is None:
            self._joined = _join(self._pieces)
        return self._joined


def parquet_schema(form: Form) -> Any:
    """The Arrow schema of a part of this form."""
    target = pa.field(TARGET, pa.float32(), nullable=False)
    if _is_wide(form):
        return pa.schema(
            [*(pa.field(name, pa.float32(), nullable=False) for name in form.names), target]
        )
    return pa.schema(
        [
            pa.field("indices", _list_of(pa.int32()), nullable=False),
            pa.field("values", _list_of(pa.float32()), nullable=False),
            target,
        ]
    )


def content_sha256(form: Form, train: PartFacts, test: PartFacts) -> str:
    """The hash of a data set's values: shape, then the training part, then the test part."""
    shape = f"{form.storage} {form.n_features} {train.rows} {test.rows}\n".encode()
    return hashlib.sha256(shape + train.digest + test.digest).hexdigest()


def _is_wide(form: Form) -> bool:
    return form.storage == "wide"


def _positions(chosen: NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(int(position) for position in np.flatnonzero(chosen))


def _list_of(kind: Any) -> Any:
    return pa.list_(pa.field("element", kind, nullable=False))


def _join(pieces: list[SparseBatch]) -> SparseBatch:
    return SparseBatch(
        np.concatenate([piece.lengths for piece in pieces]).astype(np.int32, copy=False),
        np.concatenate([piece.indices for piece in pieces]).astype(np.int32, copy=False),
        np.concatenate([piece.values for piece in pieces]).astype(np.float32, copy=False),
        np.concatenate([piece.y for piece in pieces]).astype(np.float32, copy=False),
    )


def _little_endian(values: NDArray[Any]) -> memoryview:
    kind = values.dtype.newbyteorder("<")
    return np.ascontiguousarray(values.astype(kind, copy=False)).data
