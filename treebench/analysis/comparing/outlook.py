"""How many samples an unclear figure would need: an estimate from the spread seen so far."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from scipy import stats

from treebench.analysis.comparing.ranks import least_chance
from treebench.analysis.comparing.rule import FALSE_DISCOVERIES

if TYPE_CHECKING:
    from treebench.analysis.comparing.rule import Bounds, Change

MOST = 1000
"""Beyond this many samples of each side no number is given."""

_EFFICIENCY = 3 / math.pi
"""Of the rank test against the test of means on normal samples, for large sets (E. L. Lehmann,
Nonparametrics: Statistical Methods Based on Ranks (1975), section 2.4)."""

_LEAST = 3


def samples_wanted(change: Change, bounds: Bounds, tests: int) -> int | None:
    """The number of samples of *each* side after which the verdict should be clear, if the ratio
    and the spread stay what they are; None where the spread is not known, where the ratio lies
    on the edge of what counts, or where it would be more than `MOST`.

    Beyond the edge, so many that the rank test, allowing for all `tests`, tells the ratio from 1;
    within it, so many that the interval of the ratio has no end beyond the edge.
    """
    shift = _log_ratio(change)
    if shift is None or change.log_spread is None or not change.before:
        return None
    edge = math.log1p(max(bounds.band, bounds.floor / abs(change.before)))
    beyond = shift > edge
    level = FALSE_DISCOVERIES / (max(tests, 1) if beyond else 1)
    distance = shift if beyond else edge - shift
    wanted = _for_distance(change.log_spread, distance, level)
    if beyond:
        wanted = max(wanted, _least_that_can_convince(tests))
    wanted = max(wanted, _LEAST, min(change.n_before, change.n_after) + 1)
    return wanted if wanted <= MOST else None


def _log_ratio(change: Change) -> float | None:
    return None if change.interval is None else abs(math.log(change.interval.ratio))


def _for_distance(spread: float, distance: float, level: float) -> int:
    """Samples of each side for an interval of 1 - `level` with half the width `distance`."""
    if distance <= 0:
        return MOST + 1
    quantile = float(stats.norm.ppf(1 - level / 2))
    wanted = 2 * (quantile * spread / distance) ** 2 / _EFFICIENCY
    return MOST + 1 if wanted > MOST else math.ceil(wanted)


def _least_that_can_convince(tests: int) -> int:
    """The smallest sets that the rank test can tell apart among so many tests."""
    return next(n for n in range(2, MOST) if least_chance(n, n) * tests <= FALSE_DISCOVERIES)
