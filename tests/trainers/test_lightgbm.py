"""What LightGBM can and cannot do, tried on the installed library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.trainers.problems import labels, laid_out, planned, problem, small, table, train
from treebench.data.matrix import Part
from treebench.trainers.lightgbm import MOST_LEAVES
from treebench.trainers.registry import TRAINERS

if TYPE_CHECKING:
    from treebench.data.manifest import Layout

X = table()
Y = labels(X, "binary")


def plain(parameters: dict[str, Any]) -> Any:
    import lightgbm as lgb

    quiet = {"objective": "binary", "verbosity": -1, "num_threads": 1, **parameters}
    return lgb.train(quiet, lgb.Dataset(X[:, :1], label=Y, params=quiet), 1)


def test_131072_is_the_most_leaves_that_lightgbm_takes() -> None:
    import lightgbm as lgb

    assert plain({"num_leaves": MOST_LEAVES}).num_trees() == 1
    with pytest.raises(lgb.basic.LightGBMError, match="131072"):
        plain({"num_leaves": MOST_LEAVES + 1})


def test_goss_refuses_to_draw_rows_as_well() -> None:
    import lightgbm as lgb

    with pytest.raises(lgb.basic.LightGBMError, match="bagging in GOSS"):
        plain({"data_sample_strategy": "goss", "bagging_fraction": 0.5, "bagging_freq": 1})


def test_goss_trains_another_model() -> None:
    stated = {"n_estimators": 15, "learning_rate": 0.5}
    gbdt, goss = (
        train("lightgbm", small(boosting=way, **stated), X, Y) for way in ("gbdt", "goss")
    )
    assert not np.allclose(gbdt.predict(), goss.predict())


def test_the_dataset_is_binned_before_the_fit() -> None:
    of = problem()
    native = planned("lightgbm", small(), of).native
    dataset = TRAINERS["lightgbm"].construct(Part(X, Y, "dense-c", {}), native, of)
    assert dataset._handle is not None
    assert dataset.num_data() == 1500
    assert dataset.data is None, "the raw matrix is let go of"


@pytest.mark.parametrize("way", ["row-wise", "col-wise"])
def test_the_way_of_building_histograms_is_always_forced(way: str) -> None:
    trained = train("lightgbm", small(histogram=way), X, Y)
    effective = trained.trainer.effective(trained.model)
    assert (effective["force_row_wise"], effective["force_col_wise"]) == (
        ("1", "0") if way == "row-wise" else ("0", "1")
    )


def test_both_ways_of_building_histograms_grow_the_same_trees() -> None:
    rows, columns = (
        train("lightgbm", small(histogram=way), X, Y) for way in ("row-wise", "col-wise")
    )
    np.testing.assert_allclose(rows.predict(), columns.predict(), rtol=1e-6)


def test_the_shape_of_trees_without_a_split() -> None:
    constant = np.zeros_like(Y)
    shape = train("lightgbm", small(), X, constant, "regression").shape
    assert (shape.n_leaves, shape.max_depth) == (shape.n_trees, 0)


def test_min_samples_leaf_bounds_every_leaf() -> None:
    trained = train("lightgbm", small(min_samples_leaf=100, max_leaves=64), X, Y, "regression")
    leaf = trained.model.predict(X, pred_leaf=True)[:, 0]
    assert np.unique(leaf, return_counts=True)[1].min() >= 100


@pytest.mark.parametrize("layout", TRAINERS["lightgbm"].layouts)
def test_native_categories_in_every_layout(layout: Layout) -> None:
    """GIVEN labels that depend on the parity of a code THEN one split on categories suffices,
    where one on an order does not. Code 0 is an absent entry in the sparse layouts."""
    random = np.random.default_rng(3)
    codes = random.integers(0, 8, 4000).astype(np.float32)
    data = np.column_stack([random.normal(size=4000).astype(np.float32), codes])
    y = (codes % 2).astype(np.float32)
    stated = {"max_leaves": 2, "learning_rate": 0.5}
    native, ordinal = (
        train("lightgbm", small(**stated, categorical=way), data, y, "binary", layout, {1: 8})
        for way in ("native", "ordinal")
    )
    assert native.native["categorical_feature"] == [1]
    assert ((native.predict() > 0.5) == y).all()
    assert not ((ordinal.predict() > 0.5) == y).all()
    assert native.trainer.effective(native.model)["categorical_feature"] == "1"


def test_a_missing_category_is_taken() -> None:
    codes = np.random.default_rng(3).integers(0, 5, 3000).astype(np.float32)
    codes[::5] = np.nan
    data = np.column_stack([codes, codes])
    y = np.isnan(codes).astype(np.float32)
    stated = small(n_estimators=30, categorical="native", learning_rate=0.5)
    trained = train("lightgbm", stated, data, y, cardinalities={0: 5})
    assert ((trained.predict() > 0.5) == y).all()


def test_64_bit_indices_are_taken() -> None:
    trained = train("lightgbm", small(), X, Y, "binary", "csr")
    wide: Any = laid_out(X, "csr")
    wide.indices = wide.indices.astype(np.int64)
    wide.indptr = wide.indptr.astype(np.int64)
    again = trained.trainer.predict(trained.model, wide, trained.problem)
    np.testing.assert_array_equal(again, trained.predict())


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    train("lightgbm", small(), X, np.zeros_like(Y), "regression")
    assert capfd.readouterr() == ("", "")
