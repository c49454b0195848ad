"""Training on a Dask cluster in one line, on data that lies in a file sorted by its labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tests.data.made_parquet import TARGET, made_facts, write_table
from tests.trainers.problems import labels, planned, problem, table
from treebench.data.reading.read import read_part
from treebench.data.reading.stream import RowStream
from treebench.trainers.registry import TRAINERS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from treebench.data.manifest import Layout, Task
    from treebench.data.matrix import Part
    from treebench.trainers.base import Problem, Trainer
    from treebench.trainers.parameters import Params

TWINS = {
    "dask-forest": "sklearn-forest",
    "dask-joblib-forest": "sklearn-forest",
    "dask-xgboost": "xgboost",
    "dask-lightgbm": "lightgbm",
}


@dataclass(frozen=True)
class Run:
    """A model and what it predicts for rows that it was not trained on."""

    trainer: Trainer
    native: dict[str, Any]
    model: Any
    container: Any
    predicted: NDArray[np.floating[Any]]
    train: Part
    test: Part


def sorted_files(folder: Path, task: Task, n_rows: int = 12_000) -> tuple[Path, Path]:
    """A training part sorted by its labels, and a test part, in the made format."""
    X = table(2 * n_rows)
    y = labels(X, task)
    order = np.argsort(y[:n_rows], kind="stable")
    train = write_rows(folder / "train.parquet", X[:n_rows][order], y[:n_rows][order])
    return train, write_rows(folder / "test.parquet", X[n_rows:], y[n_rows:])


def write_rows(path: Path, X: NDArray[np.float32], y: NDArray[np.float32]) -> Path:
    """A made file of X and y, in row groups of 3,000."""
    fields = [pa.field(f"f{at}", pa.float32(), nullable=False) for at in range(X.shape[1])]
    columns = [pa.array(np.ascontiguousarray(column)) for column in X.T]
    rows = pa.Table.from_arrays([*columns, pa.array(y)], schema=pa.schema([*fields, TARGET]))
    return write_table(path, rows, made_facts("wide", X), group_rows=3000)


def run(
    name: str,
    params: Params,
    files: tuple[Path, Path],
    task: Task = "binary",
    layout: Layout = "dense-c",
    before_fit: Callable[[Any], object] = lambda container: None,
    cardinalities: dict[int, int] | None = None,
) -> Run:
    """The phases, one after another, as the worker runs them."""
    trainer = TRAINERS[name]
    train, test = (read_part(path, layout, cardinalities=cardinalities) for path in files)
    n_rows, n_features = train.X.shape
    of = problem(task, layout, n_rows, n_features, cardinalities)
    native = planned(name, params, of).native
    trainer.import_library()
    trainer.refuse_unknown(native, of)
    container = constructed(trainer, native, of, train, files[0])
    try:
        before_fit(container)
        model = trainer.fit(container, native, of)
    finally:
        trainer.finish(container)
    predicted = trainer.predict(model, test.X, of)
    return Run(trainer, native, model, container, predicted, train, test)


def constructed(
    trainer: Trainer, native: dict[str, Any], of: Problem, train: Part, path: Path
) -> Any:
    """The container, made as the trainer wants it."""
    if not trainer.streams(native):
        return trainer.construct(train, native, of)
    return trainer.construct_streamed(RowStream(path, of.layout, of.cardinalities), native, of)


def accuracy_or_r2(of: Run, task: Task) -> float:
    """How good the predictions for the test part are."""
    y, predicted = of.test.y, of.predicted
    if task == "regression":
        return float(1 - np.var(predicted - y) / np.var(y))
    if task == "binary":
        return float(np.mean((predicted > 0.5) == y))
    return float(np.mean(predicted.argmax(axis=1) == y))
