from __future__ import annotations

from typing import Any

import pytest

from tests.trainers.problems import IN_ONE_GO, labels, planned, problem, small, table, train
from treebench.errors import ConfigError
from treebench.trainers import lightgbm, xgboost
from treebench.trainers.effective import differences
from treebench.trainers.parameters import Params
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import resolve
from treebench.trainers.xgboost_model import configuration

OWN: dict[str, dict[str, Any]] = {
    "xgboost": {"max_delta_step": 1.5},
    "lightgbm": {"min_data_in_bin": 5},
    "catboost": {"random_strength": 0.5},
    "sklearn-hist-gbdt": {"max_features": 0.5},
    "sklearn-gbdt": {"max_features": "sqrt"},
    "sklearn-tree": {"splitter": "random"},
    "sklearn-forest": {"bootstrap": False},
    "loky-forest-pickled": {"bootstrap": False},
    "loky-forest-memmap": {"bootstrap": False},
    "multiprocessing-forest": {"bootstrap": False},
}


@pytest.mark.parametrize("name", IN_ONE_GO)
def test_extra_reaches_the_library_and_is_read_back(name: str) -> None:
    X = table()
    trained = train(name, small(extra=OWN[name]), X, labels(X, "binary"))
    (key, value), *_ = OWN[name].items()
    assert trained.native[key] == value
    effective = trained.trainer.effective(trained.model)
    assert str(effective[key]) == str(value)


@pytest.mark.parametrize(
    ("name", "extra"),
    [
        ("xgboost", {"monotone_constraints": [1, 0, 0, 0, -1]}),
        ("xgboost", {"interaction_constraints": "[[0, 1], [2, 3, 4]]"}),
        ("lightgbm", {"monotone_constraints": [1, 0, 0, 0, -1]}),
        ("lightgbm", {"interaction_constraints": [[0, 1], [2, 3, 4]]}),
        ("sklearn-hist-gbdt", {"monotonic_cst": [1, 0, 0, 0, -1]}),
    ],
)
def test_lists_of_a_config_reach_the_library(name: str, extra: dict[str, Any]) -> None:
    X = table()
    trained = train(name, small(extra=extra), X, labels(X, "binary"))
    effective = trained.trainer.effective(trained.model)
    (key,) = extra
    assert effective[key]
    assert differences(trained.native, effective) == {}


@pytest.mark.parametrize("name", IN_ONE_GO)
def test_unknown_names_are_refused_before_any_training(name: str) -> None:
    X = table()
    with pytest.raises(ConfigError, match=r"extra\.max_lefs is no parameter that .* uses here"):
        train(name, small(extra={"max_lefs": 3}), X, labels(X, "binary"))


@pytest.mark.parametrize("name", ["xgboost", "lightgbm"])
def test_all_unknown_names_are_listed(name: str) -> None:
    X = table()
    with pytest.raises(ConfigError) as caught:
        train(name, small(extra={"foo": 1, "bar": 2, **OWN[name]}), X, labels(X, "binary"))
    assert sorted(problem.split()[0] for problem in caught.value.problems) == [
        "extra.bar",
        "extra.foo",
    ]


def test_xgboost_refuses_what_its_method_would_ignore() -> None:
    X = table()
    y = labels(X, "binary")
    cached = {"max_cached_hist_node": 8}
    assert train("xgboost", small(method="hist", extra=cached), X, y)
    with pytest.raises(ConfigError, match=r"extra\.max_cached_hist_node is no parameter"):
        train("xgboost", small(method="exact", extra=cached), X, y)


@pytest.mark.parametrize(
    ("name", "extra", "key"),
    [
        ("xgboost", {"eta": 0.3}, "learning_rate"),
        ("xgboost", {"max_leaves": 31}, "max_leaves"),
        ("xgboost", {"n_jobs": 8}, "threads"),
        ("lightgbm", {"num_leaves": 31}, "max_leaves"),
        ("lightgbm", {"n_estimators": 31}, "n_estimators"),
        ("lightgbm", {"force_row_wise": True}, "histogram"),
        ("sklearn-hist-gbdt", {"max_iter": 3}, "n_estimators"),
        ("sklearn-gbdt", {"random_state": 3}, "seed"),
        ("sklearn-tree", {"max_leaf_nodes": 3}, "max_leaves"),
        ("sklearn-forest", {"n_jobs": 3}, "n_jobs"),
    ],
)
def test_a_second_spelling_of_a_canonical_parameter_is_refused(
    name: str, extra: dict[str, Any], key: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        resolve(TRAINERS[name], Params(extra=extra), problem())
    (spelling,) = extra
    assert str(caught.value) == f"extra.{spelling} is what {key} says; state {key} instead"


def test_every_alias_of_lightgbm_is_known_as_a_spelling() -> None:
    from lightgbm.basic import _ConfigAliases

    aliases = _ConfigAliases._get_all_param_aliases()
    for names in lightgbm._SPELLINGS.values():
        spelled = set(names.split())
        assert spelled == set().union(*(aliases[main] for main in spelled & set(aliases)))


def test_every_spelling_of_xgboost_is_one_that_it_takes() -> None:
    """GIVEN a spelling alone THEN XGBoost's configuration changes under the main name."""
    import xgboost as xgb

    by_key: dict[str, set[str]] = {}
    arguments = {"num_boost_round", "container", "enable_categorical"}
    for spelling, key in xgboost._CANONICAL.items():
        if spelling not in arguments | {"tree_method"}:
            value = "0.25" if key in ("learning_rate", "subsample", "colsample") else "3"
            values = configuration(xgb.Booster({"num_feature": 1, spelling: value}))
            by_key.setdefault(key, set()).add(str(values[spelling]))
    assert all(values in ({"0.25"}, {"3"}) for values in by_key.values()), by_key


@pytest.mark.parametrize("task", ["binary", "regression"])
@pytest.mark.parametrize("name", [name for name in TRAINERS if name.startswith("sklearn")])
def test_native_names_are_constructor_arguments_of_scikit_learn(name: str, task: Any) -> None:
    import inspect

    trainer: Any = TRAINERS[name]
    allowed = set(inspect.signature(trainer.estimator_class(task)).parameters)
    assert set(planned(name, Params(), problem(task)).native) <= allowed
