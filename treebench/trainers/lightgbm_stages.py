"""LightGBM iteration by iteration: a call as each ends, and predictions with the first alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from treebench.data.matrix import FloatMatrix

_OBJECTIVE = re.compile(r"^objective=(.*)$", re.MULTILINE)
# What stands in the model of the objectives whose way from margins to predictions is known here.
_PLAIN = re.compile(r"^(binary sigmoid:1|multiclass num_class:\d+|regression)$")


def after_each_iteration(clock: Callable[[], None]) -> Callable[[Any], None]:
    """A callback for `lightgbm.train` that calls `clock` after each iteration that the model
    keeps: one that finds no split is dropped, and more are tried."""
    done = 0

    def ended(env: Any) -> None:
        nonlocal done
        kept = env.model.current_iteration()
        if kept > done:
            done = kept
            clock()

    return ended


def staged_margins(
    booster: Any, X: FloatMatrix, threads: int, iterations: Sequence[int]
) -> Iterator[NDArray[np.floating[Any]]]:
    """Predictions with the first iterations: the trees since the last stage are added to its
    margins, the first tree of all holding the starting score. An objective whose margins are not
    known to add up so (a random forest averages) predicts with all trees anew at each stage.

    Args:
        booster: the trained booster.
        X: the rows to predict.
        threads: to predict on.
        iterations: ascending, from 1.
    """
    header = booster.model_to_string(num_iteration=1)
    found = _OBJECTIVE.search(header)
    objective = found[1].strip() if found else ""
    if not _PLAIN.match(objective) or "\naverage_output" in header:
        for ended in iterations:
            yield booster.predict(X, num_iteration=ended, num_threads=threads)
        return
    margins, begun = 0.0, 0
    for ended in iterations:
        margins += booster.predict(
            X,
            start_iteration=begun,
            num_iteration=ended - begun,
            raw_score=True,
            num_threads=threads,
        )
        begun = ended
        yield _from_margins(objective, margins)


def _from_margins(objective: str, margins: Any) -> Any:
    from scipy.special import expit, softmax

    if objective.startswith("binary"):
        return expit(margins)
    # A copy, since what is yielded must outlast the next stage.
    return softmax(margins, axis=1) if objective.startswith("multiclass") else margins.copy()
