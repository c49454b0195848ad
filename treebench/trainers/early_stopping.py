"""Where a library cannot stop early as `extra` asks it to, by what is known before training."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treebench.trainers.base import Problem, Trainer
    from treebench.trainers.parameters import Params

ON_A_SET_OF_ITS_OWN = {
    "xgboost": ("early_stopping_rounds",),
    "lightgbm": (
        "early_stopping_round",
        "early_stopping_rounds",
        "early_stopping",
        "n_iter_no_change",
    ),
    "catboost": ("early_stopping_rounds", "od_wait", "od_pval", "use_best_model"),
}
"""By library, the names that ask it to stop by a validation set that must be given to it."""

_AUTO_ABOVE = 10_000
"""Rows above which `early_stopping: auto` of HistGradientBoosting is on."""
_USUAL_SHARE = 0.1
"""Of scikit-learn's `validation_fraction`."""


def why_not(trainer: Trainer, params: Params, problem: Problem) -> str | None:
    """Why training cannot stop early as `params.extra` asks, or None."""
    for name in ON_A_SET_OF_ITS_OWN.get(trainer.distribution, ()):
        if _is_on(params.extra.get(name)):
            return (
                f"{trainer.name} stops early (extra.{name}) by a validation set that its training "
                f"is given, and here it is given none; leave that out, and find the best iteration "
                f"by curve: true and validation: 0.2 of the config"
            )
    asked = _asked_of_scikit_learn(trainer, params.extra, problem)
    return None if asked is None else _too_few_rows(asked, trainer, params.extra, problem)


def _is_on(value: Any) -> bool:
    return value is True or (isinstance(value, (int, float)) and value > 0)


def _asked_of_scikit_learn(
    trainer: Trainer, extra: Mapping[str, Any], problem: Problem
) -> str | None:
    """The name by which scikit-learn is asked to hold rows out and stop by them."""
    if trainer.name == "sklearn-gbdt":
        return "n_iter_no_change" if extra.get("n_iter_no_change") is not None else None
    if trainer.name != "sklearn-hist-gbdt":
        return None
    stated = extra.get("early_stopping")
    on = stated is True or (stated == "auto" and problem.n_rows > _AUTO_ABOVE)
    by_rows = extra.get("validation_fraction", _USUAL_SHARE) is not None
    return "early_stopping" if on and by_rows else None


def _too_few_rows(
    name: str, trainer: Trainer, extra: Mapping[str, Any], problem: Problem
) -> str | None:
    """The rows held out are drawn by class, and must be able to hold each."""
    share = extra.get("validation_fraction", _USUAL_SHARE)
    if not isinstance(share, (int, float)) or problem.task == "regression":
        return None
    held = share if isinstance(share, int) else ceil(share * problem.n_rows)
    if min(held, problem.n_rows - held) >= problem.n_classes:
        return None
    return (
        f"{trainer.name} holds out {held:,} of {problem.n_rows:,} rows to stop early by "
        f"(extra.{name}), and neither part may have fewer than the {problem.n_classes:,} classes; "
        f"change extra.validation_fraction, or leave extra.{name} out"
    )
