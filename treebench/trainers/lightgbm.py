"""LightGBM through its native interface: a Dataset, constructed, then `lightgbm.train`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from treebench.trainers import capacity
from treebench.trainers.base import ModelShape, Trainer, Use, no_meaning, only
from treebench.trainers.extra import merged, unknown
from treebench.trainers.grown import grown_from_splits
from treebench.trainers.lightgbm_sequence import FROM_SEQUENCE, sequence
from treebench.trainers.lightgbm_stages import after_each_iteration, staged_margins
from treebench.trainers.parameter_table import one_process_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from treebench.data.manifest import Task
    from treebench.data.matrix import FloatMatrix, Part, RowSource
    from treebench.trainers.base import Problem
    from treebench.trainers.parameters import Params, Value

_OBJECTIVES: dict[Task, str] = {
    "binary": "binary",
    "multiclass": "multiclass",
    "regression": "regression",
}

MOST_LEAVES = 131_072
"""LightGBM's own bound on num_leaves (checked in its config); more aborts the training."""

# Each canonical parameter's names in LightGBM; a test compares them with the library's aliases.
_SPELLINGS = {
    "n_estimators": "num_iterations n_iter nrounds max_iter num_tree num_round num_trees "
    "num_rounds n_estimators num_iteration num_boost_round",
    "learning_rate": "learning_rate eta shrinkage_rate",
    "max_depth": "max_depth",
    "max_leaves": "num_leaves max_leaf num_leaf max_leaves max_leaf_nodes",
    "max_bin": "max_bin max_bins",
    "min_samples_leaf": "min_data_in_leaf min_data min_samples_leaf min_child_samples "
    "min_data_per_leaf",
    "min_child_weight": "min_sum_hessian_in_leaf min_hessian min_sum_hessian min_child_weight "
    "min_sum_hessian_per_leaf",
    "reg_lambda": "lambda_l2 lambda reg_lambda l2_regularization",
    "subsample": "bagging_fraction bagging sub_row subsample",
    "colsample": "feature_fraction sub_feature colsample_bytree",
    "histogram": "force_row_wise force_col_wise",
    "boosting": "data_sample_strategy",
    "categorical": "categorical_feature cat_column cat_feature categorical_column "
    "categorical_features",
    "seed": "seed random_seed random_state",
    "threads": "num_threads n_jobs nthread nthreads num_thread",
}
_CANONICAL = {name: key for key, names in _SPELLINGS.items() for name in names.split()}

_PARAMETER_LINE = re.compile(r"^\[(\w+): ?(.*)\]$", re.MULTILINE)


class LightGBM(Trainer):
    """Histograms by rows or by columns, with all rows or with GOSS's sample of them."""

    name: ClassVar[str] = "lightgbm"
    distribution: ClassVar[str] = "lightgbm"
    containers: ClassVar[tuple[str, ...]] = ("dataset", "sequence")
    clocks_iterations: ClassVar[bool] = True
    stages: ClassVar[bool] = True
    sparse_meaning: ClassVar[str] = "an absent entry is zero"
    phase_notes: ClassVar[Mapping[str, str]] = {
        "construct": "a Dataset finds bins (on a sample of 200,000 rows) and bins all the data; "
        "from a sequence it reads all rows twice, and holds its sample as float64, twice for a "
        "moment",
        "fit": "includes writing the model out and reading it back, as lightgbm.train always "
        "does at its end",
    }

    def own_defaults(self, params: Params) -> Mapping[str, Value]:
        """Histograms by columns: row-wise keeps a second copy of the bins for its speed, and
        leaving the choice to LightGBM times both within the fit (methodology, section 2)."""
        return {
            "container": "dataset",
            "histogram": "col-wise",
            "boosting": "gbdt",
            **capacity.boosted_default(params),
        }

    def uses(self, params: Params) -> Mapping[str, Use]:
        """The parameter table; GOSS draws rows itself."""
        table = one_process_table()
        table["method"] = no_meaning("it knows histograms only")
        # A Dataset of the whole matrix is what it makes unasked.
        if params.container != "sequence":
            table["container"] = no_meaning("it makes a Dataset of the matrix anyway")
        if params.boosting == "goss":
            table["subsample"] = only(1.0, "goss draws rows itself, by their gradients")
        return table

    def unsupported(self, params: Params, problem: Problem) -> str | None:
        """A depth whose leaves LightGBM has no room for."""
        if params.max_leaves is not None or params.max_depth is None:
            return None
        leaves = capacity.leaves_at_depth(params.max_depth)
        if leaves <= MOST_LEAVES:
            return None
        return (
            f"max_depth={params.max_depth} means up to {_power(params.max_depth)} leaves, and "
            f"lightgbm takes {MOST_LEAVES:,} at most; state max_leaves as well"
        )

    def native(self, params: Params, problem: Problem) -> dict[str, Any]:
        """LightGBM's parameters by their main names."""
        categorical = params.categorical == "native"
        native = {
            "objective": _OBJECTIVES[problem.task],
            "num_iterations": params.n_estimators,
            "learning_rate": params.learning_rate,
            **_capacity(params),
            "max_bin": params.max_bin,
            "min_data_in_leaf": params.min_samples_leaf,
            "min_sum_hessian_in_leaf": params.min_child_weight,
            "lambda_l2": params.reg_lambda,
            "data_sample_strategy": "goss" if params.boosting == "goss" else "bagging",
            "bagging_fraction": params.subsample,
            "bagging_freq": 0 if params.subsample == 1 else 1,
            "feature_fraction": params.colsample,
            "force_row_wise": params.histogram == "row-wise",
            "force_col_wise": params.histogram == "col-wise",
            "categorical_feature": sorted(problem.cardinalities) if categorical else [],
            "feature_pre_filter": False,
            "zero_as_missing": False,
            "boost_from_average": True,
            "seed": params.seed,
            "num_threads": params.threads,
            "verbosity": -1,
        }
        if params.container == "sequence":
            native["container"] = FROM_SEQUENCE
        if problem.task == "multiclass":
            native["num_class"] = problem.n_classes
        return merged(native, params.extra, _CANONICAL)

    def streams(self, native: dict[str, Any]) -> bool:
        """From a sequence."""
        return native.get("container") == FROM_SEQUENCE

    # ------------------------------------------------------------------ in the worker

    def import_library(self) -> None:
        """Import LightGBM, which brings pandas and scikit-learn where they are installed."""
        import lightgbm as lgb

        _ = lgb

    def refuse_unknown(self, native: dict[str, Any], problem: Problem) -> None:
        """LightGBM takes any name in silence; its own list of names and aliases tells."""
        from lightgbm.basic import _ConfigAliases

        aliases = _ConfigAliases._get_all_param_aliases()
        known = {name for names in aliases.values() for name in names} | set(aliases)
        missing = [name for name in native if name not in known | {"container"}]
        if missing:
            raise unknown("lightgbm", missing)

    def construct(self, train: Part, native: dict[str, Any], problem: Problem) -> Any:
        """A Dataset, binned now: left alone it would be in the first moments of the fit."""
        if self.streams(native):
            return _dataset(sequence(lambda: iter((train,)), *train.X.shape), train.y, native)
        return _dataset(train.X, train.y, native)

    def construct_streamed(
        self, source: RowSource, native: dict[str, Any], problem: Problem
    ) -> Any:
        """A Dataset, a part of the rows in memory at a time, and LightGBM's sample of them.

        Raises:
            DataError: the file cannot be decoded.
        """
        rows = sequence(source.parts, source.n_rows, source.n_features)
        return _dataset(rows, source.labels(), native)

    def fit(self, container: Any, native: dict[str, Any], problem: Problem) -> Any:
        """The booster."""
        return _trained(container, native, [])

    def fit_with_clock(
        self,
        container: Any,
        native: dict[str, Any],
        problem: Problem,
        clock: Callable[[], None],
    ) -> Any:
        """By LightGBM's own callback after each iteration."""
        return _trained(container, native, [after_each_iteration(clock)])

    def predict(self, model: Any, X: FloatMatrix, problem: Problem) -> NDArray[np.floating[Any]]:
        """In the layout of `X`, on as many threads as were trained with."""
        predicted: NDArray[np.floating[Any]]
        predicted = model.predict(X, num_threads=model.params["num_threads"])
        return predicted

    def iterations(self, model: Any) -> int:
        """Iterations; each has a tree per class."""
        done: int = model.current_iteration()
        return done

    def staged(
        self, model: Any, X: FloatMatrix, problem: Problem, iterations: Sequence[int]
    ) -> Iterator[NDArray[np.floating[Any]]]:
        """Margins added up from stage to stage."""
        return staged_margins(model, X, model.params["num_threads"], iterations)

    def dump(self, model: Any) -> bytes:
        """The text that LightGBM saves."""
        text: str = model.model_to_string()
        return text.encode()

    def effective(self, model: Any) -> dict[str, Any]:
        """The parameters that LightGBM writes into its model, and the container where known."""
        text: str = model.model_to_string(num_iteration=1)
        built_from = getattr(model, "built_from", None)
        container = {} if built_from is None else {"container": built_from}
        return {**dict(_PARAMETER_LINE.findall(text)), **container}

    def shape(self, model: Any) -> ModelShape:
        """Counted from the child arrays in the model's text."""
        return grown_from_splits(_trees(model.model_to_string()))


def _trained(container: Any, native: Mapping[str, Any], callbacks: list[Any]) -> Any:
    import lightgbm as lgb

    rounds = native["num_iterations"]
    booster: Any = lgb.train(library_parameters(native), container, rounds, callbacks=callbacks)
    # Neither a Dataset nor a Booster knows what it was made of.
    booster.built_from = container.built_from
    return booster


def _dataset(data: Any, y: NDArray[np.float32], native: Mapping[str, Any]) -> Any:
    import lightgbm as lgb

    dataset: Any = lgb.Dataset(
        data,
        label=y,
        params=library_parameters(native),
        categorical_feature=native["categorical_feature"] or "auto",
    )
    dataset.built_from = FROM_SEQUENCE if isinstance(data, lgb.Sequence) else "Dataset"
    return dataset.construct()


def _capacity(params: Params) -> dict[str, Any]:
    """`num_leaves` always binds in LightGBM, so a depth alone needs room for 2^depth leaves;
    -1 is its "no limit" on depth."""
    if params.max_leaves is not None:
        return {"num_leaves": params.max_leaves, "max_depth": params.max_depth or -1}
    depth = params.max_depth or capacity.BOOSTED_MAX_DEPTH
    return {"num_leaves": capacity.leaves_at_depth(depth), "max_depth": depth}


def _power(depth: int) -> str:
    return f"{1 << depth:,}" if depth <= 30 else f"2^{depth}"


def library_parameters(native: Mapping[str, Any]) -> dict[str, Any]:
    """Without what the interface takes as arguments; it warns of those among the parameters."""
    arguments = ("num_iterations", "categorical_feature", "container")
    return {name: value for name, value in native.items() if name not in arguments}


def _trees(text: str) -> Iterator[tuple[list[int], list[int]]]:
    """The child arrays of each tree; a tree of one leaf has none."""
    for block in text.split("\nTree=")[1:]:
        yield _children(block, "\nleft_child="), _children(block, "\nright_child=")


def _children(block: str, key: str) -> list[int]:
    _, found, rest = block.partition(key)
    return [int(child) for child in rest.partition("\n")[0].split()] if found else []
