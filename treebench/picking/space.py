"""What can be picked: how a model is learnt (a learner and its numbers), and how the data is held.

The two are apart, since a container or an order of the same values in memory changes what training
costs and not what is learnt, save for the cuts of bins. So the search proposes learners, and how
the data is held is then chosen by what the memory model says of each way. Where an absent entry
means something else to a library than a zero (XGBoost), sparse and dense are different learners.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from treebench.trainers.parameters import Params
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import filled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treebench.data.manifest import Layout
    from treebench.picking.question import Question

DEFAULT_TRAINERS = ("xgboost", "lightgbm", "sklearn-hist-gbdt", "sklearn-forest")
"""Those tried unless others are named; the rest are slower kin of these, or for several hosts."""

_SPARSE_BELOW = 0.5
"""Density below which sparse layouts are tried: above it CSR (8 bytes an entry) is no smaller than
dense (4 bytes a cell)."""

Number = float | int


class Holding(NamedTuple):
    """How the data is held: what changes the cost of training and not its result."""

    layout: Layout
    container: str | None = None
    histogram: str | None = None

    def __str__(self) -> str:
        return " ".join(part for part in (self.container, self.histogram, self.layout) if part)


class Learner(NamedTuple):
    """What is learnt with: the part of a configuration that names no number."""

    trainer: str
    method: str | None
    categorical: str | None
    form: Literal["dense", "sparse"]

    def __str__(self) -> str:
        encoded = None if self.categorical is None else f"{self.categorical} categories"
        form = None if self.form == "dense" else self.form
        return " ".join(part for part in (self.trainer, self.method, encoded, form) if part)


@dataclass(frozen=True)
class Dimension:
    """One number of a learner: whole or not, drawn evenly or on a log scale between two bounds, or
    one of some `choices`. `start` is the value that the search begins with."""

    name: str
    low: float
    high: float
    start: Number
    log: bool = False
    whole: bool = False
    choices: tuple[int, ...] = ()


@dataclass(frozen=True)
class Point:
    """A learner with a value for each of its numbers."""

    learner: Learner
    numbers: tuple[tuple[str, Number], ...]

    @property
    def values(self) -> dict[str, Number]:
        """The numbers by name."""
        return dict(self.numbers)

    def with_values(self, **values: Number) -> Point:
        """The same with other numbers for some names, which it must have."""
        return Point(self.learner, tuple((name, values.get(name, v)) for name, v in self.numbers))

    def to_json(self) -> dict[str, Any]:
        """The point as JSON-ready values."""
        return {"learner": list(self.learner), "numbers": self.values}

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Point:
        """What `to_json` gave."""
        return cls(Learner(*raw["learner"]), tuple(raw["numbers"].items()))


_BINS = (15, 31, 63, 127, 255, 511)
_BOOSTED = (
    Dimension("n_estimators", 50, 1000, 300, log=True, whole=True),
    Dimension("learning_rate", 0.03, 0.3, 0.1, log=True),
    Dimension("max_bin", 15, 511, 255, choices=_BINS),
    Dimension("min_child_weight", 1e-3, 30, 1.0, log=True),
    Dimension("min_samples_leaf", 1, 200, 20, log=True, whole=True),
    Dimension("reg_lambda", 1e-2, 30, 1.0, log=True),
    Dimension("subsample", 0.5, 1.0, 1.0),
    Dimension("colsample", 0.4, 1.0, 1.0),
)
_BY_DEPTH = Dimension("max_depth", 3, 10, 6, whole=True)
_BY_LEAVES = Dimension("max_leaves", 7, 255, 63, log=True, whole=True)
_GROWN_OUT = (
    Dimension("n_estimators", 30, 300, 100, log=True, whole=True),
    Dimension("max_depth", 6, 24, 14, whole=True),
    Dimension("min_samples_leaf", 1, 100, 5, log=True, whole=True),
)

_SMALLER_STARTS, _AS_MANY_TREES = 3, 1
_BINS_A_STEP = 2

_METHODS: dict[str, tuple[str | None, ...]] = {"xgboost": ("hist", "exact")}
"""Without approx: it bins as hist does, anew in each round, and so takes longer and no less memory
for the same trees."""

_CONTAINERS: dict[tuple[str, str | None], tuple[tuple[str | None, str | None], ...]] = {
    ("xgboost", "hist"): (
        ("quantile", None),
        ("iterator", None),
        ("external", None),
        ("dmatrix", None),
    ),
    ("lightgbm", None): (("dataset", "col-wise"), ("dataset", "row-wise"), ("sequence", None)),
}
"""Containers and orders of histograms, the one that is best where all fit first."""


_STREAMED = ("iterator", "external", "sequence")


def dimensions(learner: Learner) -> tuple[Dimension, ...]:
    """The numbers that mean something to a learner, in the order they are proposed."""
    trainer = TRAINERS[learner.trainer]
    uses = trainer.uses(filled(trainer, Params(method=learner.method)))
    boosted = uses["learning_rate"].how == "mapped"
    by_depth = learner.trainer in ("xgboost", "catboost", "sklearn-gbdt")
    wanted = (_BY_DEPTH if by_depth else _BY_LEAVES, *_BOOSTED) if boosted else _GROWN_OUT
    return tuple(each for each in wanted if uses[each.name].how == "mapped")


def learners(question: Question) -> list[Learner]:
    """Every way to learn that the question allows, whether its library can do it or not: the first
    of each trainer, then the second of each, so that where time is short none is left out."""
    found = [
        Learner(trainer, method, categorical, form)
        for trainer in question.trainers
        for method in _METHODS.get(trainer, (None,))
        for categorical in _encodings(question)
        for form in _forms(question, trainer, categorical)
    ]
    return _in_turn(list(dict.fromkeys(found)))


def _in_turn(found: list[Learner]) -> list[Learner]:
    of_trainer = [[one for one in found if one.trainer == each.trainer] for each in found]
    places = {each: same.index(each) for each, same in zip(found, of_trainer, strict=True)}
    return sorted(found, key=places.__getitem__)


def holdings(learner: Learner) -> list[Holding]:
    """The ways to hold the data for a learner, the preferred one first."""
    containers = _CONTAINERS.get((learner.trainer, learner.method), ((None, None),))
    return [
        Holding(layout, container, histogram)
        for container, histogram in containers
        for layout in _layouts(learner, container)
    ]


def starting_point(learner: Learner) -> Point:
    """The values that a person would begin with."""
    return Point(learner, tuple((each.name, each.start) for each in dimensions(learner)))


def starting_points(learner: Learner) -> list[Point]:
    """The starting point and smaller ones, for budgets that it does not keep to: each has fewer
    bins and leaves than the one before, and the last ones fewer trees."""
    start, every = starting_point(learner), dimensions(learner)
    smaller = [
        Point(learner, tuple((each.name, _smaller(each, step)) for each in every))
        for step in range(1, _SMALLER_STARTS + 1)
    ]
    return list(dict.fromkeys([start, *smaller]))


def _smaller(dimension: Dimension, step: int) -> Number:
    """The start, `step` sizes smaller; what takes no memory is left as it is."""
    start = int(dimension.start)
    match dimension.name:
        case "max_bin":
            place = dimension.choices.index(start) - _BINS_A_STEP * step
            return dimension.choices[max(0, place)]
        case "max_leaves":
            return max(int(dimension.low), start >> step)
        case "max_depth":
            return max(int(dimension.low), start - step)
        case "n_estimators":
            return max(int(dimension.low), start >> max(0, step - _AS_MANY_TREES))
    return dimension.start


def smallest_point(learner: Learner) -> Point:
    """The values that take the least memory: few trees of few leaves and few bins."""
    small = {"n_estimators", "max_bin", "max_depth", "max_leaves"}
    return Point(
        learner,
        tuple(
            (each.name, (int(each.low) if each.name in small else each.start))
            for each in dimensions(learner)
        ),
    )


def stated(point: Point, holding: Holding, seed: int = 0) -> dict[str, Any]:
    """The point as a config's `reference`: trainer and canonical parameters."""
    learner = point.learner
    named = {
        "trainer": learner.trainer,
        "method": learner.method,
        "container": holding.container,
        "histogram": holding.histogram,
        "categorical": learner.categorical,
        "seed": seed or None,
    }
    kept = {name: value for name, value in named.items() if value is not None}
    return {**kept, **point.values}


def _encodings(question: Question) -> tuple[str | None, ...]:
    """How categories can reach a library; nothing to choose where there are none."""
    manifest = question.manifest
    if any(feature.cardinality is not None for feature in manifest.features):
        return ("ordinal", "native", "onehot")
    return (None,)


def _forms(
    question: Question, trainer: str, categorical: str | None
) -> tuple[Literal["dense", "sparse"], ...]:
    """Sparse where the data is, or becomes so by one-hot encoding."""
    takes_sparse = "csr" in TRAINERS[trainer].layouts
    is_sparse = question.manifest.density < _SPARSE_BELOW or categorical == "onehot"
    return ("dense", "sparse") if takes_sparse and is_sparse else ("dense",)


def _layouts(learner: Learner, container: str | None) -> tuple[Layout, ...]:
    """Rows that are read a part at a time have one layout that is worth it, and LightGBM's sequence
    gives dense rows only."""
    streamed = container in _STREAMED
    if learner.form == "sparse":
        return () if container == "sequence" else ("csr",) if streamed else ("csr", "csc")
    return ("dense-c",) if streamed else ("dense-c", "dense-f")
