"""A made file, and training on it as the worker does where a trainer streams."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.data.made_parquet import made_facts, write_table
from tests.trainers.problems import planned, problem
from treebench.data.reading.stream import RowStream
from treebench.trainers.registry import TRAINERS

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from treebench.data.manifest import Layout, Task
    from treebench.trainers.parameters import Params


def write(
    path: Path, X: NDArray[np.float32], y: NDArray[np.float32], group_rows: int = 400
) -> Path:
    """A wide file of these rows in several row groups."""
    import pyarrow as pa

    fields = [pa.field(f"f{j}", pa.float32(), nullable=False) for j in range(X.shape[1])]
    columns = [pa.array(np.ascontiguousarray(column)) for column in X.T]
    schema = pa.schema([*fields, pa.field("__target__", pa.float32(), nullable=False)])
    table = pa.Table.from_arrays([*columns, pa.array(y)], schema=schema)
    return write_table(path, table, made_facts("wide", X), group_rows=group_rows)


def predictions_streamed(
    name: str,
    params: Params,
    path: Path,
    task: Task,
    layout: Layout,
    cardinalities: dict[int, int] | None = None,
    onehot: bool = False,
) -> tuple[NDArray[Any], dict[str, Any], dict[str, Any]]:
    """Trained on the file and predicting its rows: predictions, native and effective parameters."""
    source = RowStream(path, layout, cardinalities or {}, onehot=onehot)
    of = replace(
        problem(task, layout, source.n_rows, source.n_features),
        cardinalities={} if onehot else cardinalities or {},
    )
    trainer, native = TRAINERS[name], planned(name, params, of).native
    assert trainer.streams(native)
    trainer.refuse_unknown(native, of)
    container = trainer.construct_streamed(source, native, of)
    try:
        model = trainer.fit(container, native, of)
    finally:
        trainer.finish(container)
    predicted = [trainer.predict(model, part.X, of) for part in source.parts()]
    return np.concatenate(predicted), native, trainer.effective(model)
