"""From terms to bytes: a coefficient for each term of a family, by non-negative least squares.

The structures say how many bytes each term should take, so that a coefficient of 1 is what is
expected before anything was measured; data draws it away from there, and where the cells of a
family cannot tell two terms apart both stay near it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.memory_model.stages import LOADED, phase_of
from treebench.memory_model.terms import terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.memory_model.observations import Observation
    from treebench.memory_model.stages import Stages, Terms
    from treebench.memory_model.workload import Workload

PRIOR_WEIGHT = 0.03
"""A coefficient that is off its prior by 1 weighs as much as a peak that is off by 3 %."""

BY_DATA = ("trees without a limit",)
"""Terms that hang on the data far more than on the library: they are drawn to no prior."""

_BY_DATA_WEIGHT = 0.1
_ROUNDS = 12
_MODELLED_PHASES = ("load", "construct", "fit")


@dataclass(frozen=True)
class Row:
    """One observed phase: its stages, its peak above the baseline, and the whole peak that an
    error is held against."""

    stages: tuple[Terms, ...]
    growth_bytes: float
    whole_bytes: float


def largest_stage(
    workload: Workload, coefficients: Mapping[str, float]
) -> tuple[str, dict[str, float]]:
    """The stage with the most bytes, and its terms in bytes.

    Raises:
        ConfigError: the trainer's memory is not modelled.
    """
    sized = {stage: _sized(held, coefficients) for stage, held in terms(workload).items()}
    stage = max(sized, key=lambda name: sum(sized[name].values()))
    return stage, sized[stage]


def _sized(held: Terms, coefficients: Mapping[str, float]) -> dict[str, float]:
    return {name: coefficients.get(name, 1.0) * size for name, size in held.items()}


def fitted(
    observations: Sequence[Observation],
    prior: Mapping[str, float],
    prior_weight: float = PRIOR_WEIGHT,
) -> dict[str, float]:
    """Coefficients of one family's terms.

    A phase's peak is the largest of its stages, which makes the problem linear only once it is
    known which: they are taken by the coefficients of the round before, beginning with `prior`.

    Args:
        observations: of the family; none leaves the prior.
        prior: expected coefficients by term; 1 for a term that is not there.
        prior_weight: what a coefficient's distance of 1 from its prior weighs, as share of a peak.
    """
    rows = [row for one in observations for row in _rows(one)]
    names = sorted({name for row in rows for held in row.stages for name in held} - set(LOADED))
    coefficients = {name: prior.get(name, 1.0) for name in names}
    if not rows:
        return dict(prior)
    for _ in range(_ROUNDS):
        found = _solved(rows, names, coefficients, prior, prior_weight)
        if all(abs(found[name] - coefficients[name]) < 1e-6 for name in names):
            break
        coefficients = found
    return {**prior, **coefficients}


def _rows(observation: Observation) -> list[Row]:
    by_phase: dict[str, list[Terms]] = {}
    stages: Stages = terms(observation.workload)
    for stage, held in stages.items():
        by_phase.setdefault(phase_of(stage), []).append(held)
    return [
        Row(
            tuple(by_phase[phase]),
            observation.phases[phase] - observation.baseline_bytes,
            observation.peak_bytes,
        )
        for phase in _MODELLED_PHASES
        if phase in by_phase and phase in observation.phases
    ]


def _solved(
    rows: Sequence[Row],
    names: Sequence[str],
    coefficients: Mapping[str, float],
    prior: Mapping[str, float],
    prior_weight: float,
) -> dict[str, float]:
    """One non-negative least squares problem, each phase by its largest stage, errors as shares of
    the whole peak; scipy.optimize.nnls (Lawson and Hanson, 1974, chapter 23)."""
    import numpy as np
    from scipy.optimize import nnls

    matrix, target = [], []
    for row in rows:
        held = max(row.stages, key=lambda one: sum(_sized(one, coefficients).values()))
        known = sum(held.get(name, 0.0) for name in LOADED)
        matrix.append([held.get(name, 0.0) / row.whole_bytes for name in names])
        target.append((row.growth_bytes - known) / row.whole_bytes)
    weights = [prior_weight * (_BY_DATA_WEIGHT if name in BY_DATA else 1.0) for name in names]
    pull = np.diag(weights)
    expected = pull @ np.array([prior.get(name, 1.0) for name in names])
    solution, _ = nnls(np.vstack([matrix, pull]), np.concatenate([target, expected]))
    return dict(zip(names, solution.tolist(), strict=True))
