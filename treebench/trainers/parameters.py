"""The canonical parameters: one vocabulary for every library, with bounds and matched defaults.

A default is the value at which the libraries agree: `min_child_weight` 1e-3 is the bound that
HistGradientBoosting has built in (its MIN_HESSIAN constant), `min_samples_leaf` 1 is what
XGBoost, which lacks the parameter, does anyway. A default of None means "the trainer decides".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["int", "float", "choice"]
Value = int | float | str | None


@dataclass(frozen=True)
class Parameter:
    """One canonical parameter: what it means and which values can be written."""

    name: str
    kind: Kind
    meaning: str
    default: Value = None
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()

    def problem(self, value: Any) -> str | None:
        """What `value` must be to be this parameter's, or None where it can be it. None (not
        stated) always can."""
        if value is None:
            return None
        if self.kind == "choice":
            if value in self.choices:
                return None
            return f"it must be {', '.join(self.choices[:-1])} or {self.choices[-1]}"
        numeric = (int,) if self.kind == "int" else (int, float)
        if isinstance(value, bool) or not isinstance(value, numeric):
            wanted = "a whole number" if self.kind == "int" else "a number"
            return f"it must be {wanted} {self._range()}"
        inside = (self.low is None or value >= self.low) and (
            self.high is None or value <= self.high
        )
        return None if inside else f"it must be {self._range()}"

    def _range(self) -> str:
        if self.high is None:
            return f"of at least {_plain(self.low)}"
        return f"from {_plain(self.low)} to {_plain(self.high)}"


def _plain(bound: float | None) -> str:
    """A bound as people write it: 1000000 and not 1e+06."""
    return str(int(bound)) if bound is not None and bound == int(bound) else f"{bound:g}"


_ALL = (
    Parameter("method", "choice", "how splits are searched", choices=("exact", "approx", "hist")),
    Parameter("n_estimators", "int", "trees (boosting rounds)", 100, 1, 1_000_000),
    Parameter("learning_rate", "float", "shrinkage of each tree", 0.1, 1e-9, 10),
    Parameter("max_depth", "int", "deepest level of a tree", None, 1, 1000),
    # 131072 is LightGBM's own upper bound for num_leaves.
    Parameter("max_leaves", "int", "most leaves of a tree", None, 2, 131_072),
    Parameter("max_bin", "int", "most bins of a feature", 255, 2, 65_535),
    Parameter("min_samples_leaf", "int", "fewest rows in a leaf", 1, 1, 1_000_000_000),
    Parameter("min_child_weight", "float", "least sum of hessians in a leaf", 1e-3, 0, 1e12),
    Parameter("reg_lambda", "float", "L2 penalty on leaf values", 0.0, 0, 1e12),
    Parameter("subsample", "float", "share of rows drawn for each tree", 1.0, 1e-6, 1),
    Parameter("colsample", "float", "share of features drawn for each tree", 1.0, 1e-6, 1),
    Parameter(
        "container",
        "choice",
        "the library's own form of the data: of XGBoost the first four, of LightGBM the others",
        choices=("dmatrix", "quantile", "iterator", "external", "dataset", "sequence"),
    ),
    Parameter(
        "histogram",
        "choice",
        "whether LightGBM builds histograms by rows or by columns",
        choices=("row-wise", "col-wise"),
    ),
    Parameter("boosting", "choice", "LightGBM's sampling of rows", choices=("gbdt", "goss")),
    Parameter(
        "categorical",
        "choice",
        "how categorical columns reach the library",
        "ordinal",
        choices=("ordinal", "native", "onehot"),
    ),
    Parameter(
        "n_jobs",
        "int",
        "trees or shards trained at a time, each by a job of its own",
        None,
        1,
        1024,
    ),
    Parameter("seed", "int", "the learner's random seed", 0, 0, 2**31 - 1),
)

PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _ALL}


@dataclass(frozen=True)
class Params:
    """Canonical parameters of a cell, as the person stated them; None is "not stated".

    `extra` is passed to the library under its own names. `threads` is already a number of cores.
    """

    method: str | None = None
    n_estimators: int | None = None
    learning_rate: float | None = None
    max_depth: int | None = None
    max_leaves: int | None = None
    max_bin: int | None = None
    min_samples_leaf: int | None = None
    min_child_weight: float | None = None
    reg_lambda: float | None = None
    subsample: float | None = None
    colsample: float | None = None
    container: str | None = None
    histogram: str | None = None
    boosting: str | None = None
    categorical: str | None = None
    n_jobs: int | None = None
    seed: int | None = None
    threads: int = 1
    extra: dict[str, Any] = field(default_factory=dict)

    def stated(self) -> dict[str, Value]:
        """The canonical parameters that have a value, in canonical order."""
        values = {name: getattr(self, name) for name in PARAMETERS}
        return {name: value for name, value in values.items() if value is not None}

    def or_default(self, name: str) -> Any:
        """The stated value of `name`, else its matched default (which may be None)."""
        value = getattr(self, name)
        return PARAMETERS[name].default if value is None else value
