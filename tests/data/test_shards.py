"""Shards are a partition of the rows, and each class is spread over them evenly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.data.made_parquet import write_sparse_rows, write_wide
from treebench.data.manifest import LAYOUTS, Layout
from treebench.data.reading.read import read_part
from treebench.data.reading.shards import rows_of, shard
from treebench.data.reading.stream import RowStream
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

WRITERS: dict[str, Any] = {"wide": write_wide, "sparse-rows": write_sparse_rows}
X = np.array(
    [[row % 3, (row * 7) % 5 - 2.5, np.nan if row % 4 == 1 else 0, row] for row in range(23)],
    dtype=np.float32,
)


def dense(matrix: Any) -> NDArray[np.float32]:
    return cast("NDArray[np.float32]", matrix.toarray() if hasattr(matrix, "toarray") else matrix)


def all_rows(labels: Any, n_shards: int, seed: int, stratified: bool) -> list[NDArray[np.int64]]:
    codes = np.asarray(labels, np.float32)
    return [rows_of(codes, i, n_shards, seed, stratified=stratified) for i in range(n_shards)]


@settings(deadline=None)
@given(
    labels=st.lists(st.integers(0, 4), min_size=1, max_size=80),
    n_shards=st.integers(1, 7),
    seed=st.integers(0, 2**31 - 1),
    stratified=st.booleans(),
)
def test_the_shards_are_a_partition_of_the_rows(
    labels: list[int], n_shards: int, seed: int, stratified: bool
) -> None:
    shards = all_rows(labels, n_shards, seed, stratified)
    assert sorted(np.concatenate(shards).tolist()) == list(range(len(labels)))
    sizes = [len(own) for own in shards]
    assert max(sizes) - min(sizes) <= 1
    assert all((np.diff(own) > 0).all() for own in shards)


@settings(deadline=None)
@given(
    labels=st.lists(st.integers(0, 4), min_size=1, max_size=80),
    n_shards=st.integers(1, 7),
    seed=st.integers(0, 2**31 - 1),
)
def test_each_class_is_spread_to_within_one_row(
    labels: list[int], n_shards: int, seed: int
) -> None:
    codes = np.array(labels)
    counts = [
        np.bincount(codes[own], minlength=5) for own in all_rows(labels, n_shards, seed, True)
    ]
    assert (np.max(counts, axis=0) - np.min(counts, axis=0)).max() <= 1


def test_one_seed_is_one_drawing_and_another_seed_another() -> None:
    labels = np.zeros(100)
    first, again, other = (all_rows(labels, 3, seed, True)[0] for seed in (1, 1, 2))
    assert first.tolist() == again.tolist() != other.tolist()


def test_rows_sorted_by_a_target_are_mixed() -> None:
    """GIVEN a target that ascends THEN each shard has its whole range."""
    means = [own.mean() for own in all_rows(np.arange(10_000), 4, 0, stratified=False)]
    np.testing.assert_allclose(means, 5000, rtol=0.05)


@pytest.mark.parametrize("storage", WRITERS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("n_shards", [1, 2, 5])
def test_a_shard_holds_its_rows(
    tmp_path: Path, storage: str, layout: Layout, n_shards: int
) -> None:
    """GIVEN the row number as target THEN each row of a shard is that row of the matrix."""
    path = WRITERS[storage](tmp_path / "train.parquet", X, group_rows=4)
    whole, source = read_part(path, layout), RowStream(path, layout)
    shards = [shard(source, i, n_shards, 3, stratified=False) for i in range(n_shards)]
    for part in shards:
        assert type(part.X) is type(whole.X)
        np.testing.assert_array_equal(dense(part.X), X[part.y.astype(int)])
    assert sorted(np.concatenate([part.y for part in shards])) == list(range(len(X)))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_arrays_are_those_of_the_layout(tmp_path: Path, layout: Layout) -> None:
    path = write_wide(tmp_path / "train.parquet", X, group_rows=4)
    part = shard(RowStream(path, layout), 0, 2, 3, stratified=False)
    matrix: Any = part.X
    assert matrix.dtype == np.float32
    if layout.startswith("dense"):
        assert matrix.flags["C_CONTIGUOUS" if layout == "dense-c" else "F_CONTIGUOUS"]
    else:
        assert matrix.format == layout
        assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
        matrix.has_sorted_indices = False
        before = matrix.indices.copy()
        matrix.sort_indices()
        np.testing.assert_array_equal(matrix.indices, before)


def test_one_hot_columns_and_fewer_features_reach_a_shard(tmp_path: Path) -> None:
    path = write_wide(tmp_path / "train.parquet", X, group_rows=4)
    source = RowStream(path, "csr", {0: 3}, features=2, onehot=True)
    part = shard(source, 1, 2, 0, stratified=False)
    spread = dense(part.X)
    assert spread.shape == (11, 4)
    np.testing.assert_array_equal(spread[:, :3].argmax(axis=1), part.y % 3)
    assert part.cardinalities == {}


class Classes:
    """Labels alone; a shard that lacks a class must be refused before any row is read."""

    layout: Layout = "dense-c"
    cardinalities: dict[int, int]

    def __init__(self, labels: Sequence[float]) -> None:
        self._labels = np.array(labels, np.float32)

    def labels(self) -> NDArray[np.float32]:
        return self._labels


def test_a_shard_without_a_class_is_refused_by_name() -> None:
    """GIVEN three rows of class 2 for four shards THEN the one without says so."""
    source: Any = Classes([0] * 8 + [1] * 8 + [2] * 3)
    with pytest.raises(DataError, match=r"shard 3 of 4 has no row of class 2.* 3 at most"):
        shard(source, 3, 4, 0, stratified=True)


def test_exactly_one_of_the_four_shards_lacks_the_class() -> None:
    labels = np.array([0] * 8 + [1] * 8 + [2] * 3, np.float32)
    lacking = [2 not in labels[own] for own in all_rows(labels, 4, 0, stratified=True)]
    assert lacking == [False, False, False, True]


def test_more_shards_than_rows_are_refused() -> None:
    source: Any = Classes([0.5, 0.7])
    with pytest.raises(DataError, match="shard 2 of 3 has no row: the data has 2; lower n_jobs"):
        shard(source, 2, 3, 0, stratified=False)
