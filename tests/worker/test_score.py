"""Scores on known answers, and against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from treebench.worker.score import UnusablePredictionsError, auc, scores


def test_perfect_reversed_and_constant() -> None:
    y = np.array([0, 0, 1, 1], dtype=np.float32)
    assert auc(y, np.array([0.1, 0.2, 0.3, 0.4])) == 1.0
    assert auc(y, np.array([0.4, 0.3, 0.2, 0.1])) == 0.0
    assert auc(y, np.full(4, 0.5)) == 0.5
    assert auc(np.ones(3), np.array([0.1, 0.2, 0.3])) is None


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=60))
def test_auc_with_ties_is_scikit_learns(pairs: list[tuple[bool, int]]) -> None:
    y = np.array([float(label) for label, _ in pairs])
    predicted = np.array([value / 5 for _, value in pairs])
    if len(set(y)) == 2:
        assert auc(y, predicted) == pytest.approx(metrics.roc_auc_score(y, predicted), abs=1e-12)


def test_binary_and_multiclass_and_regression_are_scikit_learns() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200).astype(np.float32)
    p = rng.random(200)
    found = scores("binary", y, p)
    assert found["logloss"] == pytest.approx(metrics.log_loss(y, p))
    assert found["accuracy"] == metrics.accuracy_score(y, p > 0.5)

    classes = rng.integers(0, 3, 200).astype(np.float32)
    table = rng.dirichlet([1, 1, 1], 200)
    found = scores("multiclass", classes, table)
    assert found["logloss"] == pytest.approx(metrics.log_loss(classes, table))
    assert found["accuracy"] == metrics.accuracy_score(classes, table.argmax(axis=1))

    target, guess = rng.normal(size=200), rng.normal(size=200)
    found = scores("regression", target, guess)
    assert found["rmse"] == pytest.approx(metrics.root_mean_squared_error(target, guess))
    assert found["mae"] == pytest.approx(metrics.mean_absolute_error(target, guess))
    assert found["r2"] == pytest.approx(metrics.r2_score(target, guess))


def test_a_score_that_the_labels_do_not_define_is_left_out() -> None:
    assert "auc" not in scores("binary", np.zeros(3), np.array([0.1, 0.2, 0.3]))
    assert "r2" not in scores("regression", np.ones(3), np.array([0.1, 0.2, 0.3]))


@pytest.mark.parametrize("bad", [[0.1, np.nan], [0.1, np.inf], [0.1]])
def test_predictions_that_are_no_numbers_are_refused(bad: list[float]) -> None:
    with pytest.raises(UnusablePredictionsError):
        scores("binary", np.array([0.0, 1.0]), np.array(bad))
