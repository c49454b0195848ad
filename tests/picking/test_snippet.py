"""The Python that is given runs as it is, with nothing of treebench, and trains what was asked."""

from __future__ import annotations

import gc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.picking.world import question
from treebench.data.making.batches import Form, SparseBatch, WideBatch
from treebench.data.making.writer import PartWriter
from treebench.data.manifest import Manifest
from treebench.picking.cells import Cells, Size
from treebench.picking.question import Question
from treebench.picking.snippet import snippet
from treebench.picking.space import Holding, Learner, starting_point
from treebench.plan.build import PlannedCell

ROWS, NUMBERS, CODES = 300, 3, 4
HIST = Learner("xgboost", "hist", "ordinal", "dense")


def asked() -> Question:
    return question(1 << 30, rows=ROWS, features=NUMBERS + 1, codes=(CODES,))


def values() -> tuple[Any, Any]:
    """Three numbers and a category, of which some are missing; the label follows the first."""
    rng = np.random.default_rng(3)
    columns = rng.normal(size=(NUMBERS + 1, ROWS)).astype(np.float32)
    columns[-1] = rng.integers(0, CODES, ROWS)
    columns[-1, ::17] = np.nan
    return columns, (columns[0] > 0).astype(np.float32)


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """In row groups of 128, so that there are several parts."""
    path = tmp_path_factory.mktemp("wide") / "train.parquet"
    columns, y = values()
    names = tuple(feature.name for feature in asked().manifest.features)
    with PartWriter(path, Form("wide", NUMBERS + 1, names, ("c0",)), 128) as writer:
        writer.write(WideBatch(columns, y))
        writer.close()
    return path


def cell_of(learner: Learner, holding: Holding) -> PlannedCell:
    point = starting_point(learner).with_values(n_estimators=12)
    cell = Cells(asked()).cell(point, holding, Size(ROWS, search=False))
    assert not isinstance(cell, str), cell
    return cell


def run(cell: PlannedCell, manifest: Manifest, train: Path) -> dict[str, Any]:
    text = snippet(cell, manifest, train)
    assert text is not None
    assert "treebench" not in text.replace("treebench.", "")
    held: dict[str, Any] = {}
    exec(compile(text, "pick.py", "exec"), held)  # noqa: S102 - what a person will do with it
    return held


@pytest.mark.parametrize(
    ("learner", "holding"),
    [
        (HIST, Holding("dense-c", "quantile")),
        (HIST, Holding("dense-f", "dmatrix")),
        (HIST, Holding("dense-c", "iterator")),
        (HIST, Holding("dense-c", "external")),
        (HIST._replace(categorical="native"), Holding("dense-c", "quantile")),
        (HIST._replace(categorical="native"), Holding("dense-c", "iterator")),
        (HIST._replace(categorical="onehot"), Holding("dense-c", "quantile")),
        (HIST._replace(categorical="onehot", form="sparse"), Holding("csr", "quantile")),
        (HIST._replace(method="exact"), Holding("dense-c")),
        (Learner("lightgbm", None, "native", "dense"), Holding("dense-c", None, "col-wise")),
        (Learner("lightgbm", None, "onehot", "sparse"), Holding("csc", None, "row-wise")),
        (Learner("lightgbm", None, "ordinal", "dense"), Holding("dense-c", "sequence")),
        (Learner("sklearn-hist-gbdt", None, "native", "dense"), Holding("dense-c")),
        (Learner("sklearn-forest", None, "onehot", "sparse"), Holding("csr")),
        (Learner("sklearn-forest", None, "onehot", "dense"), Holding("dense-f")),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_it_runs_and_trains_as_asked(
    wide: Path,
    learner: Learner,
    holding: Holding,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)  # the external container's cache
    cell = cell_of(learner, holding)
    held = run(cell, asked().manifest, wide)
    model = held["model"]
    if learner.trainer == "xgboost":
        assert model.num_boosted_rounds() == 12
    elif learner.trainer == "lightgbm":
        assert model.num_trees() == 12
    else:
        assert model.get_params()["random_state"] == 0
        assert model.score(held["X"], held["y"]) > 0.9
    # XGBoost lets go of its cache here, while the folder that it lies in is the current one.
    held.clear()
    del model
    gc.collect()


def test_what_it_reads_is_what_was_written(wide: Path) -> None:
    held = run(cell_of(HIST, Holding("dense-c", "quantile")), asked().manifest, wide)
    columns, y = values()
    np.testing.assert_array_equal(held["X"], columns.T)
    np.testing.assert_array_equal(held["y"], y)


def test_one_hot_columns_are_those_of_the_worker(wide: Path) -> None:
    from treebench.data.matrix import Part
    from treebench.data.reading.onehot import one_hot

    learner = HIST._replace(categorical="onehot")
    dense = run(cell_of(learner, Holding("dense-c", "quantile")), asked().manifest, wide)
    sparse = run(
        cell_of(learner._replace(form="sparse"), Holding("csr", "quantile")),
        asked().manifest,
        wide,
    )
    columns, y = values()
    part = Part(np.ascontiguousarray(columns.T), y, "dense-c", {NUMBERS: CODES})
    np.testing.assert_array_equal(dense["X"], one_hot(part, "dense-c").X)
    np.testing.assert_array_equal(sparse["X"].toarray(), dense["X"])


def test_sparse_rows_are_read_as_they_are(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    lengths = np.full(ROWS, 2, np.int32)
    indices = np.tile(np.array([1, 3], np.int32), ROWS)
    stored = rng.normal(size=2 * ROWS).astype(np.float32)
    y = (stored[::2] > 0).astype(np.float32)
    path = tmp_path / "train.parquet"
    with PartWriter(path, Form("sparse-rows", 5, (), ()), 128) as writer:
        writer.write(SparseBatch(lengths, indices, stored, y))
        writer.close()
    one = question(1 << 30, rows=ROWS, features=5, stored=0.4)
    manifest = replace(one.manifest, storage="sparse-rows", features=())
    one = replace(one, manifest=manifest, search_manifest=manifest)
    learner = Learner("lightgbm", None, None, "sparse")
    cell = Cells(one).cell(starting_point(learner), Holding("csr"), Size(ROWS, search=False))
    assert not isinstance(cell, str)
    held = run(cell, manifest, path)
    assert held["X"].shape == (ROWS, 5)
    np.testing.assert_array_equal(held["X"].data, stored)
    np.testing.assert_array_equal(held["X"].indices, indices)


def test_a_trainer_that_no_script_is_written_for_has_none() -> None:
    cell = cell_of(HIST, Holding("dense-c", "quantile"))
    other = replace(cell, spec=replace(cell.spec, trainer="dask-xgboost"))
    assert snippet(other, asked().manifest, Path("train.parquet")) is None
