"""The peak of a cell, before it runs: from its terms, the reference, and what pilots taught."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from treebench.memory_model.coefficients import largest_stage
from treebench.memory_model.reference import reference
from treebench.memory_model.stages import phase_of
from treebench.memory_model.terms import baseline_of, family_of
from treebench.memory_model.times import seconds_of, time_family

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treebench.memory_model.calibration import Calibration, Family
    from treebench.memory_model.reference import ReferenceFamily
    from treebench.memory_model.workload import Workload

Basis = Literal["reference", "calibrated", "structure"]

BASELINE_TERM = "interpreter and libraries"
_USUAL_BASELINE_BYTES = 215 << 20
_ERROR_PER_DOUBLING = 0.01


@dataclass(frozen=True)
class Prediction:
    """The largest RSS of a cell's worker up to the end of fit, in bytes: most likely `mid`, and
    between `low` and `high` but for a few cells in a hundred. `high` is what a limit must allow.

    `phase` is where the peak is; `terms` are what is held at that moment, and add up to `mid`.
    `basis` says what the coefficients are from: pilots of the same family on this data; the
    shipped reference; or the structures alone, where a family was never measured.
    """

    low_bytes: int
    mid_bytes: int
    high_bytes: int
    phase: str
    terms: dict[str, int]
    basis: Basis
    n_pilots: int


def predict(workload: Workload, calibration: Calibration | None = None) -> Prediction:
    """The peak of a workload.

    Raises:
        ConfigError: the trainer's memory is not modelled (see `terms.is_modelled`).
    """
    family, basis = _known(workload, calibration)
    coefficients: Mapping[str, float] = {} if family is None else family.coefficients
    stage, sizes = largest_stage(workload, coefficients)
    held = {BASELINE_TERM: float(_baseline(workload, calibration)), **sizes}
    mid = sum(held.values())
    low, high = _errors(workload, family)
    return Prediction(
        low_bytes=round(mid * (1 + low)),
        mid_bytes=round(mid),
        high_bytes=round(mid * (1 + high)),
        phase=phase_of(stage),
        terms={name: round(size) for name, size in held.items() if size >= 1},
        basis=basis,
        n_pilots=0 if calibration is None else calibration.n_pilots,
    )


def predict_time(
    workload: Workload, calibration: Calibration | None
) -> tuple[float, float, float] | None:
    """Seconds of construct and fit together: least, most likely and most. None where no pilot of
    the same trainer, method, container, layout and threads was taken: there is no reference for
    times, which are each machine's own."""
    known = None if calibration is None else calibration.times.get(time_family(workload))
    return None if known is None else seconds_of(workload, known)


def _known(
    workload: Workload, calibration: Calibration | None
) -> tuple[Family | ReferenceFamily | None, Basis]:
    name = family_of(workload)
    if calibration is not None and name in calibration.families:
        return calibration.families[name], "calibrated"
    found = reference().family(name)
    return found, "structure" if found is None else "reference"


def _baseline(workload: Workload, calibration: Calibration | None) -> int:
    """What a worker holds before any data: as the pilots had it, else as in the reference."""
    name, shipped = baseline_of(workload), reference().baselines
    if calibration is not None and name in calibration.baselines:
        return calibration.baselines[name]
    usual = statistics.median(shipped.values()) if shipped else _USUAL_BASELINE_BYTES
    return shipped.get(name, shipped.get(workload.trainer, round(usual)))


def _errors(workload: Workload, family: Family | ReferenceFamily | None) -> tuple[float, float]:
    """As seen in the family, and wider the further its largest cell is from this one."""
    if family is None:
        return reference().low_error, reference().high_error
    doublings = math.log2(max(1.0, workload.n_rows / family.most_rows))
    wider = _ERROR_PER_DOUBLING * doublings
    return max(-0.9, family.low_error - wider), family.high_error + wider
