"""What XGBoost can and cannot do, tried on the installed library."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.trainers.problems import labels, laid_out, planned, problem, small, table, train
from treebench.data.matrix import Part
from treebench.trainers.registry import TRAINERS

if TYPE_CHECKING:
    from treebench.data.manifest import Layout

X = table()
Y = labels(X, "binary")
EXACT = {"objective": "binary:logistic", "tree_method": "exact", "nthread": 1}


def trees(parameters: dict[str, Any], container: Any) -> list[str]:
    import xgboost as xgb

    dump: list[str] = xgb.train(parameters, container, 3).get_dump()
    return dump


@pytest.mark.parametrize(
    "ignored",
    [{"max_bin": 4}, {"max_leaves": 4}, {"max_leaves": 4, "grow_policy": "lossguide"}],
)
def test_exact_ignores_bins_leaves_and_lossguide_in_silence(ignored: dict[str, Any]) -> None:
    import xgboost as xgb

    data = xgb.DMatrix(X, label=Y)
    assert trees({**EXACT, "max_depth": 4, **ignored}, data) == trees(
        {**EXACT, "max_depth": 4}, data
    )


@pytest.mark.parametrize("method", ["exact", "approx"])
def test_only_hist_takes_the_quantile_container(method: str) -> None:
    import xgboost as xgb

    data = xgb.QuantileDMatrix(X, label=Y)
    with pytest.raises(xgb.core.XGBoostError):
        trees({**EXACT, "tree_method": method}, data)


def test_exact_refuses_native_categories() -> None:
    import xgboost as xgb

    codes = np.abs(X.round()).astype(np.float32)
    kinds = ["c", "q", "q", "q", "q"]
    data = xgb.DMatrix(codes, label=Y, feature_types=kinds, enable_categorical=True)
    with pytest.raises(xgb.core.XGBoostError):
        trees(EXACT, data)


def test_xgboost_has_no_min_samples_leaf() -> None:
    import xgboost as xgb

    with pytest.warns(UserWarning, match="min_samples_leaf"):
        trees({**EXACT, "min_samples_leaf": 20}, xgb.DMatrix(X, label=Y))


@pytest.mark.parametrize("container", ["dmatrix", "quantile"])
def test_max_bin_reaches_the_bins(container: str) -> None:
    """GIVEN two bins THEN a column has at most one cut."""
    stated = small(max_bin=2, container=container, max_depth=6)
    dump = train("xgboost", stated, X, Y).model.booster.get_dump()
    cuts = {
        line.split("[")[1].split("]")[0]
        for tree in dump
        for line in tree.split("\n")[:-1]
        if "[" in line
    }
    assert len(cuts) == len({cut.split("<")[0] for cut in cuts})


def test_the_container_is_the_one_asked_for() -> None:
    import xgboost as xgb

    trainer = TRAINERS["xgboost"]
    for container, kind in (("dmatrix", xgb.DMatrix), ("quantile", xgb.QuantileDMatrix)):
        native = planned("xgboost", small(container=container), problem()).native
        assert type(trainer.construct(Part(X, Y, "dense-c", {}), native, problem())) is kind


def test_training_starts_from_the_mean_of_the_labels() -> None:
    """As LightGBM and scikit-learn do: XGBoost's base score is left to its own estimate."""
    config = json.loads(train("xgboost", small(), X, Y).model.booster.save_config())
    base = json.loads(config["learner"]["learner_model_param"]["base_score"])
    assert np.ravel(base)[0] == pytest.approx(Y.mean(), rel=1e-5)


@pytest.mark.parametrize("layout", TRAINERS["xgboost"].layouts)
@pytest.mark.parametrize("method", ["approx", "hist"])
def test_native_categories_in_every_layout(method: str, layout: Layout) -> None:
    """GIVEN labels that depend on the parity of a code THEN one split on categories suffices,
    where one on an order does not."""
    random = np.random.default_rng(3)
    codes = random.integers(1, 9, 2000).astype(np.float32)
    data = np.column_stack([random.normal(size=2000).astype(np.float32), codes])
    y = (codes % 2).astype(np.float32)
    stated = {"method": method, "max_leaves": 2, "learning_rate": 0.5}
    cardinalities = {1: 9}
    native, ordinal = (
        train("xgboost", small(**stated, categorical=way), data, y, "binary", layout, cardinalities)
        for way in ("native", "ordinal")
    )
    assert native.native["enable_categorical"]
    assert ((native.predict() > 0.5) == y).all()
    assert not ((ordinal.predict() > 0.5) == y).all()
    assert native.trainer.effective(native.model)["enable_categorical"]


def test_a_missing_category_is_taken() -> None:
    codes = np.random.default_rng(3).integers(0, 5, 500).astype(np.float32)
    codes[::5] = np.nan
    data = np.column_stack([codes, codes])
    y = np.isnan(codes).astype(np.float32)
    stated = small(categorical="native", max_depth=2)
    trained = train("xgboost", stated, data, y, cardinalities={0: 5})
    assert ((trained.predict() > 0.5) == y).all()


def test_pruned_nodes_are_not_counted() -> None:
    stated = small(method="exact", max_depth=6, extra={"gamma": 5.0})
    trained = train("xgboost", stated, X, Y)
    leaves = sum(tree.count("leaf=") for tree in trained.model.booster.get_dump())
    text = trained.model.booster.save_raw("json")
    assert (
        json.loads(text)["learner"]["gradient_booster"]["model"]["trees"][0]["tree_param"][
            "num_deleted"
        ]
        != "0"
    )
    assert trained.shape.n_leaves == leaves


def test_predicting_sparse_data_densely_would_be_another_answer() -> None:
    """Why `predict` keeps the layout (xgboost#5960): zeros are not missing."""
    zeros = table(zeros=0.5)
    y = (zeros[:, 0] == 0).astype(np.float32)
    trained = train("xgboost", small(max_leaves=2), zeros, y, "binary", "csr")
    dense = trained.trainer.predict(trained.model, zeros, trained.problem)
    assert ((trained.predict() > 0.5) == y).all()
    assert not ((dense > 0.5) == y).all()


def test_64_bit_indices_are_taken() -> None:
    trained = train("xgboost", small(), X, Y, "binary", "csr")
    wide: Any = laid_out(X, "csr")
    wide.indices = wide.indices.astype(np.int64)
    wide.indptr = wide.indptr.astype(np.int64)
    again = trained.trainer.predict(trained.model, wide, trained.problem)
    np.testing.assert_array_equal(again, trained.predict())
