"""What holds for every trainer, task and layout alike."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.trainers.problems import (
    IN_ONE_GO,
    N_CLASSES,
    TASKS,
    Trained,
    labels,
    small,
    table,
    train,
)
from treebench.data.manifest import LAYOUTS
from treebench.data.matrix import Part
from treebench.trainers.base import ModelShape
from treebench.trainers.effective import differences
from treebench.trainers.registry import TRAINERS

if TYPE_CHECKING:
    from treebench.data.manifest import Layout, Task

METHODS: dict[str, tuple[dict[str, Any], ...]] = {
    "xgboost": (
        {"method": "exact"},
        {"method": "approx"},
        {"method": "hist", "container": "dmatrix"},
        {"method": "hist", "container": "quantile"},
    ),
    "lightgbm": (
        {"histogram": "row-wise"},
        {"histogram": "col-wise"},
        {"boosting": "goss"},
    ),
}
WAYS = [(name, way) for name in IN_ONE_GO for way in METHODS.get(name, ({},))]
SPARSE_WAYS = [(name, way) for name, way in WAYS if "csr" in TRAINERS[name].layouts]
POINTS = [
    pytest.param(name, way, task, layout, id="-".join([name, *way.values(), task, layout]))
    for name, way in WAYS
    for task in TASKS
    for layout in TRAINERS[name].layouts
]


def accuracy_or_r2(trained: Trained) -> float:
    predicted = trained.predict()
    if trained.problem.task == "regression":
        return float(1 - np.var(predicted - trained.y) / np.var(trained.y))
    if trained.problem.task == "binary":
        return float(np.mean((predicted > 0.5) == trained.y))
    return float(np.mean(predicted.argmax(axis=1) == trained.y))


@pytest.mark.parametrize(("name", "way", "task", "layout"), POINTS)
def test_a_point_of_the_sweep(name: str, way: dict[str, Any], task: Task, layout: Layout) -> None:
    # No zeros, so that sparse layouts hold the same values whatever an absent entry means.
    X = table()
    y = labels(X, task)
    trained = train(name, small(max_leaves=12, learning_rate=0.5, **way), X, y, task, layout)

    predicted = trained.predict()
    assert predicted.shape == ((1500, 3) if task == "multiclass" else (1500,))
    assert np.isfinite(predicted).all()
    if task != "regression":
        assert predicted.min() >= 0
        assert predicted.max() <= 1
    if task == "multiclass":
        assert np.allclose(predicted.sum(axis=1), 1, atol=1e-5)
    assert accuracy_or_r2(trained) > 0.72

    effective = trained.trainer.effective(trained.model)
    assert set(trained.native) <= set(effective), "the model tells all that was asked for"
    assert differences(trained.native, effective) == {}
    assert json.loads(json.dumps(effective, allow_nan=False)) == effective
    assert trained.shape == own_count(trained)
    assert len(trained.trainer.dump(trained.model)) > 1000


def own_count(trained: Trained) -> Any:
    """The shape by the library's own means, other than those that the trainer uses."""
    model = trained.model
    if trained.trainer.name == "xgboost":
        trees = [tree.splitlines() for tree in model.booster.get_dump()]
        leaves = [line for tree in trees for line in tree if "leaf=" in line]
        # Each level of the text is indented by one more tab.
        depth = max(len(line) - len(line.lstrip("\t")) for line in leaves)
        return ModelShape(len(trees), len(leaves), depth)
    if trained.trainer.name == "lightgbm":
        infos = model.dump_model()["tree_info"]
        leaves = sum(info["num_leaves"] for info in infos)
        return ModelShape(model.num_trees(), leaves, max(map(depth_of, infos)))
    if trained.trainer.name == "catboost":
        return catboost_count(model)
    if trained.trainer.name == "sklearn-hist-gbdt":
        trees = [tree for one_round in model._predictors for tree in one_round]
        leaves = sum(tree.get_n_leaf_nodes() for tree in trees)
        return ModelShape(len(trees), leaves, max(tree.get_max_depth() for tree in trees))
    trees = np.ravel(getattr(model, "estimators_", [model])).tolist()
    leaves = sum(tree.get_n_leaves() for tree in trees)
    return ModelShape(len(trees), leaves, max(tree.get_depth() for tree in trees))


def catboost_count(model: Any) -> Any:
    """By the model as CatBoost writes it in JSON: a split for each level of a tree."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        trees = json.loads(path.read_text())["oblivious_trees"]
    depths = [len(tree.get("splits") or []) for tree in trees]
    return ModelShape(len(trees), sum(2**depth for depth in depths), max(depths))


def depth_of(info: dict[str, Any]) -> int:
    def below(node: dict[str, Any]) -> int:
        if "leaf_value" in node:
            return 0
        return 1 + max(below(node["left_child"]), below(node["right_child"]))

    return below(info["tree_structure"])


@pytest.mark.parametrize(("name", "way"), WAYS)
@pytest.mark.parametrize("task", TASKS)
def test_boosters_grow_one_tree_per_round_and_class(
    name: str, way: dict[str, Any], task: Task
) -> None:
    X = table()
    grown = train(name, small(max_leaves=4, **way), X, labels(X, task), task).shape
    boosts = name != "sklearn-tree" and "forest" not in name
    # A leaf of CatBoost's holds a value for each class.
    per_round = 3 if task == "multiclass" and boosts and name != "catboost" else 1
    assert grown.n_trees == (1 if name == "sklearn-tree" else 6 * per_round)


@pytest.mark.parametrize(("name", "way"), WAYS)
@pytest.mark.parametrize("zeros", [0.0, 0.6])
def test_both_dense_layouts_give_one_model(name: str, way: dict[str, Any], zeros: float) -> None:
    X = table(zeros=zeros)
    y = labels(X, "binary")
    c, f = (train(name, small(**way), X, y, "binary", layout) for layout in LAYOUTS[:2])
    np.testing.assert_array_equal(c.predict(), f.predict())
    assert c.shape == f.shape


@pytest.mark.parametrize(("name", "way"), SPARSE_WAYS)
@pytest.mark.parametrize("zeros", [0.0, 0.6])
def test_both_sparse_layouts_give_one_model(name: str, way: dict[str, Any], zeros: float) -> None:
    X = table(zeros=zeros)
    y = labels(X, "binary")
    csr, csc = (train(name, small(**way), X, y, "binary", layout) for layout in LAYOUTS[2:])
    np.testing.assert_allclose(csr.predict(), csc.predict(), rtol=1e-5)
    assert csr.shape == csc.shape


@pytest.mark.parametrize(("name", "way"), SPARSE_WAYS)
def test_an_absent_entry_is_what_the_trainer_says_it_is(name: str, way: dict[str, Any]) -> None:
    """GIVEN labels that say whether column 0 is zero THEN one split finds them in csr only where
    an absent entry is missing; where it is zero, csr gives the same model as dense data."""
    X = table(zeros=0.5)
    y = (X[:, 0] == 0).astype(np.float32)
    stump = small(n_estimators=1, max_leaves=2, **way)
    dense, csr = (train(name, stump, X, y, "binary", layout) for layout in ("dense-c", "csr"))
    assert accuracy_or_r2(dense) < 0.9
    if TRAINERS[name].sparse_meaning == "an absent entry is missing":
        assert accuracy_or_r2(csr) == 1
    else:
        np.testing.assert_allclose(csr.predict(), dense.predict(), rtol=1e-5)


@pytest.mark.parametrize(("name", "way"), SPARSE_WAYS)
def test_without_zeros_dense_and_sparse_give_one_model(name: str, way: dict[str, Any]) -> None:
    X = table()
    y = labels(X, "binary")
    dense, csr = (train(name, small(**way), X, y, "binary", lay) for lay in ("dense-c", "csr"))
    np.testing.assert_allclose(dense.predict(), csr.predict(), rtol=1e-4)


TAKES_NAN = [
    (name, way, layout)
    for name, way in WAYS
    if name != "sklearn-gbdt"
    for layout in TRAINERS[name].layouts
    if name in ("xgboost", "lightgbm") or layout in ("dense-c", "dense-f")
]


@pytest.mark.parametrize(("name", "way", "layout"), TAKES_NAN)
def test_missing_values_are_learned_from(name: str, way: dict[str, Any], layout: Layout) -> None:
    """GIVEN labels that say whether column 0 is missing THEN one split tells them apart."""
    X = table()
    X[::3, 0] = np.nan
    y = np.isnan(X[:, 0]).astype(np.float32)
    stated = small(n_estimators=20, max_leaves=2, learning_rate=0.5, **way)
    if "forest" in name:
        stated = small(max_leaves=4, extra={"max_features": 1.0})
    trained = train(name, stated, X, y, "binary", layout)
    assert accuracy_or_r2(trained) == 1


@pytest.mark.parametrize(("name", "way"), WAYS)
def test_one_seed_is_one_model_and_another_seed_another(name: str, way: dict[str, Any]) -> None:
    X = table()
    y = labels(X, "binary")
    draws = {"xgboost": {"subsample": 0.5}, "lightgbm": {"colsample": 0.5}}
    stated = {**way, **draws.get(name, {}), "max_leaves": 8}
    if name in ("sklearn-gbdt", "sklearn-tree"):
        stated["extra"] = {"max_features": 1}
    if name == "sklearn-hist-gbdt":
        stated["extra"] = {"max_features": 0.4}
    first, again, other = (
        train(name, small(**stated, seed=seed), X, y).predict() for seed in (1, 1, 2)
    )
    np.testing.assert_allclose(first, again, rtol=1e-6)
    assert not np.allclose(first, other)


@pytest.mark.parametrize(("name", "way"), WAYS)
def test_two_threads_reach_the_library_and_give_the_same_model(
    name: str, way: dict[str, Any]
) -> None:
    X = table()
    y = labels(X, "binary")
    one, two = (train(name, small(threads=threads, **way), X, y) for threads in (1, 2))
    np.testing.assert_allclose(one.predict(), two.predict(), rtol=1e-4)
    for spelling in {"nthread", "num_threads", "n_jobs"} & set(two.native):
        assert str(two.trainer.effective(two.model)[spelling]) == "2"


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(("name", "way"), WAYS)
def test_the_warm_up_data_can_be_trained_on(name: str, way: dict[str, Any], task: Task) -> None:
    """64 rows of 4 random features with random labels, in every layout, with the categories of
    the real data as far as 4 columns go."""
    random = np.random.default_rng(0)
    X = random.normal(size=(64, 4)).astype(np.float32)
    k = N_CLASSES[task]
    y = random.integers(0, k, 64).astype(np.float32) if k else X[:, 0].copy()
    for layout in TRAINERS[name].layouts:
        trained = train(name, small(n_estimators=2, **way), X, y, task, layout)
        assert len(trained.predict()) == 64
        assert trained.shape.n_trees >= 1


def test_a_class_that_training_never_saw_has_probability_zero() -> None:
    X = table(300)
    y = (X[:, 0] > 0).astype(np.float32) * 2
    for name in ("sklearn-hist-gbdt", "sklearn-gbdt", "sklearn-tree", "sklearn-forest"):
        predicted = train(name, small(), X, y, "multiclass").predict()
        assert predicted.shape == (300, 3)
        assert not predicted[:, 1].any()
        assert np.mean(predicted.argmax(axis=1) == y) > 0.95


@pytest.mark.parametrize("name", IN_ONE_GO)
def test_predicting_other_rows_of_the_same_width(name: str) -> None:
    X = table()
    trained = train(name, small(), X, labels(X, "binary"))
    few = trained.trainer.predict(trained.model, X[:10].copy(), trained.problem)
    np.testing.assert_array_equal(few, trained.predict()[:10])


@pytest.mark.parametrize("name", IN_ONE_GO)
def test_construct_leaves_the_data_as_it_was(name: str) -> None:
    X = table()
    y = labels(X, "binary")
    before = (X.copy(), y.copy())
    train(name, small(), X, y)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])
    assert Part(X, y, "dense-c", {}).data_bytes == X.nbytes
