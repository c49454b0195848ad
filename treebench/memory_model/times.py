"""How long a cell will train, from pilots on its own data alone: no machine's times are another's.

Per round and class a fit costs something for itself, for each entry that it goes through once per
level of the tree, and for each histogram bin that it searches; construct costs something for itself
and for each entry.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.memory_model.nodes import most_leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treebench.memory_model.observations import Observation
    from treebench.memory_model.workload import Workload

LEAST_SPREAD = 0.25
"""Times of one cell on a shared machine differ by that much between runs."""

_SPREAD_PER_DOUBLING = 0.1
_MOST_LEVELS = 40.0


@dataclass(frozen=True)
class TimeFit:
    """Seconds for each unit of what training goes through, from `n_pilots`; `spread` is the largest
    share by which a pilot took more or less than that says."""

    construct: tuple[float, ...]
    fit: tuple[float, ...]
    spread: float
    n_pilots: int
    most_entries: int


def time_family(workload: Workload) -> str:
    """What shares its speed: trainer, its method and container, layout and threads."""
    params = workload.params
    chosen = (params.method, params.container, params.histogram, params.boosting)
    own = [str(one) for one in chosen if one is not None]
    return " ".join([workload.trainer, *own, workload.layout, f"{workload.threads} threads"])


def time_fits(observations: Sequence[Observation]) -> dict[str, TimeFit]:
    """By `time_family`."""
    groups: dict[str, list[Observation]] = {}
    for one in observations:
        if {"construct", "fit"} <= one.seconds.keys():
            groups.setdefault(time_family(one.workload), []).append(one)
    return {name: _fit(group) for name, group in groups.items()}


def seconds_of(workload: Workload, known: TimeFit) -> tuple[float, float, float]:
    """Seconds of construct and fit together: least, most likely, most."""
    mid = _said(workload, known.construct, known.fit)
    doublings = math.log2(max(1.0, workload.entries / known.most_entries))
    spread = max(LEAST_SPREAD, known.spread) + _SPREAD_PER_DOUBLING * doublings
    return mid / (1 + spread), mid, mid * (1 + spread)


def _fit(group: Sequence[Observation]) -> TimeFit:
    construct = _solved(group, _construct_units, "construct")
    fit = _solved(group, _fit_units, "fit")
    ratios = [
        (one.seconds["construct"] + one.seconds["fit"])
        / max(1e-9, _said(one.workload, construct, fit))
        for one in group
    ]
    spread = max(max(ratio, 1 / max(ratio, 1e-9)) - 1 for ratio in ratios)
    most = max(one.workload.entries for one in group)
    return TimeFit(construct, fit, spread, len(group), most)


def _solved(
    group: Sequence[Observation], units: Callable[[Workload], tuple[float, ...]], phase: str
) -> tuple[float, ...]:
    """Non-negative, errors as shares of the time; the smallest solution where there are fewer
    pilots than units, each unit measured by the largest that a pilot had."""
    import numpy as np
    from scipy.optimize import nnls

    rows = np.array([units(one.workload) for one in group])
    seconds = np.array([max(one.seconds[phase], 1e-6) for one in group])
    scale = np.maximum(rows.max(axis=0), 1e-12)
    solution, _ = nnls(rows / scale / seconds[:, None], np.ones(len(group)))
    return tuple((solution / scale).tolist())


def _said(workload: Workload, construct: tuple[float, ...], fit: tuple[float, ...]) -> float:
    units = (*_construct_units(workload), *_fit_units(workload))
    return sum(cost * unit for cost, unit in zip((*construct, *fit), units, strict=True))


def _construct_units(workload: Workload) -> tuple[float, ...]:
    return (1.0, float(workload.entries))


def _fit_units(workload: Workload) -> tuple[float, ...]:
    params = workload.params
    trees = int(params.or_default("n_estimators")) * workload.outputs
    leaves = most_leaves(params, workload.n_rows)
    levels = min(_MOST_LEVELS, math.log2(max(2.0, leaves)))
    searched = leaves * workload.bins(int(params.or_default("max_bin")))
    return (1.0, float(trees * workload.entries * levels), float(trees * searched))
