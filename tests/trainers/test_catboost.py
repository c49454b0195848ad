from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from tests.trainers.problems import labels, planned, problem, small, table, train
from treebench import extras
from treebench.errors import ConfigError
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import Planned, Unsupported, resolve

TRAINER = TRAINERS["catboost"]
installed = pytest.mark.skipif(
    find_spec("catboost") is None, reason="catboost is not installed (the extra `catboost`)"
)


def resolved(**stated: Any) -> Planned | Unsupported:
    return resolve(TRAINER, small(**stated), problem())


def test_without_catboost_the_plan_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    found = resolved()
    assert isinstance(found, Unsupported)
    assert "catboost needs catboost, which is not installed: " in found.reason
    assert found.reason.endswith("-m pip install catboost")


@installed
@pytest.mark.parametrize(
    ("stated", "depth", "note"),
    [
        ({"max_depth": 5}, 5, None),
        ({"max_leaves": 32}, 5, None),
        ({"max_leaves": 31}, 5, "max_depth=5 instead, so 32 leaves at most"),
        ({}, 6, None),
    ],
)
def test_leaves_become_the_depth_that_has_room_for_them(
    stated: dict[str, Any], depth: int, note: str | None
) -> None:
    found = resolved(**stated)
    assert isinstance(found, Planned)
    assert found.native["depth"] == depth
    assert any(note in each for each in found.notes) if note else found.notes == ()


@installed
@pytest.mark.parametrize(
    ("stated", "reason"),
    [
        ({"max_depth": 17}, "to a depth of 16, not 17"),
        ({"min_samples_leaf": 5}, "have no such bound"),
        ({"min_child_weight": 100.0}, "has no such bound"),
        ({"colsample": 0.5}, "extra: {rsm: ...}"),
    ],
)
def test_what_it_cannot_do_is_unsupported(stated: dict[str, Any], reason: str) -> None:
    found = resolved(**stated)
    assert isinstance(found, Unsupported)
    assert reason in found.reason


@installed
def test_a_penalty_on_categories_is_added_to_that_on_all_leaves() -> None:
    found = resolved(reg_lambda=2.0, extra={"cat_l2": 8})
    assert isinstance(found, Planned)
    assert found.native["l2_leaf_reg"] == 10
    assert "cat_l2" not in found.native
    assert any("CatBoost's penalty on all leaves" in note for note in found.notes)


@installed
@pytest.mark.parametrize("name", ["depth", "eta", "grow_policy", "bootstrap_type", "max_bin"])
def test_a_second_spelling_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=rf"extra\.{name} is what"):
        resolved(extra={name: 1})


@installed
def test_a_name_that_catboost_does_not_know_is_refused_before_training() -> None:
    native = planned("catboost", small(extra={"nonsense": 1, "rsm": 0.5}), problem()).native
    with pytest.raises(ConfigError, match=r"extra\.nonsense is no parameter") as caught:
        TRAINER.refuse_unknown(native, problem())
    assert len(caught.value.problems) == 1


@installed
@pytest.mark.parametrize("layout", ["dense-c", "dense-f"])
def test_native_categories_separate_codes_that_have_no_order(layout: Any) -> None:
    """GIVEN labels that hang on a category whose codes alternate THEN native finds them at once."""
    random = np.random.default_rng(1)
    X = random.normal(size=(1500, 3)).astype(np.float32)
    X[:, 1] = random.integers(0, 40, 1500)
    y = (X[:, 1] % 2).astype(np.float32)
    X[::50, 1] = np.nan
    scores = {}
    for categorical in ("native", "ordinal"):
        stated = small(categorical=categorical, max_depth=2, n_estimators=5, learning_rate=0.5)
        trained = train("catboost", stated, X, y, layout=layout, cardinalities={1: 40})
        scores[categorical] = np.mean((trained.predict() > 0.5) == y)
        told = trained.trainer.effective(trained.model)["cat_features"]
        assert told == ([1] if categorical == "native" else [])
    assert scores["native"] > 0.95
    assert scores["ordinal"] < 0.8


@installed
def test_a_category_that_training_never_saw_can_be_predicted() -> None:
    X = table(300)
    X[:, 1] = np.arange(300) % 5
    trained = train(
        "catboost", small(categorical="native"), X, labels(X, "binary"), cardinalities={1: 5}
    )
    X[:10, 1] = np.nan
    predicted = trained.trainer.predict(trained.model, X, trained.problem)
    assert np.isfinite(predicted).all()


@installed
@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_the_clock_is_called_after_each_iteration_and_changes_nothing(task: Any) -> None:
    X = table()
    plain = train("catboost", small(), X, labels(X, task), task)
    calls: list[int] = []
    pool = plain.trainer.construct(_part(plain), plain.native, plain.problem)
    model = plain.trainer.fit_with_clock(pool, plain.native, plain.problem, lambda: calls.append(1))
    assert len(calls) == plain.trainer.iterations(model) == 6
    np.testing.assert_array_equal(plain.trainer.predict(model, X, plain.problem), plain.predict())


@installed
@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_stages_are_models_of_fewer_trees(task: Any) -> None:
    X = table()
    y = labels(X, task)
    whole = train("catboost", small(), X, y, task)
    stages = list(whole.trainer.staged(whole.model, X, whole.problem, [1, 4, 6]))
    np.testing.assert_array_equal(stages[-1], whole.predict())
    shorter = train("catboost", small(n_estimators=4), X, y, task)
    np.testing.assert_allclose(stages[1], shorter.predict(), rtol=1e-6)


@installed
def test_a_class_that_training_never_saw_has_a_column() -> None:
    X = table(300)
    y = (X[:, 0] > 0).astype(np.float32) * 2
    predicted = train("catboost", small(), X, y, "multiclass").predict()
    assert predicted.shape == (300, 3)
    assert predicted[:, 1].max() < 0.4


@installed
def test_nothing_is_written_beside_the_training(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    X = table()
    train("catboost", small(), X, labels(X, "binary")).predict()
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr().out == ""


def _part(trained: Any) -> Any:
    from treebench.data.matrix import Part

    return Part(trained.X, trained.y, "dense-c", {})
