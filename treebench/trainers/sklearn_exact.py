"""What scikit-learn's exact trees share: one tree alone, a forest, and gradient boosting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from treebench.trainers.base import ModelShape, Use, no_meaning
from treebench.trainers.parameter_table import colsample_by_split, one_process_table
from treebench.trainers.sklearn_estimator import SklearnTrainer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from treebench.trainers.base import Problem
    from treebench.trainers.parameters import Params

CANONICAL = {
    "max_depth": "max_depth",
    "max_leaf_nodes": "max_leaves",
    "min_samples_leaf": "min_samples_leaf",
    "random_state": "seed",
}


class SklearnExactTrainer(SklearnTrainer):
    """Sorts values at every node: no bins, no histograms, no native categories."""

    sparse_meaning: ClassVar[str] = "an absent entry is zero"

    def uses(self, params: Params) -> Mapping[str, Use]:
        """The parameter table, as far as it is the same for all three."""
        table = one_process_table("XGBoost", "LightGBM")
        table["method"] = no_meaning("it sorts values, exactly, and has no other method")
        table["max_bin"] = no_meaning("it sorts values and has no bins")
        table["colsample"] = colsample_by_split("max_features")
        return table

    def native(self, params: Params, problem: Problem) -> dict[str, Any]:
        """The arguments that all three have."""
        return {
            "max_depth": params.max_depth,
            "max_leaf_nodes": params.max_leaves,
            "min_samples_leaf": params.min_samples_leaf,
            "random_state": params.seed,
        }


def without_boosting(table: dict[str, Use]) -> dict[str, Use]:
    """The table of a trainer whose trees are grown apart, each on the labels themselves."""
    reason = "it does not boost: leaves hold shares or means of the labels"
    return table | {
        "learning_rate": no_meaning(reason),
        "reg_lambda": no_meaning(reason),
        "min_child_weight": no_meaning("it has no hessians; min_samples_leaf bounds its leaves"),
    }


def shape_of(trees: Iterable[Any]) -> ModelShape:
    """The shape of fitted scikit-learn trees, by their own counts."""
    grown = [tree.tree_ for tree in trees]
    return ModelShape(
        n_trees=len(grown),
        n_leaves=sum(int(tree.n_leaves) for tree in grown),
        max_depth=max(int(tree.max_depth) for tree in grown),
    )
