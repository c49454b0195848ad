"""scikit-learn's RandomForest: exact trees on threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from treebench.trainers import capacity
from treebench.trainers.base import MAPPED
from treebench.trainers.extra import merged
from treebench.trainers.sklearn_estimator import by_class
from treebench.trainers.sklearn_exact import (
    CANONICAL,
    SklearnExactTrainer,
    shape_of,
    without_boosting,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from treebench.data.manifest import Task
    from treebench.data.matrix import FloatMatrix
    from treebench.trainers.base import ModelShape, Problem, Use
    from treebench.trainers.parameters import Params, Value

_CANONICAL = {
    **CANONICAL,
    "n_estimators": "n_estimators",
    "max_samples": "subsample",
    "n_jobs": "n_jobs",
}


class SklearnForest(SklearnExactTrainer):
    """Trees on bootstrap samples, by scikit-learn's own customs for the features of a split."""

    name: ClassVar[str] = "sklearn-forest"
    stages: ClassVar[bool] = True
    no_clock: ClassVar[str] = "its trees are grown side by side, and none waits for another"
    phase_notes: ClassVar[Mapping[str, str]] = {
        "construct": "scikit-learn has no container; compare libraries on construct + fit",
        "fit": "includes a copy of csr data to csc",
        "predict": "on threads; includes a copy of csc data to csr",
    }

    def own_defaults(self, params: Params) -> Mapping[str, Value]:
        """As many jobs as there are threads for them."""
        return {"n_jobs": params.threads}

    def uses(self, params: Params) -> Mapping[str, Use]:
        """The parameter table."""
        return without_boosting({**super().uses(params), "n_jobs": MAPPED})

    def capacity_note(self, params: Params) -> str | None:
        """A forest has no default limit."""
        return capacity.unlimited_note(params)

    def native(self, params: Params, problem: Problem) -> dict[str, Any]:
        """Constructor arguments of RandomForestClassifier and -Regressor."""
        native = {
            "n_estimators": params.n_estimators,
            # None draws as many rows as there are, and leaves `extra` free to say bootstrap: false.
            "max_samples": None if params.subsample == 1 else params.subsample,
            "bootstrap": True,
            "max_features": 1.0 if problem.task == "regression" else "sqrt",
            "n_jobs": params.n_jobs,
            **super().native(params, problem),
        }
        return merged(native, params.extra, _CANONICAL)

    # ------------------------------------------------------------------ in the worker

    def estimator_class(self, task: Task) -> Any:
        """RandomForestClassifier or -Regressor."""
        from sklearn import ensemble

        if task == "regression":
            return ensemble.RandomForestRegressor
        return ensemble.RandomForestClassifier

    def iterations(self, model: Any) -> int:
        """Trees."""
        return len(model.estimators_)

    def staged(
        self, model: Any, X: FloatMatrix, problem: Problem, iterations: Sequence[int]
    ) -> Iterator[NDArray[np.floating[Any]]]:
        """The mean of the first trees, which is what a forest of so many would predict."""
        # What each tree would otherwise do for itself.
        rows: Any = X
        if getattr(X, "format", None) == "csc":
            rows = rows.tocsr()
        wanted = set(iterations)
        total: Any = 0.0
        for grown, tree in enumerate(model.estimators_[: max(wanted)], 1):
            if problem.task == "regression":
                total = total + tree.predict(rows)
            else:
                total = total + tree.predict_proba(rows)
            if grown in wanted:
                mean = total / grown
                if problem.task == "regression":
                    yield mean
                else:
                    yield by_class(mean, model.classes_, problem.n_classes)

    def counted(self, model: Any) -> dict[str, Any]:
        """The trees really grown."""
        return {"n_estimators": len(model.estimators_)}

    def ran_parallel(self, model: Any) -> dict[str, Any]:
        """Threads for both, as scikit-learn wants it; with one job joblib starts none."""
        ran = "threads" if model.n_jobs > 1 else "sequential"
        return {"backends": {"fit": ran, "predict": ran}, "n_jobs": model.n_jobs}

    def shape(self, model: Any) -> ModelShape:
        """All trees; each holds all classes."""
        return shape_of(model.estimators_)
