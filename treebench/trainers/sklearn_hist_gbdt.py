"""scikit-learn's HistGradientBoosting: histograms over dense data."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any, ClassVar

from treebench.trainers import capacity
from treebench.trainers.base import ModelShape, Use, no_meaning, only
from treebench.trainers.extra import merged
from treebench.trainers.parameter_table import colsample_by_split, one_process_table
from treebench.trainers.sklearn_estimator import SklearnTrainer, staged_by_estimator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from treebench.data.manifest import Task
    from treebench.data.matrix import FloatMatrix
    from treebench.trainers.base import Problem
    from treebench.trainers.parameters import Params, Value

MOST_BINS = 255
"""scikit-learn keeps bins in a byte, one of its values being for what is missing."""

_CANONICAL = {
    "max_iter": "n_estimators",
    "learning_rate": "learning_rate",
    "max_depth": "max_depth",
    "max_leaf_nodes": "max_leaves",
    "max_bins": "max_bin",
    "min_samples_leaf": "min_samples_leaf",
    "l2_regularization": "reg_lambda",
    "categorical_features": "categorical",
    "random_state": "seed",
}


class RoundsPrinted(io.TextIOBase):
    """Takes what scikit-learn prints, and calls `clock` as the line of each round ends: such a
    line begins with the round's number in brackets. Nothing else of it is read."""

    def __init__(self, clock: Callable[[], None]) -> None:
        super().__init__()
        self._clock = clock
        self._line_begun = False
        self._of_round = False

    def writable(self) -> bool:
        """It is written to."""
        return True

    def write(self, text: str) -> int:
        """Take a piece of a line; print gives the end of a line by itself."""
        if text and not self._line_begun:
            self._line_begun, self._of_round = True, text.startswith("[")
        if text.endswith("\n"):
            if self._of_round:
                self._clock()
            self._line_begun = self._of_round = False
        return len(text)


class SklearnHistGBDT(SklearnTrainer):
    """Binning and boosting in one `fit`, without early stopping."""

    name: ClassVar[str] = "sklearn-hist-gbdt"
    clocks_iterations: ClassVar[bool] = True
    stages: ClassVar[bool] = True
    phase_notes: ClassVar[Mapping[str, str]] = {
        "construct": "scikit-learn has no container; compare libraries on construct + fit",
        "fit": "includes a copy of the data to float64, finding the bins (on a sample of 200,000 "
        "rows) and binning; its threads come from OMP_NUM_THREADS, it has no parameter for them",
        "predict": "includes a copy of the data to float64",
    }

    def own_defaults(self, params: Params) -> Mapping[str, Value]:
        """Only the limit on a tree."""
        return capacity.boosted_default(params)

    def uses(self, params: Params) -> Mapping[str, Use]:
        """The parameter table."""
        table = one_process_table("XGBoost", "LightGBM")
        table["method"] = no_meaning("it knows histograms only")
        table["min_child_weight"] = only(1e-3, "scikit-learn has this bound built in")
        table["subsample"] = only(1.0, "it trains every tree on all rows")
        table["colsample"] = colsample_by_split("max_features")
        return table

    def unsupported(self, params: Params, problem: Problem) -> str | None:
        """More bins than a byte counts."""
        max_bin = params.or_default("max_bin")
        if max_bin > MOST_BINS:
            return f"{self.name} takes max_bin up to {MOST_BINS}, not {max_bin}"
        return None

    def native(self, params: Params, problem: Problem) -> dict[str, Any]:
        """Constructor arguments of HistGradientBoostingClassifier and -Regressor."""
        native_categories = params.categorical == "native" and problem.cardinalities
        native = {
            "loss": "squared_error" if problem.task == "regression" else "log_loss",
            "max_iter": params.n_estimators,
            "learning_rate": params.learning_rate,
            "max_depth": params.max_depth,
            "max_leaf_nodes": params.max_leaves,
            "max_bins": params.max_bin,
            "min_samples_leaf": params.min_samples_leaf,
            "l2_regularization": params.reg_lambda,
            "categorical_features": sorted(problem.cardinalities) if native_categories else None,
            # 'auto' starts above 10,000 rows and trains fewer trees than were asked for.
            "early_stopping": False,
            "random_state": params.seed,
        }
        return merged(native, params.extra, _CANONICAL)

    # ------------------------------------------------------------------ in the worker

    def estimator_class(self, task: Task) -> Any:
        """HistGradientBoostingClassifier or -Regressor."""
        from sklearn import ensemble

        if task == "regression":
            return ensemble.HistGradientBoostingRegressor
        return ensemble.HistGradientBoostingClassifier

    def fit_with_clock(
        self,
        container: Any,
        native: dict[str, Any],
        problem: Problem,
        clock: Callable[[], None],
    ) -> Any:
        """By what it prints of each round when `verbose` is 2, which nobody sees: it takes no
        callback. The model does not know of it, since `verbose` is put back."""
        estimator = container.estimator
        stated = estimator.verbose
        estimator.set_params(verbose=2)
        try:
            with redirect_stdout(RoundsPrinted(clock)):
                return self.fitted(container)
        finally:
            estimator.set_params(verbose=stated)

    def iterations(self, model: Any) -> int:
        """Rounds; each has a tree per class."""
        return int(model.n_iter_)

    def staged(
        self, model: Any, X: FloatMatrix, problem: Problem, iterations: Sequence[int]
    ) -> Iterator[NDArray[np.floating[Any]]]:
        """By scikit-learn's own stages."""
        return staged_by_estimator(model, X, problem, iterations)

    def counted(self, model: Any) -> dict[str, Any]:
        """The rounds really trained; fewer are right only where early stopping was asked for."""
        return {} if model.early_stopping else {"max_iter": model.n_iter_}

    def shape(self, model: Any) -> ModelShape:
        """Counted over the node arrays of all predictors, one per round and class."""
        trees = [predictor.nodes for one_round in model._predictors for predictor in one_round]
        return ModelShape(
            n_trees=len(trees),
            n_leaves=sum(int(nodes["is_leaf"].sum()) for nodes in trees),
            max_depth=max(int(nodes["depth"].max()) for nodes in trees),
        )
