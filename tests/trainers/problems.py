"""Small data sets with a signal that trees find, and training in one line."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import sparse

from treebench.data.matrix import Part
from treebench.trainers.base import Problem
from treebench.trainers.parameters import Params
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import Planned, resolve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treebench.data.manifest import Layout, Task
    from treebench.data.matrix import FloatMatrix
    from treebench.trainers.base import ModelShape, Trainer

TASKS: tuple[Task, ...] = ("binary", "multiclass", "regression")
IN_ONE_GO: tuple[str, ...] = tuple(name for name in TRAINERS if not name.startswith("dask-"))
"""The trainers that can be called by the hundred: a cluster takes seconds to start, so those that
start one have tests of their own."""

N_CLASSES: dict[Task, int] = {"binary": 2, "multiclass": 3, "regression": 0}


def table(n_rows: int = 1500, n_features: int = 5, zeros: float = 0.0) -> NDArray[np.float32]:
    """Normal values, of which the share `zeros` is zero."""
    random = np.random.default_rng(7)
    X = random.normal(size=(n_rows, n_features)).astype(np.float32)
    X[random.random(X.shape) < zeros] = 0
    return X


def labels(X: NDArray[np.float32], task: Task) -> NDArray[np.float32]:
    """A product, a threshold and a line, without noise; missing values count as 0."""
    known = np.nan_to_num(X)
    signal = known[:, 0] * known[:, 1] + 2.0 * (known[:, 2] > 0.3) + 0.5 * known[:, 0]
    if task == "regression":
        return np.asarray(signal, np.float32)
    cuts = [0.8] if task == "binary" else [0.2, 1.6]
    return np.asarray(np.digitize(signal, cuts), np.float32)


def laid_out(X: NDArray[np.float32], layout: Layout) -> FloatMatrix:
    """The same values in one of the four layouts."""
    make: dict[Layout, Any] = {
        "dense-c": np.ascontiguousarray,
        "dense-f": np.asfortranarray,
        "csr": sparse.csr_matrix,
        "csc": sparse.csc_matrix,
    }
    matrix: FloatMatrix = make[layout](X)
    return matrix


def problem(
    task: Task = "binary",
    layout: Layout = "dense-c",
    n_rows: int = 1500,
    n_features: int = 5,
    cardinalities: dict[int, int] | None = None,
) -> Problem:
    """What `plan` knows of such a data set."""
    return Problem(task, n_rows, n_features, N_CLASSES[task], layout, cardinalities or {})


def planned(name: str, params: Params, of: Problem) -> Planned:
    """A resolved point that must be supported, if its library is there."""
    if name == "catboost" and find_spec("catboost") is None:
        pytest.skip("catboost is not installed (the extra `catboost`)")
    resolved = resolve(TRAINERS[name], params, of)
    assert isinstance(resolved, Planned), resolved
    return resolved


@dataclass(frozen=True)
class Trained:
    """A fitted model with all that made it."""

    trainer: Trainer
    problem: Problem
    native: dict[str, Any]
    X: FloatMatrix
    y: NDArray[np.float32]
    model: Any

    def predict(self) -> NDArray[np.floating[Any]]:
        """Predictions for the training rows."""
        return self.trainer.predict(self.model, self.X, self.problem)

    @property
    def shape(self) -> ModelShape:
        """What was grown."""
        return self.trainer.shape(self.model)


def train(
    name: str,
    params: Params,
    X: NDArray[np.float32],
    y: NDArray[np.float32],
    task: Task = "binary",
    layout: Layout = "dense-c",
    cardinalities: dict[int, int] | None = None,
) -> Trained:
    """The phases, one after another, as the worker runs them."""
    trainer = TRAINERS[name]
    of = problem(task, layout, X.shape[0], X.shape[1], cardinalities)
    native = planned(name, params, of).native
    matrix = laid_out(X, layout)
    trainer.import_library()
    trainer.refuse_unknown(native, of)
    container = trainer.construct(Part(matrix, y, layout, cardinalities or {}), native, of)
    try:
        model = trainer.fit(container, native, of)
    finally:
        trainer.finish(container)
    return Trained(trainer, of, native, matrix, y, model)


def small(**stated: Any) -> Params:
    """Few trees with what is stated, on one thread: on a busy machine small work is slow on more,
    since OpenMP's threads spin while they wait for each other."""
    return Params(**{"n_estimators": 6, "threads": 1, **stated})
