"""XGBoost through its native interface: a DMatrix or one of its kin, then `xgboost.train`."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from treebench.trainers import capacity, data_support
from treebench.trainers.base import Trainer, Use, no_meaning, only
from treebench.trainers.extra import merged, unknown
from treebench.trainers.parameter_table import one_process_table
from treebench.trainers.xgboost_model import configuration, shape_of
from treebench.trainers.xgboost_stages import after_each_round, staged_margins
from treebench.trainers.xgboost_streamed import (
    EXTERNAL,
    FROM_ITERATOR,
    STREAMED,
    StreamedMatrix,
    external_from,
    quantile_from,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from treebench.data.manifest import Task
    from treebench.data.matrix import FloatMatrix, Part, RowSource
    from treebench.trainers.base import ModelShape, Problem
    from treebench.trainers.parameters import Params, Value

_OBJECTIVES: dict[Task, str] = {
    "binary": "binary:logistic",
    "multiclass": "multi:softprob",
    "regression": "reg:squarederror",
}

_CONTAINERS = {
    "dmatrix": "DMatrix",
    "quantile": "QuantileDMatrix",
    "iterator": FROM_ITERATOR,
    "external": EXTERNAL,
}

_NOT_TRAIN_PARAMETERS = ("num_boost_round", "container", "enable_categorical")
"""Names in `native` that are arguments of the interface, not of the booster."""

# Every spelling of what a canonical parameter says.
_CANONICAL = {
    "tree_method": "method",
    "num_boost_round": "n_estimators",
    "learning_rate": "learning_rate",
    "eta": "learning_rate",
    "max_depth": "max_depth",
    "max_leaves": "max_leaves",
    "max_bin": "max_bin",
    "min_child_weight": "min_child_weight",
    "reg_lambda": "reg_lambda",
    "lambda": "reg_lambda",
    "subsample": "subsample",
    "colsample_bytree": "colsample",
    "container": "container",
    "enable_categorical": "categorical",
    "seed": "seed",
    "random_state": "seed",
    "nthread": "threads",
    "n_jobs": "threads",
}

_UNUSED = re.compile(r"Parameters: \{ (.*) \} are not used")


@dataclass(frozen=True)
class FittedBooster:
    """The booster, and the kind of container it was trained on, which it does not know."""

    booster: Any
    container: str


class XGBoost(Trainer):
    """Exact, approx and hist, on the containers that each can use."""

    name: ClassVar[str] = "xgboost"
    distribution: ClassVar[str] = "xgboost"
    sparse_meaning: ClassVar[str] = "an absent entry is missing"
    containers: ClassVar[tuple[str, ...]] = tuple(_CONTAINERS)
    clocks_iterations: ClassVar[bool] = True
    stages: ClassVar[bool] = True
    phase_notes: ClassVar[Mapping[str, str]] = {
        "construct": "a DMatrix copies the data; a QuantileDMatrix keeps only bins, so binning "
        "is in construct, and so is a copy of csc data to csr; iterator and external read all rows "
        "several times, to find the cuts and then to bin",
        "fit": "on a DMatrix, round 1 includes finding the cuts and binning (hist, approx) or "
        "copying the columns and sorting them (exact)",
        "predict": "in place on dense and csr data, with no copy; csc data is copied into a "
        "DMatrix first, since predicting in place does not take it",
    }

    def own_defaults(self, params: Params) -> Mapping[str, Value]:
        """Hist on its own container; the others can only use the plain one."""
        method = params.method or "hist"
        container = "quantile" if method == "hist" else "dmatrix"
        return {"method": method, "container": container, **capacity.boosted_default(params)}

    def uses(self, params: Params) -> Mapping[str, Use]:
        """The parameter table; exact has no bins, and only hist has a container of bins."""
        table = one_process_table("LightGBM")
        table["min_samples_leaf"] = only(
            1, "it bounds a leaf by its sum of hessians (min_child_weight), not by its rows"
        )
        if params.method == "exact":
            table["max_bin"] = no_meaning("exact sorts values and has no bins")
        bins = data_support.no("quantile", self.name, params.method)
        if bins:
            table["container"] = only("dmatrix", bins.reason.format(method=params.method))
        return table

    def capacity_note(self, params: Params) -> str | None:
        """Exact can limit depth only."""
        return capacity.depth_alone_note(params) if params.method == "exact" else None

    def native(self, params: Params, problem: Problem) -> dict[str, Any]:
        """Booster parameters, and the arguments `num_boost_round`, `container` and
        `enable_categorical`."""
        native = {
            "objective": _OBJECTIVES[problem.task],
            "tree_method": params.method,
            **_capacity(params),
            "num_boost_round": params.n_estimators,
            "learning_rate": params.learning_rate,
            "min_child_weight": params.min_child_weight,
            "reg_lambda": params.reg_lambda,
            "subsample": params.subsample,
            "colsample_bytree": params.colsample,
            "container": _CONTAINERS[params.container or "dmatrix"],
            "enable_categorical": params.categorical == "native" and bool(problem.cardinalities),
            "seed": params.seed,
            "nthread": params.threads,
        }
        if params.method != "exact":
            native["max_bin"] = params.max_bin
        if problem.task == "multiclass":
            native["num_class"] = problem.n_classes
        return merged(native, params.extra, _CANONICAL)

    def streams(self, native: dict[str, Any]) -> bool:
        """The two containers that are built a part at a time."""
        return native.get("container") in STREAMED

    # ------------------------------------------------------------------ in the worker

    def import_library(self) -> None:
        """Import XGBoost and what reads its models."""
        import numpy as np
        import xgboost as xgb

        _ = np, xgb

    def refuse_unknown(self, native: dict[str, Any], problem: Problem) -> None:
        """XGBoost only warns of a name it does not know; a throw-away booster brings that forth
        (verbosity 1, or the warning would not come)."""
        import xgboost as xgb

        parameters = {**booster_parameters(native), "num_feature": 1, "verbosity": 1}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            xgb.Booster(parameters).save_config()
        for warning in caught:
            unused = _UNUSED.search(str(warning.message))
            if unused:
                raise unknown("xgboost", re.findall(r'"([^"]*)"', unused.group(1)))

    def construct(self, train: Part, native: dict[str, Any], problem: Problem) -> Any:
        """The container of the layout given, without feature names."""
        import xgboost as xgb

        if native["container"] in STREAMED:
            return _streamed(lambda: iter((train,)), native, problem)
        arguments = {"label": train.y, **_meta(native, problem), **_arguments(native)}
        if native["container"] == "QuantileDMatrix":
            return xgb.QuantileDMatrix(train.X, max_bin=native["max_bin"], **arguments)
        return xgb.DMatrix(train.X, **arguments)

    def construct_streamed(
        self, source: RowSource, native: dict[str, Any], problem: Problem
    ) -> Any:
        """The container, a part of the rows in memory at a time.

        Raises:
            DataError: the file cannot be decoded.
        """
        return _streamed(source.parts, native, problem)

    def fit(self, container: Any, native: dict[str, Any], problem: Problem) -> Any:
        """The booster, with its container's kind."""
        return _trained(container, native, ())

    def fit_with_clock(
        self,
        container: Any,
        native: dict[str, Any],
        problem: Problem,
        clock: Callable[[], None],
    ) -> Any:
        """By XGBoost's own callback after each round."""
        return _trained(container, native, (after_each_round(clock),))

    def finish(self, container: Any) -> None:
        """Let go of the cache on disk, where there is one."""
        if isinstance(container, StreamedMatrix):
            container.close()

    def warm_up(self, tiny: Part, native: dict[str, Any], problem: Problem) -> None:
        """One tree on the kind of container that will be used."""
        container = self.construct(tiny, native, problem)
        try:
            model = self.fit(container, native, problem)
        finally:
            self.finish(container)
        self.predict(model, tiny.X, problem)

    def predict(self, model: Any, X: FloatMatrix, problem: Problem) -> NDArray[np.floating[Any]]:
        """In the layout of `X`, so that an absent entry means what it meant in training."""
        predicted: NDArray[np.floating[Any]]
        matrix = matrix_for(model.booster, X)
        in_place = matrix is X
        predicted = (model.booster.inplace_predict if in_place else model.booster.predict)(matrix)
        return predicted

    def iterations(self, model: Any) -> int:
        """Rounds; each has a tree per class."""
        rounds: int = model.booster.num_boosted_rounds()
        return rounds

    def staged(
        self, model: Any, X: FloatMatrix, problem: Problem, iterations: Sequence[int]
    ) -> Iterator[NDArray[np.floating[Any]]]:
        """Margins added up from stage to stage."""
        return staged_margins(model.booster, matrix_for(model.booster, X), iterations)

    def dump(self, model: Any) -> bytes:
        """The model in UBJSON, XGBoost's own default format."""
        return bytes(model.booster.save_raw("ubj"))

    def effective(self, model: Any) -> dict[str, Any]:
        """The booster's configuration, flattened: all that it keeps, by XGBoost's names."""
        return {
            **configuration(model.booster),
            "num_boost_round": model.booster.num_boosted_rounds(),
            "container": model.container,
            "enable_categorical": "c" in (model.booster.feature_types or ()),
        }

    def shape(self, model: Any) -> ModelShape:
        """Read from the JSON model."""
        return shape_of(model.booster)


def _capacity(params: Params) -> dict[str, Any]:
    """Depth-first to a depth, or best-first to a number of leaves; 0 is XGBoost's "no limit"."""
    if params.method == "exact":
        return {"max_depth": capacity.depth_alone(params)}
    policy = "depthwise" if params.max_leaves is None else "lossguide"
    return {
        "grow_policy": policy,
        "max_depth": params.max_depth or 0,
        "max_leaves": params.max_leaves or 0,
    }


def _arguments(native: Mapping[str, Any]) -> dict[str, Any]:
    """What every container is told."""
    return {
        "nthread": native["nthread"],
        **({"enable_categorical": True} if native["enable_categorical"] else {}),
    }


def _meta(native: Mapping[str, Any], problem: Problem) -> dict[str, Any]:
    """What is said of the columns."""
    if not native["enable_categorical"]:
        return {}
    return {"feature_types": feature_types_of(problem.n_features, problem.cardinalities)}


def _streamed(
    parts: Callable[[], Iterator[Part]], native: Mapping[str, Any], problem: Problem
) -> StreamedMatrix:
    build = external_from if native["container"] == EXTERNAL else quantile_from
    arguments = {"max_bin": native["max_bin"], **_arguments(native)}
    return build(parts, _meta(native, problem), arguments)


def booster_parameters(native: Mapping[str, Any]) -> dict[str, Any]:
    """What of `native` is the booster's own."""
    parameters = {
        name: value for name, value in native.items() if name not in _NOT_TRAIN_PARAMETERS
    }
    # A config can hold lists only, and this one XGBoost takes as a tuple only.
    if isinstance(parameters.get("monotone_constraints"), list):
        parameters["monotone_constraints"] = tuple(parameters["monotone_constraints"])
    return parameters


def feature_types_of(n_features: int, cardinalities: Mapping[int, int]) -> list[str]:
    """XGBoost's letter for each column: c for categories, q for quantities."""
    return ["c" if position in cardinalities else "q" for position in range(n_features)]


def _trained(container: Any, native: Mapping[str, Any], callbacks: Sequence[Any]) -> FittedBooster:
    import xgboost as xgb

    streamed = isinstance(container, StreamedMatrix)
    matrix = container.matrix if streamed else container
    rounds = native["num_boost_round"]
    booster = xgb.train(booster_parameters(native), matrix, rounds, callbacks=callbacks)
    return FittedBooster(booster, container.kind if streamed else type(matrix).__name__)


def matrix_for(booster: Any, X: FloatMatrix) -> Any:
    """What the booster predicts: `X` itself in place, and a container of csc data, which it does
    not take in place."""
    if getattr(X, "format", None) != "csc":
        return X
    import xgboost as xgb

    categorical = booster.feature_types is not None
    return xgb.DMatrix(
        X,
        nthread=int(configuration(booster)["nthread"]),
        feature_types=booster.feature_types,
        enable_categorical=categorical,
    )
