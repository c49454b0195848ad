from __future__ import annotations

from typing import Any

import pytest

from tests.trainers.problems import labels, planned, problem, small, table, train
from treebench.trainers.early_stopping import ON_A_SET_OF_ITS_OWN
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import Unsupported, resolve


def estimator(name: str, **arguments: Any) -> Any:
    trainer: Any = TRAINERS[name]
    return trainer.estimator_class("binary")(**arguments)


def refused(name: str, of: Any, **extra: Any) -> str:
    resolved = resolve(TRAINERS[name], small(extra=extra), of)
    assert isinstance(resolved, Unsupported), resolved
    return resolved.reason


@pytest.mark.parametrize(
    ("name", "extra"),
    [
        ("xgboost", {"early_stopping_rounds": 5}),
        ("lightgbm", {"early_stopping_round": 5}),
        ("lightgbm", {"n_iter_no_change": 5}),
        ("catboost", {"early_stopping_rounds": 5}),
        ("catboost", {"use_best_model": True}),
    ],
)
def test_stopping_by_a_set_that_nobody_gives_is_unsupported(
    name: str, extra: dict[str, Any]
) -> None:
    planned(name, small(), problem())
    reason = refused(name, problem(), **extra)
    assert reason.startswith(f"{name} stops early (extra.{next(iter(extra))}) by a validation set")
    assert "curve: true and validation: 0.2" in reason


def test_what_is_off_is_no_early_stopping() -> None:
    assert planned("lightgbm", small(extra={"early_stopping_round": 0}), problem())
    X = table()
    assert train("lightgbm", small(extra={"early_stopping_round": -1}), X, labels(X, "binary"))


def test_every_name_of_lightgbm_for_it_is_known() -> None:
    from lightgbm.basic import _ConfigAliases

    aliases = _ConfigAliases._get_all_param_aliases()
    assert set(ON_A_SET_OF_ITS_OWN["lightgbm"]) == set(aliases["early_stopping_round"])


def test_lightgbm_stops_by_nothing_here() -> None:
    """GIVEN no validation set WHEN LightGBM is asked to stop early THEN it ends the training, so
    that the plan is right to call it unsupported."""
    import lightgbm as lgb

    X = table()
    data = lgb.Dataset(X, label=labels(X, "binary"))
    with pytest.raises(ValueError, match="at least one dataset and eval metric is required"):
        lgb.train({"early_stopping_round": 2, "verbosity": -1}, data, 3)


@pytest.mark.parametrize(
    ("name", "extra", "held"),
    [
        ("sklearn-hist-gbdt", {"early_stopping": True}, 2),
        ("sklearn-hist-gbdt", {"early_stopping": True, "validation_fraction": 0.9}, 18),
        ("sklearn-gbdt", {"n_iter_no_change": 3}, 2),
    ],
)
def test_rows_held_out_must_be_able_to_hold_each_class(
    name: str, extra: dict[str, Any], held: int
) -> None:
    few = problem("multiclass", n_rows=20)
    assert f"{name} holds out {held} of 20 rows to stop early by" in refused(name, few, **extra)
    assert planned(name, small(extra=extra), problem("multiclass", n_rows=1500))
    assert planned(name, small(extra=extra), problem("regression", n_rows=20))


def test_rows_held_out_may_be_a_number() -> None:
    """GIVEN two rows for three classes THEN it is refused, as scikit-learn refuses it."""
    two = {"early_stopping": True, "validation_fraction": 2}
    assert "holds out 2 of 1,500 rows" in refused("sklearn-hist-gbdt", problem("multiclass"), **two)
    assert planned("sklearn-hist-gbdt", small(extra=two), problem("binary"))
    X = table()
    with pytest.raises(ValueError, match="greater or equal to the number of classes"):
        estimator("sklearn-hist-gbdt", **two).fit(X, labels(X, "multiclass"))


def test_stopping_by_the_training_part_needs_no_rows_held_out() -> None:
    few = problem("multiclass", n_rows=20)
    on_training = {"early_stopping": True, "validation_fraction": None}
    assert planned("sklearn-hist-gbdt", small(extra=on_training), few)
    assert planned("sklearn-hist-gbdt", small(extra={"early_stopping": "auto"}), few)
