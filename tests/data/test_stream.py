"""Rows read a part at a time are the rows of the whole matrix."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

from tests.data.made_parquet import write_sparse_rows, write_wide
from treebench.data.manifest import LAYOUTS, Layout
from treebench.data.reading.onehot import one_hot
from treebench.data.reading.read import read_part
from treebench.data.reading.stream import RowStream
from treebench.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

WRITERS: dict[str, Any] = {"wide": write_wide, "sparse-rows": write_sparse_rows}
X = np.array(
    [[row % 3, (row * 7) % 5 - 2.5, np.nan if row % 4 == 1 else 0, row] for row in range(11)],
    dtype=np.float32,
)
each_storage = pytest.mark.parametrize("storage", WRITERS)
each_layout = pytest.mark.parametrize("layout", LAYOUTS)


def dense(matrix: Any) -> NDArray[np.float32]:
    return cast("NDArray[np.float32]", matrix.toarray() if hasattr(matrix, "toarray") else matrix)


@each_storage
@each_layout
@pytest.mark.parametrize("most_rows", [None, 1, 2, 5, 100])
def test_the_parts_together_are_the_matrix(
    tmp_path: Path, storage: str, layout: Layout, most_rows: int | None
) -> None:
    path = WRITERS[storage](tmp_path / "train.parquet", X, group_rows=4)
    stream = RowStream(path, layout)
    parts = list(stream.parts(most_rows))
    whole = read_part(path, layout)
    np.testing.assert_array_equal(np.vstack([dense(p.X) for p in parts]), dense(whole.X))
    np.testing.assert_array_equal(np.concatenate([p.y for p in parts]), whole.y)
    np.testing.assert_array_equal(stream.labels(), whole.y)
    assert all(type(part.X) is type(whole.X) for part in parts)
    assert max(len(part.y) for part in parts) <= (most_rows or 4)
    assert stream.data_bytes == whole.data_bytes


@each_storage
@each_layout
@pytest.mark.parametrize(("start", "stop"), [(0, 1), (3, 9), (4, 8), (10, 11), (0, 11)])
def test_rows_are_those_of_the_matrix(
    tmp_path: Path, storage: str, layout: Layout, start: int, stop: int
) -> None:
    path = WRITERS[storage](tmp_path / "train.parquet", X, group_rows=4)
    part = RowStream(path, layout, features=3).rows(start, stop)
    np.testing.assert_array_equal(dense(part.X), X[start:stop, :3])
    np.testing.assert_array_equal(part.y, np.arange(start, stop))


@each_storage
@each_layout
def test_one_hot_columns_are_spread_out(tmp_path: Path, storage: str, layout: Layout) -> None:
    path = WRITERS[storage](tmp_path / "train.parquet", X, group_rows=4)
    stream = RowStream(path, layout, {0: 3, 3: 11}, features=2, onehot=True)
    whole = one_hot(read_part(path, layout, features=2, cardinalities={0: 3}), layout)
    np.testing.assert_array_equal(
        np.vstack([dense(part.X) for part in stream.parts()]), dense(whole.X)
    )
    assert stream.n_features == whole.X.shape[1] == 4
    assert stream.cardinalities == {}
    assert stream.data_bytes == whole.data_bytes


@pytest.mark.parametrize(("start", "stop"), [(-1, 2), (3, 3), (4, 2), (10, 12)])
def test_rows_that_are_not_there_are_refused(tmp_path: Path, start: int, stop: int) -> None:
    stream = RowStream(write_wide(tmp_path / "train.parquet", X), "dense-c")
    with pytest.raises(IndexError, match=f"rows {start} to {stop} of 11"):
        stream.rows(start, stop)


def test_it_goes_to_another_process_without_the_footer(tmp_path: Path) -> None:
    stream = RowStream(write_wide(tmp_path / "train.parquet", X), "csr", {0: 3})
    assert stream.n_rows == 11
    sent = pickle.dumps(stream)
    assert len(sent) < 600
    np.testing.assert_array_equal(pickle.loads(sent).labels(), stream.labels())  # noqa: S301


def test_more_features_than_there_are_is_an_error(tmp_path: Path) -> None:
    stream = RowStream(write_wide(tmp_path / "train.parquet", X), "csr", features=9)
    with pytest.raises(DataError, match="9 asked of"):
        next(stream.parts())
