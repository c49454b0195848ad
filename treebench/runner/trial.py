"""What a worker is told of a cell."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from treebench.data.making.make import split_paths, train_path
from treebench.data.manifest import Split, read_manifest
from treebench.errors import DataError
from treebench.trainers.registry import TRAINERS
from treebench.worker.protocol import Trial

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from treebench.plan.build import PlannedCell
    from treebench.plan.cell import CellSpec


def trial_of(
    cell: PlannedCell,
    folders: Mapping[str, Path],
    *,
    latency: bool = False,
    curve: bool = False,
    validate: bool = True,
) -> Trial:
    """The trial of a cell, its data found in the made data sets' folders. With `validate` False
    the validation part, where it has one, is left alone.

    Raises:
        DataError: the data set is gone, or another than the one that the cell was planned for.
    """
    spec = cell.spec
    if cell.problem is None:
        return Trial(trainer=spec.trainer, native=cell.native)
    folder = folders[spec.dataset].absolute()
    _check_same_data(spec, folder)
    train, validation = _training_paths(spec, folder)
    return Trial(
        trainer=spec.trainer,
        native=cell.native,
        warm_up_native=cell.warm_up_native,
        problem=dataclasses.asdict(cell.problem),
        train_path=str(train),
        test_path=str(folder / "test.parquet"),
        features=spec.features,
        onehot=spec.params.get("categorical") == "onehot",
        cardinalities=cell.cardinalities,
        latency=latency,
        curve=curve,
        validation_path=str(validation) if validation is not None and validate else None,
        streamed=TRAINERS[spec.trainer].streams(cell.native),
    )


def _training_paths(spec: CellSpec, folder: Path) -> tuple[Path, Path | None]:
    """The rows trained on, and those held out of them."""
    if spec.validation_share is None:
        return train_path(folder, spec.rows), None
    return split_paths(folder, Split(spec.rows, spec.validation_share))


def _check_same_data(spec: CellSpec, folder: Path) -> None:
    """A sweep may take hours, and a folder be made anew in the meantime."""
    if read_manifest(folder).identity_sha256 != spec.data_sha256:
        raise DataError(
            f"{folder} holds other data than when the run began; type the same command with "
            f"--fresh to measure what is there now"
        )
