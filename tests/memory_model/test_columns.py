"""What is seen of the columns of a made file."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tests.data.made_parquet import write_sparse_rows, write_wide
from treebench.memory_model.columns import seen

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def table() -> NDArray[np.float32]:
    """Of 100 rows: all different, two values, one in ten stored, and half of it missing."""
    X = np.zeros((100, 4), dtype=np.float32)
    X[:, 0] = np.arange(1, 101)
    X[:, 1] = 1 + np.arange(100) % 2
    X[::10, 2] = 7
    X[:, 3] = np.where(np.arange(100) % 2, np.nan, 3)
    return X


def test_values_entries_and_missing_ones_are_counted(tmp_path: Path) -> None:
    path = write_wide(tmp_path / "train.parquet", table(), group_rows=40)
    sparse = seen(path, "csr", {})
    assert list(sparse.distinct) == [math.inf, 2, 1, 1]
    assert list(sparse.stored) == [1, 1, 0.1, 1]
    assert sparse.missing_share == 50 / 400
    assert list(seen(path, "dense-c", {}).distinct) == [math.inf, 2, 2, 1]


def test_only_so_many_rows_and_columns_are_looked_at(tmp_path: Path) -> None:
    path = write_wide(tmp_path / "train.parquet", table(), group_rows=40)
    some = seen(path, "csr", {}, features=3, rows=5)
    assert list(some.stored) == [1, 1, 0.2]


def test_sparse_rows_are_the_same_columns(tmp_path: Path) -> None:
    wide = write_wide(tmp_path / "wide.parquet", table())
    rows = write_sparse_rows(tmp_path / "rows.parquet", table())
    assert seen(rows, "csc", {}) == seen(wide, "csc", {})
