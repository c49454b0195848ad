"""Tables from a person's file to a trainer's matrix: every layout holds the same values, and no row
is lost or taken twice on the way."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from tests.data.making import file_card, make_set
from tests.properties import drawn
from treebench.data.making.split import held_out_mask, subset_mask, validation_mask
from treebench.data.manifest import LAYOUTS, read_manifest
from treebench.data.reading.read import read_part
from treebench.errors import DataError

VALUES = st.sampled_from([0.0, 0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -2.5, 1e-45, 3.4e38])
TABLES = st.tuples(st.integers(8, 24), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=VALUES)
)


def made(folder: Path, table: NDArray[np.float64], nonfinite: str) -> Path:
    shutil.rmtree(folder / "cache", ignore_errors=True)
    rows = len(table)
    columns: dict[str, Any] = {f"f{j}": column for j, column in enumerate(table.T)}
    columns["id"] = np.arange(rows, dtype=np.float64)
    columns["y"] = np.arange(rows) % 2
    pq.write_table(pa.table(columns), folder / "own.parquet")
    facts = file_card("parquet", "own.parquet", nonfinite=nonfinite)
    return make_set(folder, facts)[0]


def dense(X: Any) -> NDArray[np.float32]:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X)


@drawn(12)
@given(table=TABLES, nonfinite=st.sampled_from(["error", "nan"]))
def test_every_layout_holds_the_values_of_the_file(
    table: NDArray[np.float64], nonfinite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TREEBENCH_CACHE", str(tmp_path / "cache"))
    infinite = int(np.isinf(table).sum())
    if infinite and nonfinite == "error":
        with pytest.raises(DataError, match=r"infinit|inf"):
            made(tmp_path, table, nonfinite)
        return
    folder = made(tmp_path, table, nonfinite)
    wanted = np.where(np.isinf(table), np.nan, table).astype(np.float32)
    seen: Counter[int] = Counter()
    for part in ("train", "test"):
        parts = [read_part(folder / f"{part}.parquet", layout) for layout in LAYOUTS]
        first = dense(parts[0].X)
        ids = first[:, -1].astype(int)
        seen.update(ids.tolist())
        for one in parts:
            np.testing.assert_array_equal(dense(one.X), first)
            np.testing.assert_array_equal(one.y, ids % 2)
        np.testing.assert_array_equal(first[:, :-1], wanted[ids])
    assert seen == Counter(range(len(table)))
    manifest = read_manifest(folder)
    assert (manifest.train_rows + manifest.test_rows, manifest.n_classes) == (len(table), 2)


labels = st.lists(st.integers(0, 4), min_size=6, max_size=80).map(
    lambda drawn_labels: np.array(drawn_labels, dtype=np.float32)
)
seeds = st.integers(0, 2**31 - 1)


@drawn(60)
@given(y=labels, seed=seeds, stratify=st.booleans(), data=st.data())
def test_a_mask_has_its_rows_in_proportion_and_from_its_seed_alone(
    y: NDArray[np.float32], seed: int, stratify: bool, data: st.DataObject
) -> None:
    rows = data.draw(st.integers(1, len(y) - 1))
    share = rows / len(y)
    makers: list[Callable[[], NDArray[np.bool_]]] = [
        lambda: subset_mask(y, stratify, rows, seed),
        lambda: validation_mask(y, stratify, rows, seed),
        lambda: held_out_mask(y, stratify, share, seed),
    ]
    classes, counts = np.unique(y, return_counts=True)
    for make in makers:
        mask = make()
        assert (mask.dtype.kind, mask.shape, int(mask.sum())) == ("b", y.shape, rows)
        assert (mask == make()).all()
        if stratify:
            taken = np.array([int(mask[y == one].sum()) for one in classes])
            # A class may give way to one other for each place where keys are equal or kept.
            assert np.abs(taken - share * counts).max() <= 2 + len(classes) * share
    if stratify and len(y) - rows >= len(classes):
        kept = y[~validation_mask(y, True, rows, seed)]
        assert set(kept.tolist()) == set(classes.tolist())


@drawn(40)
@given(y=labels, seed=seeds, data=st.data())
def test_who_is_chosen_does_not_depend_on_how_classes_are_numbered(
    y: NDArray[np.float32], seed: int, data: st.DataObject
) -> None:
    rows = data.draw(st.integers(1, len(y)))
    shifted = y + np.float32(7)
    assert (subset_mask(y, True, rows, seed) == subset_mask(shifted, True, rows, seed)).all()
