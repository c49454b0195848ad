"""scikit-learn's GradientBoosting: exact trees, one after another, on one thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from treebench.trainers import capacity
from treebench.trainers.base import Use, no_meaning, only
from treebench.trainers.extra import merged
from treebench.trainers.parameters import PARAMETERS
from treebench.trainers.sklearn_estimator import staged_by_estimator
from treebench.trainers.sklearn_exact import CANONICAL, SklearnExactTrainer, shape_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from treebench.data.manifest import Task
    from treebench.data.matrix import FloatMatrix
    from treebench.trainers.base import ModelShape, Problem
    from treebench.trainers.parameters import Params, Value

_CANONICAL = {
    **CANONICAL,
    "n_estimators": "n_estimators",
    "learning_rate": "learning_rate",
    "subsample": "subsample",
}


class SklearnGBDT(SklearnExactTrainer):
    """Boosting over exact trees; no missing values at all."""

    name: ClassVar[str] = "sklearn-gbdt"
    parallel: ClassVar[bool] = False
    clocks_iterations: ClassVar[bool] = True
    stages: ClassVar[bool] = True
    phase_notes: ClassVar[Mapping[str, str]] = {
        "construct": "scikit-learn has no container; compare libraries on construct + fit",
        "fit": "includes a copy of dense-f data to C order; csr data is kept twice, as csr and "
        "as csc",
        "predict": "includes a copy of dense-f data to C order, and of csc data to csr",
    }

    def own_defaults(self, params: Params) -> Mapping[str, Value]:
        """Only the limit on a tree."""
        return capacity.boosted_default(params)

    def uses(self, params: Params) -> Mapping[str, Use]:
        """The parameter table. Its trees fit residuals and weigh no hessians, so a bound up to
        the matched default, which hardly ever binds, is as good as none; a larger one is not."""
        table = dict(super().uses(params))
        table["reg_lambda"] = only(0.0, "it has no penalty on leaf values")
        default = PARAMETERS["min_child_weight"].default
        if params.or_default("min_child_weight") <= default:
            table["min_child_weight"] = no_meaning("it has no bound on hessians")
        else:
            table["min_child_weight"] = only(default, "it has no bound on hessians")
        return table

    def native(self, params: Params, problem: Problem) -> dict[str, Any]:
        """Constructor arguments of GradientBoostingClassifier and -Regressor."""
        native = {
            "loss": "squared_error" if problem.task == "regression" else "log_loss",
            "n_estimators": params.n_estimators,
            "learning_rate": params.learning_rate,
            "subsample": params.subsample,
            **super().native(params, problem),
        }
        return merged(native, params.extra, _CANONICAL)

    # ------------------------------------------------------------------ in the worker

    def estimator_class(self, task: Task) -> Any:
        """GradientBoostingClassifier or -Regressor."""
        from sklearn import ensemble

        if task == "regression":
            return ensemble.GradientBoostingRegressor
        return ensemble.GradientBoostingClassifier

    def fit_with_clock(
        self,
        container: Any,
        native: dict[str, Any],
        problem: Problem,
        clock: Callable[[], None],
    ) -> Any:
        """By the monitor that scikit-learn calls after each round; True would end the fit."""

        def ended(*_: Any) -> bool:
            clock()
            return False

        return self.fitted(container, monitor=ended)

    def iterations(self, model: Any) -> int:
        """Rounds; each has a tree per class."""
        return int(model.n_estimators_)

    def staged(
        self, model: Any, X: FloatMatrix, problem: Problem, iterations: Sequence[int]
    ) -> Iterator[NDArray[np.floating[Any]]]:
        """By scikit-learn's own stages."""
        return staged_by_estimator(model, X, problem, iterations)

    def counted(self, model: Any) -> dict[str, Any]:
        """The rounds really trained; fewer are right only where early stopping was asked for."""
        return {} if model.n_iter_no_change else {"n_estimators": model.n_estimators_}

    def shape(self, model: Any) -> ModelShape:
        """All trees: one per round and class."""
        return shape_of(model.estimators_.ravel())
