"""What scikit-learn's trees can and cannot do, tried on the installed library."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from tests.trainers.problems import labels, laid_out, planned, problem, small, table, train
from treebench.errors import DataError
from treebench.trainers.parameters import PARAMETERS, Params
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import Unsupported, resolve

X = table()
Y = labels(X, "binary")
SKLEARN = [name for name in TRAINERS if name.startswith("sklearn")]
EXACT = [name for name in SKLEARN if name != "sklearn-hist-gbdt"]


def estimator(name: str, **arguments: Any) -> Any:
    trainer: Any = TRAINERS[name]
    return trainer.estimator_class("binary")(**arguments)


@pytest.mark.parametrize("layout", ["csr", "csc"])
def test_hist_gbdt_refuses_sparse_data(layout: Any) -> None:
    with pytest.raises(TypeError, match="dense data is required"):
        estimator("sklearn-hist-gbdt").fit(laid_out(X, layout), Y)


def test_hist_gbdt_refuses_256_bins() -> None:
    with pytest.raises(ValueError, match="max_bins"):
        estimator("sklearn-hist-gbdt", max_bins=256).fit(X, Y)


def without_value(position: int) -> NDArray[np.float32]:
    emptied = X.copy()
    emptied[:, position] = np.nan
    return emptied


def test_hist_gbdt_refuses_what_has_nothing_to_bin() -> None:
    names = ("b", "d", "e", "g", "h")
    of = replace(problem(), has_missing=True, numbers_without_value=names)
    resolved = resolve(TRAINERS["sklearn-hist-gbdt"], Params(), of)
    assert isinstance(resolved, Unsupported)
    assert resolved.reason.startswith(
        "sklearn-hist-gbdt cannot bin a column without a value, and these training rows have none "
        "in b, d, e and 2 more; "
    )


@pytest.mark.parametrize("name", ["xgboost", "lightgbm", "sklearn-tree", "sklearn-forest"])
def test_others_train_with_a_column_that_has_no_value(name: str) -> None:
    trained = train(name, small(), without_value(1), Y)
    assert trained.shape.n_leaves > 1
    assert ((trained.predict() > 0.5) == Y).mean() > 0.8


def test_hist_gbdt_cannot_have_one() -> None:
    """Should scikit-learn learn to, the refusal is to go."""
    with pytest.raises(ValueError, match="window shape"):
        train("sklearn-hist-gbdt", small(), without_value(1), Y)


def test_hist_gbdt_refuses_more_categories_than_bins() -> None:
    data = X.copy()
    data[:, 0] = np.arange(1500) % 11
    with pytest.raises(ValueError, match="cardinality"):
        estimator("sklearn-hist-gbdt", max_bins=10, categorical_features=[0]).fit(data, Y)


def test_hist_gbdt_has_the_matched_bound_on_hessians_built_in() -> None:
    from sklearn.ensemble._hist_gradient_boosting.grower import TreeGrower

    built_in = inspect.signature(TreeGrower).parameters["min_hessian_to_split"].default
    assert built_in == PARAMETERS["min_child_weight"].default


ABSENT = {
    "sklearn-hist-gbdt": ("subsample", "min_child_weight", "n_jobs", "colsample_bytree"),
    "sklearn-gbdt": (
        "reg_lambda",
        "min_child_weight",
        "max_bins",
        "n_jobs",
        "categorical_features",
    ),
    "sklearn-tree": ("subsample", "max_samples", "max_bins", "n_jobs", "categorical_features"),
    "sklearn-forest": ("learning_rate", "reg_lambda", "max_bins", "categorical_features"),
}


@pytest.mark.parametrize(("name", "argument"), [(n, a) for n in ABSENT for a in ABSENT[n]])
def test_what_is_said_not_to_exist_does_not(name: str, argument: str) -> None:
    with pytest.raises(TypeError, match=argument):
        estimator(name, **{argument: 1})


def test_early_stopping_is_off_above_ten_thousand_rows() -> None:
    """GIVEN noise, on which boosting soon stops by itself, THEN all rounds are run all the same."""
    noise = np.random.default_rng(0)
    many = noise.normal(size=(10_500, 2)).astype(np.float32)
    y = noise.integers(0, 2, 10_500).astype(np.float32)
    left_alone = estimator("sklearn-hist-gbdt", max_iter=30, random_state=0)
    with threadpool_limits(1):
        left_alone.fit(many, y)
    assert left_alone.n_iter_ < 30

    trained = train("sklearn-hist-gbdt", small(n_estimators=30), many, y)
    assert trained.shape.n_trees == 30
    assert trained.trainer.effective(trained.model)["max_iter"] == 30


@pytest.mark.parametrize(
    ("name", "stop"),
    [
        ("sklearn-hist-gbdt", {"early_stopping": True, "n_iter_no_change": 2}),
        ("sklearn-gbdt", {"n_iter_no_change": 2}),
    ],
)
def test_early_stopping_that_was_asked_for_is_no_difference(name: str, stop: Any) -> None:
    from treebench.trainers.effective import differences

    y = np.random.default_rng(0).integers(0, 2, 1500).astype(np.float32)
    trained = train(name, small(n_estimators=60, extra=stop), X, y)
    assert trained.shape.n_trees < 60
    assert differences(trained.native, trained.trainer.effective(trained.model)) == {}


def test_fewer_rounds_than_asked_for_would_be_a_difference() -> None:
    """GIVEN a model stopped early against our wish THEN reading back shows it."""
    from treebench.trainers.effective import differences

    y = np.random.default_rng(0).integers(0, 2, 1500).astype(np.float32)
    stopped = estimator(
        "sklearn-hist-gbdt", max_iter=60, early_stopping=True, n_iter_no_change=2
    ).fit(X, y)
    stopped.early_stopping = False
    effective = TRAINERS["sklearn-hist-gbdt"].effective(stopped)
    assert differences({"max_iter": 60}, effective) == {"max_iter": (60, stopped.n_iter_)}


@pytest.mark.parametrize("layout", ["dense-c", "dense-f", "csr", "csc"])
@pytest.mark.parametrize("name", EXACT)
def test_missing_values_are_refused_with_a_remedy_where_they_are_not_taken(
    name: str, layout: Any
) -> None:
    data = X.copy()
    data[::7, 2] = np.nan
    if name != "sklearn-gbdt" and layout.startswith("dense"):
        assert train(name, small(), data, Y, "binary", layout)
        return
    kind = "sparse data" if layout.startswith("cs") else "data"
    with pytest.raises(DataError, match=rf"{name} takes no missing values \(NaN\) in {kind}"):
        train(name, small(), data, Y, "binary", layout)


def test_missing_values_in_the_test_part_are_refused_with_a_remedy() -> None:
    trained = train("sklearn-gbdt", small(), X, Y)
    data = X.copy()
    data[3, 3] = np.nan
    with pytest.raises(DataError, match="a category that was not in the training part counts"):
        trained.trainer.predict(trained.model, data, trained.problem)


@pytest.mark.parametrize("name", ["sklearn-tree", "sklearn-forest", "sklearn-gbdt"])
def test_64_bit_indices_are_refused_with_a_remedy_or_taken(name: str) -> None:
    from treebench.data.matrix import Part

    wide: Any = laid_out(X, "csc")
    wide.indices = wide.indices.astype(np.int64)
    wide.indptr = wide.indptr.astype(np.int64)
    of = problem(layout="csc")
    trainer = TRAINERS[name]
    native = planned(name, small(), of).native
    container = trainer.construct(Part(wide, Y, "csc", {}), native, of)
    with pytest.raises(DataError, match="32-bit indices only"):
        trainer.fit(container, native, of)


def test_another_value_error_keeps_its_own_words() -> None:
    with pytest.raises(ValueError, match="max_features"):
        train("sklearn-forest", small(extra={"max_features": -3}), X, Y)


def test_native_categories_of_hist_gbdt() -> None:
    random = np.random.default_rng(3)
    codes = random.integers(0, 8, 2000).astype(np.float32)
    data = np.column_stack([random.normal(size=2000).astype(np.float32), codes])
    y = (codes % 2).astype(np.float32)
    stated = {"max_leaves": 2, "learning_rate": 0.5}
    native, ordinal = (
        train("sklearn-hist-gbdt", small(**stated, categorical=way), data, y, cardinalities={1: 8})
        for way in ("native", "ordinal")
    )
    assert native.native["categorical_features"] == [1]
    assert ((native.predict() > 0.5) == y).all()
    assert not ((ordinal.predict() > 0.5) == y).all()


def test_missing_and_unseen_categories_of_hist_gbdt() -> None:
    codes = np.random.default_rng(3).integers(0, 5, 1000).astype(np.float32)
    codes[::5] = np.nan
    data = np.column_stack([codes, codes])
    y = np.isnan(codes).astype(np.float32)
    stated = small(n_estimators=20, categorical="native", learning_rate=0.5)
    trained = train("sklearn-hist-gbdt", stated, data, y, cardinalities={0: 7})
    assert ((trained.predict() > 0.5) == y).all()
    unseen = np.full((4, 2), 6, np.float32)
    assert len(trained.trainer.predict(trained.model, unseen, trained.problem)) == 4


def test_a_forest_draws_the_share_of_rows_asked_for() -> None:
    trained = train("sklearn-forest", small(subsample=0.25), X, Y)
    drawn = trained.model.estimators_[0].tree_.weighted_n_node_samples[0]
    assert drawn == 0.25 * 1500


@pytest.mark.parametrize(
    ("task", "expected"), [("binary", "sqrt"), ("multiclass", "sqrt"), ("regression", 1.0)]
)
def test_a_forest_keeps_its_customary_share_of_features_per_split(task: Any, expected: Any) -> None:
    assert planned("sklearn-forest", small(), problem(task)).native["max_features"] == expected


@pytest.mark.parametrize("name", SKLEARN)
def test_min_samples_leaf_bounds_every_leaf(name: str) -> None:
    stated = small(n_estimators=1, min_samples_leaf=200, max_leaves=64)
    shape = train(name, stated, X, labels(X, "regression"), "regression").shape
    assert 2 <= shape.n_leaves <= 1500 // 200
