"""What can be said of planned cells before they run, with all that is at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.memory_model.columns import seen
from treebench.memory_model.observations import observation_of
from treebench.memory_model.predict import predict, predict_time
from treebench.memory_model.terms import is_modelled
from treebench.memory_model.workload import workload_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from treebench.data.manifest import Manifest
    from treebench.memory_model.calibration import Calibration
    from treebench.memory_model.columns import Columns
    from treebench.memory_model.predict import Prediction
    from treebench.memory_model.workload import Workload
    from treebench.plan.build import PlannedCell
    from treebench.store.row import SampleRow

_TRAINING_FILE = "train.parquet"


@dataclass(frozen=True)
class Estimate:
    """Of one cell: its peak, None where its trainer's memory is not modelled; and seconds of
    construct and fit (least, most likely, most), None where nothing like it was measured."""

    workload: Workload
    memory: Prediction | None
    seconds: tuple[float, float, float] | None

    def to_json(self) -> dict[str, Any]:
        """As `plan --json` has it."""
        from dataclasses import asdict

        return {
            "memory": None if self.memory is None else asdict(self.memory),
            "seconds": None if self.seconds is None else list(self.seconds),
        }


class Looked:
    """Columns of made data sets, each looked at once."""

    def __init__(self, folders: Mapping[str, Path]) -> None:
        self._folders = folders
        self._seen: dict[tuple[Any, ...], Columns] = {}

    def columns(self, cell: PlannedCell) -> Columns | None:
        """Of the cell's data as its trainer meets it.

        Raises:
            DataError: its file cannot be read.
        """
        problem, spec = cell.problem, cell.spec
        if problem is None or spec.dataset not in self._folders:
            return None
        spread = problem.n_features != spec.features
        key = (spec.dataset, problem.layout, spec.features, spread)
        if key not in self._seen:
            self._seen[key] = seen(
                self._folders[spec.dataset] / _TRAINING_FILE,
                problem.layout,
                cell.cardinalities,
                features=spec.features,
                onehot=spread,
            )
        return self._seen[key]


def estimates_of(
    cells: Iterable[PlannedCell],
    manifests: Mapping[str, Manifest],
    looked: Looked | None = None,
    calibration: Calibration | None = None,
) -> dict[str, Estimate]:
    """By cell id. Without `looked` every number in a column is taken to be different, so that
    what is said of data with few different values is too much."""
    return {
        cell.id: _estimate(cell, manifests[cell.spec.dataset], looked, calibration)
        for cell in cells
        if cell.problem is not None
    }


def _estimate(
    cell: PlannedCell,
    manifest: Manifest,
    looked: Looked | None,
    calibration: Calibration | None,
) -> Estimate:
    workload = workload_of(cell, manifest, None if looked is None else looked.columns(cell))
    memory = predict(workload, calibration) if is_modelled(workload) else None
    return Estimate(workload, memory, predict_time(workload, calibration))


def learned(
    cells: Iterable[PlannedCell],
    rows: Iterable[SampleRow],
    manifests: Mapping[str, Manifest],
    looked: Looked | None = None,
) -> Calibration | None:
    """What the timed samples of these cells taught; None where there are none."""
    from treebench.memory_model.calibration import calibrate

    known = {cell.id: cell for cell in cells}
    found = []
    for row in rows:
        cell = known.get(row.cell)
        if cell is None or row.kind != "timed":
            continue
        columns = None if looked is None else looked.columns(cell)
        one = observation_of(row, workload_of(cell, manifests[cell.spec.dataset], columns))
        found += [] if one is None else [one]
    return calibrate(found) if found else None
