"""How good the predictions on the test part are. Numpy alone, so that a worker imports little."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treebench.data.manifest import Task

_SMALLEST_PROBABILITY = 1e-15


class UnusablePredictionsError(Exception):
    """The model's predictions are not numbers, or not one per row."""


def scores(task: Task, y: NDArray[Any], predictions: NDArray[Any]) -> dict[str, float]:
    """Scores by name. Binary: auc, logloss, accuracy. Multiclass: accuracy, logloss.
    Regression: rmse, mae, r2. A score that the labels do not define is left out.

    Args:
        task: what was learnt.
        y: shape (rows,): class codes, or the target.
        predictions: as `Trainer.predict` gives them.

    Raises:
        UnusablePredictionsError: wrong number of rows, NaN or infinity.
    """
    predicted = np.asarray(predictions, dtype=np.float64)
    if len(predicted) != len(y):
        raise UnusablePredictionsError(f"{len(predicted)} predictions for {len(y)} rows")
    if not np.isfinite(predicted).all():
        count = int((~np.isfinite(predicted)).sum())
        raise UnusablePredictionsError(f"{count} predictions are NaN or infinite")
    if task == "binary":
        return _binary(y, predicted)
    if task == "multiclass":
        return _multiclass(y.astype(np.int64), predicted)
    return _regression(y.astype(np.float64), predicted)


def auc(y: NDArray[Any], predicted: NDArray[np.float64]) -> float | None:
    """Area under the ROC curve by the Mann-Whitney statistic, ties at their mean rank; None
    unless both classes are present."""
    positive = y > 0.5
    n_positive = int(positive.sum())
    n_negative = len(y) - n_positive
    if n_positive == 0 or n_negative == 0:
        return None
    _, inverse, counts = np.unique(predicted, return_inverse=True, return_counts=True)
    last_rank = np.cumsum(counts)
    mean_rank = last_rank - (counts - 1) / 2
    rank_sum = float(mean_rank[inverse][positive].sum())
    return (rank_sum - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative)


def _binary(y: NDArray[Any], predicted: NDArray[np.float64]) -> dict[str, float]:
    positive = y > 0.5
    clipped = np.clip(predicted, _SMALLEST_PROBABILITY, 1 - _SMALLEST_PROBABILITY)
    found = {
        "logloss": float(-np.where(positive, np.log(clipped), np.log1p(-clipped)).mean()),
        "accuracy": float(((predicted > 0.5) == positive).mean()),
    }
    area = auc(y, predicted)
    return found if area is None else {"auc": area, **found}


def _multiclass(y: NDArray[np.int64], predicted: NDArray[np.float64]) -> dict[str, float]:
    of_the_true_class = predicted[np.arange(len(y)), y]
    clipped = np.clip(of_the_true_class, _SMALLEST_PROBABILITY, 1)
    return {
        "accuracy": float((predicted.argmax(axis=1) == y).mean()),
        "logloss": float(-np.log(clipped).mean()),
    }


def _regression(y: NDArray[np.float64], predicted: NDArray[np.float64]) -> dict[str, float]:
    error = predicted - y
    squared = float((error**2).mean())
    found = {"rmse": squared**0.5, "mae": float(np.abs(error).mean())}
    variance = float(y.var())
    return {**found, "r2": 1 - squared / variance} if variance > 0 else found
