"""What a worker is told of a cell."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from treebench.data.making.make import train_path
from treebench.worker.protocol import Trial

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from treebench.plan.build import PlannedCell


def trial_of(cell: PlannedCell, folders: Mapping[str, Path], *, latency: bool = False) -> Trial:
    """The trial of a cell, its data found in the made data sets' folders."""
    spec = cell.spec
    if cell.problem is None:
        return Trial(trainer=spec.trainer, native=cell.native)
    folder = folders[spec.dataset].absolute()
    return Trial(
        trainer=spec.trainer,
        native=cell.native,
        warm_up_native=cell.warm_up_native,
        problem=dataclasses.asdict(cell.problem),
        train_path=str(train_path(folder, spec.rows)),
        test_path=str(folder / "test.parquet"),
        features=spec.features,
        onehot=spec.params.get("categorical") == "onehot",
        cardinalities=cell.cardinalities,
        latency=latency,
    )
