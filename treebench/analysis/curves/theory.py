"""What theory says of a curve: for each way of training the shapes of its costs along an axis, each
with its source. Where theory names no shape there is no entry, and nothing is compared."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from treebench.plan.cell import CellSpec

Way = Literal["presorted", "sorting", "forest", "approx", "histogram"]
"""How splits are found: XGBoost's exact sorts every feature once; scikit-learn's trees sort at
every node (a forest's draw some features for each); approx sketches anew for every tree."""

BOOSTERS: tuple[Way, ...] = ("presorted", "approx", "histogram")
EVERY: tuple[Way, ...] = (*BOOSTERS, "sorting", "forest")

_CHEN = "T. Chen and C. Guestrin, XGBoost: A Scalable Tree Boosting System (KDD 2016), section 4.1"
_KE = "G. Ke et al., LightGBM: A Highly Efficient Gradient Boosting Decision Tree (2017), section 2"
_SCIKIT = "scikit-learn's user guide, Decision Trees, Complexity"
_AMDAHL = "G. M. Amdahl, Validity of the single processor approach (AFIPS 1967)"
_BREIMAN = "L. Breiman, Random Forests (Machine Learning 45, 2001)"
_FRIEDMAN = "J. H. Friedman, Greedy Function Approximation (Annals of Statistics 29, 2001)"
_STORED = "docs/SCALING.md"


@dataclass(frozen=True)
class Expected:
    """The shapes that theory allows, from the gentlest to the steepest, why, and who says so."""

    shapes: tuple[str, ...]
    why: str
    source: str

    def exponents(self, low: float, high: float) -> tuple[float, float]:
        """The least and the largest exponent of these shapes between two sizes, each taken in
        the middle of the two on a log axis: what c is in the power law that touches there."""
        middle = math.sqrt(low * high)
        found = [EXPONENT_AT[shape](middle) for shape in self.shapes]
        return min(found), max(found)


def _log(x: float) -> float:
    return max(1.0, math.log(x))


EXPONENT_AT: dict[str, Callable[[float], float]] = {
    "1/n": lambda _: -1.0,
    "constant": lambda _: 0.0,
    "log n": lambda x: 1 / _log(x),
    "sqrt n": lambda _: 0.5,
    "n": lambda _: 1.0,
    "n log n": lambda x: 1 + 1 / _log(x),
    "n log^2 n": lambda x: 1 + 2 / _log(x),
    "2^n": lambda x: x * math.log(2),
}
"""d log f / d log x of each shape."""


@dataclass(frozen=True)
class _Rule:
    figures: tuple[str, ...]
    axes: tuple[str, ...]
    ways: tuple[Way, ...]
    expected: Expected


_TRAINING = ("fit_time", "construct_fit_time", "fit_time_per_tree")
_FITTING = ("fit_time", "construct_fit_time")
_MEMORY = (
    *("construct_growth", "fit_growth", "construct_fit_growth"),
    *("peak_memory", "tree_memory", "summed_rss"),
)
_PREDICTING = ("predict_time", "latency")
_WIDTH = ("features", "density")

_RULES = (
    _Rule(
        _TRAINING,
        ("rows",),
        ("presorted",),
        Expected(("n", "n log n"), "features are sorted once, then every level is linear", _CHEN),
    ),
    _Rule(
        _TRAINING,
        ("rows",),
        ("sorting", "forest"),
        Expected(
            ("n log n", "n log^2 n"),
            "every node sorts its rows, and a tree of unlimited depth has log n levels",
            _SCIKIT,
        ),
    ),
    _Rule(
        _TRAINING,
        ("rows",),
        ("approx",),
        Expected(("n", "n log n"), "quantiles are sketched anew for every tree", _CHEN),
    ),
    _Rule(
        ("fit_time", "fit_time_per_tree"),
        ("rows",),
        ("histogram",),
        Expected(("n",), "each row is added to a histogram once per level", _KE),
    ),
    _Rule(
        ("construct_fit_time", "construct_time"),
        ("rows",),
        ("histogram",),
        Expected(("n", "n log n"), "finding bins sorts rows; building histograms is linear", _KE),
    ),
    _Rule(
        ("construct_time",),
        ("rows",),
        EVERY,
        Expected(("n",), "each entry is copied once", _CHEN),
    ),
    _Rule(
        (*_TRAINING, "construct_time"),
        _WIDTH,
        ("forest",),
        Expected(
            ("sqrt n", "n"),
            "a classifier draws the square root of the features per split",
            _BREIMAN,
        ),
    ),
    _Rule(
        (*_TRAINING, "construct_time"),
        _WIDTH,
        EVERY,
        Expected(("n",), "every entry that is stored is looked at", _CHEN),
    ),
    _Rule(
        _FITTING,
        ("n_estimators",),
        EVERY,
        Expected(("n",), "one tree after another, each over all rows", _FRIEDMAN),
    ),
    _Rule(
        ("fit_time_per_tree",),
        ("n_estimators",),
        EVERY,
        Expected(("constant",), "each tree costs the same", _FRIEDMAN),
    ),
    _Rule(
        (*_TRAINING, *_MEMORY),
        ("max_bin",),
        ("approx", "histogram"),
        Expected(
            ("constant", "n"),
            "rows are added whatever the bins; histograms and the search in them grow with bins",
            _KE,
        ),
    ),
    _Rule(
        _TRAINING,
        ("max_leaves",),
        EVERY,
        Expected(
            ("log n", "n"), "rows pass a level for each doubling; every leaf is searched", _KE
        ),
    ),
    _Rule(
        _MEMORY,
        ("max_leaves",),
        ("approx", "histogram"),
        Expected(("constant", "n"), "a histogram is kept for each leaf", _KE),
    ),
    _Rule(
        _TRAINING,
        ("max_depth",),
        ("approx", "histogram"),
        Expected(
            ("n", "2^n"), "all rows at every level; leaves, each with a histogram, double", _KE
        ),
    ),
    _Rule(
        _TRAINING,
        ("max_depth",),
        ("presorted", "sorting", "forest"),
        Expected(("constant", "n"), "all rows at every level, until leaves are pure", _CHEN),
    ),
    _Rule(
        _TRAINING,
        ("threads", "n_jobs"),
        EVERY,
        Expected(("1/n",), "the share that is parallel; the rest is the fixed part", _AMDAHL),
    ),
    _Rule(
        ("tree_memory", "summed_rss"),
        ("n_jobs",),
        EVERY,
        Expected(("constant", "n"), "each job has what it does not share", _STORED),
    ),
    _Rule(
        _MEMORY,
        ("rows", *_WIDTH),
        EVERY,
        Expected(("n",), "each entry takes its bytes, beside what is there at any size", _STORED),
    ),
    _Rule(
        ("peak_memory", "fit_growth", "construct_fit_growth", "tree_memory"),
        ("n_estimators",),
        BOOSTERS,
        Expected(("constant", "n"), "work space is used again; trees are kept", _STORED),
    ),
    _Rule(
        ("data_size", "load_time", "convert_time"),
        ("rows", *_WIDTH),
        EVERY,
        Expected(("n",), "each entry is read once", _STORED),
    ),
    _Rule(
        ("model_size", "n_leaves", *_PREDICTING),
        ("n_estimators",),
        EVERY,
        Expected(("n",), "every tree is stored, and walked by every prediction", _FRIEDMAN),
    ),
    _Rule(
        _PREDICTING,
        ("rows",),
        BOOSTERS,
        Expected(("constant",), "the test part, and the size of a tree, stay the same", _FRIEDMAN),
    ),
    _Rule(
        ("counter:fit",),
        ("rows", "features", "n_estimators"),
        EVERY,
        Expected(("n", "n log n"), "events follow the work", _CHEN),
    ),
    _Rule(
        ("per_work:fit",),
        ("rows", "features", "n_estimators"),
        BOOSTERS,
        Expected(("constant",), "events follow the work, while a cache's reach stays", _CHEN),
    ),
)


def expected(spec: CellSpec, figure: str, axis: str) -> Expected | None:
    """What theory says of a figure of this cell's trainer along an axis; None where it names no
    shape."""
    way = way_of(spec)
    named = {figure, figure.split(":")[0], ":".join(figure.split(":")[:2])}
    return next(
        (
            rule.expected
            for rule in _RULES
            if named & set(rule.figures) and axis in rule.axes and way in rule.ways
        ),
        None,
    )


def way_of(spec: CellSpec) -> Way:
    """How the cell's trainer finds splits."""
    if "forest" in spec.trainer:
        return "forest"
    if spec.trainer in ("sklearn-gbdt", "sklearn-tree"):
        return "sorting"
    method = spec.params.get("method")
    return "presorted" if method == "exact" else "approx" if method == "approx" else "histogram"


def verdict(
    expected_range: tuple[float, float], low: float, high: float
) -> Literal["as expected", "gentler", "steeper"]:
    """How an exponent's interval lies to the range of theory."""
    if high < expected_range[0]:
        return "gentler"
    return "steeper" if low > expected_range[1] else "as expected"
