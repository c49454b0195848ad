"""All four layouts, from both storages, hold the table that was written."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from tests.data.made_parquet import write_sparse_rows, write_wide
from treebench.data.manifest import LAYOUTS, Layout
from treebench.data.reading.read import read_part
from treebench.data.reading.sparse import index_type

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from treebench.data.matrix import Part

WRITERS: dict[str, Any] = {"wide": write_wide, "sparse-rows": write_sparse_rows}
VALUES = st.sampled_from([0.0, 0.0, 0.0, -0.0, np.nan, 1.0, -2.5, 1e-45, 3.4e38])


def tables(most_rows: int = 12) -> st.SearchStrategy[NDArray[np.float32]]:
    shapes = st.tuples(st.integers(0, most_rows), st.integers(1, 9))
    mixed = shapes.flatmap(lambda shape: arrays(np.float32, shape, elements=VALUES))
    full = shapes.map(
        lambda shape: np.arange(1, np.prod(shape) + 1, dtype=np.float32).reshape(shape)
    )
    return st.one_of(mixed, full)


def as_dense(X: Any) -> NDArray[np.float32]:
    return cast("NDArray[np.float32]", X.toarray() if hasattr(X, "toarray") else X)


def assert_holds(part: Part, table: NDArray[np.float32], layout: Layout) -> None:
    np.testing.assert_array_equal(as_dense(part.X), table)
    np.testing.assert_array_equal(part.y, np.arange(len(table), dtype=np.float32))
    assert part.y.dtype == np.float32
    assert part.layout == layout
    assert part.X.dtype == np.float32
    if layout in ("csr", "csc"):
        assert_exact_sparse(part.X, table, layout)
    else:
        assert_exact_dense(part.X, table, layout)


def assert_exact_dense(X: Any, table: NDArray[np.float32], layout: Layout) -> None:
    assert type(X) is np.ndarray
    assert X.flags.c_contiguous if layout == "dense-c" else X.flags.f_contiguous
    assert X.nbytes == table.size * 4
    assert X.base is None


def assert_exact_sparse(X: Any, table: NDArray[np.float32], layout: Layout) -> None:
    assert isinstance(X, sparse.csr_matrix if layout == "csr" else sparse.csc_matrix)
    entries = int(np.count_nonzero(table))
    major = table.shape[0 if layout == "csr" else 1]
    matrix: Any = X
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    assert matrix.data.nbytes == matrix.indices.nbytes == entries * 4
    assert matrix.indptr.nbytes == (major + 1) * 4
    assert all(a.base is None or a.base.nbytes == a.nbytes for a in (X.data, X.indices, X.indptr))
    # Believed flags are worth nothing: ask a matrix that has not been told.
    untold = type(X)((X.data, X.indices, X.indptr), shape=X.shape)
    assert untold.has_canonical_format
    assert X.has_canonical_format
    assert X.has_sorted_indices


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("layouts")


@pytest.mark.parametrize("storage", WRITERS)
@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(table=tables(), group_rows=st.integers(1, 13))
@example(table=np.zeros((0, 1), np.float32), group_rows=1)
@example(table=np.zeros((0, 5), np.float32), group_rows=1)
@example(table=np.zeros((1, 1), np.float32), group_rows=1)
@example(table=np.ones((1, 1), np.float32), group_rows=1)
@example(table=np.arange(200, dtype=np.float32).reshape(2, 100), group_rows=1)
@example(table=np.zeros((9, 4), np.float32), group_rows=4)
@example(table=np.full((9, 4), np.nan, np.float32), group_rows=4)
def test_every_layout_holds_the_table(
    folder: Path, storage: str, table: NDArray[np.float32], group_rows: int
) -> None:
    path = WRITERS[storage](folder / f"{storage}.parquet", table, group_rows=group_rows)
    for layout in LAYOUTS:
        assert_holds(read_part(path, layout), table, layout)


@pytest.mark.parametrize("storage", WRITERS)
@settings(deadline=None, max_examples=30, suppress_health_check=list(HealthCheck))
@given(table=tables(), data=st.data())
def test_features_takes_the_first_columns(
    folder: Path, storage: str, table: NDArray[np.float32], data: st.DataObject
) -> None:
    features = data.draw(st.integers(1, table.shape[1]))
    path = WRITERS[storage](folder / f"{storage}-first.parquet", table)
    for layout in LAYOUTS:
        part = read_part(path, layout, features=features)
        assert_holds(part, table[:, :features], layout)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("density", [0.02, 0.4, 0.9995, 1.0])
@pytest.mark.parametrize("storage", WRITERS)
def test_many_batches_slabs_and_spans(
    tmp_path: Path, storage: str, density: float, layout: Layout
) -> None:
    # GIVEN more rows than a batch or a slab, more columns than a span, groups cut unevenly
    rng = np.random.default_rng(5)
    table = rng.uniform(1, 2, (7001, 61)).astype(np.float32)
    table[rng.random(table.shape) >= density] = 0
    path = WRITERS[storage](tmp_path / "a.parquet", table, group_rows=2999)
    assert_holds(read_part(path, layout), table, layout)
    assert_holds(read_part(path, layout, features=17), table[:, :17], layout)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_core_reads_the_same(
    tmp_path: Path, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    table = np.arange(70, dtype=np.float32).reshape(10, 7) % 3
    part = read_part(write_wide(tmp_path / "a.parquet", table), layout)
    assert_holds(part, table, layout)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_names_with_dots_are_not_taken_for_levels(tmp_path: Path, layout: Layout) -> None:
    # GIVEN names that look like a struct "a" with a member "b"
    names = ["a", "c", "a.b", 'x[0]<"1"', ""]
    table = np.arange(20, dtype=np.float32).reshape(4, 5)
    path = write_wide(tmp_path / "a.parquet", table, names=names)
    # THEN the first two are the first two
    assert_holds(read_part(path, layout, features=2), table[:, :2], layout)
    assert_holds(read_part(path, layout), table, layout)


def test_indices_are_int32_until_they_overflow() -> None:
    assert index_type(2**31 - 1, 10, 10) is np.int32
    assert index_type(2**31, 10, 10) is np.int64
    assert index_type(0, 2**31, 10) is np.int64
    assert index_type(0, 10, 2**31) is np.int64


def test_cardinalities_of_columns_not_taken_are_left_out(tmp_path: Path) -> None:
    path = write_wide(tmp_path / "a.parquet", np.ones((4, 5), np.float32))
    part = read_part(path, "dense-c", features=3, cardinalities={0: 7, 2: 8, 3: 9})
    assert part.cardinalities == {0: 7, 2: 8}
    assert read_part(path, "dense-c").cardinalities == {}
