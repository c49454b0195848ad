"""scikit-learn's DecisionTree: one exact tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from treebench.trainers import capacity
from treebench.trainers.base import no_meaning, only
from treebench.trainers.extra import merged
from treebench.trainers.sklearn_exact import (
    CANONICAL,
    SklearnExactTrainer,
    shape_of,
    without_boosting,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treebench.data.manifest import Task
    from treebench.trainers.base import ModelShape, Problem, Use
    from treebench.trainers.parameters import Params


class SklearnTree(SklearnExactTrainer):
    """One tree on all rows."""

    name: ClassVar[str] = "sklearn-tree"
    parallel: ClassVar[bool] = False
    no_clock: ClassVar[str] = "it is one tree"
    no_stages: ClassVar[str] = "it is one tree"
    phase_notes: ClassVar[Mapping[str, str]] = {
        "construct": "scikit-learn has no container; compare libraries on construct + fit",
        "fit": "includes a copy of csr data to csc",
        "predict": "includes a copy of csc data to csr",
    }

    def uses(self, params: Params) -> Mapping[str, Use]:
        """The parameter table."""
        table = without_boosting(dict(super().uses(params)))
        table["n_estimators"] = no_meaning("it is one tree")
        table["subsample"] = only(1.0, "its one tree is grown on all rows")
        return table

    def capacity_note(self, params: Params) -> str | None:
        """A tree alone has no default limit."""
        return capacity.unlimited_note(params)

    def native(self, params: Params, problem: Problem) -> dict[str, Any]:
        """Constructor arguments of DecisionTreeClassifier and -Regressor."""
        return merged(super().native(params, problem), params.extra, CANONICAL)

    # ------------------------------------------------------------------ in the worker

    def estimator_class(self, task: Task) -> Any:
        """DecisionTreeClassifier or -Regressor."""
        from sklearn import tree

        return tree.DecisionTreeRegressor if task == "regression" else tree.DecisionTreeClassifier

    def shape(self, model: Any) -> ModelShape:
        """The one tree; it holds all classes."""
        return shape_of([model])
