"""Which score speaks for a model, and which way is better."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

PREFERRED = ("auc", "accuracy", "r2", "rmse", "log_loss", "logloss", "mae")
"""The score shown first, where there are several."""

LOWER_IS_BETTER = frozenset(
    {"rmse", "mse", "mae", "logloss", "log_loss", "brier", "error", "mape", "pinball"}
)


_TITLES = {
    "auc": "AUC",
    "r2": "R2",
    "rmse": "RMSE",
    "mae": "MAE",
    "logloss": "log loss",
    "log_loss": "log loss",
}


def score_title(name: str) -> str:
    """The score's name as people write it."""
    return _TITLES.get(name, name)


def main_score(names: Collection[str]) -> str | None:
    """The score to show of those there are: the first preferred one, else the first of all."""
    return next((name for name in PREFERRED if name in names), next(iter(names), None))


def lower_is_better(name: str) -> bool:
    """Whether a smaller value of this score is a better model."""
    return name in LOWER_IS_BETTER
