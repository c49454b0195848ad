"""What ranks say of two sets of samples: how likely chance alone is, and the ratio's interval.

No distribution is assumed, and the sets may differ in size. (H. B. Mann and D. R. Whitney, "On a
test of whether one of two random variables is stochastically larger than the other", Annals of
Mathematical Statistics 18 (1947); the interval is the test turned round, M. Hollander and
D. A. Wolfe, Nonparametric Statistical Methods, 2nd edition (1999), section 4.3.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

WANTED_LEVEL = 0.95
_MOST_ARRANGEMENTS = 200_000


@dataclass(frozen=True)
class RatioInterval:
    """The ratio of a typical value of the second set to one of the first (the median of all
    ratios between them), its interval, and the level which that really has."""

    ratio: float
    low: float
    high: float
    level: float


def chance(first: Sequence[float], second: Sequence[float]) -> float:
    """The two-sided probability that two samples of one distribution differ in rank as much.

    Exact for few samples without ties; else by the normal approximation with its correction for
    ties.
    """
    ties = len({*first, *second}) < len(first) + len(second)
    exact = not ties and comb(len(first) + len(second), len(first)) <= _MOST_ARRANGEMENTS
    if len({*first, *second}) == 1:
        return 1.0
    method: Literal["exact", "asymptotic"] = "exact" if exact else "asymptotic"
    return float(stats.mannwhitneyu(list(first), list(second), method=method).pvalue)


def least_chance(n_first: int, n_second: int) -> float:
    """The smallest probability that sets of these sizes can show: every value of one above every
    value of the other, either way round."""
    return 2 / comb(n_first + n_second, n_first)


def ratio_interval(first: Sequence[float], second: Sequence[float]) -> RatioInterval:
    """The ratio of second to first, all values above zero, and its interval.

    Of the level `WANTED_LEVEL` where the sizes allow it, else of the highest that they do.
    """
    ratios = np.sort(
        (np.log(np.asarray(second))[:, None] - np.log(np.asarray(first))[None, :]).ravel()
    )
    rank = _rank(len(first), len(second))
    return RatioInterval(
        float(np.exp(np.median(ratios))),
        float(np.exp(ratios[rank])),
        float(np.exp(ratios[len(ratios) - 1 - rank])),
        float(1 - 2 * _below(len(first), len(second))[rank]),
    )


def _rank(n: int, m: int) -> int:
    """The largest rank, from 0, whose interval still has the wanted level; 0 if none has."""
    missed = 2 * _below(n, m)
    kept = np.flatnonzero(missed <= 1 - WANTED_LEVEL)
    return int(kept[-1]) if len(kept) else 0


@lru_cache(maxsize=256)
def _below(n: int, m: int) -> NDArray[np.float64]:
    """P(U <= u) for u from 0, U being Mann and Whitney's count for sets of sizes n and m.

    Counted by their recurrence over the largest value, as coefficients of a Gaussian binomial.
    """
    counts = np.zeros(n * m + 1)
    counts[0] = 1.0
    for i in range(1, n + 1):
        counts = _times(counts, m + i)
        counts = _divided(counts, i)
    return np.cumsum(counts) / comb(n + m, n)


def _times(counts: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """The polynomial times (1 - q^k)."""
    result = counts.copy()
    result[k:] -= counts[:-k] if k else counts
    return result


def _divided(counts: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """The polynomial over (1 - q^k), which divides it."""
    result = counts.copy()
    for at in range(k, len(result)):
        result[at] += result[at - k]
    return result
