"""XGBoost round by round: a call as each ends, and predictions with the first rounds alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray


def after_each_round(clock: Callable[[], None]) -> Any:
    """A callback for `xgboost.train` that calls `clock` after each round."""
    import xgboost as xgb

    class RoundEnded(xgb.callback.TrainingCallback):  # type: ignore[misc]
        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
            clock()
            return False

    return RoundEnded()


def staged_margins(
    booster: Any, matrix: Any, rounds: Sequence[int]
) -> Iterator[NDArray[np.floating[Any]]]:
    """Predictions with the first rounds: the trees since the last stage are added to its margins,
    which stand in the place of the base score. Each tree is walked twice, once for the margins
    and once for XGBoost's own way from them to predictions.

    Args:
        booster: the trained booster.
        matrix: a dense or CSR matrix, predicted in place, or a DMatrix.
        rounds: ascending, from 1.
    """
    if _is_dart(booster):
        # Of a range that does not begin at 0 DART takes the weights of other trees.
        for ended in rounds:
            yield _predicted(booster, matrix, (0, ended), None, as_margins=False)
        return
    margins, begun = None, 0
    for ended in rounds:
        span = (begun, ended)
        yield _predicted(booster, matrix, span, margins, as_margins=False)
        margins, begun = _predicted(booster, matrix, span, margins, as_margins=True), ended


def _is_dart(booster: Any) -> bool:
    config = json.loads(booster.save_config())
    return bool(config["learner"]["gradient_booster"]["name"] == "dart")


def _predicted(
    booster: Any, matrix: Any, span: tuple[int, int], base: Any, *, as_margins: bool
) -> Any:
    import xgboost as xgb

    if isinstance(matrix, xgb.DMatrix):
        if base is not None:
            matrix.set_base_margin(base)
        return booster.predict(matrix, output_margin=as_margins, iteration_range=span)
    kind = "margin" if as_margins else "value"
    return booster.inplace_predict(
        matrix, iteration_range=span, predict_type=kind, base_margin=base
    )
