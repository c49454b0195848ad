"""CatBoost through its native interface: a Pool, then `CatBoost.fit`, with symmetric trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from treebench.extras import why_absent
from treebench.trainers import capacity
from treebench.trainers.base import ModelShape, Trainer, Use, no_meaning, only
from treebench.trainers.extra import merged, unknown
from treebench.trainers.parameter_table import colsample_by_split, one_process_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from treebench.data.manifest import Task
    from treebench.data.matrix import FloatMatrix, Part
    from treebench.trainers.base import Problem
    from treebench.trainers.parameters import Params, Value

_OBJECTIVES: dict[Task, str] = {
    "binary": "Logloss",
    "multiclass": "MultiClass",
    "regression": "RMSE",
}

MOST_DEPTH = 16
"""CatBoost's own bound on the depth of a symmetric tree."""
ZERO_L2 = 1e-15
"""CatBoost turns an `l2_leaf_reg` of 0 into one of 1e-20, and says so of its model."""
MISSING_CODE = -1

# Each canonical parameter's names in CatBoost, by its documentation of synonyms. Trees that are
# not symmetric would count their leaves otherwise, so their policy is no `extra` either.
_SPELLINGS = {
    "n_estimators": "iterations num_boost_round n_estimators num_trees",
    "learning_rate": "learning_rate eta",
    "max_depth": "depth max_depth grow_policy",
    "max_leaves": "max_leaves num_leaves",
    "max_bin": "border_count max_bin",
    "min_samples_leaf": "min_data_in_leaf min_child_samples",
    "reg_lambda": "l2_leaf_reg reg_lambda",
    "subsample": "subsample bootstrap_type",
    "categorical": "cat_features",
    "seed": "random_seed random_state",
    "threads": "thread_count",
}
_CANONICAL = {name: key for key, names in _SPELLINGS.items() for name in names.split()}
CATEGORIES_L2 = "cat_l2"
"""LightGBM's name for a penalty on splits by category; CatBoost's penalty is on all leaves."""

_ARGUMENTS = ("cat_features",)
_QUIET = {"logging_level": "Silent", "allow_writing_files": False}


class CatBoost(Trainer):
    """Symmetric trees: one split for all nodes of a level, so 2^depth leaves each."""

    name: ClassVar[str] = "catboost"
    distribution: ClassVar[str] = "catboost"
    sparse_meaning: ClassVar[str] = "an absent entry is zero"
    clocks_iterations: ClassVar[bool] = True
    stages: ClassVar[bool] = True
    phase_notes: ClassVar[Mapping[str, str]] = {
        "construct": "a Pool copies the data; native categories go through a pandas frame, as "
        "CatBoost takes no floats for them",
        "fit": "includes finding the bins and binning; compare libraries on construct + fit",
    }

    def own_defaults(self, params: Params) -> Mapping[str, Value]:
        """Only the limit on a tree."""
        return capacity.boosted_default(params)

    def uses(self, params: Params) -> Mapping[str, Use]:
        """The parameter table."""
        table = one_process_table("XGBoost", "LightGBM")
        table["method"] = no_meaning("it knows histograms only")
        table["container"] = no_meaning("it makes a Pool of the matrix anyway")
        table["min_samples_leaf"] = only(1, "its symmetric trees have no such bound")
        table["min_child_weight"] = only(1e-3, "it has no such bound")
        table["colsample"] = colsample_by_split("rsm")
        return table

    def unsupported(self, params: Params, problem: Problem) -> str | None:
        """CatBoost is not there, or the trees are too deep for it."""
        if absent := why_absent(self.name, "catboost", "catboost"):
            return absent
        depth = capacity.depth_alone(params)
        if depth is not None and depth > MOST_DEPTH:
            return f"{self.name} grows trees to a depth of {MOST_DEPTH}, not {depth}"
        return None

    def native(self, params: Params, problem: Problem) -> dict[str, Any]:
        """Training parameters; `cat_features` goes to the Pool."""
        categories = params.categorical == "native" and problem.cardinalities
        extra = dict(params.extra)
        l2 = params.or_default("reg_lambda") + extra.pop(CATEGORIES_L2, 0)
        native = {
            "loss_function": _OBJECTIVES[problem.task],
            "iterations": params.n_estimators,
            "learning_rate": params.learning_rate,
            "grow_policy": "SymmetricTree",
            "depth": capacity.depth_alone(params),
            # Borders lie between bins.
            "border_count": params.or_default("max_bin") - 1,
            "l2_leaf_reg": l2,
            # Left alone it would draw 80 % of the rows for each tree. At a share of 1 the model is
            # the one of `bootstrap_type: No`, which takes no share.
            "bootstrap_type": "Bernoulli",
            "subsample": params.or_default("subsample"),
            "boosting_type": "Plain",
            # As the other boosters do; it cannot for several classes.
            "boost_from_average": problem.task != "multiclass",
            **({"classes_count": problem.n_classes} if problem.task == "multiclass" else {}),
            "cat_features": sorted(problem.cardinalities) if categories else None,
            "random_seed": params.seed,
            "thread_count": params.threads,
        }
        return merged(native, extra, _CANONICAL)

    def capacity_note(self, params: Params) -> str | None:
        """Leaves become a depth; a penalty on categories becomes one on all leaves."""
        notes = [capacity.depth_alone_note(params)]
        if CATEGORIES_L2 in params.extra:
            notes.append(
                f"{CATEGORIES_L2} is added to l2_leaf_reg, CatBoost's penalty on all leaves"
            )
        return "; ".join(note for note in notes if note) or None

    # ------------------------------------------------------------------ in the worker

    def import_library(self) -> None:
        """Import CatBoost, which brings pandas, matplotlib and plotly."""
        import catboost

        _ = catboost

    def refuse_unknown(self, native: dict[str, Any], problem: Problem) -> None:
        """CatBoost refuses what it does not know when it trains; its classes tell it before."""
        import inspect

        import catboost

        known = {
            name
            for estimator in (catboost.CatBoostClassifier, catboost.CatBoostRegressor)
            for name in inspect.signature(estimator.__init__).parameters
        }
        missing = [name for name in native if name not in known]
        if missing:
            raise unknown("catboost", missing)

    def construct(self, train: Part, native: dict[str, Any], problem: Problem) -> Any:
        """A Pool; it is binned in `fit`."""
        import catboost

        categories = native["cat_features"]
        return catboost.Pool(
            _with_categories(train.X, categories or ()),
            label=train.y,
            cat_features=categories,
            thread_count=native["thread_count"],
        )

    def fit(self, container: Any, native: dict[str, Any], problem: Problem) -> Any:
        """The model."""
        return _trained(container, native, None)

    def fit_with_clock(
        self,
        container: Any,
        native: dict[str, Any],
        problem: Problem,
        clock: Callable[[], None],
    ) -> Any:
        """By CatBoost's own callback after each iteration."""
        return _trained(container, native, [_AfterIteration(clock)])

    def predict(self, model: Any, X: FloatMatrix, problem: Problem) -> NDArray[np.floating[Any]]:
        """On as many threads as were trained with."""
        return _predicted(model, _with_categories(X, model.get_cat_feature_indices()), problem, 0)

    def iterations(self, model: Any) -> int:
        """Iterations; each is one tree, whose leaves hold a value per class."""
        done: int = model.tree_count_
        return done

    def staged(
        self, model: Any, X: FloatMatrix, problem: Problem, iterations: Sequence[int]
    ) -> Iterator[NDArray[np.floating[Any]]]:
        """With the first trees, anew at each stage: CatBoost's own stages are evenly spaced."""
        data = _with_categories(X, model.get_cat_feature_indices())
        for ended in iterations:
            yield _predicted(model, data, problem, ended)

    def dump(self, model: Any) -> bytes:
        """What `save_model` writes, without the file."""
        content: bytes = model._serialize_model()
        return content

    def effective(self, model: Any) -> dict[str, Any]:
        """The parameters that CatBoost writes into its model, which does not know of threads: they
        are those that its interface was given."""
        told = dict(model.get_all_params())
        if told["l2_leaf_reg"] < ZERO_L2:
            told["l2_leaf_reg"] = 0.0
        told["iterations"] = model.tree_count_
        told["cat_features"] = [int(column) for column in model.get_cat_feature_indices()]
        told["thread_count"] = model.get_param("thread_count")
        return told

    def shape(self, model: Any) -> ModelShape:
        """A symmetric tree of 2^d leaves has a depth of d, though some of them may be empty."""
        leaves = [int(count) for count in model.get_tree_leaf_counts()]
        depth = max(count.bit_length() - 1 for count in leaves)
        return ModelShape(len(leaves), sum(leaves), depth)


class _AfterIteration:
    """A callback, in the form that CatBoost looks for."""

    def __init__(self, clock: Callable[[], None]) -> None:
        self._clock = clock

    def after_iteration(self, info: object) -> bool:
        """Go on."""
        self._clock()
        return True


def _trained(pool: Any, native: Mapping[str, Any], callbacks: list[Any] | None) -> Any:
    import catboost

    parameters = {name: value for name, value in native.items() if name not in _ARGUMENTS}
    model = catboost.CatBoost({**parameters, **_QUIET})
    model.fit(pool, callbacks=callbacks)
    return model


def _predicted(
    model: Any, data: Any, problem: Problem, iterations: int
) -> NDArray[np.floating[Any]]:
    """Predictions with the first `iterations`, 0 for all of them."""
    kind = "RawFormulaVal" if problem.task == "regression" else "Probability"
    threads = model.get_param("thread_count")
    predicted: NDArray[np.floating[Any]] = model.predict(
        data, prediction_type=kind, ntree_end=iterations, thread_count=threads
    )
    return predicted[:, 1] if problem.task == "binary" else predicted


def _with_categories(X: Any, columns: Sequence[int]) -> Any:
    """`X` itself, or a frame of it with these columns as whole numbers: CatBoost refuses floats
    for categories. What is missing becomes a category of its own."""
    if not columns:
        return X
    import numpy as np
    import pandas as pd

    categories = frozenset(columns)
    return pd.DataFrame(
        {
            i: np.nan_to_num(X[:, i], nan=MISSING_CODE).astype(np.int32)
            if i in categories
            else X[:, i]
            for i in range(X.shape[1])
        },
        copy=False,
    )
