from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.trainers.problems import IN_ONE_GO, labels, planned, problem, small, table, train
from treebench.trainers import capacity
from treebench.trainers.parameters import Params
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import Unsupported, resolve

BOOSTERS = ("xgboost", "lightgbm", "sklearn-hist-gbdt", "sklearn-gbdt")


def native(name: str, **stated: Any) -> dict[str, Any]:
    return planned(name, Params(**stated), problem()).native


@pytest.mark.parametrize(
    ("leaves", "depth"), [(2, 1), (3, 2), (4, 2), (5, 3), (63, 6), (64, 6), (65, 7), (131072, 17)]
)
def test_the_shallowest_depth_with_room_for_the_leaves(leaves: int, depth: int) -> None:
    assert capacity.depth_for_leaves(leaves) == depth
    assert 2 ** (depth - 1) < leaves <= 2**depth


def test_depth_alone_means_two_to_the_depth_leaves_everywhere() -> None:
    assert native("lightgbm", max_depth=10)["num_leaves"] == 1024
    assert native("lightgbm", max_depth=10)["max_depth"] == 10
    assert native("xgboost", max_depth=10)["grow_policy"] == "depthwise"
    assert native("xgboost", max_depth=10)["max_leaves"] == 0
    for name in ("sklearn-hist-gbdt", "sklearn-gbdt", "sklearn-tree", "sklearn-forest"):
        assert native(name, max_depth=10)["max_depth"] == 10
        assert native(name, max_depth=10)["max_leaf_nodes"] is None


def test_leaves_alone_leave_depth_unlimited() -> None:
    xgboost = native("xgboost", max_leaves=63)
    assert (xgboost["grow_policy"], xgboost["max_depth"], xgboost["max_leaves"]) == (
        "lossguide",
        0,
        63,
    )
    assert native("lightgbm", max_leaves=63)["num_leaves"] == 63
    assert native("lightgbm", max_leaves=63)["max_depth"] == -1
    for name in ("sklearn-hist-gbdt", "sklearn-gbdt", "sklearn-tree", "sklearn-forest"):
        assert native(name, max_leaves=63)["max_leaf_nodes"] == 63
        assert native(name, max_leaves=63)["max_depth"] is None


def test_exact_turns_leaves_into_a_depth_and_says_so() -> None:
    plan = planned("xgboost", Params(method="exact", max_leaves=63), problem())
    assert plan.native["max_depth"] == 6
    assert "max_leaves" not in plan.native
    assert plan.notes == (
        "there is no max_leaves here: max_depth=6 instead, so 64 leaves at most "
        "for the 63 asked for",
    )


def test_exact_says_nothing_where_depth_and_leaves_agree() -> None:
    assert planned("xgboost", Params(method="exact", max_leaves=64), problem()).notes == ()


@pytest.mark.parametrize(("max_depth", "expected"), [(4, 4), (9, 6)])
def test_exact_with_both_takes_the_smaller_depth(max_depth: int, expected: int) -> None:
    both = Params(method="exact", max_leaves=63, max_depth=max_depth)
    assert planned("xgboost", both, problem()).native["max_depth"] == expected


@pytest.mark.parametrize("name", BOOSTERS)
def test_boosters_without_a_limit_get_depth_six_and_state_it(name: str) -> None:
    plan = planned(name, Params(), problem())
    assert plan.params["max_depth"] == 6
    assert plan.native["max_depth"] == 6
    assert plan == planned(name, Params(max_depth=6), problem())


@pytest.mark.parametrize("name", ["sklearn-tree", "sklearn-forest"])
def test_trees_and_forests_without_a_limit_have_none_and_say_so(name: str) -> None:
    plan = planned(name, Params(), problem())
    assert (plan.native["max_depth"], plan.native["max_leaf_nodes"]) == (None, None)
    assert "no limit was stated" in plan.notes[0]


@pytest.mark.parametrize("max_depth", [18, 1000])
def test_lightgbm_has_no_room_for_more_than_131072_leaves(max_depth: int) -> None:
    lightgbm = TRAINERS["lightgbm"]
    refused = resolve(lightgbm, Params(max_depth=max_depth), problem())
    assert isinstance(refused, Unsupported)
    assert "131,072 at most" in refused.reason
    assert planned("lightgbm", Params(max_depth=17), problem()).native["num_leaves"] == 131072
    assert planned("lightgbm", Params(max_depth=18, max_leaves=255), problem())


@pytest.mark.parametrize("name", IN_ONE_GO)
@pytest.mark.parametrize("max_leaves", [2, 7, 20])
def test_trees_fill_the_leaves_asked_for_and_no_more(name: str, max_leaves: int) -> None:
    X = table()
    grown = train(name, small(max_leaves=max_leaves), X, labels(X, "binary")).shape
    # Symmetric trees have a power of two.
    room = 2 ** capacity.depth_for_leaves(max_leaves) if name == "catboost" else max_leaves
    assert grown.n_leaves == room * grown.n_trees


@pytest.mark.parametrize("method", ["exact", "approx", "hist"])
def test_every_method_of_xgboost_keeps_to_both_limits(method: str) -> None:
    X = table()
    grown = train(
        "xgboost", small(method=method, max_leaves=6, max_depth=3), X, labels(X, "binary")
    )
    room = 8 if method == "exact" else 6
    assert grown.shape.n_leaves == room * grown.shape.n_trees
    assert grown.shape.max_depth == 3


@pytest.mark.parametrize("name", IN_ONE_GO)
@pytest.mark.parametrize("max_depth", [1, 4])
def test_trees_reach_the_depth_asked_for_and_no_deeper(name: str, max_depth: int) -> None:
    X = table()
    grown = train(name, small(max_depth=max_depth), X, labels(X, "binary")).shape
    assert grown.max_depth == max_depth
    assert grown.n_leaves <= 2**max_depth * grown.n_trees


@pytest.mark.parametrize("name", IN_ONE_GO)
def test_depth_ten_has_room_for_1024_leaves_in_every_library(name: str) -> None:
    # The target is the number that ten bits spell: only a full tree can tell all apart, and every
    # bit not yet used gains something at every node.
    patterns = np.arange(1024)
    X = np.repeat((patterns[:, None] >> np.arange(10)) & 1, 8, axis=0).astype(np.float32)
    y = np.repeat(patterns, 8).astype(np.float32)
    one_tree: dict[str, Any] = {"n_estimators": 1, "max_depth": 10, "min_child_weight": 1e-3}
    if "forest" in name:
        # A bootstrap draws every pattern at least once only by chance.
        one_tree |= {"extra": {"bootstrap": False}}
    if name == "catboost":
        # Its noise on the scores of splits can end a tree early.
        one_tree |= {"extra": {"random_strength": 0}}
    grown = train(name, small(**one_tree), X, y, "regression")
    assert (grown.shape.n_leaves, grown.shape.max_depth) == (1024, 10)
    assert len(np.unique(grown.predict())) == 1024


def test_lightgbm_left_alone_has_31_leaves_at_any_depth() -> None:
    """GIVEN max_depth=10 alone THEN LightGBM stops at 31 leaves, which is why `native` does not
    leave it alone (LightGBM#2898)."""
    import lightgbm as lgb

    X = table()
    y = labels(X, "regression")
    parameters = {"max_depth": 10, "verbosity": -1, "num_threads": 2, "min_data_in_leaf": 1}
    booster = lgb.train({**parameters, "objective": "regression"}, lgb.Dataset(X, label=y), 1)
    assert TRAINERS["lightgbm"].shape(booster).n_leaves == 31
