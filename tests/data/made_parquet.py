"""A small writer of the made format, apart from the real one, so that reading is tested alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

TARGET = pa.field("__target__", pa.float32(), nullable=False)


def write_wide(
    path: Path,
    X: NDArray[np.float32],
    *,
    group_rows: int = 3,
    names: Sequence[str] | None = None,
    compression: str = "snappy",
) -> Path:
    """Columns of X, and the row number as target."""
    names = names or [f"f{j}" for j in range(X.shape[1])]
    fields = [pa.field(name, pa.float32(), nullable=False) for name in names]
    arrays = [pa.array(np.ascontiguousarray(column)) for column in X.T]
    table = pa.Table.from_arrays([*arrays, labels(len(X))], schema=pa.schema([*fields, TARGET]))
    facts = made_facts("wide", X)
    return write_table(path, table, facts, group_rows=group_rows, compression=compression)


def write_sparse_rows(path: Path, X: NDArray[np.float32], *, group_rows: int = 3) -> Path:
    """Rows of X without their zeros, and the row number as target."""
    rows = [np.flatnonzero(row) for row in X]
    indices = pa.array([list(row) for row in rows], pa.list_(pa.int32()))
    values = pa.array([X[i, row].tolist() for i, row in enumerate(rows)], pa.list_(pa.float32()))
    return write_lists(path, indices, values, made_facts("sparse-rows", X), group_rows=group_rows)


def write_lists(
    path: Path, indices: Any, values: Any, facts: dict[str, str], *, group_rows: int = 3
) -> Path:
    """Sparse rows as given, right or wrong."""
    fields = [pa.field("indices", indices.type), pa.field("values", values.type), TARGET]
    columns = [indices, values, labels(len(indices))]
    table = pa.Table.from_arrays(columns, schema=pa.schema(fields))
    return write_table(path, table, facts, group_rows=group_rows)


def write_table(
    path: Path,
    table: Any,
    facts: dict[str, str],
    *,
    group_rows: int = 3,
    compression: str = "snappy",
) -> Path:
    """Any table with any metadata."""
    with pq.ParquetWriter(
        path, table.schema, compression=compression, use_dictionary=False
    ) as writer:
        writer.write_table(table, row_group_size=group_rows)
        writer.add_key_value_metadata(facts)
    return path


def made_facts(storage: str, X: NDArray[np.float32]) -> dict[str, str]:
    """The metadata of a file that holds X."""
    return {
        "treebench.storage": storage,
        "treebench.width": str(X.shape[1]),
        "treebench.stored_entries": json.dumps(np.count_nonzero(X, axis=0).tolist()),
    }


def labels(rows: int) -> Any:
    """0, 1, 2, ... as float32."""
    return pa.array(np.arange(rows, dtype=np.float32))
