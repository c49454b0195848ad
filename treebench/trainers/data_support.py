"""Which data each trainer takes, and why not: one table, for `plan`, docs/SUPPORT.md and tests.

Pure: nothing here needs a library to be installed. A test trains on every "yes" and shows that
every "no" is refused, or would be trained wrongly, by the libraries that are installed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from treebench.data.manifest import LAYOUTS

if TYPE_CHECKING:
    from treebench.data.manifest import Layout
    from treebench.trainers.base import Problem
    from treebench.trainers.parameters import Params

DENSE: tuple[Layout, ...] = ("dense-c", "dense-f")
SPARSE: tuple[Layout, ...] = ("csr", "csc")
METHODS: dict[str, tuple[str, ...]] = {
    "xgboost": ("hist", "approx", "exact"),
    "dask-xgboost": ("hist", "approx"),
}
"""The methods of trainers that have more than one."""

MOST_32_BIT = 2**31 - 1
"""The most entries whose positions a 32-bit index can tell."""

Test = Callable[["Params", "Problem"], bool]


@dataclass(frozen=True)
class Kind:
    """A kind of data, or a way for data to reach a library.

    `layouts` are those in which it occurs; `holds` tells whether the data of a cell is of it,
    given one of these. `container` is the one that it is about, if any.
    """

    key: str
    title: str
    group: str
    holds: Test
    layouts: tuple[Layout, ...] = LAYOUTS
    container: str | None = None


@dataclass(frozen=True)
class No:
    """Why a kind of data cannot be had. `reason` is a sentence with places for facts of the cell.

    `who`: the library `raises`; it `lacks` the parameter, and would take the data for something
    else; or it is treebench's `own` bound.
    """

    reason: str
    who: Literal["raises", "lacks", "own"] = "raises"


def _always(params: Params, problem: Problem) -> bool:
    return True


def _missing(params: Params, problem: Problem) -> bool:
    return problem.has_missing


def _native(params: Params, problem: Problem) -> bool:
    return params.categorical == "native" and bool(problem.cardinalities)


def _more_categories_than_bins(params: Params, problem: Problem) -> bool:
    return _native(params, problem) and _most_categories(problem) > params.or_default("max_bin")


def _wide_indices(params: Params, problem: Problem) -> bool:
    return (problem.stored_entries or 0) > MOST_32_BIT


def _layout(layout: Layout) -> Kind:
    return Kind(layout, f"layout `{layout}`", "Layouts", _always, (layout,))


def _task(task: str, title: str) -> Kind:
    return Kind(task, title, "Tasks", lambda params, problem: problem.task == task)


def _container(
    name: str, title: str, layouts: tuple[Layout, ...] = LAYOUTS, key: str | None = None
) -> Kind:
    def holds(params: Params, problem: Problem) -> bool:
        return params.container == name

    return Kind(key or name, title, "Containers", holds, layouts, name)


KINDS: tuple[Kind, ...] = (
    *(_layout(layout) for layout in LAYOUTS),
    _task("binary", "two classes"),
    _task("multiclass", "more classes"),
    _task("regression", "regression"),
    Kind("negative", "negative values", "Values", _always),
    Kind("missing-dense", "missing values, dense", "Values", _missing, DENSE),
    Kind("missing-sparse", "missing values, sparse", "Values", _missing, SPARSE),
    Kind(
        "without-value",
        "a column without a value",
        "Values",
        lambda params, problem: bool(problem.numbers_without_value),
        DENSE,
    ),
    Kind("wide-csr", "more than 2^31 stored entries, `csr`", "Values", _wide_indices, ("csr",)),
    Kind("wide-csc", "more than 2^31 stored entries, `csc`", "Values", _wide_indices, ("csc",)),
    Kind(
        "ordinal",
        "`categorical: ordinal`",
        "Categories",
        lambda params, problem: params.categorical == "ordinal",
    ),
    Kind(
        "onehot",
        "`categorical: onehot`",
        "Categories",
        lambda params, problem: params.categorical == "onehot",
    ),
    Kind("native-dense", "`categorical: native`, dense", "Categories", _native, DENSE),
    Kind("native-sparse", "`categorical: native`, sparse", "Categories", _native, SPARSE),
    Kind(
        "native-many",
        "`native`, more categories than `max_bin`",
        "Categories",
        _more_categories_than_bins,
        DENSE,
    ),
    _container("dmatrix", "`dmatrix`"),
    _container("quantile", "`quantile`"),
    _container("iterator", "`iterator`"),
    _container("external", "`external`"),
    _container("dataset", "`dataset`"),
    _container("sequence", "`sequence`, dense", DENSE),
    _container("sequence", "`sequence`, sparse", SPARSE, "sequence-sparse"),
)

_NO_LAYOUT = "{trainer} takes no {layout} data; it takes {layouts}"
_NO_NATIVE = "{trainer} takes no native categories; use categorical: ordinal or onehot"
_NO_MISSING = (
    "{trainer} takes no missing values{in_layout}, and this data has them (a category that only "
    "the test part has is one); use another trainer, or categorical: onehot if they are categories"
)
_NO_WIDE_INDICES = (
    "{trainer} takes {layout} data with 32-bit indices only, and these rows have some {entries:,} "
    "stored entries, more than 2^31; use fewer rows or features, or another trainer"
)
_NO_SHARD = (
    "{trainer} cannot have container={container}: its workers each hold a shard of the rows; use "
    "container: {others}"
)
_BINS_FOR_HIST = No("a QuantileDMatrix holds bins for hist, which {method} cannot use")

_ONLY_HIST = dict.fromkeys(("xgboost approx", "xgboost exact"), _BINS_FOR_HIST)
_EXACT_TREES = ("sklearn-gbdt", "sklearn-tree", "sklearn-forest")

TABLE: dict[str, dict[str, No]] = {
    "csr": {"sklearn-hist-gbdt": No(_NO_LAYOUT)},
    "csc": {"sklearn-hist-gbdt": No(_NO_LAYOUT)},
    "missing-dense": {"sklearn-gbdt": No(_NO_MISSING)},
    "missing-sparse": {way: No(_NO_MISSING) for way in _EXACT_TREES},
    "without-value": {
        "sklearn-hist-gbdt": No(
            "{trainer} cannot bin a column without a value, and these training rows have none in "
            "{columns}; drop it in the data set's card, or take more rows"
        ),
        "sklearn-gbdt": No(_NO_MISSING),
    },
    "wide-csr": {way: No(_NO_WIDE_INDICES) for way in (*_EXACT_TREES, "catboost")},
    "wide-csc": {way: No(_NO_WIDE_INDICES) for way in _EXACT_TREES},
    "native-dense": {
        "xgboost exact": No(
            "xgboost exact takes no native categories; use categorical: ordinal or onehot, or "
            "method: hist"
        ),
        **{way: No(_NO_NATIVE, "lacks") for way in _EXACT_TREES},
    },
    "native-many": {
        "sklearn-hist-gbdt": No(
            "{trainer} takes native categories up to max_bin={max_bin} values, and a column here "
            "has {most_categories:,}; use categorical: ordinal or onehot"
        ),
    },
    "quantile": dict(_ONLY_HIST),
    "iterator": {**_ONLY_HIST, "dask-xgboost": No(_NO_SHARD, "own")},
    "external": {**_ONLY_HIST, "dask-xgboost": No(_NO_SHARD, "own")},
    "sequence": {"dask-lightgbm": No(_NO_SHARD, "own")},
    "sequence-sparse": {
        "lightgbm": No(
            "a Sequence gives LightGBM dense rows only, not {layout}; use layout: dense-c, or "
            "container: dataset"
        ),
    },
}
TABLE["native-sparse"] = TABLE["native-dense"] | {
    "catboost": No("{trainer} takes native categories in dense data only; use layout: dense-c")
}
TABLE["native-many"] |= TABLE["native-dense"]

TWINS: dict[str, str] = {
    "loky-forest-pickled": "sklearn-forest",
    "loky-forest-memmap": "sklearn-forest",
    "multiprocessing-forest": "sklearn-forest",
    "dask-joblib-forest": "sklearn-forest",
    "dask-forest": "sklearn-forest",
    "dask-xgboost": "xgboost",
    "dask-lightgbm": "lightgbm",
}
"""Whose training a trainer runs in parallel: it takes what that one takes, but for lines of its own
in the table."""

KIND: dict[str, Kind] = {kind.key: kind for kind in KINDS}


def no(kind: str, trainer: str, method: str | None = None) -> No | None:
    """Why a trainer, by this method, cannot have a kind of data; None if it can."""
    refusals = TABLE.get(kind, {})
    for name in (trainer, TWINS.get(trainer, trainer)):
        for way in (f"{name} {method}", name):
            if way in refusals:
                return refusals[way]
    return None


def layouts_of(trainer: str) -> tuple[Layout, ...]:
    """The layouts that a trainer takes, in their usual order."""
    return tuple(layout for layout in LAYOUTS if no(layout, trainer) is None)


def layout_reason(trainer: str, params: Params, problem: Problem) -> str | None:
    """Why a trainer does not take the layout of a problem; None if it does."""
    refused = no(problem.layout, trainer)
    return None if refused is None else _told(refused, trainer, params, problem)


def why_not(trainer: str, params: Params, problem: Problem) -> str | None:
    """The first reason, in the order of `KINDS`, for which a trainer cannot have a problem as
    `params`, all filled in, would give it; None if there is none."""
    for kind in KINDS:
        refused = no(kind.key, trainer, params.method)
        if refused and problem.layout in kind.layouts and kind.holds(params, problem):
            return _told(refused, trainer, params, problem)
    return None


def _told(refused: No, trainer: str, params: Params, problem: Problem) -> str:
    sparse_alone = no("missing-dense", trainer) is None
    return refused.reason.format(
        trainer=trainer,
        method=params.method,
        layout=problem.layout,
        layouts=" and ".join(layouts_of(trainer)),
        in_layout=f" in {problem.layout}" if sparse_alone else "",
        columns=_shortened(problem.numbers_without_value),
        max_bin=params.or_default("max_bin"),
        most_categories=_most_categories(problem),
        entries=problem.stored_entries or 0,
        container=params.container,
        others=_containers_left(trainer),
    )


def _containers_left(trainer: str) -> str:
    """The containers of the same library that the trainer can have."""
    own = ("dataset", "sequence") if "lightgbm" in trainer else ("quantile", "dmatrix")
    return " or ".join(name for name in own if no(name, trainer) is None)


def _most_categories(problem: Problem) -> int:
    return max(problem.cardinalities.values(), default=0)


def _shortened(names: tuple[str, ...], most: int = 3) -> str:
    """The first few of some names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")
