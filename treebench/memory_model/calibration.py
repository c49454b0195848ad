"""What was learned: coefficients by family, baselines by trainer, and how far to trust them."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from treebench.memory_model.coefficients import fitted, largest_stage
from treebench.memory_model.reference import reference
from treebench.memory_model.terms import baseline_of, family_of, is_modelled
from treebench.memory_model.times import TimeFit, time_fits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.memory_model.observations import Observation

PILOT_PRIOR_WEIGHT = 0.4
"""How firmly pilots are drawn to the reference's coefficients: of 0.03 to 2, what foretold the
larger cells of the reference itself best from their smaller ones."""

_RESIDUAL_MARGIN = 1.5


@dataclass(frozen=True)
class Family:
    """Coefficients of one family's terms, and errors as shares of a predicted peak: `low_error`
    below 0 and `high_error` above. `n_cells` were measured, of `most_rows` at most."""

    coefficients: Mapping[str, float]
    low_error: float
    high_error: float
    n_cells: int
    most_rows: int


@dataclass(frozen=True)
class Calibration:
    """What pilots on a data set taught, on top of the reference. Families without a pilot keep
    the reference's coefficients; `times` are of families with pilots alone."""

    families: Mapping[str, Family] = field(default_factory=dict)
    baselines: Mapping[str, int] = field(default_factory=dict)
    times: Mapping[str, TimeFit] = field(default_factory=dict)

    @property
    def n_pilots(self) -> int:
        """Pilots of all families."""
        return sum(one.n_cells for one in self.families.values())


def calibrate(observations: Sequence[Observation]) -> Calibration:
    """Learn from measured cells; those of trainers that are not modelled teach their time alone."""
    by_family: dict[str, list[Observation]] = {}
    by_baseline: dict[str, list[int]] = {}
    for one in observations:
        by_baseline.setdefault(baseline_of(one.workload), []).append(one.baseline_bytes)
        if is_modelled(one.workload):
            by_family.setdefault(family_of(one.workload), []).append(one)
    return Calibration(
        families={name: _family(name, group) for name, group in by_family.items()},
        baselines={name: round(statistics.median(held)) for name, held in by_baseline.items()},
        times=time_fits(observations),
    )


def _family(name: str, observations: Sequence[Observation]) -> Family:
    before = reference().family(name)
    prior = {} if before is None else before.coefficients
    coefficients = fitted(observations, prior, PILOT_PRIOR_WEIGHT)
    errors = [error_of(one, coefficients) for one in observations]
    known = (
        (reference().low_error, reference().high_error)
        if before is None
        else (before.low_error, before.high_error)
    )
    return Family(
        coefficients,
        min(known[0], _RESIDUAL_MARGIN * min(errors)),
        max(known[1], _RESIDUAL_MARGIN * max(errors)),
        len(observations),
        max(one.workload.n_rows for one in observations),
    )


def error_of(observation: Observation, coefficients: Mapping[str, float]) -> float:
    """How far the peak lies above (or below) what the coefficients say, as a share of that."""
    _, sizes = largest_stage(observation.workload, coefficients)
    said = observation.baseline_bytes + sum(sizes.values())
    return observation.peak_bytes / said - 1
