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
    which stand in the place of the base score, so that each tree is walked once. From margins to
    predictions is left to a booster of the same objective without trees.

    Args:
        booster: the trained booster.
        matrix: a dense or CSR matrix, predicted in place, or a DMatrix.
        rounds: ascending, from 1.
    """
    config = json.loads(booster.save_config())
    if config["learner"]["gradient_booster"]["name"] == "dart":
        # Of a range that does not begin at 0 DART takes the weights of other trees.
        for ended in rounds:
            yield _predicted(booster, matrix, (0, ended), None, as_margins=False)
        return
    treeless = _without_trees(config)
    margins, begun = None, 0
    for ended in rounds:
        margins = _predicted(booster, matrix, (begun, ended), margins, as_margins=True)
        yield treeless(margins)
        begun = ended


def _without_trees(config: Any) -> Callable[[Any], Any]:
    """XGBoost's own way from margins to predictions."""
    import numpy as np
    import xgboost as xgb

    learner = config["learner"]
    objective = dict(learner["objective"])
    settings = {
        "objective": objective.pop("name"),
        "num_class": learner["learner_model_param"]["num_class"],
        "nthread": learner["generic_param"]["nthread"],
    }
    for own_settings in objective.values():
        settings |= own_settings

    def transformed(margins: Any) -> Any:
        # Some objectives look for labels before they look at margins.
        none = np.zeros((len(margins), 1), np.float32)
        rows = xgb.DMatrix(none, none, base_margin=margins)
        return xgb.Booster(settings, [rows]).predict(rows)

    return transformed


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
