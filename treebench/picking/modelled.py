"""The foresight that rests on the memory model: calibrated anew after each sample that ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from treebench.memory_model.calibration import calibrate
from treebench.memory_model.columns import seen
from treebench.memory_model.observations import observation_of
from treebench.memory_model.predict import predict, predict_time
from treebench.memory_model.workload import SPARSE_LAYOUTS, workload_of
from treebench.picking.forecast import CALIBRATED, Forecast

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from treebench.data.manifest import Manifest
    from treebench.memory_model.calibration import Calibration
    from treebench.memory_model.columns import Columns
    from treebench.memory_model.observations import Observation
    from treebench.memory_model.workload import Workload
    from treebench.plan.build import PlannedCell
    from treebench.store.row import SampleRow


@dataclass
class ModelForesight:
    """Forecasts by `memory_model`. `manifests` are those of both sets, by name; `train` is the made
    training part, whose first rows tell how many bins a column can have."""

    manifests: Mapping[str, Manifest]
    train: Path
    observations: list[Observation] = field(default_factory=list)
    _calibration: Calibration | None = None
    _columns: dict[tuple[bool, bool], Columns] = field(default_factory=dict)

    def memory(self, cell: PlannedCell) -> Forecast:
        """Bytes."""
        predicted = predict(self._workload(cell), self._calibrated())
        return Forecast(
            predicted.low_bytes,
            predicted.mid_bytes,
            predicted.high_bytes,
            predicted.phase,
            dict(predicted.terms),
            predicted.basis,
        )

    def seconds(self, cell: PlannedCell) -> Forecast | None:
        """Seconds of load, construct and fit: the model's for the last two, and for load what the
        samples so far took for each value of the matrix."""
        workload = self._workload(cell)
        known = predict_time(workload, self._calibrated())
        if known is None:
            return None
        load = self._load_s(workload)
        low, mid, high = (each + load for each in known)
        return Forecast(low, mid, high, basis=CALIBRATED)

    def saw(self, cell: PlannedCell, row: SampleRow) -> None:
        """Learn from a sample that ended well. One that died has no peak that could be compared
        with a term; that it died is for the screen to know."""
        observation = observation_of(row, self._workload(cell))
        if observation is not None:
            self.observations.append(observation)
            self._calibration = None

    def _workload(self, cell: PlannedCell) -> Workload:
        return workload_of(cell, self.manifests[cell.spec.dataset], self._seen(cell))

    def _seen(self, cell: PlannedCell) -> Columns:
        """What the first rows tell of the columns as they are in this form."""
        spec = cell.spec
        onehot = spec.params.get("categorical") == "onehot"
        key = (spec.layout in SPARSE_LAYOUTS, onehot)
        if key not in self._columns:
            self._columns[key] = seen(self.train, spec.layout, cell.cardinalities, onehot=onehot)
        return self._columns[key]

    def _calibrated(self) -> Calibration | None:
        if self._calibration is None and self.observations:
            self._calibration = calibrate(self.observations)
        return self._calibration

    def _load_s(self, workload: Workload) -> float:
        paces = [
            one.seconds["load"] / one.workload.entries
            for one in self.observations
            if "load" in one.seconds and one.workload.entries
        ]
        return median(paces) * workload.entries if paces else 0.0
