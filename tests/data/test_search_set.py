"""The set that a search is done on: nothing of the test part, the training part split in two."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from treebench.data.making.make import make
from treebench.data.making.search_set import (
    MOST_VALIDATION_ROWS,
    is_made,
    make_search_set,
    validation_rows,
)
from treebench.data.manifest import read_manifest


@pytest.fixture(scope="module")
def folder() -> Path:
    return make("tiny")


def rows_of(path: Path) -> set[bytes]:
    table = pq.read_table(path)
    matrix = np.column_stack([table.column(i).to_numpy() for i in range(table.num_columns)])
    return {row.tobytes() for row in matrix}


def test_both_parts_together_are_the_training_part(folder: Path) -> None:
    made = make_search_set(folder, [])
    train, validation = rows_of(made / "train.parquet"), rows_of(made / "test.parquet")
    assert not train & validation
    assert train | validation == rows_of(folder / "train.parquet")
    assert not (train | validation) & rows_of(folder / "test.parquet")


def test_its_manifest_says_what_it_holds(folder: Path) -> None:
    whole = read_manifest(folder)
    held = read_manifest(make_search_set(folder, [100]))
    assert held.train_rows + held.test_rows == whole.train_rows
    assert held.test_rows == round(0.2 * whole.train_rows)
    assert held.dataset == f"{whole.dataset}.search"
    assert held.identity_sha256 != whole.identity_sha256
    assert pq.read_metadata(make_search_set(folder, [100]) / "train-100.parquet").num_rows == 100


@pytest.mark.parametrize("lost", ["train.parquet", "test.parquet", "manifest.json"])
def test_what_lost_a_part_is_made_again(folder: Path, lost: str) -> None:
    made = make_search_set(folder, [50])
    (made / lost).unlink()
    assert not is_made(folder, [50])
    make_search_set(folder, [50])
    assert is_made(folder, [50])
    assert (made / lost).is_file()


def test_what_is_there_is_not_made_again(folder: Path) -> None:
    made = make_search_set(folder, [50])
    before = (made / "train.parquet").stat().st_mtime_ns
    assert is_made(folder, [50])
    assert not is_made(folder, [60])
    make_search_set(folder, [50, 60])
    assert is_made(folder, [50, 60])
    assert (made / "train.parquet").stat().st_mtime_ns == before
    assert not list(made.glob(".*"))


def test_validation_has_a_bound() -> None:
    assert validation_rows(10) == 2
    assert validation_rows(2) == 1
    assert validation_rows(10_000_000) == MOST_VALIDATION_ROWS
