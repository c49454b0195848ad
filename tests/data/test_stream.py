"""Rows read a part at a time are the rows of the whole matrix."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.data.made_parquet import made_facts, write_lists, write_sparse_rows, write_wide
from treebench.data.manifest import LAYOUTS, Layout
from treebench.data.reading import stream
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
@pytest.mark.parametrize("most_dense_rows", [1, 3, 100])
def test_the_parts_together_are_the_matrix(
    tmp_path: Path,
    storage: str,
    layout: Layout,
    most_dense_rows: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stream, "_PART_BYTES", most_dense_rows * X[0].nbytes)
    path = WRITERS[storage](tmp_path / "train.parquet", X, group_rows=4)
    rows = RowStream(path, layout)
    parts = list(rows.parts())
    whole = read_part(path, layout)
    np.testing.assert_array_equal(np.vstack([dense(p.X) for p in parts]), dense(whole.X))
    np.testing.assert_array_equal(np.concatenate([p.y for p in parts]), whole.y)
    np.testing.assert_array_equal(rows.labels(), whole.y)
    assert all(type(part.X) is type(whole.X) for part in parts)
    most_rows = min(most_dense_rows, 4) if layout.startswith("dense") else 4
    assert max(len(part.y) for part in parts) == most_rows
    assert rows.data_bytes == whole.data_bytes


@each_storage
@each_layout
def test_one_hot_columns_are_spread_out(tmp_path: Path, storage: str, layout: Layout) -> None:
    path = WRITERS[storage](tmp_path / "train.parquet", X, group_rows=4)
    rows = RowStream(path, layout, {0: 3, 3: 11}, features=2, onehot=True)
    whole = one_hot(read_part(path, layout, features=2, cardinalities={0: 3}), layout)
    np.testing.assert_array_equal(
        np.vstack([dense(part.X) for part in rows.parts()]), dense(whole.X)
    )
    assert rows.n_features == whole.X.shape[1] == 4
    assert rows.cardinalities == {}
    assert rows.data_bytes == whole.data_bytes


def test_it_goes_to_another_process_without_the_footer(tmp_path: Path) -> None:
    rows = RowStream(write_wide(tmp_path / "train.parquet", X), "csr", {0: 3})
    assert rows.n_rows == 11
    sent = pickle.dumps(rows)
    assert len(sent) < 600
    np.testing.assert_array_equal(pickle.loads(sent).labels(), rows.labels())  # noqa: S301


def test_more_features_than_there_are_is_an_error(tmp_path: Path) -> None:
    rows = RowStream(write_wide(tmp_path / "train.parquet", X), "csr", features=9)
    with pytest.raises(DataError, match="9 asked of"):
        next(rows.parts())


@each_layout
def test_a_dense_part_is_bounded_in_bytes(
    tmp_path: Path, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GIVEN one-hot columns that are many WHEN no size is asked for THEN a dense part is smaller
    than a row group; a sparse one has as many entries as before, and is not cut."""
    monkeypatch.setattr(stream, "_PART_BYTES", 32)
    path = write_wide(tmp_path / "train.parquet", X, group_rows=6)
    parts = list(RowStream(path, layout, {0: 3}, features=2, onehot=True).parts())
    dense_rows = [2, 2, 2, 2, 2, 1]
    assert [len(p.y) for p in parts] == (dense_rows if layout.startswith("dense") else [6, 5])


@each_layout
def test_sparse_rows_that_are_damaged_are_refused(tmp_path: Path, layout: Layout) -> None:
    indices = pa.array([[0, 2], [3, 1]], pa.list_(pa.int32()))
    values = pa.array([[1, 2], [3, 4]], pa.list_(pa.float32()))
    path = write_lists(
        tmp_path / "train.parquet", indices, values, made_facts("sparse-rows", X[:2])
    )
    with pytest.raises(DataError, match=r"indices do not ascend \(in the rows from 0 on\)"):
        next(RowStream(path, layout).parts())


@each_storage
def test_a_file_that_is_replaced_under_the_reader_is_refused(tmp_path: Path, storage: str) -> None:
    """GIVEN one of the same shape WHEN it takes the file's place between two passes THEN no rows of
    it are read by the first one's footer."""
    path = WRITERS[storage](tmp_path / "train.parquet", X, group_rows=4)
    rows = RowStream(path, "csr")
    assert len(list(rows.parts())) == 3
    other = WRITERS[storage](tmp_path / "other.parquet", X * 2, group_rows=4)
    other.replace(path)
    with pytest.raises(DataError, match="was replaced or changed while it was read"):
        list(rows.parts())


def test_a_row_group_may_be_empty(tmp_path: Path) -> None:
    path = tmp_path / "train.parquet"
    table = pq.read_table(write_wide(tmp_path / "whole.parquet", X))
    with pq.ParquetWriter(path, table.schema) as writer:
        for rows in (table.slice(0, 4), table.slice(0, 0), table.slice(4)):
            writer.write_table(rows)
        writer.add_key_value_metadata(made_facts("wide", X))
    parts = list(RowStream(path, "csr").parts())
    assert [len(part.y) for part in parts] == [4, 7]


GROWTH = """
import sys
from pathlib import Path
from treebench.data.reading.stream import RowStream

def status(name):
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024

small, large = (RowStream(Path(path), sys.argv[3]) for path in sys.argv[1:3])
for part in small.parts():
    pass
before = status("VmRSS")
Path("/proc/self/clear_refs").write_text("5")
rows = 0
for part in large.parts():
    rows += len(part.y)
assert rows == large.n_rows
print(status("VmHWM") - before)
"""


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A small file, and one of 96 MiB of values, none of which is 0, in 12 groups of 8 MiB."""
    folder = tmp_path_factory.mktemp("stream")
    wide = np.random.default_rng(1).uniform(1, 2, (2**20 // 8 * 12, 16)).astype(np.float32)
    return (
        write_wide(folder / "small.parquet", wide[:100]),
        write_wide(folder / "large.parquet", wide, group_rows=2**17, compression="none"),
    )


@each_layout
def test_only_a_few_groups_are_in_memory(grown: tuple[Path, Path], layout: Layout) -> None:
    """GIVEN 12 groups of 8 MiB of wide values WHEN they are read one after another THEN the peak
    grows by a few of them (the part before, the part read, pages; sparse has indices too)."""
    command = [sys.executable, "-c", GROWTH, *map(str, grown), layout]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    groups = 5 if layout.startswith("dense") else 8
    assert (8 << 20) <= int(done.stdout) <= groups * (8 << 20)
