"""Validation parts: what is held out of training, and what is left."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq
import pytest

from treebench.data.making.make import make, split_paths, train_path
from treebench.data.making.split import validation_mask
from treebench.data.manifest import Split, read_manifest, split_in, validation_rows
from treebench.data.verify import verify_files
from treebench.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREEBENCH_CACHE", str(tmp_path / "cache"))


def rows_of(path: Path) -> list[tuple[float, ...]]:
    table = pq.read_table(path)
    return [tuple(row.values()) for row in table.to_pylist()]


@pytest.mark.parametrize("split", [Split(None, 0.2), Split(300, 0.25)])
def test_the_two_files_are_the_training_rows_once_each(split: Split) -> None:
    folder = make("tiny", splits=[split])
    manifest = read_manifest(folder)
    rest, validation = split_paths(folder, split)
    rows = split.rows or manifest.train_rows
    held_out = rows_of(validation)
    assert len(held_out) == validation_rows(rows, split.share) == round(rows * split.share)
    assert sorted([*rows_of(rest), *held_out]) == sorted(rows_of(train_path(folder, rows)))
    assert {rest.name, validation.name} <= manifest.file_sha256.keys()
    verify_files(folder, [rows], [split])


def test_the_same_rows_are_held_out_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    split = Split(300, 0.2)
    first = make("tiny", splits=[split])
    before = [rows_of(path) for path in split_paths(first, split)]
    monkeypatch.setenv("TREEBENCH_CACHE", str(tmp_path / "another"))
    again = make("tiny", splits=[split])
    assert again != first
    assert [rows_of(path) for path in split_paths(again, split)] == before


def test_half_a_split_is_made_again_and_a_whole_one_is_left(tmp_path: Path) -> None:
    split = Split(None, 0.2)
    folder = make("tiny", splits=[split])
    rest, validation = split_paths(folder, split)
    times = [path.stat().st_mtime_ns for path in (rest, validation)]
    make("tiny", splits=[split])
    assert [path.stat().st_mtime_ns for path in (rest, validation)] == times
    validation.unlink()
    make("tiny", splits=[split])
    assert validation.exists()
    assert not [*folder.glob(".*.part")]


def test_a_changed_file_is_seen(tmp_path: Path) -> None:
    split = Split(None, 0.2)
    folder = make("tiny", splits=[split])
    with split_paths(folder, split)[1].open("ab") as file:
        file.write(b"x")
    with pytest.raises(DataError, match="validation-"):
        verify_files(folder, [], [split])


@pytest.mark.parametrize("rows", [10, 200, 499, 500])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_classes_are_in_proportion_and_each_keeps_a_row(rows: int, n_classes: int) -> None:
    rng = np.random.default_rng(rows + n_classes)
    labels = np.minimum(rng.geometric(0.5, rows) - 1, n_classes - 1).astype(np.float32)
    labels[:n_classes] = np.arange(n_classes)
    held_out = min(validation_rows(rows, 0.5), rows - n_classes)
    mask = validation_mask(labels, True, held_out, 7)
    assert mask.sum() == held_out
    assert set(labels[~mask]) == set(labels)
    share = np.bincount(labels[mask].astype(int), minlength=n_classes)
    wanted = np.bincount(labels.astype(int), minlength=n_classes) * held_out / rows
    assert np.abs(share - wanted).max() <= n_classes


def test_a_class_of_one_row_is_trained_on() -> None:
    labels = np.zeros(100, np.float32)
    labels[40] = 1
    for seed in range(50):
        assert not validation_mask(labels, True, 50, seed)[40]


def test_columns_without_value_are_known_of_what_is_left() -> None:
    folder = make("tiny", splits=[Split(300, 0.2)])
    said = json.loads((folder / "manifest.json").read_text())["without_value"]
    assert "300-less-0.2" in said
    assert read_manifest(folder).columns_without_value(300, 0.2) == ()


@pytest.mark.parametrize("text", ["", "100", "100:", "x:0.2", "0:0.2", "100:0.6", "100:nan"])
def test_what_holds_nothing_out(text: str) -> None:
    with pytest.raises(DataError, match="holds nothing out"):
        split_in(text)


@pytest.mark.parametrize("split", [Split(None, 0.2), Split(20_000, 0.125)])
def test_a_split_is_read_as_it_is_written(split: Split) -> None:
    assert split_in(split.written()) == split


def test_too_few_rows_to_hold_any_out() -> None:
    with pytest.raises(DataError, match=r"leaves 1 of 2 rows.*ask for more rows"):
        make("tiny", splits=[Split(2, 0.5)])
