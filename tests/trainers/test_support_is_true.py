"""The table of which data each trainer takes, held against the libraries that are installed.

Every "yes" trains and predicts; every "no" is forced past `plan`, and the library refuses it, or
has no parameter by which it could be told.
"""

from __future__ import annotations

import inspect
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.trainers.dask_runs import constructed, write_rows
from tests.trainers.problems import labels, laid_out, table
from treebench.data.matrix import Part
from treebench.data.reading.onehot import one_hot
from treebench.data.reading.read import read_part
from treebench.trainers.base import Problem
from treebench.trainers.data_support import KINDS, TWINS, Kind, layouts_of, no
from treebench.trainers.parameters import Params
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import filled
from treebench.trainers.support_page import Way, arises, example, ways

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from treebench.data.manifest import Layout

pytestmark = pytest.mark.slow

ROWS = 700
POINTS = [
    (way, kind, layout)
    for way in ways()
    for kind in KINDS
    if arises(kind, way.trainer)
    for layout in kind.layouts
    if kind.group == "Layouts" or layout in layouts_of(way.trainer)
]
YES = [point for point in POINTS if no(point[1].key, point[0].trainer, point[0].method) is None]
NO = [point for point in POINTS if point not in YES and point[0].trainer not in TWINS]
ON_DASK = ("missing-dense", "missing-sparse", "without-value", "native-dense", "onehot")
"""What a cluster, which takes seconds to start, is shown; tasks and layouts are in test_dask."""


def params_of(points: list[tuple[Way, Kind, Layout]]) -> list[Any]:
    return [
        pytest.param(way, kind, layout, id=f"{way.title}-{kind.key}-{layout}")
        for way, kind, layout in points
    ]


def values_of(kind: Kind, problem: Problem) -> NDArray[np.float32]:
    """A table that is of this kind."""
    X = table(ROWS)
    if problem.numbers_without_value:
        X[:, 3] = np.nan
    elif problem.has_missing:
        X[::7, 0] = np.nan
    # One-hot columns are spread out before a trainer meets them, so its problem has no categories.
    codes = {1: 4} if kind.key == "onehot" else problem.cardinalities
    for column, cardinality in codes.items():
        X[:, column] = np.arange(ROWS) % cardinality
    assert X.min() < 0 or np.isnan(X.min())
    return X


def part_of(kind: Kind, layout: Layout, problem: Problem) -> Part:
    """The same, laid out, with labels."""
    X = values_of(kind, problem)
    y = labels(X, problem.task)
    if kind.key == "onehot":
        spread: Any = one_hot(Part(X, y, "dense-c", {1: 4}), "dense-c").X
        return Part(laid_out(spread, layout), y, layout, {})
    matrix: Any = laid_out(X, layout)
    if problem.stored_entries:
        matrix.indices = matrix.indices.astype(np.int64)
        matrix.indptr = matrix.indptr.astype(np.int64)
    return Part(matrix, y, layout, problem.cardinalities)


def trained(way: Way, kind: Kind, layout: Layout) -> NDArray[np.floating[Any]]:
    """Two trees, past everything that `plan` would say; the predictions."""
    stated, problem = example(kind, layout)
    part = part_of(kind, layout, problem)
    of = Problem(
        problem.task,
        ROWS,
        part.X.shape[1],
        problem.n_classes,
        layout,
        {} if kind.key == "onehot" else problem.cardinalities,
    )
    trainer = TRAINERS[way.trainer]
    jobs: dict[str, Any] = {"n_jobs": 1} if "forest" in way.trainer else {}
    params = filled(trainer, Params(method=way.method, n_estimators=2, **jobs, **stated))
    native = trainer.native(params, of)
    trainer.import_library()
    container = trainer.construct(part, native, of)
    try:
        model = trainer.fit(container, native, of)
        return trainer.predict(model, part.X, of)
    finally:
        trainer.finish(container)


def skip_without(trainer: str) -> None:
    if trainer == "catboost" and find_spec("catboost") is None:
        pytest.skip("catboost is not installed (the extra `catboost`)")


@pytest.mark.parametrize(
    ("way", "kind", "layout"),
    params_of([point for point in YES if not point[0].trainer.startswith("dask-")]),
)
def test_every_yes_trains(way: Way, kind: Kind, layout: Layout) -> None:
    skip_without(way.trainer)
    predicted = trained(way, kind, layout)
    assert predicted.shape == ((ROWS, 3) if kind.key == "multiclass" else (ROWS,))
    assert np.isfinite(predicted).all()
    assert predicted.std() > 0, "two trees tell some rows from others"


# What failed holds on to XGBoost's pages on disk, and XGBoost says that they are gone.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(("way", "kind", "layout"), params_of(NO))
def test_every_no_is_one_of_the_library(way: Way, kind: Kind, layout: Layout) -> None:
    skip_without(way.trainer)
    refused = no(kind.key, way.trainer, way.method)
    assert refused is not None
    if refused.who == "lacks":
        trainer: Any = TRAINERS[way.trainer]
        names = inspect.signature(trainer.estimator_class("binary").__init__).parameters
        assert not [name for name in names if "categ" in name]
    else:
        assert refused.who == "raises"
        # What is raised is each library's own; AssertionError and AttributeError are among them.
        with pytest.raises(Exception):  # noqa: B017, PT011
            trained(way, kind, layout)


def test_what_is_treebenchs_own_bound_is_of_clusters_alone() -> None:
    own = {
        (point[0].trainer, point[1].key)
        for point in POINTS
        if getattr(no(point[1].key, point[0].trainer, point[0].method), "who", "") == "own"
    }
    assert own == {
        ("dask-xgboost", "iterator"),
        ("dask-xgboost", "external"),
        ("dask-lightgbm", "sequence"),
    }


@pytest.mark.parametrize(
    ("way", "kind", "layout"),
    params_of(
        [
            (way, kind, layout)
            for way, kind, layout in YES
            if way.trainer.startswith("dask-")
            and kind.key in ON_DASK
            and layout == kind.layouts[-1]
            and way.method != "approx"
        ]
    ),
)
def test_every_yes_trains_on_a_cluster(
    way: Way, kind: Kind, layout: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASK_TEMPORARY_DIRECTORY", str(tmp_path))
    stated, problem = example(kind, layout)
    X: Any = part_of(kind, "dense-c", problem).X
    path = write_rows(tmp_path / "train.parquet", X, labels(X, problem.task))
    cardinalities = {} if kind.key == "onehot" else problem.cardinalities
    part = read_part(path, layout, cardinalities=cardinalities)
    of = Problem(
        problem.task, ROWS, X.shape[1], 2, layout, cardinalities, has_missing=problem.has_missing
    )
    trainer = TRAINERS[way.trainer]
    asked = Params(method=way.method, n_estimators=2, threads=2, n_jobs=2, **stated)
    native = trainer.native(filled(trainer, asked), of)
    trainer.import_library()
    container = constructed(trainer, native, of, part, path)
    try:
        model = trainer.fit(container, native, of)
    finally:
        trainer.finish(container)
    predicted = trainer.predict(model, part.X, of)
    assert predicted.shape == (ROWS,)
    assert predicted.std() > 0
