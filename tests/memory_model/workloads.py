"""Workloads and observations of known sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treebench.memory_model.coefficients import largest_stage
from treebench.memory_model.observations import Observation
from treebench.memory_model.stages import phase_of
from treebench.memory_model.terms import terms
from treebench.memory_model.workload import Workload
from treebench.trainers.parameters import Params
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import filled

if TYPE_CHECKING:
    from collections.abc import Mapping

BASELINE_BYTES = 200 << 20


def workload(
    trainer: str = "xgboost", rows: int = 10_000, features: int = 20, **of: Any
) -> Workload:
    """Dense numbers, two classes, unless said otherwise; a parameter's name is a parameter."""
    own = {name: of.pop(name) for name in tuple(of) if name in Workload.__dataclass_fields__}
    threads = own.get("threads", 2)
    params = filled(TRAINERS[trainer], Params(threads=threads, **of))
    usual = {"layout": "dense-c", "n_classes": 2, "task": "binary", "threads": 2}
    return Workload(trainer, params, n_rows=rows, n_features=features, **{**usual, **own})


def observed(one: Workload, coefficients: Mapping[str, float], seconds: float = 1.0) -> Observation:
    """What would be measured if these were the true coefficients."""
    peaks: dict[str, int] = {}
    for stage, held in terms(one).items():
        size = BASELINE_BYTES + sum(coefficients.get(name, 1.0) * at for name, at in held.items())
        peaks[phase_of(stage)] = max(peaks.get(phase_of(stage), 0), round(size))
    assert (
        max(peaks.values())
        >= BASELINE_BYTES + sum(largest_stage(one, coefficients)[1].values()) - 1
    )
    return Observation(one, peaks, BASELINE_BYTES, {"construct": seconds / 4, "fit": seconds})
